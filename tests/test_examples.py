"""The scripts of examples/ print and draw what docs/examples.md shows, to the byte."""
import os, subprocess, sys

import pytest

from blocks import blocks
from support import PROGRAM, ROOT

PICTURES = {"stroke_lesions": ("stroke", "raincloud-lesion-f1", "stroke-lesions"),
            "brats_regions": ("brats", "raincloud-dice-of-et", "brats-regions"),
            "qa_run": ("qa", "qa-confusion-dots-by-rule", "qa-run")}
PACKAGE = PROGRAM.resolve().parent.parent / "python"
SHOWN = {block.first.split("/")[-1]: block.text.partition("\n")[2]
         for block in blocks("docs/examples.md")}


def test_the_page_shows_every_script():
    assert {f"{name}.py" for name in PICTURES} == set(SHOWN)


@pytest.mark.parametrize("name", PICTURES)
def test_a_script_prints_and_draws_what_the_page_shows(name, tmp_path):
    if not (PACKAGE / "assay").exists():
        pytest.skip("the Python package was not built")
    done = subprocess.run([sys.executable, "-W", "ignore", ROOT / f"examples/{name}.py"],
                          cwd=tmp_path, text=True, capture_output=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.returncode == 0, done.stderr
    assert done.stdout == SHOWN[f"{name}.py"]
    folder, drawn, kept = PICTURES[name]
    made = (tmp_path / f"build/examples/{folder}/figures/{drawn}.svg").read_bytes()
    assert made == (ROOT / f"docs/images/{kept}.svg").read_bytes()
