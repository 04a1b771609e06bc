"""The peers: each computes what assay computes under one convention, by its own public functions.

A peer's values are plain numbers by assay's key. NaN, None and an error all mean that it has no
value there.
"""
import contextlib, importlib, importlib.metadata, importlib.util, io, logging, math, os, pathlib
import subprocess, sys, tempfile

import numpy

PERCENT, TOLERANCE_MM = 95, 1.0
EXACT = 1e-6  # relative: what remains of distances that were kept in single precision


class Missing(Exception):
    """The peer is not installed, and why."""


class Known:
    """A difference that is understood: for which metrics and pairs, and why.

    Where rounding is the reason, `exact` gives the peer's value without it: assay's has to equal
    that one, and the peer's own may be off by `bound` at most.
    """

    def __init__(self, keys, when, why, exact=None, bound=math.inf):
        self.keys, self.when, self.why, self.exact, self.bound = (
            keys.split(), when, why, exact, bound)

    def explains(self, key, pair, found, expected):
        if key not in self.keys or not self.when(pair):
            return False
        return (self.exact is None
                or (near(found, expected, self.bound) and near(found, self.exact(pair), EXACT)))


def difference(found, expected):
    """0 where both have no value or the same infinity, infinity where only one has."""
    if found == expected:
        return 0.0
    if found is None or expected is None or math.isinf(found) or math.isinf(expected):
        return math.inf
    return abs(found - expected)


def near(found, expected, relative):
    """Relative to the expected value where that is above 1."""
    size = abs(expected) if expected is not None and math.isfinite(expected) else 1.0
    return difference(found, expected) <= relative * max(1.0, size)


def module(name, why="it could not be installed"):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Missing(f"{why} ({error})") from error


def installed(distribution, name):
    """Of the package index, though a checkout in PEERS_PATH may hold a package of the same name
    (the one of BraTS does)."""
    try:
        home = str(importlib.metadata.distribution(distribution).locate_file(""))
    except importlib.metadata.PackageNotFoundError as error:
        raise Missing(f"it could not be installed ({error})") from error
    sys.path.insert(0, home)
    try:
        return module(name)
    finally:
        sys.path.remove(home)


def from_source(name):
    """Of a checkout; what that needs itself may be missing too."""
    found = importlib.util.find_spec(name.split(".")[0])
    return module(name,
                  "its checkout needs more" if found
                  else "it is not on the Python package index; give a checkout in PEERS_PATH")


def checkout_version(package):
    """The commit of a checkout."""
    folder = pathlib.Path(package.__file__).parent
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        return "commit " + subprocess.check_output(
            ["git", "-C", folder, "rev-parse", "--short", "HEAD"], text=True,
            stderr=subprocess.DEVNULL).strip()
    return "a checkout"


def attempt(function, *arguments, **options):
    """The number, or None where the peer gives up."""
    try:
        found = function(*arguments, **options)
    except (ValueError, RuntimeError, ZeroDivisionError, IndexError, NotImplementedError):
        return None
    return None if found is None or math.isnan(found) else float(found)


class Peer:
    title = convention = ""
    distribution = None  # on the package index
    relative = 1e-11     # greatest relative difference that rounding explains
    known = []
    share = 1            # every how many pairs are compared

    def version(self):
        return importlib.metadata.version(self.distribution)

    def takes(self, pair):
        return True

    def settings_for(self, pair):
        """Of assay.metrics, besides the convention."""
        return {}


