"""MONAI's own networks with random weights: exported to ONNX, run by `assay evaluate`, and held
against torch and MONAI."""
import json, os, pathlib, subprocess, sys, tempfile, warnings

import numpy

from pairs import Pair
from tools import Missing, Monai, difference, module

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bin/assay"
SIDE, CLASSES, CASES = 64, 3, 2
SPACING, KEYS = (1.0, 1.0, 2.0), ["dice", "hd95", "nsd"]
EQUAL = 1e-5  # relative difference of a score that single precision explains
CLEAR = 1e-3  # of the range of scores: where the two best classes are nearer, rounding may decide

FORMS = {
    "SegResNet": ("open", {"init_filters": 8, "in_channels": 1, "out_channels": CLASSES}),
    "UNet": ("open",
             {"spatial_dims": 3, "in_channels": 1, "out_channels": CLASSES,
              "channels": (8, 16, 32, 64), "strides": (2, 2, 2), "num_res_units": 2}),
    "VNet": ("open", {"spatial_dims": 3, "in_channels": 1, "out_channels": CLASSES}),
    "MedNeXt": ("open",
                {"spatial_dims": 3, "init_filters": 8, "in_channels": 1, "out_channels": CLASSES,
                 "kernel_size": 3}),
    "UNETR": ("fixed",
              {"in_channels": 1, "out_channels": CLASSES, "img_size": (SIDE,) * 3,
               "feature_size": 8, "hidden_size": 192, "mlp_dim": 384, "num_heads": 6}),
    "SwinUNETR": ("fixed", {"in_channels": 1, "out_channels": CLASSES, "feature_size": 12}),
}


class Outcome:
    """What came of one network."""

    def __init__(self, name):
        self.name, self.trouble, self.remarks = name, "", set()
        self.parameters = self.voxels = self.differing = self.unclear = 0
        self.greatest = 0.0  # difference of a score to MONAI's

    @property
    def is_met(self):
        return not self.trouble and self.differing <= self.unclear and self.greatest < EQUAL


def library():
    """The wheel's own ONNX Runtime."""
    folder = pathlib.Path(module("onnxruntime").__file__).parent / "capi"
    found = sorted(folder.glob("libonnxruntime.so.*"))
    if not found:
        raise Missing("the wheel of onnxruntime has no shared library")
    return found[0]


def balanced(net, torch, image):
    """Scores centred by class, so that every class occurs; the weights stay random."""

    class Centred(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net
            with torch.no_grad():
                self.register_buffer("middle", net(image).mean((0, 2, 3, 4), keepdim=True))

        def forward(self, x):
            return self.net(x) - self.middle

    return Centred().eval()


def export(net, torch, path, form):
    example = torch.zeros(1, 1, SIDE, SIDE, SIDE)
    names = {"input_names": ["image"], "output_names": ["scores"], "opset_version": 18}
    axes = {2: "depth", 3: "height", 4: "width"}
    options = {"dynamic_axes": {"image": axes, "scores": axes}} if form == "open" else {}
    with open(os.devnull, "w") as silence:
        stdout, sys.stdout = sys.stdout, silence
        try:
            torch.onnx.export(net, (example,), str(path), dynamo=False, **names, **options)
        finally:
            sys.stdout = stdout


def volumes(case):
    """An image from 0 to 1, and a reference of two labels."""
    from scipy import ndimage

    rng = numpy.random.default_rng(100 + case)
    image = ndimage.gaussian_filter(rng.random((SIDE,) * 3), 2).astype(numpy.float32)
    image = (image - image.min()) / (image.max() - image.min())
    blobs = ndimage.gaussian_filter(rng.random((SIDE,) * 3), 4)
    return (image,
            (blobs > numpy.quantile(blobs, 0.6)).astype(numpy.uint8)
            + (blobs > numpy.quantile(blobs, 0.9)))


def write_cohort(folder):
    import nibabel

    for case in range(CASES):
        for kind, voxels in zip(("images", "labels"), volumes(case)):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            nibabel.save(nibabel.Nifti1Image(voxels, numpy.diag([*SPACING, 1.0])),
                         folder / kind / f"case{case}.nii.gz")


def evaluate(model, folder, runtime):
    """The result of `assay evaluate`, and the labels by case."""
    import nibabel

    saved = folder / f"{model.stem}-predictions"
    command = [PROGRAM, "evaluate", model, folder, "--recipe", "minmax", "--labels", "1,2",
               "--metrics", ",".join(KEYS), "--convention", "monai", "--save-predictions", saved,
               "--no-cache", "--json", "--quiet"]
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True,
                          env={**os.environ, "ASSAY_ONNXRUNTIME": str(runtime)})
    if done.returncode != 0:
        raise RuntimeError(f"assay evaluate ended with {done.returncode}: "
                           f"{done.stderr.strip().splitlines()[-1]}")
    result = json.loads(done.stdout)
    return (result,
            {c["id"]: numpy.asarray(nibabel.load(saved / f"{c['id']}.nii.gz").dataobj)
             for c in result["cases"]})


