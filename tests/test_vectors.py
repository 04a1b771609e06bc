"""The reference vectors are part of the project, and real files are found through one variable."""
import re

import pytest

from support import ROOT, VECTORS, data_folder, real_data, strict, vectors

FILES = sorted(path.name for path in VECTORS.glob("*.json"))
RESOLVERS = {"data_for_test.hpp", "support.py", "test_vectors.py", "CONTRIBUTING.md"}


def sources():
    """Every text file of the project, whether it is committed or not."""
    skipped = {"build", "node_modules", "__pycache__"}
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        hidden = any(part in skipped or part.startswith(".") for part in parts[:-1])
        if path.is_file() and not hidden:
            yield path


def test_no_other_file_looks_beside_the_project():
    beside = re.compile(rb"shared/(data|vectors|spec|notes)\b|\.\./shared\b")
    found = {path.name for path in sources() if beside.search(path.read_bytes())}
    assert found == RESOLVERS


def test_every_file_is_explained():
    names = "qa_answers segmentation-cases specification-cases specification-reference statistics"
    assert FILES == [f"{name}.json" for name in names.split()]
    page = (VECTORS / "README.md").read_text()
    assert all(f"## {name}\n" in page and f"| `{name}` |" in page for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_one_case_per_line_and_no_prose(name):
    text = (VECTORS / name).read_text()
    lines = [line.rstrip(",") for line in text.splitlines()[1:] if line.startswith("{")]
    assert len(lines) >= 15 and all(strict(line) for line in lines)
    strict(text)
    assert not re.search(r'"(note|comment|about|what|verified)":', text)


def test_every_case_names_its_source():
    assert all(case["source"] for case in vectors("segmentation-cases")["cases"])
    cases = vectors("specification-cases")
    assert {case["source"].split()[0] for case in cases["cases"]} == set(cases["sources"])


def test_real_files_are_found_through_the_variable(tmp_path, monkeypatch):
    (tmp_path / "here").touch()
    monkeypatch.setenv("ASSAY_TEST_DATA", str(tmp_path))
    assert real_data("here") == tmp_path / "here"
    remedy = "set ASSAY_TEST_DATA to a folder that has absent/file"
    with pytest.raises(pytest.skip.Exception, match=remedy):
        real_data("absent/file")
    monkeypatch.delenv("ASSAY_TEST_DATA")
    assert data_folder() == ROOT.parent / "shared/data"
