"""Networks of nnU-Net with random weights: exported to ONNX with a recipe beside them, run by one
command, and held against nnU-Net's own predictor.

nnU-Net spaces its windows evenly, and assay as MONAI does. The images have sides for which both
give the same windows, their voxels have the spacing of the plan, and none is 0, so that nothing is
cropped or resampled. Windows have constant weights, because nnU-Net's Gaussian has its centre half
a voxel from MONAI's. Then the labels are the same, but for voxels at which half precision, in which
nnU-Net adds up its scores, decides.
"""
import contextlib, io, json, os, pathlib, subprocess, tempfile, warnings

import numpy

from models import PROGRAM, library
from tools import module

CHANNELS, CLASSES, CASES = 2, 3, 1
SHAPE, WINDOW, SPACING = (32, 24, 16), (16, 16, 8), (0.8, 0.8, 2.5)  # x, y, z
CLEAR = 0.01  # of the range of scores: what half precision may blur
RECIPE = f"""axes = "zyx"
orientation = ""
grid = "zoom"
spacing_mm = {list(SPACING)}
channels = {CHANNELS}
intensity = "zscore"
window = {list(WINDOW)}
overlap = 0.5
window_weights = "constant"
mirror = "xyz"
"""
KINDS = {"PlainConvUNet": {"n_conv_per_stage": 2},
         "ResidualEncoderUNet": {"n_blocks_per_stage": (1, 2, 2)}}


class Outcome:
    """How many labels of one network differ, and how many of them are not clear."""

    def __init__(self, name, voxels, differing, unexplained, counts):
        self.name, self.voxels, self.differing = name, voxels, differing
        self.unexplained, self.counts = unexplained, counts

    @property
    def is_met(self):
        return self.unexplained == 0 and max(self.counts) < self.voxels


def network(name, torch):
    form = getattr(module("dynamic_network_architectures.architectures.unet"), name)
    torch.manual_seed(3)
    net = form(input_channels=CHANNELS, n_stages=3, features_per_stage=(4, 8, 16),
               conv_op=torch.nn.Conv3d, kernel_sizes=3, strides=(1, 2, 2), num_classes=CLASSES,
               n_conv_per_stage_decoder=1, conv_bias=True, norm_op=torch.nn.InstanceNorm3d,
               norm_op_kwargs={"eps": 1e-5, "affine": True}, nonlin=torch.nn.LeakyReLU,
               nonlin_kwargs={"inplace": True}, deep_supervision=False, **KINDS[name])
    return net.eval()


def write_data(folder):
    """A data set of nnU-Net, and its images by case: channel, x, y, z."""
    import nibabel

    rng, images = numpy.random.default_rng(8), {}
    affine = numpy.diag([*SPACING, 1.0])
    for kind in ("imagesTr", "labelsTr"):
        (folder / kind).mkdir(parents=True)
    for number in range(CASES):
        images[f"case{number}"] = rng.normal(100, 20, (CHANNELS, *SHAPE)).astype("f4")
        for channel, voxels in enumerate(images[f"case{number}"]):
            nibabel.save(nibabel.Nifti1Image(voxels, affine),
                         folder / f"imagesTr/case{number}_{channel:04}.nii.gz")
        nibabel.save(nibabel.Nifti1Image(rng.integers(0, CLASSES, SHAPE).astype("u1"), affine),
                     folder / f"labelsTr/case{number}.nii.gz")
    (folder / "dataset.json").write_text(json.dumps(
        {"channel_names": {"0": "a", "1": "b"}, "labels": {"background": 0, "one": 1, "two": 2},
         "numTraining": CASES, "file_ending": ".nii.gz"}))
    return images


def export(net, torch, folder):
    folder.mkdir()
    axes = {2: "depth", 3: "height", 4: "width"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net, (torch.zeros(1, CHANNELS, *WINDOW[::-1]),),
                          str(folder / "model.onnx"), dynamo=False, opset_version=18,
                          input_names=["image"], output_names=["scores"],
                          dynamic_axes={"image": axes, "scores": axes})
    (folder / "recipe.toml").write_text(RECIPE)
    return folder / "model.onnx"


def theirs(net, torch, image):
    """Scores of nnU-Net's predictor: class, x, y, z."""
    for name in ("nnUNet_raw", "nnUNet_preprocessed", "nnUNet_results"):
        os.environ.setdefault(name, tempfile.gettempdir())
    plans = module("nnunetv2.utilities.plans_handling.plans_handler")
    with contextlib.redirect_stdout(io.StringIO()):
        predictor = module("nnunetv2.inference.predict_from_raw_data").nnUNetPredictor(
            device=torch.device("cpu"), perform_everything_on_device=False, allow_tqdm=False,
            use_gaussian=False)
    predictor.network, predictor.list_of_parameters = net, [net.state_dict()]
    predictor.configuration_manager = plans.ConfigurationManager(
        {"patch_size": WINDOW[::-1], "architecture": {}})
    predictor.allowed_mirroring_axes = (0, 1, 2)
    labels = type("Labels", (), {"num_segmentation_heads": CLASSES})
    predictor.label_manager = labels()
    means, widths = (f(image, axis=(1, 2, 3), keepdims=True) for f in (numpy.mean, numpy.std))
    data = torch.from_numpy(((image - means) / widths).transpose(0, 3, 2, 1).astype("f4"))
    with contextlib.redirect_stdout(io.StringIO()):
        found = predictor.predict_logits_from_preprocessed_data(data)
    return found.float().numpy().transpose(0, 3, 2, 1)


def ours(model, data, runtime):
    """The labels by case, from one command."""
    import nibabel

    saved = model.parent / "predictions"
    done = subprocess.run([PROGRAM, "evaluate", model, data, "--save-predictions", saved],
                          text=True, capture_output=True,
                          env={**os.environ, "ASSAY_ONNXRUNTIME": str(runtime)})
    if done.returncode != 0:
        raise RuntimeError(f"assay evaluate ended with {done.returncode}: {done.stderr.strip()}")
    return {f"case{n}": numpy.asarray(nibabel.load(saved / f"case{n}.nii.gz").dataobj)
            for n in range(CASES)}


def outcome(name, folder, data, images):
    torch = module("torch")
    net = network(name, torch)
    found = ours(export(net, torch, folder / name), data,
                 os.environ.get("ASSAY_ONNXRUNTIME") or library())
    differing = unexplained = 0
    for case, image in images.items():
        scores = theirs(net, torch, image)
        best = numpy.sort(scores, axis=0)
        clear = best[-1] - best[-2] >= CLEAR * (scores.max() - scores.min())
        differs = found[case] != scores.argmax(0)
        differing += int(differs.sum())
        unexplained += int((differs & clear).sum())
    counts = numpy.bincount(numpy.concatenate([f.ravel() for f in found.values()]),
                            minlength=CLASSES)
    return Outcome(name, int(counts.sum()), differing, unexplained, counts.tolist())


def outcomes():
    """One by one. Raises Missing without nnU-Net, torch or ONNX Runtime."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        images = write_data(folder / "Dataset001_Made")
        for name in KINDS:
            yield outcome(name, folder, folder / "Dataset001_Made", images)


if __name__ == "__main__":
    for each in outcomes():
        print(each.name, each.voxels, each.differing, each.unexplained, each.counts, each.is_met)
