#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times other ways to compute Dice, AVD and MCC of a cohort, on one core.

usage: peers.py PREDICTIONS REFERENCES [--peer NAME]... [--repeats 3]

Prints a JSON list, one object per peer: {"peer", "version", "cases", "cpu_ms_per_case", "mean"},
or {"peer", "absent": why} for one that is not installed. The time is the process's CPU time for
reading and scoring every case, the least of the repeats; imports and a first, untimed case are not
part of it. A peer is one row of PEERS: a function that imports what it needs and returns the
function that scores one pair of files.
"""
import argparse
import json
import os
import pathlib
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any of the libraries is loaded


def specified_metrics():
    """The specification's own functions, verbatim."""
    import torch

    def dice_coefficient(pred, target, smooth=1e-6):
        pred_flat = pred.flatten().float()
        target_flat = target.flatten().float()
        intersection = (pred_flat * target_flat).sum()
        union = pred_flat.sum() + target_flat.sum()
        dice = (2.0 * intersection + smooth) / (union + smooth)
        return dice.item()

    def average_volume_difference(pred, target):
        pred_volume = pred.sum().float().item()
        target_volume = target.sum().float().item()
        if target_volume == 0:
            return float("inf") if pred_volume > 0 else 0.0
        return abs(pred_volume - target_volume) / target_volume

    def matthews_correlation_coefficient(pred, target):
        pred_bool = pred.flatten().bool()
        target_bool = target.flatten().bool()
        tp = (pred_bool & target_bool).sum().float()
        tn = (~pred_bool & ~target_bool).sum().float()
        fp = (pred_bool & ~target_bool).sum().float()
        fn = (~pred_bool & target_bool).sum().float()
        numerator = tp * tn - fp * fn
        denominator = torch.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        if denominator == 0:
            return 0.0
        return (numerator / denominator).item()

    return dice_coefficient, average_volume_difference, matthews_correlation_coefficient


def specification():
    """The specification's functions on masks read with nibabel."""
    import nibabel
    import numpy
    import torch

    torch.set_num_threads(1)
    functions = specified_metrics()

    def mask(path):
        return torch.from_numpy(numpy.asarray(nibabel.load(path).dataobj))

    def score(prediction, reference):
        pred, target = mask(prediction), mask(reference)
        return tuple(function(pred, target) for function in functions)

    return score, f"torch {torch.__version__}, nibabel {nibabel.__version__}"


def numpy_counts():
    """What an experienced user writes: four counts from three sums, the rest is arithmetic."""
    import nibabel
    import numpy

    def mask(path):
        return numpy.asarray(nibabel.load(path).dataobj) > 0

    def score(prediction, reference):
        p, r = mask(prediction), mask(reference)
        tp = int(numpy.count_nonzero(p & r))
        in_p, in_r = int(numpy.count_nonzero(p)), int(numpy.count_nonzero(r))
        fp, fn, tn = in_p - tp, in_r - tp, p.size - in_p - in_r + tp
        dice = 2 * tp / (in_p + in_r) if in_p + in_r else 1.0
        avd = abs(in_p - in_r) / in_r if in_r else (float("inf") if in_p else 0.0)
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return dice, avd, (tp * tn - fp * fn) / product**0.5 if product else 0.0

    return score, f"numpy {numpy.__version__}, nibabel {nibabel.__version__}"


PEERS = {"specification": specification, "numpy": numpy_counts}


def pairs(predictions, references):
    """Files of the same name; benchmarks need no cleverer pairing."""
    names = sorted(p.name for p in predictions.glob("*.nii*") if (references / p.name).exists())
    return [(str(predictions / name), str(references / name)) for name in names]


def timed(score, cases, repeats):
    """CPU milliseconds per case, the least of the repeats, and the scores."""
    score(*cases[0])
    best, scores = float("inf"), []
    for _ in range(repeats):
        start = time.process_time()
        scores = [score(*case) for case in cases]
        best = min(best, time.process_time() - start)
    return best * 1e3 / len(cases), scores


def measured(name, cases, repeats):
    try:
        score, version = PEERS[name]()
    except ImportError as error:
        return {"peer": name, "absent": str(error)}
    per_case, scores = timed(score, cases, repeats)
    keys = ("dice", "avd", "mcc")
    mean = {key: sum(column) / len(column) for key, column in zip(keys, zip(*scores))}
    return {"peer": name, "version": version, "cases": len(cases), "cpu_ms_per_case": per_case,
            "mean": mean}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("predictions", type=pathlib.Path)
    parser.add_argument("references", type=pathlib.Path)
    parser.add_argument("--peer", action="append", choices=sorted(PEERS), help="default: all")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    cases = pairs(options.predictions, options.references)
    if not cases:
        print("peers.py: no file name occurs in both folders", file=sys.stderr)
        return 2
    names = options.peer or list(PEERS)
    print(json.dumps([measured(name, cases, options.repeats) for name in names], indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
