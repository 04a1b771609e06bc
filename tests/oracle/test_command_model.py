"""The back-end `command` with examples/torch_model.py, as docs/exporting-models.md shows it,
against the same model in PyTorch."""
import sys

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("nibabel")
from predictors import ROOT, expect_labels, needs_program, run_predictor, scores_of, unet, volume

pytestmark = needs_program
EXAMPLE = f"{sys.executable} {ROOT / 'examples/torch_model.py'}"


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "unet.ts"
    torch.jit.save(torch.jit.script(unet()), str(path))
    return path


@pytest.mark.parametrize("files", [True, False])
def test_a_torchscript_model_gives_the_labels_of_torch(tmp_path, script, files):
    volumes = [volume(), volume((9, 10, 16)), volume((8, 20, 14), 2)]
    found = run_predictor(tmp_path, volumes, command=f"{EXAMPLE} {script}", files=files)
    assert found["backend"] == "command"
    assert found["errors"][1].startswith("the command reported: RuntimeError: ")  # an odd side
    for i in (0, 2):
        expect_labels(found["labels"][i], scores_of(unet(), volumes[i], "xyz"))


def test_a_function_of_a_python_file(tmp_path):
    (tmp_path / "net.py").write_text("import torch\n\ndef model():\n    print('loading')\n    "
                                     "torch.manual_seed(3)\n"
                                     "    return torch.nn.Conv3d(1, 3, 3, padding=1)\n")
    torch.manual_seed(3)
    truth = torch.nn.Conv3d(1, 3, 3, padding=1).eval()
    log = tmp_path / "log.txt"
    found = run_predictor(tmp_path, [volume()], command=f"{EXAMPLE} {tmp_path / 'net.py'}:model",
                          error_file=log)
    assert found["errors"] == [None]
    expect_labels(found["labels"][0], scores_of(truth, volume(), "xyz"))
    assert log.read_text() == "loading\n"


def test_the_hash_follows_the_weights(tmp_path, script):
    hash_of = lambda: run_predictor(tmp_path, [],
                                    command=f"{EXAMPLE} {tmp_path / 'a.ts'}")["sha256"]
    (tmp_path / "a.ts").write_bytes(script.read_bytes())
    first = hash_of()
    torch.jit.save(torch.jit.script(unet(classes=2)), str(tmp_path / "a.ts"))
    assert hash_of() != first


def test_a_model_that_is_absent_is_told_with_the_end_of_standard_error(tmp_path):
    message = run_predictor(tmp_path, [volume()],
                            command=f"{EXAMPLE} {tmp_path / 'none.ts'}")["error"]
    assert "the program ended with status 1 instead of answering" in message
    assert "none.ts" in message


def test_no_folder_is_left_behind(tmp_path, script, monkeypatch):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    run_predictor(tmp_path, [volume(), volume((9, 10, 16))], command=f"{EXAMPLE} {script}",
                  files=False)
    assert [path.name for path in temporary.iterdir() if path.name.startswith("assay-")] == []
