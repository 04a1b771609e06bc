"""Transcripts: tests/cli/*.txt hold '$ command' lines, what they print, and '[exit]'.

A line '...' stands for any further lines, and '...' within a line for any text. Standard error
follows standard output.
"""
import os, pathlib, re, shlex, subprocess

import pytest

from support import PROGRAM

FILES = sorted((pathlib.Path(__file__).parent / "cli").glob("*.txt"))


def steps(text):
    """(command, expected lines, exit status) of a transcript; other lines between them are
    comments."""
    found = []
    for block in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, *rest = block.splitlines()
        end = next(i for i, line in enumerate(rest) if re.fullmatch(r"\[\d+\]", line))
        found.append((command, rest[:end], int(rest[end][1:-1])))
    return found


def pattern(lines):
    parts = [r"(?:.*\n)*?" if line == "..."
             else r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n" for line in lines]
    return "".join(parts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_transcript(path, tmp_path):
    for command, expected, status in steps(path.read_text()):
        program, *arguments = shlex.split(command)
        assert program == "assay"
        done = subprocess.run([PROGRAM, *arguments], cwd=tmp_path, text=True, capture_output=True,
                              timeout=60)
        shown = done.stdout + done.stderr
        assert done.returncode == status, f"$ {command}\n{shown}"
        assert re.fullmatch(pattern(expected),
                            shown), f"$ {command}\n{shown}\n--- expected\n" + "\n".join(expected)


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version_says_what_was_built_and_what_runs(flag):
    line = (r"assay \d+\.\d+\.\d+ \(commit [^,]+, (?:GCC|Clang) \d[^,]*, instruction set "
            r"(AVX-512|AVX2|portable)\)\n")
    found = {}
    for limit in ("", "avx2", "portable"):
        done = subprocess.run([PROGRAM, flag], text=True, capture_output=True,
                              env={**os.environ, "ASSAY_PROCESSOR": limit})
        found[limit] = re.fullmatch(line, done.stdout)
        assert found[limit] and (done.returncode, done.stderr) == (0, ""), done.stdout
    assert found["portable"][1] == "portable" and found["avx2"][1] in ("AVX2", "portable")


def test_every_command_has_a_transcript_of_its_help():
    listed = subprocess.run([PROGRAM], text=True, capture_output=True).stdout
    commands = re.findall(r"^  (\w+) ", listed, flags=re.M)
    tried = {command for path in FILES for command, _, _ in steps(path.read_text())}
    assert commands and not [name for name in commands if f"assay {name} --help" not in tried]


@pytest.mark.parametrize("command", ["score", "folds", "split", "metrics", "docs"])
def test_help_has_two_examples_and_all_common_options(command):
    text = subprocess.run([PROGRAM, command, "--help"], text=True, capture_output=True).stdout
    assert len(re.findall(r"^  (?:source <\()?assay ", text.partition("Examples:")[2],
                          flags=re.M)) >= 2
    for option in ("--json", "--out", "--quiet", "--verbose", "--jobs", "--no-color"):
        assert f"\n  {option} " in text


@pytest.mark.parametrize("command", ["score", "evaluate", "compare", "report", "qa run"])
def test_help_has_headings_and_the_common_options_last(command):
    text = subprocess.run([PROGRAM, *command.split(), "--help"], text=True,
                          capture_output=True).stdout
    headings = re.findall(r"^(\w[\w ]*):$", text, flags=re.M)
    assert (len(headings) >= 6 and headings[-2:] == ["Common options", "Examples"]
            and "Options" not in headings)
    assert not re.search(r"\n\n\n", text), "two blank lines in a row"
    assert all(len(line) <= 100 for line in text.partition("Examples:")[0].splitlines())


def test_defaults_are_printed_from_the_values_that_hold_them():
    """Retries were 8 in the library and 10 in help; both are one value now."""
    sources = pathlib.Path(__file__).parent.parent / "cli"
    written = [f"{p.name}: {line.strip()}" for p in sorted(sources.glob("*.cpp"))
               for line in p.read_text().splitlines() if re.search(r"\(default: -?\d", line)]
    assert written == ["compare.cpp: \"Treat differences closer than T as ties, and those below T "
                       "as zeros (default: 0)\");"]
    text = subprocess.run([PROGRAM, "qa", "run", "--help"], text=True, capture_output=True).stdout
    assert re.search(r"--retries N +Retries per call after transient errors \(default: 10\)", text)


@pytest.mark.parametrize("arguments", [["metrics"], ["metrics", "--json"], ["docs", "cli"]],
                         ids=" ".join)
def test_out_takes_what_would_be_printed(tmp_path, arguments):
    printed = subprocess.run([PROGRAM, *arguments], capture_output=True).stdout
    done = subprocess.run([PROGRAM, *arguments, "--out", tmp_path / "out"], capture_output=True)
    assert (done.returncode, done.stdout, (tmp_path / "out").read_bytes()) == (0, b"", printed)
