#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What shards cost and what they bring, on this machine; and what follows for a large cluster.

usage: scale_bench.py [--cases 48] [--repeats 3] [--check] [--write docs/scale.md]

Measured: a case and a gigabyte on one core; 1, 2, 4 and 8 shards as plain processes with one thread
each, all started at the same moment; what a shard without cases costs in cohorts of growing size;
and the merge of 1,000 shards with 100 cases each. Times are the least of the repeats. The section
about a million cases on 100 nodes is arithmetic on these numbers, and its assumptions are printed
with it. --write replaces the measured part of the page. --check: exit status 1 when a target is
missed.
"""
import argparse, json, os, pathlib, sys, tempfile, time, typing, zlib

import nibabel
import numpy

from load_cohort import PROGRAM, make_cohort

SIDE, DISTINCT = 256, 6
SHARDS = (1, 2, 4, 8)
COHORTS = (100, 1_000, 10_000, 100_000)
MERGED_SHARDS, MERGED_CASES = 1_000, COHORTS[-1]
BEGIN, END = "<!-- measured by bench/scale_bench.py -->\n", "<!-- end of measurements -->\n"


class Used(typing.NamedTuple):
    wall: float
    cpu: float


def run_at_once(commands):
    """Runs them all at the same time; the time until the last has ended, and the sum of the CPU."""
    started = time.monotonic()
    children = [os.posix_spawn(command[0], [str(word) for word in command], os.environ,
                               file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                                             (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
                for command in commands]
    cpu = 0.0
    for child, command in zip(children, commands):
        _, status, usage = os.wait4(child, 0)
        if os.waitstatus_to_exitcode(status):
            sys.exit(f"scale_bench.py: {' '.join(map(str, command))} failed")
        cpu += usage.ru_utime + usage.ru_stime
    return Used(time.monotonic() - started, cpu)


def least(repeats, measure):
    used = [measure() for _ in range(repeats)]
    return Used(min(one.wall for one in used), min(one.cpu for one in used))


def make_volumes(folder, cases):
    """Lesion-like masks of 256^3 voxels: a few different pairs, and links to them."""
    rng = numpy.random.default_rng(42)
    at = numpy.indices((SIDE,) * 3, dtype=numpy.float32)
    for pair in range(DISTINCT):
        centres = rng.uniform(60, SIDE - 60, (3, 3))
        for side, shift in (("ref", 0), ("pred", 3)):
            mask = numpy.zeros((SIDE,) * 3, numpy.uint8)
            for size, centre in zip((30, 18, 10), centres):
                far = sum((at[axis] - centre[axis] - shift) ** 2 for axis in range(3))
                mask |= (far + rng.normal(0, size, far.shape) < size ** 2).astype(numpy.uint8)
            (folder / side).mkdir(parents=True, exist_ok=True)
            nibabel.save(nibabel.Nifti1Image(mask, numpy.eye(4)),
                         folder / side / f"case-{pair:04}.nii.gz")
    for case in range(DISTINCT, cases):
        for side in ("pred", "ref"):
            os.link(folder / side / f"case-{case % DISTINCT:04}.nii.gz",
                    folder / side / f"case-{case:04}.nii.gz")
    return folder / "pred", folder / "ref"


def shard_command(pair, out, shard, *more):
    return [PROGRAM, "score", *pair, "--jobs", "1", "--quiet", "--out", out, "--shard", shard,
            *more]


def measure_scaling(folder, cases, repeats):
    """Shards as plain processes, on a cohort of whole volumes."""
    pair = make_volumes(folder, cases)
    bytes_in = sum(file.stat().st_size for side in pair for file in side.iterdir())
    rows = {}
    for shards in SHARDS:
        out = folder / f"out-{shards}" / "results.json"
        rows[shards] = least(repeats, lambda: run_at_once(
            [shard_command(pair, out, f"{k}/{shards}") for k in range(1, shards + 1)]))
    one = least(repeats, lambda: run_at_once(
        [[PROGRAM, "score", *pair, "--jobs", "1", "--quiet", "--out", folder / "single.json"]]))
    return {"cases": cases, "compressed_bytes": bytes_in, "voxel_bytes": 2 * cases * SIDE ** 3,
            "plain": one._asdict(), "shards": {n: used._asdict() for n, used in rows.items()}}


def measure_overhead(folder, cases, repeats):
    """A shard without cases: start, plan of the whole cohort, file, end."""
    pair = folder / "pred", folder / "ref"
    plan = folder / "plan.json"
    run_at_once([[PROGRAM, "score", *pair, "--quiet", "--plan", plan, "--make-plan", "2"]])
    content = json.loads(plan.read_text())
    plan.write_text(json.dumps({**content, "shard_of": [1] * cases}))
    out = folder / "out" / "results.json"
    return least(repeats, lambda: run_at_once(
        [shard_command(pair, out, "2/2", "--plan", plan)]))._asdict()


def shard_line(record):
    """A line of a shard's file, as docs/formats/shard.md has it."""
    return f'{{"crc32": "{zlib.crc32(record.encode()):08x}", "record": {record}}}\n'


