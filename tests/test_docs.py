"""Pages that the program prints are the pages in docs/."""
import os, pathlib, subprocess, pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSAY = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "assay"


@pytest.mark.parametrize("page", ["cli", "metrics"])
def test_a_generated_page_is_up_to_date(page):
    printed = subprocess.run([ASSAY, "docs", page], text=True, capture_output=True, check=True).stdout
    assert (ROOT / f"docs/{page}.md").read_text() == printed, "run: make docs"


def test_completion_is_a_script_that_bash_accepts():
    script = subprocess.run([ASSAY, "docs", "completion-bash"], text=True, capture_output=True, check=True).stdout
    assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0
    listed = subprocess.run(["bash", "-c", script + '\nCOMP_WORDS=(assay score --pre); COMP_CWORD=2; _assay; echo "${COMPREPLY[@]}"'],
                            text=True, capture_output=True).stdout
    assert listed.split() == ["--pred", "--pred-pattern"]