class Monai(Peer):
    title, convention, distribution = "MONAI", "monai", "monai"
    relative = 2e-5  # it computes in single precision, MCC by products of four counts
    single = ("the percentile is interpolated in single precision there; its own distances in "
              "double precision give the number here")
    single_bound = 1e-4
    names = {"precision": "precision", "recall": "sensitivity", "specificity": "specificity",
             "npv": "negative predictive value", "accuracy": "accuracy",
             "balanced_accuracy": "balanced accuracy", "fbeta": "f1 score",
             "mcc": "matthews correlation coefficient"}
    keys = ["dice", "iou", *names, "hd", "hd95", "assd", "nsd"]

    def __init__(self):
        self.metrics, self.torch = module("monai.metrics"), module("torch")
        self.torch.set_num_threads(1)
        self.known = [Known("hd95", lambda pair: not pair.any_empty, self.single, self.exact_hd95,
                            self.single_bound)]

    def exact_hd95(self, pair):
        """Of its own distances, interpolated in double precision."""
        sides = (self.torch.from_numpy(side) for side in (pair.prediction, pair.reference))
        found = module("monai.metrics.utils").get_edge_surface_distance(
            *sides, spacing=pair.spacing, symmetric=True)
        return max(float(numpy.percentile(side.numpy().astype(numpy.float64), PERCENT))
                   for side in found[1])

    def values(self, pair):
        m = self.metrics
        p, r = (self.torch.from_numpy(side.astype(numpy.float32))[None, None]
                for side in (pair.prediction, pair.reference))
        counts = m.get_confusion_matrix(p, r, include_background=True)
        out = {key: attempt(lambda name=name: m.compute_confusion_matrix_metric(
            name, counts).item())
               for key, name in self.names.items()}
        spacing = {"include_background": True, "spacing": pair.spacing}
        out["dice"] = attempt(lambda: m.compute_dice(p, r, num_classes=1).item())
        out["iou"] = attempt(lambda: m.compute_iou(p, r).item())
        out["hd"] = attempt(lambda: m.compute_hausdorff_distance(p, r, **spacing).item())
        out["hd95"] = attempt(lambda: m.compute_hausdorff_distance(
            p, r, percentile=PERCENT, **spacing).item())
        out["assd"] = attempt(lambda: m.compute_average_surface_distance(
            p, r, symmetric=True, **spacing).item())
        out["nsd"] = attempt(lambda: m.compute_surface_dice(p, r, [TOLERANCE_MM], **spacing).item())
        return out


class MetricsReloaded(Peer):
    title, convention = "MetricsReloaded", "metrics-reloaded"
    relative = 2e-5  # counts pass through single precision
    names = {"dice": "dsc", "iou": "iou", "precision": "ppv", "recall": "sensitivity",
             "specificity": "specificity", "npv": "npv", "accuracy": "accuracy",
             "balanced_accuracy": "ba", "fbeta": "fbeta", "mcc": "mcc", "kappa": "cohens_kappa",
             "avd": "avdr", "hd": "hd", "hd95": "hd_perc", "assd": "assd", "masd": "masd",
             "nsd": "nsd", "boundary_iou": "boundary_iou"}
    keys = list(names)
    boundary = "hd hd95 assd masd nsd boundary_iou"
    known = [
        Known(boundary, lambda pair: pair.is_slice,
              "a slice is eroded in 3-D there, and measured in its plane here"),
        Known("iou", lambda pair: pair.both_empty, "two empty masks: undefined there, 1 here"),
        Known("avd", lambda pair: pair.both_empty, "two empty masks: undefined there, 0 here"),
        Known("precision", lambda pair: not pair.prediction.any() and pair.reference.any(),
              "empty prediction: 0 there, undefined here"),
        Known("npv", lambda pair: pair.prediction.all() and not pair.reference.all(),
              "full prediction: 0 there, undefined here"),
        Known("kappa",
              lambda pair: pair.prediction.sum() + pair.reference.sum()
                           < 0.01 * pair.reference.size,
              "almost every voxel is background: nearly equal numbers are subtracted in single "
              "precision there"),
        Known("kappa", lambda pair: pair.reference.all() or not pair.reference.any(),
              "one class in the reference: chance agreement leaves out the other class there"),
        Known("nsd boundary_iou", lambda pair: pair.any_empty and not pair.both_empty,
              "one empty mask: a distance map of nothing there, 0 here"),
    ]

    def __init__(self):
        self.module = from_source("MetricsReloaded.metrics.pairwise_measures")

    def version(self):
        return checkout_version(self.module)

    def values(self, pair):
        p, r = pair.prediction.astype(numpy.float64), pair.reference.astype(numpy.float64)
        options = {"nsd": TOLERANCE_MM, "hd_perc": PERCENT, "beta": 1}
        with numpy.errstate(all="ignore"):
            measures = self.module.BinaryPairwiseMeasures(
                p, r, pixdim=list(pair.spacing), dict_args=options)
            return {key: attempt(measures.measures_dict[name][0])
                    for key, name in self.names.items()}


