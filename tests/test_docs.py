"""Pages that the program prints are the pages in docs/."""
import os, pathlib, re, subprocess, pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "assay"


@pytest.mark.parametrize("page", ["cli", "metrics"])
def test_a_generated_page_is_up_to_date(page):
    printed = subprocess.run([ASSAY, "docs", page], text=True, capture_output=True,
                             check=True).stdout
    assert (ROOT / f"docs/{page}.md").read_text() == printed, "run: make docs"


def test_completion_is_a_script_that_bash_accepts():
    script = subprocess.run([ASSAY, "docs", "completion-bash"], text=True, capture_output=True,
                            check=True).stdout
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0
    listed = subprocess.run(
        [
            "bash",
            "-c",
            script
            + '\nCOMP_WORDS=(assay score --pre); COMP_CWORD=2; _assay; echo "${COMPREPLY[@]}"',
        ],
        text=True,
        capture_output=True,
    ).stdout
    assert listed.split() == ["--pred", "--pred-pattern"]


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