def deal_out(whole, shards):
    """The files of so many shards, made of the only file of one: to run a thousand takes long."""
    start = len('{"crc32": "01234567", "record": ')
    header, *cases, _ = [line[start:-1] for line in whole.read_text().splitlines()]
    for shard in range(1, shards + 1):
        own = cases[shard % shards::shards]
        end = f'{{"kind":"end","cases":{len(own)},"failed":0,"exit":0}}'
        own_header = header.replace('"shard":1,"shards":1,', f'"shard":{shard},"shards":{shards},')
        own_header = own_header.replace('"1/1"', f'"{shard}/{shards}"')
        file = whole.with_name(whole.name.replace("-1-of-1", f"-{shard}-of-{shards}"))
        file.write_text("".join(map(shard_line, [own_header, *own, end])))
    whole.unlink()


def measure_merge(folder, shards, repeats):
    """The merge; one of the shards is run as well, and must be what was dealt out."""
    pair = folder / "pred", folder / "ref"
    out = folder / "merge" / "results.json"
    run_at_once([shard_command(pair, out, "1/1")])
    deal_out(out.with_name("results.shard-1-of-1.jsonl"), shards)
    one = out.with_name(f"results.shard-7-of-{shards}.jsonl")
    dealt = one.read_bytes()
    run_at_once([shard_command(pair, out, f"7/{shards}")])
    if one.read_bytes() != dealt:
        sys.exit("scale_bench.py: a shard has another file than was made for it")
    return least(repeats, lambda: run_at_once(
        [[PROGRAM, "merge", out.parent, "--quiet", "--out", folder / "merged.json"]]))._asdict()


def measure(cases, repeats):
    with tempfile.TemporaryDirectory(prefix="scale-") as work:
        work = pathlib.Path(work)
        found = {"scaling": measure_scaling(work / "volumes", cases, repeats)}
        found["overhead"] = {}
        for cases in COHORTS:
            make_cohort(work / f"tiny-{cases}", cases)
            found["overhead"][cases] = measure_overhead(work / f"tiny-{cases}", cases, 3 * repeats)
        found["merge"] = measure_merge(work / f"tiny-{MERGED_CASES}", MERGED_SHARDS, repeats)
    return found


def derived(found):
    """The few numbers that the rest is told from."""
    scaling, overhead = found["scaling"], found["overhead"]
    small, large = COHORTS[-2:]
    return {
        "cpu_per_case": scaling["plain"]["cpu"] / scaling["cases"],
        "cpu_per_gb": scaling["plain"]["cpu"] / scaling["voxel_bytes"] * 1e9,
        "bytes_per_case": scaling["compressed_bytes"] / scaling["cases"],
        "two_processes": scaling["plain"]["wall"] / scaling["shards"][2]["wall"],
        "overhead_ms": 1000 * overhead[COHORTS[0]]["wall"],
        "plan_per_case": (overhead[large]["wall"] - overhead[small]["wall"]) / (large - small),
        "merge": found["merge"]["wall"],
        "merge_per_case": found["merge"]["wall"] / MERGED_CASES,
    }


# A cluster that does not exist, for the arithmetic: what is assumed, and not measured.
NODES, CORES, CASES, TASK_CORES = 100, 32, 1_000_000, 4
FILE_SYSTEM_GB_S, SCHEDULER_S = 5.0, 1.0