class Medpy(Peer):
    title, convention, distribution = "medpy", "medpy", "medpy"
    names = {"dice": "dc", "iou": "jc", "precision": "precision", "recall": "recall",
             "specificity": "specificity", "rvd": "ravd"}
    keys = [*names, "hd", "hd95", "assd"]

    def __init__(self):
        self.binary = module("medpy.metric.binary")

    def values(self, pair):
        p, r = pair.prediction, pair.reference
        out = {key: attempt(getattr(self.binary, name), p, r) for key, name in self.names.items()}
        for key in ("hd", "hd95", "assd"):
            out[key] = attempt(getattr(self.binary, key), p, r, voxelspacing=pair.spacing)
        return out


class DeepMind(Peer):
    title, convention, distribution = "surface-distance", "deepmind", "surface-distance"
    keys = ["dice", "hd", "hd95", "masd", "nsd"]
    tie = ("a share of the surface is the percentile but for rounding: the order of its sums "
           "decides there, and it is met here")

    def __init__(self):
        numpy.Inf = numpy.inf  # NumPy 2 dropped the name that it uses for empty masks
        self.module = installed(self.distribution, "surface_distance.metrics")
        self.known = [Known("hd95", self.is_tie, self.tie)]

    def distances(self, pair):
        return self.module.compute_surface_distances(pair.reference, pair.prediction, pair.spacing)

    def is_tie(self, pair):
        found = self.distances(pair)
        for side in ("gt", "pred"):
            areas = found[f"surfel_areas_{side}"]
            if (len(areas)
                and numpy.abs(numpy.cumsum(areas) / numpy.sum(areas)
                              - PERCENT / 100).min() < 1e-12):
                return True
        return False

    def values(self, pair):
        found, m = self.distances(pair), self.module
        with numpy.errstate(all="ignore"):
            return {"dice": attempt(m.compute_dice_coefficient, pair.reference, pair.prediction),
                    "hd": attempt(m.compute_robust_hausdorff, found, 100),
                    "hd95": attempt(m.compute_robust_hausdorff, found, PERCENT),
                    "masd": attempt(lambda: sum(m.compute_average_surface_distance(found)) / 2),
                    "nsd": attempt(m.compute_surface_dice_at_tolerance, found, TOLERANCE_MM)}


