#!/usr/bin/env python3
"""Runs every test and ends with one line: 'N passed, N failed, N skipped'.

usage: run.py STAGE...      stages: unit portable python (make test), asan tsan lint (make check),
                            cluster (make test-cluster)

With $ASSAY_TALLY the counts are added to that file, so that several runs can end with one line for
all of them.
"""
import concurrent.futures, json, os, pathlib, subprocess, sys, tempfile, time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTER = ROOT / "tests/cluster"


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.reasons = {}

    def add(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = (
            self.passed + passed, self.failed + failed, self.skipped + skipped)

    def skip(self, name, reason):
        self.add(skipped=1)
        self.reasons.setdefault(reason, []).append(name)

    def keep(self):
        if place := os.environ.get("ASSAY_TALLY"):
            with open(place, "a") as file:
                print(self.passed, self.failed, self.skipped, file=file)


# A sanitizer's memory has fixed places, which some kernels' random addresses get in the way of.
FIXED = ["setarch", "-R"] if subprocess.run(["setarch", "-R", "true"],
                                            stderr=subprocess.DEVNULL).returncode == 0 else []
THREADS = f"halt_on_error=1 exitcode=66 suppressions={ROOT}/tests/tsan.supp"


def gtest(tally, preset, processor=""):
    """The unit tests in shares, as many at once as there are cores. There are more shares than
    cores, so that no core waits long for the last one. A crash counts as one failure."""
    shares = 4 * os.cpu_count()
    with (tempfile.TemporaryDirectory() as work,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        def run(share):
            report = pathlib.Path(work) / f"report-{share}.json"
            command = [*(FIXED if preset == "tsan" else []),
                       ROOT / "build" / preset / "bin/assay_test", f"--gtest_output=json:{report}",
                       "--gtest_brief=1"]
            environment = {**os.environ, "ASSAY_PROCESSOR": processor, "TSAN_OPTIONS": THREADS,
                           "GTEST_TOTAL_SHARDS": str(shares), "GTEST_SHARD_INDEX": str(share)}
            return subprocess.run(command, cwd=ROOT, env=environment).returncode, report
        for status, report in pool.map(run, range(shares)):
            count_gtest(tally, preset, status, report)


def count_gtest(tally, preset, status, report):
    if not report.exists():
        print(f"{preset}: the test program died with status {status}")
        tally.add(failed=1)
        return
    for suite in json.loads(report.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            if test["result"] == "SKIPPED":
                message = test.get("skipped", [{}])[0].get("message", "skipped")
                tally.skip(name, message.split("\n")[-1].strip() or "skipped")
            elif test["result"] == "COMPLETED":
                tally.add(failed=1) if test.get("failures") else tally.add(passed=1)
    if status not in (0, 1):
        tally.add(failed=1)


def pytest(tally, *where, preset="release"):
    """The tests of `where`, which is words for pytest."""
    with tempfile.TemporaryDirectory() as work:
        report = pathlib.Path(work) / "report.xml"
        command = [*(FIXED if preset == "tsan" else []), sys.executable, "-m", "pytest", "-q", "-p",
                   "no:cacheprovider", f"--junitxml={report}", *where]
        environment = {**os.environ, "ASSAY_BIN_DIR": str(ROOT / "build" / preset / "bin"),
                       "PYTHONDONTWRITEBYTECODE": "1", "TSAN_OPTIONS": THREADS}
        status = subprocess.run(command, cwd=ROOT, env=environment).returncode
        if not report.exists():
            tally.add(failed=1)
            return
        for case in ElementTree.parse(report).iter("testcase"):
            skipped = case.find("skipped")
            if skipped is not None:
                tally.skip(case.get("name"), skipped.get("message", "skipped"))
            else:
                bad = case.find("failure") is not None or case.find("error") is not None
                tally.add(failed=1) if bad else tally.add(passed=1)
        if status not in (0, 1):
            tally.add(failed=1)


def check(tally, name, command):
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    tally.add(passed=1) if done.returncode == 0 else tally.add(failed=1)
    if done.returncode:
        print(f"--- {name}\n{done.stdout}")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard",
                             *patterns], cwd=ROOT, text=True, capture_output=True)
    return sorted(set(listed.stdout.split()))


def lint(tally):
    python = sys.executable
    sources = tracked("*.cpp", "*.hpp")
    check(tally, "clang-format", ["clang-format", "--dry-run", "--Werror", *sources])
    check(tally, "layers", [python, "tools/layers.py", ".", "--ranks", "tools/ranks.txt", "-q"])
    check(tally, "type names", [python, "tools/type_names.py", "."])
    check(tally, "test names", [python, "tools/test_names.py", "."])
    check(tally, "doors", [python, "tools/doors.py", "."])
    check(tally, "sizes", [python, "tools/sizes.py", "."])
    check(tally, "copied code",
          [python, "tools/dup.py", ".", "--skip", r"^(build|tools)/|_test\.cpp$", "--limit", "1"])
    check(tally, "clang-tidy", [python, "tools/tidy.py"])


def tsan(tally):
    """The unit tests in which threads meet, and whole commands."""
    gtest(tally, "tsan")
    pytest(tally, "-n", str(os.cpu_count()), ROOT / "tests/test_threads.py", preset="tsan")


STAGES = {
    "unit": lambda tally: gtest(tally, "release"),
    "portable": lambda tally: gtest(tally, "release", "portable"),
    "asan": lambda tally: gtest(tally, "asan"),
    "tsan": tsan,
    "python": lambda tally: pytest(tally, "-n", str(os.cpu_count()), "--dist", "loadfile",
                                   ROOT / "tests", f"--ignore={CLUSTER}"),
    "cluster": lambda tally: pytest(tally, CLUSTER),  # one Slurm for all, so one after the other
    "lint": lint,
}


def main():
    tally = Tally()
    if unknown := [stage for stage in sys.argv[1:] if stage not in STAGES] or not sys.argv[1:]:
        sys.exit(f"run.py: name stages of "
                 f"{', '.join(STAGES)}{f'; not {unknown}' if unknown is not True else ''}")
    for stage in sys.argv[1:]:
        started = time.monotonic()
        STAGES[stage](tally)
        print(f"{stage}: {time.monotonic() - started:.0f} s", flush=True)
    for reason, names in sorted(tally.reasons.items()):
        print(f"skipped {len(names)}: {reason} "
              f"({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})")
    tally.keep()
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return int(tally.failed > 0 or tally.passed == 0)


if __name__ == "__main__":
    sys.exit(main())
