#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what reading data costs: contours, segmentations and pictures, from files to Dice,
against the Python that people write for it (pydicom or Pillow, and NumPy), in one run.

usage: data_bench.py [--bin DIR] [--work DIR] [--scale 1.0] [--rounds 3] [--check]

Times are CPU times of processes with all their threads and start-up, the least of several rounds;
for pictures also wall times. Contours: 60 structures of 200 points on 20 to 60 slices each, drawn
on 120 slices of 512 x 512. Segmentations: 100 segments in 10,000 frames of 512 x 512, each.
Pictures: 1,000 pairs of 1024 x 1024. With --check the exit status is 1 if a target is missed.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
from dicom_files import (Geometry, segment, segmentation, write, write_contours,  # noqa: E402
                         write_series)

GEOMETRY = Geometry(spacing=(2.5, 0.9765625, 0.9765625), origin=(-250, -250, -300))
WANTED = {"contours": 2.0, "segmentations": 4.0, "pictures, wall": 4.0}  # seconds

CONTOUR_PEER = """
import sys, numpy, pydicom
from PIL import Image, ImageDraw
def masks(path):
    data, out = pydicom.dcmread(path), {}
    names = {r.ROINumber: r.ROIName for r in data.StructureSetROISequence}
    for roi in data.ROIContourSequence:
        mask = numpy.zeros((120, 512, 512), bool)
        for contour in roi.ContourSequence:
            p = numpy.array(contour.ContourData, float).reshape(-1, 3)
            plane = Image.new("1", (512, 512))
            ImageDraw.Draw(plane).polygon([tuple(q) for q in (p[:, :2] + 250) / 0.9765625], fill=1)
            mask[round((p[0, 2] + 300) / 2.5)] ^= numpy.asarray(plane)
        out[names[roi.ReferencedROINumber]] = mask
    return out
a, b = (masks(p) for p in sys.argv[1:])
print([2 * (a[k] & b[k]).sum() / (a[k].sum() + b[k].sum()) for k in b])
"""
SEGMENT_PEER = """
import sys, numpy, pydicom
def frames(path):
    data = pydicom.dcmread(path)
    keys = [(f.SegmentIdentificationSequence[0].ReferencedSegmentNumber,
             float(f.PlanePositionSequence[0].ImagePositionPatient[2]))
            for f in data.PerFrameFunctionalGroupsSequence]
    return dict(zip(keys, data.pixel_array))
a, b = (frames(p) for p in sys.argv[1:])
tp, n = {}, {}
for key in a.keys() | b.keys():
    x, y = a.get(key), b.get(key)
    tp[key[0]] = tp.get(key[0], 0) + (0 if x is None or y is None else (x & y).sum())
    n[key[0]] = n.get(key[0], 0) + sum(0 if m is None else m.sum() for m in (x, y))
print({k: 2 * tp[k] / n[k] for k in tp})
"""
PICTURE_PEER = """
import sys, os, numpy
from PIL import Image
for name in sorted(os.listdir(sys.argv[1])):
    a, b = (numpy.asarray(Image.open(f"{d}/{name}")) > 0 for d in sys.argv[1:])
    2 * (a & b).sum() / (a.sum() + b.sum())
"""


def contours(folder, scale):
    write_series(folder / "ct", numpy.zeros((120, 512, 512)), GEOMETRY)
    turn = numpy.linspace(0, 2 * numpy.pi, 200, endpoint=False)
    for seed, side in enumerate(("p", "r")):
        places, noise = numpy.random.default_rng(7), numpy.random.default_rng(seed)
        drawn = {}
        for number in range(round(60 * scale)):
            (x, y), radius = places.uniform(-150, 150, 2), places.uniform(10, 70)
            low, count = places.integers(0, 60), places.integers(20, 60)
            drawn[f"S{number}"] = [
                numpy.stack([x + r * numpy.cos(turn), y + r * numpy.sin(turn),
                             numpy.full(200, -300 + 2.5 * z)], 1)
                for z in range(low, low + count)
                for r in [radius * (1 + 0.1 * numpy.sin(5 * turn + z / 7))
                          + noise.normal(0, 0.2, 200)]]
        write_contours(folder / f"{side}.dcm", drawn)
    return folder / "p.dcm", folder / "r.dcm"


def segmentations(folder, scale):
    rows, columns = numpy.mgrid[:512, :512]
    for shift, side in ((0, "p"), (3, "r")):
        frames = []
        for number in range(1, 101):
            x, y, radius = 60 + 4 * number % 390, 60 + 37 * number % 390, 20 + number % 30
            plane = ((columns - x - shift) ** 2 + (rows - y) ** 2 < radius ** 2)
            frames += [(z, number, plane) for z in range(round(100 * scale))]
        made = segmentation([segment(n, f"S{n}") for n in range(1, 101)], frames, GEOMETRY)
        write(folder / f"{side}.dcm", made)
    return folder / "p.dcm", folder / "r.dcm"


def pictures(folder, scale):
    rows, columns = numpy.mgrid[:1024, :1024]
    places = numpy.random.default_rng(1)
    for side in ("p", "r"):
        (folder / side).mkdir()
        made = []
        for _ in range(20):
            mask = numpy.zeros((1024, 1024), bool)
            for _ in range(30):
                (x, y), radius = places.uniform(0, 1024, 2), places.uniform(10, 80)
                mask |= (columns - x) ** 2 + (rows - y) ** 2 < radius ** 2
            Image.fromarray(mask.astype(numpy.uint8) * 255).save(folder / "one.png")
            made.append((folder / "one.png").read_bytes())
        for i in range(round(1000 * scale)):
            (folder / side / f"{i:04}.png").write_bytes(made[i % len(made)])
    (folder / "one.png").unlink()
    return folder / "p", folder / "r"


def cost(command, rounds):
    """The least CPU and wall seconds of a command."""
    out = []
    for _ in range(rounds):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        out.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall))
    return tuple(min(each) for each in zip(*out))


JOBS = (("contours", contours, CONTOUR_PEER, "pydicom, Pillow, NumPy"),
        ("segmentations", segmentations, SEGMENT_PEER, "pydicom, NumPy"),
        ("pictures", pictures, PICTURE_PEER, "Pillow, NumPy"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path,
                        default=os.environ.get("ASSAY_BIN_DIR", HERE.parent / "build/release/bin"))
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    o = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory(dir=o.work) as work:
        for name, make, peer, title in JOBS:
            folder = pathlib.Path(work, name)
            folder.mkdir()
            files = make(folder, o.scale)
            ours, wall = cost([o.bin / "assay", "score", *files, "--metrics", "dice", "--json",
                               "--quiet"], o.rounds)
            theirs, _ = cost([sys.executable, "-c", peer, *files], 1)
            print(f"{name}: assay {ours:.2f} s CPU, {wall:.2f} s wall; {title} {theirs:.2f} s CPU "
                  f"({theirs / ours:.1f} times)", flush=True)
            found = {name: ours, f"{name}, wall": wall}
            missed = missed or any(found[key] > WANTED[key] for key in found if key in WANTED)
    return int(o.check and missed)


if __name__ == "__main__":
    sys.exit(main())