class Panoptica(Peer):
    """Masks that are not empty by its metric functions; empty ones and instances by its
    evaluator."""
    title, convention, distribution = "panoptica", "panoptica", "panoptica"
    keys = ["dice", "iou", "avd", "rvd", "hd", "hd95", "assd", "nsd", "lesion_precision",
            "lesion_recall", "lesion_f1", "pq", "sq", "rq"]
    of_masks = {"dice": "DSC", "iou": "IOU", "avd": "RVAE", "rvd": "RVD", "assd": "ASSD"}
    of_surfaces = {"hd": "HD", "hd95": "HD95", "nsd": "NSD"}
    of_instances = {"lesion_precision": "prec", "lesion_recall": "rec", "lesion_f1": "rq",
                    "pq": "pq", "sq": "sq", "rq": "rq"}

    def __init__(self):
        p = module("panoptica")
        self.metric = module("panoptica.metrics").Metric
        self.evaluator = p.Panoptica_Evaluator(
            expected_input=p.InputType.SEMANTIC,
            instance_approximator=p.ConnectedComponentsInstanceApproximator(),
            instance_matcher=p.NaiveThresholdMatching(), instance_metrics=[self.metric.IOU],
            global_metrics=[getattr(self.metric, name) for name in self.of_masks.values()])

    def settings_for(self, pair):
        """Its instances are 26-connected in volumes, and 4-connected in pictures."""
        return {"connectivity": 6} if pair.axes == 2 else {}

    def values(self, pair):
        p, r = pair.prediction.astype(numpy.uint8), pair.reference.astype(numpy.uint8)
        with contextlib.redirect_stdout(io.StringIO()):
            found = self.evaluator.evaluate(p, r, voxelspacing=pair.spacing)["ungrouped"].to_dict()
        out = {key: attempt(lambda name=name: found.get(name))
               for key, name in self.of_instances.items()}
        of_masks = {**self.of_masks, **self.of_surfaces}
        if pair.any_empty:
            of_empty = {key: attempt(lambda name=name: found.get(f"global_bin_{name.lower()}"))
                        for key, name in of_masks.items()}
            return {**out, **of_empty}
        for key, name in of_masks.items():
            options = {"threshold": TOLERANCE_MM} if key == "nsd" else {}
            out[key] = attempt(getattr(self.metric, name), reference_arr=r, prediction_arr=p,
                               voxelspacing=pair.spacing, **options)
        return out


class NnUnet(Peer):
    """Its evaluation of two files; a reader that has the arrays already takes their place."""
    title, convention, distribution = "nnU-Net", "nnunet", "nnunetv2"
    keys = ["dice", "iou"]

    def __init__(self):
        for name in ("nnUNet_raw", "nnUNet_preprocessed", "nnUNet_results"):
            os.environ.setdefault(name, tempfile.gettempdir())  # it wants them, and writes nothing
        with contextlib.redirect_stdout(io.StringIO()):
            self.module = module("nnunetv2.evaluation.evaluate_predictions")

    def values(self, pair):
        class Reader:
            @staticmethod
            def read_seg(side):
                return getattr(pair, side)[None].astype(numpy.uint8), {}
        with numpy.errstate(all="ignore"):
            found = self.module.compute_metrics("reference", "prediction", Reader, [1])
        return {key: attempt(lambda name=name: found["metrics"][1][name])
                for key, name in (("dice", "Dice"), ("iou", "IoU"))}


class SimpleItk(Peer):
    title, convention, distribution = "SimpleITK", "metrics-reloaded", "SimpleITK"
    keys = ["dice", "iou", "volume_similarity", "hd"]
    known = [
        Known("hd", lambda pair: True,
              "distances between the sets of foreground voxels there, between surfaces here"),
        Known("dice iou volume_similarity", lambda pair: pair.both_empty,
              "two empty masks: no value there, 1 here"),
    ]

    def __init__(self):
        self.sitk = module("SimpleITK")

    def image(self, mask, spacing):
        out = self.sitk.GetImageFromArray(mask.astype(numpy.uint8))
        out.SetSpacing(spacing[::-1])
        return out

    def values(self, pair):
        p, r = self.image(pair.prediction, pair.spacing), self.image(pair.reference, pair.spacing)
        overlap, distance = (self.sitk.LabelOverlapMeasuresImageFilter(),
                             self.sitk.HausdorffDistanceImageFilter())
        overlap.Execute(r, p)
        return {"dice": attempt(overlap.GetDiceCoefficient),
                "iou": attempt(overlap.GetJaccardCoefficient),
                "volume_similarity": attempt(lambda: 1 - abs(overlap.GetVolumeSimilarity()) / 2),
                "hd": attempt(lambda: distance.Execute(r, p) or distance.GetHausdorffDistance())}