def simulation(d):
    """Rows of (what, arithmetic, result) for a million cases on 100 nodes."""
    shards = NODES * CORES // TASK_CORES
    per_shard = CASES / shards
    work = per_shard * d["cpu_per_case"] / TASK_CORES
    plan = CASES * d["plan_per_case"]
    read = CASES * d["bytes_per_case"] / 1e9
    merge = CASES * d["merge_per_case"]
    transfer = read / FILE_SYSTEM_GB_S
    rows = [
        ("one core of this machine", f"{CASES:,} × {1000 * d['cpu_per_case']:.1f} ms",
         f"{CASES * d['cpu_per_case'] / 3600:.1f} h"),
        ("shards", f"{NODES} nodes × {CORES} cores / {TASK_CORES} cores each", f"{shards}"),
        ("start", "assumed for the scheduler", f"{SCHEDULER_S:.0f} s"),
        ("every shard plans the whole cohort",
         f"{CASES:,} × {1e6 * d['plan_per_case']:.1f} µs", f"{plan:.0f} s"),
        ("every shard scores its part",
         f"{per_shard:.0f} × {1000 * d['cpu_per_case']:.1f} ms / {TASK_CORES}", f"{work:.0f} s"),
        ("the file system delivers all images",
         f"{read:.0f} GB / {FILE_SYSTEM_GB_S:.0f} GB/s (assumed)", f"{transfer:.0f} s"),
        (f"merge, {os.cpu_count()} cores", f"{CASES:,} × {1e6 * d['merge_per_case']:.1f} µs",
         f"{merge:.0f} s"),
        ("all, if reading and scoring overlap",
         "start + plan + the longer of scoring and reading + merge",
         f"{SCHEDULER_S + plan + max(work, transfer) + merge:.0f} s"),
    ]
    longest = max((work, "scoring"), (transfer, "the file system's bandwidth"),
                  (merge, "the merge"), (plan, "the plan, which every shard makes"))
    return rows, longest[1]


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def page(found):
    """The measured part of docs/scale.md."""
    d, scaling = derived(found), found["scaling"]
    rows, limit = simulation(d)
    cores = os.cpu_count()
    return "\n".join([
        f"Measured on {cores} cores with {scaling['cases']} pairs of {SIDE}³ masks and the "
        "standard metrics, one thread per process.\n",
        table(("what", "measured"), [
            ("a case on one core", f"{1000 * d['cpu_per_case']:.1f} ms CPU"),
            ("a GB of voxels (two images per case)", f"{d['cpu_per_gb']:.2f} s CPU"),
            ("compressed bytes of a case", f"{d['bytes_per_case'] / 1e3:.0f} kB"),
            ("a shard without cases, cohort of 100", f"{d['overhead_ms']:.0f} ms"),
            ("the same, for each further case of the cohort",
             f"{1e6 * d['plan_per_case']:.1f} µs"),
            (f"merge of {MERGED_SHARDS:,} shards with {MERGED_CASES // MERGED_SHARDS} cases each, "
             f"{cores} cores", f"{d['merge']:.2f} s"),
            ("two processes against one, two cores", f"{d['two_processes']:.2f}×"),
        ]),
        table(("shards at once", "wall s", "CPU s", "speed-up"),
              [("one process without --shard", f"{scaling['plain']['wall']:.2f}",
                f"{scaling['plain']['cpu']:.2f}", "1.00")] +
              [(n, f"{used['wall']:.2f}", f"{used['cpu']:.2f}",
                f"{scaling['plain']['wall'] / used['wall']:.2f}")
               for n, used in scaling["shards"].items()]),
        table(("cases in the cohort", "a shard without cases, wall ms", "CPU ms"),
              [(f"{n:,}", f"{1000 * used['wall']:.0f}", f"{1000 * used['cpu']:.0f}")
               for n, used in found["overhead"].items()]),
        f"From these numbers, simulated for {CASES:,} such cases on {NODES} nodes with {CORES} "
        "cores of this speed each:\n",
        table(("step", "arithmetic", "result"), rows),
        f"The longest step is {limit}.\n",
    ])


def write_into(path, text):
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"scale_bench.py: {path}: the marks of the measured part are missing")
    path.write_text(before + BEGIN + text + END + after)


def main():
    parser = argparse.ArgumentParser(description="What shards cost, and what they bring.")
    parser.add_argument("--cases", type=int, default=48)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    chosen = parser.parse_args()
    found = measure(chosen.cases, chosen.repeats)
    text = page(found)
    print(text)
    if chosen.write:
        write_into(chosen.write, text)
    d = derived(found)
    targets = [("overhead of a shard, ms", d["overhead_ms"], d["overhead_ms"] < 50, "under 50"),
               ("two processes on two cores", d["two_processes"], d["two_processes"] >= 1.8,
                "at least 1.8"),
               ("merge of 1,000 shards, s", d["merge"], d["merge"] < 2, "under 2")]
    for what, value, is_met, limit in targets:
        print(f"{'met   ' if is_met else 'MISSED'}  {what}: {value:.2f} ({limit})")
    return int(chosen.check and not all(is_met for _, _, is_met, _ in targets))


if __name__ == "__main__":
    sys.exit(main())
