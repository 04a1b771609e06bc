#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Dice of a pair of masks of 100,000 x 100,000 pixels, counted by tiles: time and peak memory.

usage: large_bench.py [--bin DIR] [--work DIR] [--side 100000] [--peer-share 0.1] [--out FILE]

The masks are generated: tiles of 512 x 512 with lumps, most of them empty, some full. Equal tiles
are stored once (a TIFF may point to the same bytes, and files of Zarr are hard links), so that
writing takes seconds; every tile is still decompressed separately. The peers count the same pair
with NumPy, tile by tile, on one core: tifffile for TIFF, and the zarr package for Zarr if it can be
imported. They process a share of the rows of tiles, and their time is scaled to all rows. The
program runs on one core (--jobs 1), and once more on all cores.
"""
import argparse, json, os, pathlib, resource, shutil, struct, subprocess, sys, tempfile, time, zlib

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import zarr_files  # noqa: E402

TILE = 512
KINDS = 64  # different tiles


def tiles(seed):
    """Lumps of 1 on 0; about half of the tiles are empty, as in slides."""
    rng = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:TILE, :TILE]
    out = []
    for kind in range(KINDS):
        tile = numpy.zeros((TILE, TILE), "u1")
        for _ in range(0 if kind % 2 else rng.integers(1, 12)):
            at, radius = rng.integers(0, TILE, 2), rng.integers(5, 120)
            tile[(y - at[0])**2 + (x - at[1])**2 < radius**2] = 1
        out.append(tile)
    return out


def plan(side):
    """Which tile is where; both masks have a lump in the same places, but not the same lump."""
    across = -(-side // TILE)
    return numpy.random.default_rng(7).integers(0, KINDS, (across, across))


def write_tiff(path, side, kinds, where):
    """A BigTIFF with deflate, whose equal tiles are stored once."""
    packed = [zlib.compress(tile.tobytes(), 6) for tile in kinds]
    starts = numpy.cumsum([16] + [len(data) for data in packed])
    offsets = starts[where.ravel()].astype("<u8")
    sizes = numpy.array([len(data) for data in packed], "<u8")[where.ravel()]
    body = b"".join(packed)
    arrays = 16 + len(body)
    directory = arrays + offsets.nbytes + sizes.nbytes
    entries = [(256, 4, 1, side), (257, 4, 1, side), (258, 3, 1, 8), (259, 3, 1, 8),
               (262, 3, 1, 1), (277, 3, 1, 1), (322, 4, 1, TILE), (323, 4, 1, TILE),
               (324, 16, offsets.size, arrays), (325, 16, sizes.size, arrays + offsets.nbytes)]
    with open(path, "wb") as out:
        out.write(struct.pack("<2sHHHQ", b"II", 43, 8, 0, directory) + body + offsets.tobytes()
                  + sizes.tobytes() + struct.pack("<Q", len(entries)))
        for entry in entries:
            out.write(struct.pack("<HHQQ", *entry))
        out.write(struct.pack("<Q", 0))


def write_zarr(folder, side, kinds, where, packing):
    """Chunks that hold only 0 are left out; equal ones are hard links."""
    folder.mkdir(parents=True)
    (folder / ".zarray").write_text(json.dumps(
        zarr_files.describe((side, side), (TILE, TILE), "u1", packing)))
    once = folder.parent / f"{folder.name}.tiles"
    once.mkdir()
    for k, tile in enumerate(kinds):
        (once / str(k)).write_bytes(zarr_files.PACKERS[packing](tile.tobytes(), 1))
    # A file has at most 65,000 names on some file systems.
    for (y, x), k in numpy.ndenumerate(where):
        if kinds[k].any():
            os.link(once / str(k), folder / f"{y}.{x}")


def counted(p, r):
    p, r = p != 0, r != 0
    return numpy.array([(p & r).sum(), p.sum(), r.sum()])


def by_tifffile(paths, rows):
    import tifffile
    pages = [tifffile.TiffFile(path).pages[0] for path in paths]
    across = -(-pages[0].imagewidth // TILE)
    handles = [page.parent.filehandle for page in pages]
    total = numpy.zeros(3, int)
    for index in range(rows * across):
        both = []
        for page, handle in zip(pages, handles):
            handle.seek(page.dataoffsets[index])
            data = handle.read(page.databytecounts[index])
            both.append(page.decode(data, index)[0])
        total += counted(*both)
    return total


def by_zarr(paths, rows):
    import zarr
    arrays = [zarr.open(str(path), mode="r") for path in paths]
    side = arrays[0].shape[1]
    total = numpy.zeros(3, int)
    for y in range(0, rows * TILE, TILE):
        for x in range(0, side, TILE):
            total += counted(*(a[y:y + TILE, x:x + TILE] for a in arrays))
    return total


# A small separate process, because the peak memory of a child starts with that of its parent.
MEASURED = """import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime,
                  "peak_mb": used.ru_maxrss / 1000, "result": json.loads(done.stdout)}))
"""


def by_assay(program, paths, jobs):
    command = [program, "score", *paths, "--metrics", "dice", "--json", "--jobs", str(jobs)]
    done = subprocess.run([sys.executable, "-c", MEASURED, *map(str, command)], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def timed(work, *arguments):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    out = work(*arguments)
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, cpu, time.perf_counter() - start


def measure(program, name, paths, peer, side, share):
    one = by_assay(program, paths, 1)
    all_cores = by_assay(program, paths, os.cpu_count())
    evidence = [run["result"]["cases"][0]["label"]["foreground"]["evidence"]
                for run in (one, all_cores)]
    assert evidence[0] == evidence[1]
    row = {"pair": name, "cpu_s": one["cpu"], "s": one["seconds"], "s_all": all_cores["seconds"],
           "peak_mb": max(one["peak_mb"], all_cores["peak_mb"])}
    across = -(-side // TILE)
    rows = max(1, round(share * across))
    try:
        found, cpu, _ = timed(peer, paths, rows)
    except ImportError as trouble:
        print(f"{name}: no peer, {trouble}", file=sys.stderr)
        return row
    if rows == across:
        e = evidence[0]
        assert list(found) == [e["tp"], e["tp"] + e["fp"], e["tp"] + e["fn"]]
    row |= {"peer_cpu_s": cpu * across / rows, "ratio": cpu * across / rows / one["cpu"]}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--side", type=int, default=100_000)
    parser.add_argument("--peer-share", type=float, default=0.1)
    parser.add_argument("--out", type=pathlib.Path)
    o = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(dir=o.work))
    rows = []
    try:
        sides = {name: tiles(seed) for name, seed in (("p", 1), ("r", 2))}
        where = plan(o.side)
        for name, kinds in sides.items():
            write_tiff(work / f"{name}.tif", o.side, kinds, where)
            write_zarr(work / f"{name}.zarr", o.side, kinds, where, "blosc zstd")
        for name, peer in (("tif", by_tifffile), ("zarr", by_zarr)):
            paths = [work / f"{side}.{name}" for side in "pr"]
            rows.append(measure(o.bin / "assay", name, paths, peer, o.side, o.peer_share))
            print({k: round(v, 2) if isinstance(v, float) else v for k, v in rows[-1].items()})
    finally:
        shutil.rmtree(work)
    if o.out:
        o.out.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
