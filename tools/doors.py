#!/usr/bin/env python3
"""Calls that have one door, found elsewhere. Exits 1 when there is one.

A parser that is called directly has no limit of nesting; a program that is started directly may go
through a shell. Tests may parse what they made themselves, but nothing starts a shell.

usage: doors.py ROOT
"""
import pathlib, re, sys

# : name: (what must not be called, the files that may, whether tests may as well, what to call
# instead)
DOORS = {
    "JSON": (r"\b[Jj]son::(?:parse|accept|sax_parse|from_\w+)\s*\(", set(), True, "parse_json"),
    "TOML": (r"\btoml::parse(?:_file)?\s*\(", {"assay/base/toml.cpp"}, False, "parse_toml"),
    "programs": (r"\b(?:posix_spawnp?|execl\w*|execv\w*|v?fork)\s*\(",
                 {"assay/base/spawn.cpp", "cli/demo_qa.cpp", "bench/usage.cpp"}, True,
                 "ChildProcess or run_program"),
    "numbers in text": (r"\b(?:strto[fd]|strtold|sto[fd]|stold|atof|s?scanf)\s*\(", set(), True,
                        "std::from_chars or read_decimal, which no locale changes"),
    "text from numbers": (r"\b(?:v?sn?printf|setprecision)\s*\(", {"assay/base/journal.cpp"},
                          True, "fmt::format, which no locale changes"),
    "letters": (r"\bstd::(?:is(?:alnum|alpha|digit|space|upper|lower|xdigit|punct)"
                r"|to(?:upper|lower))\s*\(", set(), True,
                "assay/base/ascii.hpp, which no locale changes"),
    "files": (r"(?<![\w>])::open\s*\(|\b(?:fopen|creat|openat)\s*\(|\bstd::[io]?fstream\b",
              {"assay/base/descriptor.hpp", "assay/base/machine_memory.cpp",  # and /proc:
               "assay/base/journal.cpp"}, True,
              "open_descriptor or InputFile, which no signal interrupts"),
    "a shell": (r"\bpopen\s*\(|\bsystem\s*\(|\"/bin/sh\"", set(), False,
                "run_program; whoever wants a shell starts sh -c"),
}
COMMENT = re.compile(r"//.*|/\*.*?\*/", re.DOTALL)


def is_test(name):
    return (name.endswith(("_test.cpp", "_for_test.hpp")) or name.startswith("tests/")
            or "/test_" in name)


def offences(root):
    for folder in ("include", "assay", "cli", "python", "tests", "bench"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                for door, (call, allowed, tests_may, instead) in DOORS.items():
                    if name in allowed or (tests_may and is_test(name)):
                        continue
                    if found := re.search(call, COMMENT.sub("", line)):
                        yield (f"{name}:{number}: {found[0].strip()} is called past the one door "
                               f"to {door}; call {instead}")


def main():
    found = list(offences(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    for offence in found:
        print(offence)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
