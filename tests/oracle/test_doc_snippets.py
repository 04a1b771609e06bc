"""What docs/exporting-models.md and docs/formats/predictor.md tell readers to copy."""
import os
import re
import shutil
import stat
import sys

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
nibabel = pytest.importorskip("nibabel")
from predictors import ROOT, expect_labels, needs_program, run_predictor, scores_of, unet, volume

pytestmark = needs_program


def snippets(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


def test_python_on_the_page_can_be_parsed():
    found = snippets("exporting-models.md", "python")
    assert len(found) == 3
    for number, text in enumerate(found):
        compile(text, f"snippet {number}", "exec")


def test_the_export_on_the_page(tmp_path, monkeypatch, library):
    monkeypatch.chdir(tmp_path)
    export = next(text for text in snippets("exporting-models.md", "python")
                  if "torch.onnx.export" in text)
    exec(export, {"net": unet(), "torch": torch})
    found = run_predictor(tmp_path, [volume()], model=tmp_path / "model.onnx", onnxruntime=library)
    assert found["backend"] == "onnx"
    expect_labels(found["labels"][0], scores_of(unet(), volume()))


FAKE_DOCKER = f"""#!{sys.executable}
import sys, nibabel, numpy
image, output = (path.removeprefix("/host") for path in sys.argv[-2:])
found = nibabel.load(image)
if found.shape[0] == 3:
    sys.exit(1)
print("talk that must not be taken for an answer")
mask = (found.get_fdata() > 0.5).astype(numpy.uint8)
nibabel.save(nibabel.Nifti1Image(mask, found.affine), output)
"""


def executable(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_wrapper_on_the_page(tmp_path, monkeypatch):
    if not shutil.which("jq"):
        pytest.skip("there is no jq")
    (script,) = snippets("formats/predictor.md", "sh")
    executable(tmp_path / "docker", FAKE_DOCKER)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    volumes = [volume(), volume((3, 4, 5)), volume((8, 4, 5))]
    found = run_predictor(tmp_path, volumes, command=str(executable(tmp_path / "model.sh", script)))
    assert found["errors"] == [None, "the command reported: my/segmenter failed", None]
    for i in (0, 2):
        assert (found["labels"][i] == (volumes[i] > 0.5)).all()
