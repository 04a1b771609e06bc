#!/usr/bin/env python3
"""A long run of `assay qa run` in a short time: the program and a server that fails in every way
live under a clock that runs fast (tests/faults/fast_clock.cpp). What the program wrote is then
held against what the server counted.

usage: soak.py [--minutes 10] [--write docs/images/soak.svg]     (make soak)
"""
import argparse, collections, json, os, pathlib, statistics, subprocess, sys, tempfile, time

import slide_files
import support
from qa_runs import Server, journal, prices, results, table

SPEED = 48
COST_USD = 0.001  # of each reply, as the server reports it
FAULTS = "429,500,529,error200,garbage,cut,drop,slow,hang"
REPLIES = (None, "slow")  # what the server answered in full
CLOCK = support.PROGRAM.parent / "fast_clock.so"


def fast_environment():
    return {**os.environ, "LD_PRELOAD": str(CLOCK), "FAST_CLOCK": str(SPEED),
            "FAST_CLOCK_SINCE": f"{time.time_ns()} {time.monotonic_ns()}"}


def usage_of(process):
    """Resident memory in bytes, open files."""
    try:
        pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        files = len(os.listdir(f"/proc/{process.pid}/fd"))
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it has just ended
        return None
    return (pages * os.sysconf("SC_PAGESIZE"), files) if pages else None


