"""Pages that the program prints are the pages in docs/."""
import os, pathlib, re, shutil, subprocess, pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "assay"


@pytest.mark.parametrize("page", ["cli", "metrics"])
def test_a_generated_page_is_up_to_date(page):
    printed = subprocess.run([ASSAY, "docs", page], text=True, capture_output=True,
                             check=True).stdout
    assert (ROOT / f"docs/{page}.md").read_text() == printed, "run: make docs"


def printed_page(page):
    return subprocess.run([ASSAY, "docs", page], text=True, capture_output=True,
                          check=True).stdout


def offered(shell, line):
    """What a shell offers for a line: names alone, in order."""
    script = printed_page(f"completion-{shell}")
    if shell == "bash":
        words = " ".join(line.split(" ")) if not line.endswith(" ") else line + "''"
        script += (f"\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _assay; "
                   'printf "%s\\n" "${COMPREPLY[@]}"')
    else:
        script += f'\ncomplete -C "{line}"'
    done = subprocess.run([shell, "-c", script], text=True, capture_output=True)
    assert done.stderr == ""
    return [row.split("\t")[0] for row in done.stdout.split("\n") if row]


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None,
                              reason=f"{program} is not installed")


SHELLS = ["bash", pytest.param("fish", marks=needs("fish"))]


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_offers_commands_and_options(shell):
    assert offered(shell, "assay sco") == ["score"]
    assert offered(shell, "assay valid") == ["validate"]
    assert offered(shell, "assay qa sa") == ["salvage"]
    assert offered(shell, "assay score --pre") == ["--pred", "--pred-pattern"]
    assert offered(shell, "assay qa run --budg") == ["--budget-usd"]
    assert "--budget-usd" not in offered(shell, "assay qa score --")
    assert {"score", "qa", "docs"} <= set(offered(shell, "assay "))


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_offers_files_where_no_word_fits(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "masks.nii.gz").touch()
    assert offered(shell, "assay score mas") == ["masks.nii.gz"]


@needs("zsh")
def test_completion_is_a_script_that_zsh_accepts():
    script = printed_page("completion-zsh")
    assert subprocess.run(["zsh", "-n"], input=script, text=True).returncode == 0
    listed = subprocess.run(
        ["zsh", "-fc", "_describe() { print -l -- ${(P)2%%:*} }; _files() { print files }; "
         "words=(assay score --pre); CURRENT=3; PREFIX=--pre\n" + script],
        text=True, capture_output=True)
    assert listed.stderr == "" and {"--pred", "--labels"} <= set(listed.stdout.split())


def test_share_has_a_manual_page_for_every_command(tmp_path):
    subprocess.run([ASSAY, "docs", "share", "--out", tmp_path], check=True)
    pages = {page.name for page in (tmp_path / "share/man/man1").iterdir()}
    commands = re.findall(r"## `assay ([^`]*)`", (ROOT / "docs/cli.md").read_text())
    assert pages == {"assay.1", *(f"assay-{name.replace(' ', '-')}.1" for name in commands)}
    for shell, place in {"bash": "bash-completion/completions/assay",
                         "zsh": "zsh/site-functions/_assay",
                         "fish": "fish/vendor_completions.d/assay.fish"}.items():
        assert (tmp_path / "share" / place).read_text() == printed_page(f"completion-{shell}")
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *(tmp_path / "share").rglob("*.1")],
                          text=True, capture_output=True)
    # The only complaint is that there is no date: the same program prints the same page.
    assert [row for row in lint.stdout.splitlines() if "missing date" not in row] == []


def test_share_needs_a_folder():
    done = subprocess.run([ASSAY, "docs", "share"], text=True, capture_output=True)
    assert done.returncode == 2 and "--out" in done.stderr and done.stdout == ""


def paths_of_the_architecture():
    text = (ROOT / "docs/architecture.md").read_text()
    named = re.findall(
        r"`((?:assay|bench|cli|docs|include|python|tests|tools|web)/[^`\s]*|CMakeLists\.txt)`", text
    )
    return sorted(set(named))


@pytest.mark.parametrize("path", paths_of_the_architecture())
def test_every_path_that_the_architecture_names_exists(path):
    """`<name>` stands for any name; a path without ending is a folder, or a header and its
    source."""
    pattern = re.sub(r"<[a-z]+>", "*", path.rstrip("/"))
    assert list(ROOT.glob(pattern)) or list(ROOT.glob(pattern + ".[ch]pp")), path


@pytest.mark.parametrize("metric", ["boundary_iou", "fn_volume_ml", "fp_volume_ml"])
def test_a_metric_is_written_in_one_source_file(metric):
    """Adding a metric touches its family's file and a test; every list is made from the table."""
    sources = [p for room in ("include", "assay", "cli", "python/module")
               for p in (ROOT / room).rglob("*.?pp") if not p.stem.endswith("_test")]
    assert len([p.name for p in sources if f'"{metric}"' in p.read_text()]) == 1


def schemas():
    sources = [p for room in ("include", "assay", "cli", "python/module")
               for p in (ROOT / room).rglob("*.?pp") if not p.stem.endswith("_test")]
    places = {}
    for path in sources:
        code = re.sub(r"//.*", "", path.read_text())
        for schema in re.findall(r'assay\.[a-z-]+/[0-9]+(?=\\?"|[\', ])', code):
            places.setdefault(schema, set()).add(path.relative_to(ROOT).as_posix())
    return places


@pytest.mark.parametrize("schema, places", sorted(schemas().items()))
def test_the_name_of_a_schema_is_written_in_one_source_file(schema, places):
    """Its writer and its readers share the constant."""
    assert len(places) == 1, places