class SegMetrics(Peer):
    title, convention, distribution = "seg-metrics", "metrics-reloaded", "seg-metrics"
    keys = ["dice", "iou", "precision", "recall", "hd", "hd95", "assd"]
    known = [
        Known("precision recall", lambda pair: pair.any_empty,
              "an empty mask: 0 or 1 there, undefined or 0 here"),
        Known("hd hd95 assd", lambda pair: True,
              "contours of 26 neighbours and distances to the signed boundary there; an empty "
              "prediction has distance 0 there"),
    ]

    def __init__(self):
        os.environ.setdefault("MPLBACKEND", "Agg")
        logging.disable(logging.WARNING)
        self.module = module("seg_metrics.seg_metrics")

    def values(self, pair):
        found = self.module.computeQualityMeasures(
            pair.prediction.astype(numpy.uint8), pair.reference.astype(numpy.uint8),
            spacing=numpy.array(pair.spacing[::-1]))
        names = {"iou": "jaccard", "assd": "msd"}
        return {key: attempt(lambda key=key: found[names.get(key, key)]) for key in self.keys}


class TorchMetrics(Peer):
    title, convention, distribution = "torchmetrics", "metrics-reloaded", "torchmetrics"
    relative = 2e-4  # single precision
    names = {"precision": "binary_precision", "recall": "binary_recall",
             "specificity": "binary_specificity", "npv": "binary_negative_predictive_value",
             "accuracy": "binary_accuracy", "fbeta": "binary_f1_score",
             "iou": "binary_jaccard_index", "mcc": "binary_matthews_corrcoef",
             "kappa": "binary_cohen_kappa"}
    keys = [*names, "dice", "hd"]
    known = [
        Known("precision recall npv specificity kappa fbeta iou mcc dice",
              lambda pair: pair.any_empty or pair.prediction.all() or pair.reference.all(),
              "an empty or full mask: 0 or another constant there"),
        Known("hd", lambda pair: pair.any_empty,
              "an empty mask: no value there, or another constant"),
        Known("hd", lambda pair: pair.reference.shape[0] != pair.reference.shape[1],
              "height and width differ: they are mixed up there, and two equal masks are not at "
              "distance 0"),
    ]

    def __init__(self):
        self.torch = module("torch")
        self.classification = module("torchmetrics.functional.classification")
        self.segmentation = module("torchmetrics.functional.segmentation")

    def values(self, pair):
        p, r = (self.torch.from_numpy(side.astype(numpy.int64))
                for side in (pair.prediction, pair.reference))
        out = {key: attempt(lambda name=name: getattr(
            self.classification, name)(p.flatten(), r.flatten()).item())
               for key, name in self.names.items()}
        one_hot = {"num_classes": 2, "include_background": False, "input_format": "index"}
        out["dice"] = attempt(lambda: self.segmentation.dice_score(
            p[None], r[None], average="none", **one_hot).item())
        if pair.axes == 2:
            out["hd"] = attempt(lambda: self.segmentation.hausdorff_distance(
                p[None], r[None], spacing=list(pair.spacing), **one_hot).item())
        return out


class MeshMetrics(Peer):
    title, convention = "MeshMetrics", "faces"
    relative = 1e-5  # VTK's coordinates are in single precision
    keys = ["dice", "iou", "hd", "hd95", "assd", "masd", "nsd"]

    def __init__(self):
        self.module = from_source("MeshMetrics")
        self.known = [Known("hd hd95 assd masd nsd", lambda pair: pair.axes == 2 and pair.at_border,
                            "a picture with a mask at the image's border: the surface is open "
                            "there (with VTK 9.3; with 9.7 there is none "
                            "in any picture, and all distances are 0)"),
                      Known("hd95 nsd", self.is_tie,
                            "a distance or a share meets the limit but for rounding")]

    def version(self):
        return checkout_version(self.module)

    def found(self, pair):
        out = self.module.DistanceMetrics(verbose=False)
        out.set_input(ref=pair.reference, pred=pair.prediction, spacing=pair.spacing)
        return out

    def is_tie(self, pair):
        if pair.any_empty:
            return False
        a, wa, b, wb = self.found(pair).distances
        near = [numpy.abs(numpy.abs(d) - TOLERANCE_MM).min() < 1e-5 for d in (a, b)]
        shares = [numpy.abs(numpy.cumsum(w) / numpy.sum(w) - PERCENT / 100).min() < 1e-6
                  for w in (wa, wb)]
        return any(near) or any(shares)

    def values(self, pair):
        m = self.found(pair)
        return {"dice": attempt(m.dsc), "iou": attempt(m.iou), "hd": attempt(m.hd),
                "hd95": attempt(m.hd, PERCENT), "assd": attempt(m.assd), "masd": attempt(m.masd),
                "nsd": attempt(m.nsd, TOLERANCE_MM)}


