"""Windows of `assay predict` against MONAI's sliding_window_inference: the same convolution in ONNX
and in torch, over images and windows of even and odd sizes."""
import os, pathlib, subprocess, sys, tempfile

import numpy

from models import PROGRAM, library
from tools import module

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from networks import onnx_convolution

CHANNELS, OUTPUTS = 4, 3
EQUAL = 1e-5  # of the largest score
TRIALS = [  # image, window, overlap, weights
    ((40, 36, 33), (16, 16, 16), 0.5, "gaussian"),
    ((40, 36, 33), (16, 16, 16), 0.5, "constant"),
    ((37, 29, 31), (13, 16, 9), 0.25, "gaussian"),
    ((37, 29, 31), (13, 16, 9), 0.0, "gaussian"),
    ((37, 29, 31), (13, 16, 9), 0.7, "constant"),
    ((37, 29, 31), (13, 16, 9), 0.9, "gaussian"),
    ((20, 50, 11), (32, 32, 32), 0.5, "gaussian"),
    ((21, 30, 11), (32, 32, 16), 0.5, "constant"),
    ((32, 32, 32), (32, 32, 32), 0.5, "gaussian"),
    ((33, 32, 31), (32, 31, 32), 0.25, "gaussian"),
    ((96, 80, 70), (48, 48, 48), 0.5, "gaussian"),
]


class Trial:
    """What came of one image and window."""

    def __init__(self, shape, window, overlap, weights):
        self.shape, self.window, self.overlap, self.weights = shape, window, overlap, weights
        self.greatest = float("inf")  # difference, as a share of the largest score

    @property
    def is_met(self):
        return self.greatest < EQUAL


def theirs(image, kernels, bias, trial):
    torch = module("torch")
    infer = module("monai.inferers").sliding_window_inference
    net = lambda x: torch.nn.functional.conv3d(x, torch.from_numpy(kernels),
                                               torch.from_numpy(bias), padding=1)
    with torch.no_grad():
        found = infer(torch.from_numpy(image)[None], trial.window, 2, net, overlap=trial.overlap,
                      mode=trial.weights)
    return found[0].numpy()


def ours(folder, model, image, trial, runtime):
    import nibabel

    paths = []
    for number, voxels in enumerate(image):
        paths.append(folder / f"case_{number:04}.nii")
        nibabel.save(nibabel.Nifti1Image(voxels, numpy.eye(4)), paths[-1])
    command = [PROGRAM, "predict", model, *paths, "--recipe", "none", "--window",
               ",".join(map(str, trial.window)), "--overlap", trial.overlap, "--window-weights",
               trial.weights, "--out", folder / "out", "--save-logits", "--no-cache", "--quiet"]
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True,
                          env={**os.environ, "ASSAY_ONNXRUNTIME": str(runtime)})
    if done.returncode != 0:
        raise RuntimeError(f"assay predict ended with {done.returncode}: {done.stderr.strip()}")
    return numpy.load(folder / "out/case.npy")


def trials():
    """One by one. Raises Missing without MONAI, torch or ONNX Runtime."""
    module("monai.inferers")
    runtime = os.environ.get("ASSAY_ONNXRUNTIME") or library()
    rng = numpy.random.default_rng(23)
    kernels = rng.normal(size=(OUTPUTS, CHANNELS, 3, 3, 3)).astype("f4")
    bias = rng.normal(size=OUTPUTS).astype("f4")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        model = onnx_convolution(folder / "net.onnx", kernels, bias)
        for each in TRIALS:
            trial = Trial(*each)
            image = rng.normal(size=(CHANNELS, *trial.shape)).astype("f4")
            truth = theirs(image, kernels, bias, trial)
            found = ours(folder, model, image, trial, runtime)
            trial.greatest = float(numpy.abs(found - truth).max() / numpy.abs(truth).max())
            yield trial


if __name__ == "__main__":
    for each in trials():
        print(each.shape, each.window, each.overlap, each.weights, f"{each.greatest:.3g}")
