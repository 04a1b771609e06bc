#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the Python package against torch on the same arrays in the same run, and prints ratios.

usage: PYTHONPATH=build/release/python python_bench.py [--side 256] [--repeats 7] [--json] [--check]

CPU time of one thread for both sides, the least of the repeats; then wall time with all cores for
both. Ratios above 1 mean that assay is faster. --check: exit status 1 when a target is missed.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np
import torch

import assay
import peers


def least(repeats, clock, work):
    """Seconds of the fastest call."""
    times = []
    work()
    for _ in range(repeats):
        before = clock()
        work()
        times.append(clock() - before)
    return min(times)


def torch_soft_dice(outputs, labels, smooth=1):
    """What training code writes: per class over batch and space, then the mean."""
    axes = (0, *range(2, outputs.ndim))
    both = (outputs * labels).sum(axes)
    return ((2 * both + smooth) / (outputs.sum(axes) + labels.sum(axes) + smooth)).mean()


def forward_and_backward(function, outputs, labels):
    def work():
        outputs.grad = None
        function(outputs, labels).backward()
    return work


def masks(side, dtype):
    rng = np.random.default_rng(1)
    reference = np.zeros((side,) * 3, dtype)
    reference[side // 4:side // 2, side // 4:side // 2, side // 4:side // 2] = 1
    prediction = np.roll(reference, side // 32 + 1, axis=0)
    prediction[rng.random(prediction.shape) < 0.001] = 1
    return prediction, reference


def three_metrics(functions, prediction, reference):
    return lambda: [function(prediction, reference) for function in functions]


OURS = (assay.dice_coefficient, assay.average_volume_difference,
        assay.matthews_correlation_coefficient)


def metric_rows(side, repeats, clock):
    """Three separate calls count the voxels three times. For wide types, which are limited by
    memory bandwidth, users should call `metrics` once."""
    for dtype, target in ((bool, 50), (np.uint8, 50), (np.float32, None), (np.int64, None)):
        prediction, reference = masks(side, dtype)
        theirs = three_metrics(peers.specified_metrics(), torch.from_numpy(prediction),
                               torch.from_numpy(reference))
        ours = three_metrics(OURS, prediction, reference)
        for a, b in zip(ours(), theirs()):
            assert abs(a - b) < 1e-4, (a, b)  # the specification sums in float32
        spent = least(repeats, clock, theirs)
        yield f"dice + avd + mcc, {np.dtype(dtype)}", least(repeats, clock, ours), spent, target
        at_once = least(repeats, clock,
                        lambda: assay.metrics(prediction, reference, metrics="dice,avd,mcc"))
        yield f"metrics('dice,avd,mcc'), {np.dtype(dtype)}", at_once, spent, target


def soft_rows(side, repeats, clock):
    for dtype, target in ((torch.float32, 2), (torch.float64, 2), (torch.float16, None)):
        torch.manual_seed(1)
        shape = (2, 2, side // 2, side // 2, side)
        outputs = torch.rand(shape).to(dtype).requires_grad_()
        labels = (torch.rand(shape) < 0.3).to(dtype)
        plain = outputs.detach()
        both = [forward_and_backward(f, outputs, labels)
                for f in (assay.torch.soft_dice, torch_soft_dice)]
        name = str(dtype).removeprefix("torch.")
        if dtype != torch.float16:  # whose sums overflow in torch: only the time can be compared
            assert abs(assay.soft_dice(plain, labels)
                       - torch_soft_dice(plain, labels).item()) < 1e-4
        theirs = [least(repeats, clock, lambda: torch_soft_dice(plain, labels)),
                  least(repeats, clock, both[1])]
        yield (f"soft Dice forward, {name}",
               least(repeats, clock, lambda: assay.soft_dice(plain, labels)), theirs[0], target)
        yield (f"soft Dice forward + backward, {name}", least(repeats, clock, both[0]), theirs[1],
               target and 1)


def overhead_rows(side, repeats):
    """What a call costs beyond counting: one voxel, and a volume against the bare kernel."""
    one = np.ones((1, 1, 1), np.uint8)
    rounds = 2000

    def many(function):
        return lambda: [function(one, one) for _ in range(rounds)]

    for function in OURS + (assay.confusion_matrix,):
        yield (f"{function.__name__}, one voxel",
               least(repeats, time.process_time, many(function)) / rounds)
    yield "metrics(all), one voxel", least(repeats, time.process_time, many(assay.metrics)) / rounds


def kernel_rows(side, repeats):
    from assay import _core

    for dtype in (bool, np.float32):
        pair = masks(side, dtype)
        yield (f"confusion_matrix, {side}^3 {np.dtype(dtype)}",
               least(5 * repeats, time.process_time, lambda: assay.confusion_matrix(*pair)),
               least(5 * repeats, time.process_time, lambda: _core.count(*pair, None)))


def measured(side, repeats):
    cores = os.cpu_count()
    out = {"assay": assay.__version__, "torch": torch.__version__, "numpy": np.__version__,
           "cores": cores, "side": side, "ratios": [], "overhead_us": {}, "kernel_ms": {}}
    for threads, clock in ((1, time.process_time), (cores, time.perf_counter)):
        assay.set_threads(threads)
        torch.set_num_threads(threads)
        kind = "CPU time, 1 thread" if threads == 1 else f"wall time, {threads} threads"
        for rows in (metric_rows, soft_rows):
            for name, ours, theirs, target in rows(side, repeats, clock):
                out["ratios"].append({"what": name, "clock": kind, "assay_ms": ours * 1e3,
                                      "torch_ms": theirs * 1e3, "ratio": theirs / ours,
                                      "target": target if threads == 1 else None})
    assay.set_threads(1)
    out["overhead_us"] = {name: seconds * 1e6 for name, seconds in overhead_rows(side, repeats)}
    out["kernel_ms"] = {name: [call * 1e3, kernel * 1e3]
                        for name, call, kernel in kernel_rows(side, repeats)}
    out["import_ms"] = import_seconds() * 1e3
    return out


def import_seconds():
    """CPU time that `import assay` adds to NumPy's own import, the least of several runs."""
    def spent(code):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        after = os.times()
        return (after.children_user + after.children_system - before.children_user
                - before.children_system)
    numpy, ours = (min(spent(code) for _ in range(9))
                   for code in ("import numpy", "import numpy, assay"))
    return ours - numpy


def missed(out):
    late = [f"{row['what']}: {row['ratio']:.1f}x, target {row['target']}x" for row in out["ratios"]
            if row["target"] and row["ratio"] < row["target"]]
    late += [f"{name}: {us:.0f} us, target 50 us" for name, us in out["overhead_us"].items()
             if us > 50]
    return late + [f"import: {out['import_ms']:.0f} ms, target 50 ms"] * (out["import_ms"] > 50)


def show(out):
    print(f"assay {out['assay']}, torch {out['torch']}, numpy {out['numpy']}, {out['cores']} "
          f"cores, {out['side']}^3 voxels")
    for row in out["ratios"]:
        target = f"  target {row['target']}x" if row["target"] else ""
        print(f"{row['what']:<40} {row['clock']:<21} {row['assay_ms']:8.2f} ms, torch "
              f"{row['torch_ms']:8.2f} ms"
              f"  {row['ratio']:6.1f}x{target}")
    for name, us in out["overhead_us"].items():
        print(f"{name:<62} {us:8.1f} us  target 50 us")
    for name, (call, kernel) in out["kernel_ms"].items():
        print(f"{name:<62} {call:8.3f} ms, kernel {kernel:8.3f} ms")
    print(f"{'import assay, beside NumPy: CPU time':<62} {out['import_ms']:8.1f} ms  target 50 ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    out = measured(options.side, options.repeats)
    print(json.dumps(out, indent=2)) if options.json else show(out)
    for line in missed(out):
        print(f"missed: {line}", file=sys.stderr)
    return int(options.check and bool(missed(out)))


if __name__ == "__main__":
    sys.exit(main())
