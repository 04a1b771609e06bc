#!/usr/bin/env python3
"""Memory and time of large inputs: cohorts of tiny masks for `assay score`, their results for
`compare`, and tables of values for `compare`.

usage: load_cohort.py [--cases 1000,10000,100000] [--rows 1000000] [--write docs/images/memory.svg]

The masks have 4 x 4 x 4 voxels and are hard links to a few files, so that the numbers show what is
kept for each case and not the cost of images.
"""
import argparse, os, pathlib, random, struct, subprocess, sys, tempfile

from load_plots import memory_plot

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "assay"
PLOTTED = ["score --out", "score --resume", "compare", "report"]
DISTINCT = 16  # files; a file system allows some 65,000 links to one


def nifti(voxels):
    """A NIfTI file of 4 x 4 x 4 bytes, 1 mm each."""
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, 4, 4, 4, 1, 1, 1, 1)
    struct.pack_into("<hh", head, 70, 2, 8)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<3f", head, 108, 352, 1, 0)
    struct.pack_into("<2h", head, 252, 0, 1)
    for row in range(3):
        struct.pack_into("<4f", head, 280 + 16 * row, *[float(row == i) for i in range(4)])
    head[344:348] = b"n+1\0"
    return bytes(head) + bytes(voxels)


def make_cohort(folder, cases, seed=42):
    """Folders `pred` and `ref` with that many files each, named sub-000000.nii and so on."""
    rng = random.Random(seed)
    for side in ("pred", "ref"):
        (folder / side).mkdir(parents=True)
        (folder / f"{side}-masks").mkdir()
        sources = []
        for i in range(DISTINCT):
            sources.append(folder / f"{side}-masks" / f"{i}.nii")
            sources[-1].write_bytes(nifti(rng.random() < 0.4 for _ in range(64)))
        for i in range(cases):
            # 16 x 15 different pairs, because the two sides repeat with different periods.
            source = sources[i % (DISTINCT if side == "ref" else DISTINCT - 1)]
            os.link(source, folder / side / f"sub-{i:06}.nii")
    return folder / "pred", folder / "ref"


# Linux counts the memory of the parent towards the peak of a program. The program is therefore
# started by an interpreter that has imported nothing, whose last line on stderr has the numbers.
STARTER = """import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print("", os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss,
      sep="\\n", file=sys.stderr)
"""


def measured(*arguments):
    """Seconds of processor time, and the peak of resident memory in bytes."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", STARTER, PROGRAM,
                           *map(str, arguments)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True)
    *messages, status, seconds, peak = done.stderr.splitlines()
    if status != "0":
        raise RuntimeError(f"{arguments}: exit status {status}\n" + "\n".join(messages)[-2000:])
    return float(seconds), int(peak) * 1024


def print_row(name, count, seconds, peak):
    print(f"{name:<34}{count:>10,}{seconds:>9.1f} s CPU{peak / 1e6:>9.1f} MB", flush=True)


def cohort_rows(folder, cases, metrics):
    """Every command that processes all cases, on one cohort."""
    pred, ref = make_cohort(folder, cases)
    one, two = folder / "one.json", folder / "two.json"
    options = ["--metrics", metrics, "--quiet"]
    yield "score --out", measured("score", pred, ref, *options, "--out", one, "--keep-journal")
    one.unlink()
    yield "score --resume", measured("score", pred, ref, *options, "--out", one, "--resume")
    yield "score --json", measured("score", pred, ref, *options, "--json")
    yield "score --resume, complete", measured("score", pred, ref, *options, "--out", one,
                                                "--resume")
    measured("score", ref, ref, *options, "--out", two)
    yield "compare", measured("compare", one, two, "--baseline", "pred", "--json")
    yield "report", measured("report", one, "--out", folder / "page.html")


def write_table(path, rows, layout):
    """A CSV of two models: a row for each value, or a row for each case (one file per model)."""
    rng = random.Random(7)
    with open(path, "w") as file:
        if layout == "long":
            file.write("model,case,metric,value\n")
            for i in range(rows // 2):
                value = rng.random()
                file.write(f"a,sub-{i:07},dice,{value:.6f}\n"
                           f"b,sub-{i:07},dice,{min(1, value + 0.1 * rng.random()):.6f}\n")
        else:
            file.write("case,dice\n")
            for i in range(rows):
                file.write(f"sub-{i:07},{rng.random():.6f}\n")


def table_rows(folder, rows):
    long, wide = folder / "long.csv", [folder / "a.csv", folder / "b.csv"]
    write_table(long, rows, "long")
    yield "compare, long CSV (rows)", measured("compare", long, "--baseline", "a", "--json")
    for path in wide:
        write_table(path, rows, "wide")
    yield "compare, two wide CSVs (rows each)", measured("compare", *wide, "--baseline", "a",
                                                          "--json")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", default="1000,10000,100000")
    parser.add_argument("--rows", default="10000,100000,1000000")
    parser.add_argument("--metrics", default="paper")
    parser.add_argument("--write", type=pathlib.Path, help="SVG with the memory of each command")
    options = parser.parse_args()
    found = {}
    for cases in [int(n) for n in options.cases.split(",") if n]:
        with tempfile.TemporaryDirectory() as folder:
            for name, (seconds, peak) in cohort_rows(pathlib.Path(folder), cases, options.metrics):
                print_row(name, cases, seconds, peak)
                found.setdefault(name, []).append([cases, peak])
    for rows in [int(n) for n in options.rows.split(",") if n]:
        with tempfile.TemporaryDirectory() as folder:
            for name, (seconds, peak) in table_rows(pathlib.Path(folder), rows):
                print_row(name, rows, seconds, peak)
    if options.write:
        options.write.write_text(memory_plot({name: found[name] for name in PLOTTED}))


if __name__ == "__main__":
    main()
