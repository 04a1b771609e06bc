#!/usr/bin/env python3
"""Measures question answering against an instant server on loopback: items per second with every
call durable, our own CPU time, and memory. Also measures reading and scoring a table as large as
the published one. Prints what was measured and whether the target is met.

usage: qa_bench.py [--items N]      the program and the test server of build/release/bin
"""
import argparse, csv, json, os, pathlib, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import numpy  # noqa: E402
import slide_files  # noqa: E402
from qa_runs import SERVER, Server, table  # noqa: E402
from support import PROGRAM, data_folder  # noqa: E402


def measured(*command):
    """Wall seconds, CPU seconds and peak kB of one process."""
    started = time.monotonic()
    process = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 3), command
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def line(what, value, unit, target, met):
    print(f"{what:46} {value:10.2f} {unit:9} target {target}: {'met' if met else 'MISSED'}")


def runs(folder, items):
    y, x = numpy.mgrid[0:512, 0:768]
    level = numpy.stack([(x // 3) % 256, (y // 2) % 256, (x + y) % 256], -1).astype(numpy.uint8)
    (folder / "slide.tiff").write_bytes(slide_files.tiff(
        [level, level[::4, ::4].copy()], pixels_per_cm=40000))
    table(folder / "t.csv", items)
    with Server(folder) as server:
        wall, cpu, memory = measured("qa", "run", folder / "t.csv", "--wsi-root", folder,
                                     "--base-url", server.url, "--model", "m", "--mode",
                                     "thumbnail", "--out", folder / "run", "--quiet")
    line(f"items per second ({items}, 8 at a time)", items / wall, "/s", ">= 200",
         items / wall >= 200)
    line("own CPU time per call (one per item)", 1e3 * cpu / items, "ms", "< 1.5",
         cpu / items < 1.5e-3)
    print(f"{'peak memory':46} {memory / 1024:10.1f} MB")


def scoring(folder):
    published = data_folder() / "multipathqa/MultiPathQA.csv"
    if not published.exists():
        print("reading and scoring the published table: skipped, set ASSAY_TEST_DATA to a folder "
              "that has multipathqa/MultiPathQA.csv")
        return
    rows = list(csv.DictReader(open(published, encoding="utf-8-sig")))
    with open(folder / "answers.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["benchmark_name", "benchmark_id", "prediction"])
        for i, row in enumerate(rows):
            key = "isup_grade" if row["benchmark_name"] == "panda" else "answer"
            writer.writerow([row["benchmark_name"], row["benchmark_id"],
                             json.dumps({key: i % 4 + 1})])
    measured("qa", "run", published, "--agent", "replay", "--predictions", folder / "answers.csv",
             "--out", folder / "replay", "--quiet")
    load = min(measured("qa", "run", published, "--agent", "replay", "--predictions",
                        folder / "answers.csv", "--out", folder / "x", "--dry-run", "--quiet")[1]
               for _ in range(5))
    score = min(measured("qa", "score", folder / "replay", "--quiet")[1] for _ in range(5))
    line("read 934 questions and answers, whole process", 1e3 * load, "ms CPU", "< 30", load < 0.03)
    line("score five benchmarks, whole process", 1e3 * score, "ms CPU", "< 50", score < 0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=2000)
    arguments = parser.parse_args()
    if not SERVER.exists():
        sys.exit("build first: make bench")
    with tempfile.TemporaryDirectory() as name:
        runs(pathlib.Path(name), arguments.items)
        scoring(pathlib.Path(name))


if __name__ == "__main__":
    main()