class Soak:
    """One run. Times that options name are those of the fast clock."""

    def __init__(self, folder, slides, questions, fault_rate, options=()):
        self.folder, self.run, self.questions = folder, folder / "run", questions
        self.samples = []  # (seconds of the fast clock, bytes, open files)
        self.environment = fast_environment()
        table(folder / "t.csv", questions)
        self.budget = 20 * COST_USD * questions
        self.command = [support.PROGRAM, "qa", "run", folder / "t.csv", "--wsi-root", slides,
                        "--out", self.run, "--model", "m", "--mode", "thumbnail", "--concurrency",
                        16, "--retries", 60, "--timeout", 240, "--max-output-tokens", 1000,
                        "--prices", prices(folder), "--budget-usd", self.budget, *options]
        self.server_options = ["--fault-rate", fault_rate, "--fault-kinds", FAULTS, "--seed", 19,
                               "--cost", COST_USD, "--delay-ms", 2000, "--slow-ms", 60000,
                               "--hang-ms", 300000, "--retry-after-ms", 20000]

    def go(self, sample_s=0.1, look_s=2.0):
        with Server(self.folder, *self.server_options, env=self.environment) as server:
            command = [*map(str, self.command), "--base-url", server.url]
            start = time.monotonic()
            with open(self.folder / "messages", "w") as messages:
                process = subprocess.Popen(command, env=self.environment, stderr=messages,
                                           stdout=subprocess.DEVNULL)
            looked = start
            while process.poll() is None:
                time.sleep(sample_s)
                if usage := usage_of(process):
                    self.samples.append((SPEED * (time.monotonic() - start), *usage))
                if time.monotonic() - looked > look_s:
                    looked = time.monotonic()
                    self.check_status(server, process)
            self.seconds = time.monotonic() - start
            assert process.returncode == 0, (self.folder / "messages").read_text()[-2000:]
            self.calls = server.calls()

    def status(self):
        done = subprocess.run([support.PROGRAM, "qa", "status", self.run, "--json"],
                              env=self.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return support.strict(done.stdout)

    def check_status(self, server, process):
        """A look at a run that goes on lies between what was known before and after it."""
        if not (self.run / "run.journal").exists():
            return
        seen = self.status()
        replies = sum(call["fault"] in REPLIES for call in server.calls())
        assert seen["calls"]["answered"] <= replies, "more answers than the server gave"
        assert seen["done"] <= seen["calls"]["answered"] and seen["expected"] == self.questions
        assert abs(seen["cost"]["spent_usd"] - COST_USD * seen["calls"]["answered"]) < 1e-9
        if seen["state"] != "running":
            process.wait(60)  # it lets go of the run just before it ends

    def check(self):
        """Everything that must hold after the end; returns the numbers for people."""
        faults = collections.Counter(call["fault"] for call in self.calls)
        replies = sum(faults[kind] for kind in REPLIES)
        made = [record for record in journal(self.run) if record["kind"] == "call"]
        answers = [record for record in made if "reply" in record]
        failures = [record for record in made if "reply" not in record]
        keys = collections.Counter((r["benchmark"], r["item"], r["run"]) for r in answers)
        assert len(keys) == self.questions, "a question was lost"
        assert max(keys.values()) == 1, "a question was paid twice"
        assert len(made) == len(self.calls), "a call is not in the journal, or not at the server"
        # A reply that came after the time-out was paid in vain; the machine was too busy then.
        late = sum("timed out" in r["failure"] for r in failures) - faults["hang"]
        assert late >= 0 and replies == len(answers) + late
        spent = sum(record["cost_usd"] for record in answers)
        assert abs(spent - COST_USD * (replies - late)) < 1e-9
        possible = sum(record.get("possible_usd", 0) for record in failures)
        assert spent + possible <= self.budget
        read = results(self.run)
        assert read["ledger"]["expected"] == read["ledger"]["scored"] == self.questions
        assert all(item["correct"] for item in read["results"])
        seen = self.status()
        assert (seen["state"] == "ended" and seen["done"] == self.questions
                and seen["calls"]["answered"] == len(answers)
                and seen["calls"]["failed"] == len(failures) and seen["calls"]["in_flight"] == 0)
        assert abs(seen["cost"]["spent_usd"] - spent) < 1e-9
        assert abs(seen["cost"]["possible_usd"] - possible) < 1e-9
        self.check_usage()
        return {"questions": self.questions, "calls": len(self.calls), "late": late,
                "faults": {str(kind): count for kind, count in sorted(faults.items(), key=str)},
                "spent_usd": round(spent, 6), "possible_usd": round(possible, 6),
                "seconds": round(self.seconds, 1), "hours_shown": round(self.shown_hours(), 2),
                "memory_mb": [round(self.samples[len(self.samples) * i // 4][1] / 1e6, 1)
                              for i in range(1, 4)] + [round(self.samples[-1][1] / 1e6, 1)],
                "most_files": max(files for _, _, files in self.samples)}

    def shown_hours(self):
        return SPEED * self.seconds / 3600

    def check_usage(self):
        """After its first quarter a run takes no more files, and a little memory per question.
        Connections that are made anew show as peaks; files never closed would raise the median."""
        quarter = len(self.samples) // 4
        early, later = self.samples[quarter // 2:quarter], self.samples[quarter:]
        files = [statistics.median(each[2] for each in part) for part in (early, later)]
        assert files[1] <= files[0] + 4, f"open files grew from {files[0]} to {files[1]}"
        memory = [max(each[1] for each in part) for part in (early, later)]
        allowed = 8e6 + 4000 * self.questions
        assert memory[1] <= memory[0] + allowed, f"memory grew from {memory[0]} to {memory[1]}"


def make_slide(folder):
    """One small slide with some structure in it."""
    import numpy
    y, x = numpy.mgrid[0:512, 0:768]
    level = numpy.stack([(x // 3) % 256, (y // 2) % 256, (x + y) % 256], -1).astype(numpy.uint8)
    (folder / "slide.tiff").write_bytes(slide_files.tiff([level, level[::4, ::4].copy()],
                                                         pixels_per_cm=40000))
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10, help="of real time, about")
    parser.add_argument("--write", type=pathlib.Path, help="SVG of memory and files over time")
    options = parser.parse_args()
    rpm = 40
    hours = SPEED * options.minutes / 60
    questions = int(0.8 * rpm * 60 * hours)  # a fifth of the calls fail
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        soak = Soak(folder, make_slide(folder), questions, 0.2, ["--rpm", rpm])
        soak.go(sample_s=1.0, look_s=20.0)
        print(json.dumps(soak.check(), indent=2))
        if options.write:
            sys.path.insert(0, str(support.ROOT / "bench"))
            from load_plots import soak_plot
            options.write.write_text(soak_plot(soak.samples))


if __name__ == "__main__":
    main()
