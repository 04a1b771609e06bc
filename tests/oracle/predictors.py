"""What the tests of back-ends share: running a predictor, networks to run, how labels are
compared."""
import json
import os
import pathlib
import subprocess

import nibabel
import numpy as np
import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "run_predictor"
TIED = 1e-5
AFFINE = np.array([[1.5, 0, 0, -20], [0, 1, 0, 7], [0, 0, 2, 3], [0, 0, 0, 1.0]])

needs_program = pytest.mark.skipif(not RUN.exists(), reason=f"{RUN} is not built")


def save(path, voxels):
    nibabel.save(nibabel.Nifti1Image(np.asarray(voxels, "f4"), AFFINE), path)
    return path


def run_predictor(folder, volumes, **request):
    """What the program says, with the labels of each volume (None where it failed) as `labels`, and
    its logits."""
    images = [str(save(folder / f"image{i}.nii.gz", volume)) for i, volume in enumerate(volumes)]
    out = folder / "out"
    out.mkdir(exist_ok=True)
    text = {key: str(value) if isinstance(value, pathlib.Path) else value
            for key, value in request.items()}
    (folder / "request.json").write_text(json.dumps({"images": images, "out": str(out), **text}))
    done = subprocess.run([RUN, folder / "request.json"], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = json.loads(done.stdout)
    errors = found.get("errors", [])
    found["labels"] = [None if error else np.asarray(nibabel.load(out / f"{i}.nii.gz").dataobj)
                       for i, error in enumerate(errors)]
    found["logits"] = [None if error else np.fromfile(out / f"{i}.logits", "f4")
                       for i, error in enumerate(errors)]
    return found


class UNet(torch.nn.Module):
    """Two levels: strided and transposed convolutions, a concatenation; no plain chain."""

    def __init__(self, classes=3, channels=1, end=torch.nn.Identity()):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Conv3d(channels, 6, 3, padding=1),
                                         torch.nn.InstanceNorm3d(6), torch.nn.LeakyReLU())
        self.down = torch.nn.Sequential(torch.nn.Conv3d(6, 8, 3, stride=2, padding=1),
                                        torch.nn.ReLU())
        self.up = torch.nn.ConvTranspose3d(8, 6, 2, stride=2)
        self.last = torch.nn.Conv3d(12, classes, 1)
        self.end = end

    def forward(self, x):
        x = self.first(x)
        return self.end(self.last(torch.cat([x, self.up(self.down(x))], 1)))


def unet(**options):
    torch.manual_seed(11)
    return UNet(**options).eval()


def export(net, path, shape=(1, 1, 8, 8, 8), opset=13, fixed=False, **options):
    """As docs/exporting-models.md says."""
    axes = {2: "depth", 3: "height", 4: "width"}
    torch.onnx.export(net, torch.zeros(shape), path, opset_version=opset, input_names=["image"],
                      output_names=["scores"],
                      dynamic_axes=None if fixed else {"image": axes, "scores": axes}, **options)
    return path


def volume(shape=(12, 10, 16), seed=1):
    return np.random.default_rng(seed).random(shape, dtype="f4")


def scores_of(net, voxels, axes="zyx"):
    """Scores in the axes of the voxels, x first, though the tensor has z first unless axes says
    otherwise."""
    order = (lambda a: a.transpose(2, 1, 0)) if axes == "zyx" else (lambda a: a)
    with torch.no_grad():
        found = net(torch.from_numpy(np.ascontiguousarray(order(voxels)))[None, None])[0].numpy()
    return np.stack([order(channel) for channel in found])


def expect_labels(labels, scores):
    """Equal wherever the two largest scores differ by more than rounding."""
    top = np.partition(scores, -2, axis=0)[-2:]
    clear = top[1] - top[0] > TIED * np.abs(scores).max()
    assert clear.mean() > 0.99
    assert len(np.unique(scores.argmax(0))) > 1
    assert (labels != scores.argmax(0))[clear].sum() == 0