class Isles(Peer):
    title, convention = "ISLES 2022 scoring", "isles22"
    keys = ["dice", "lesion_f1", "lesion_count_difference"]

    def __init__(self):
        for name in ("bool", "float"):  # NumPy 1.24 dropped the names that it uses
            if name not in numpy.__dict__:
                setattr(numpy, name, {"bool": bool, "float": float}[name])
        self.module = from_source("eval_utils")

    def version(self):
        return checkout_version(self.module)

    def takes(self, pair):
        return pair.axes == 3

    def values(self, pair):
        m = self.module
        return {"dice": attempt(m.compute_dice, pair.reference, pair.prediction),
                "lesion_f1": attempt(m.compute_lesion_f1_score, pair.reference, pair.prediction),
                "lesion_count_difference": attempt(m.compute_absolute_lesion_difference,
                                                   pair.reference, pair.prediction)}


class Brats(Peer):
    """Reads files of three regions; the mask is in label 3, of which the region ET is made."""
    title, convention = "BraTS 2023 scoring", "brats2023"
    keys = ["dice", "recall", "specificity", "hd95", "lesion_dice", "lesion_hd95"]
    share = 4  # two files for each pair
    relative = 1e-6  # files hold voxel sizes in single precision
    dilations, least_mm3, penalty_mm = 3, 50, 374  # of gliomas

    def __init__(self):
        surfaces = DeepMind()  # first, so that both use the same package
        self.nibabel, self.module = module("nibabel"), from_source("metrics")
        measure = self.module.surface_distance.compute_surface_distances
        self.module.surface_distance.compute_surface_distances = (  # which takes only bool since
            lambda reference, prediction, spacing: measure(
                reference.astype(bool), prediction.astype(bool), spacing
            )
        )
        self.folder = tempfile.TemporaryDirectory()
        self.known = [Known("hd95 lesion_hd95", surfaces.is_tie, DeepMind.tie)]

    def version(self):
        return checkout_version(self.module)

    def takes(self, pair):
        return pair.axes == 3

    def file(self, name, mask, spacing):
        path = f"{self.folder.name}/{name}.nii.gz"
        self.nibabel.save(self.nibabel.Nifti1Image(
            3 * mask.astype(numpy.uint8), numpy.diag([*spacing, 1.0])), path)
        return path

    def bounded(self, distance):
        return self.penalty_mm if math.isinf(distance) else distance

    def values(self, pair):
        files = [self.file(*each, pair.spacing)
                 for each in (("prediction", pair.prediction), ("reference", pair.reference))]
        with numpy.errstate(all="ignore"):
            found = self.module.get_LesionWiseScores(*files, "ET", self.dilations)
        false, lesions = found[2], [each for each in found[4] if each[2] > self.least_mm3]
        count = len(lesions) + len(false)
        far = sum(self.bounded(each[4]) for each in lesions) + self.penalty_mm * len(false)
        return {"dice": float(found[5]), "hd95": float(self.bounded(found[6])),
                "recall": float(found[9]), "specificity": float(found[10]),
                "lesion_dice": float(sum(each[3] for each in lesions) / count) if count else 1.0,
                "lesion_hd95": float(far / count) if count else 0.0}


PEERS = [MetricsReloaded, Monai, NnUnet, Medpy, DeepMind, Panoptica, MeshMetrics, Isles, Brats,
         SimpleItk, SegMetrics, TorchMetrics]