def torch_scores(net, torch, image):
    """By class; the network sees x first, as the recipe has it."""
    with torch.no_grad():
        return net(torch.from_numpy(image)[None, None])[0].numpy()


def compare_labels(outcome, found, scores):
    """Counts the voxels that differ, and those at which two classes are as good as equal."""
    best = numpy.sort(scores, axis=0)
    unclear = best[-1] - best[-2] < CLEAR * (scores.max() - scores.min())
    differs = found != scores.argmax(0)
    outcome.voxels += found.size
    outcome.differing += int(differs.sum())
    outcome.unclear += int(unclear.sum())
    if (differs & ~unclear).any():
        outcome.trouble = (f"{int((differs & ~unclear).sum())} labels differ where the classes are "
                           f"clearly apart")


def compare_scores(outcome, monai, case, pairs):
    """MONAI's values for the labels that assay predicted."""
    for label, pair in pairs.items():
        expected = monai.values(pair)
        for key in KEYS:
            ours, theirs = case["label"][label][key], expected[key]
            off = difference(ours, theirs) / max(1.0, abs(theirs or 0.0))
            why = (None if off < EQUAL
                   else next((known.why for known in monai.known
                              if known.explains(key, pair, ours, theirs)), None))
            if why:
                outcome.remarks.add(f"`{key}` of label {label} differs by "
                                    f"{difference(ours, theirs):.2g}: {why}")
            else:
                outcome.greatest = max(outcome.greatest, off)


def try_network(name, folder, runtime):
    form, options = FORMS[name]
    torch, outcome = module("torch"), Outcome(name)
    torch.manual_seed(7)
    net = getattr(module("monai.networks.nets"), name)(**options).eval()
    outcome.parameters = sum(p.numel() for p in net.parameters())
    image, _ = volumes(0)
    net = balanced(net, torch, torch.from_numpy(image)[None, None])
    model = folder / f"{name.lower()}.onnx"
    export(net, torch, model, form)
    result, labels = evaluate(model, folder, runtime)
    for case in range(CASES):
        image, reference = volumes(case)
        found = labels[f"case{case}"]
        compare_labels(outcome, found, torch_scores(net, torch, image))
        pairs = {str(label): Pair("volume", found == label, reference == label, SPACING)
                 for label in (1, 2)}
        compare_scores(outcome, Monai(), result["cases"][case], pairs)
    return outcome


def outcomes():
    """One by one; a network that cannot be had is reported with the reason."""
    runtime = library()
    with tempfile.TemporaryDirectory() as work, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = pathlib.Path(work)
        write_cohort(folder)
        for name in FORMS:
            try:
                yield try_network(name, folder, runtime)
            except Exception as error:  # whatever the exporter, the runtime or the network dies of
                outcome = Outcome(name)
                outcome.trouble = (
                    f"{type(error).__name__}: "
                    f"{str(error).strip().splitlines()[0] if str(error).strip() else 'no message'}"
                )
                yield outcome
