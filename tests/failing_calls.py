"""A command whose n-th system call or allocation fails: what it runs on, how it is disturbed, and
what must hold afterwards. tests/faults/failing_calls.c makes the calls fail."""
import abc, collections, json, os, re, shutil, subprocess

import numpy

import networks
import qa_runs
import reports
import slide_files
import support

SHIM = support.PROGRAM.parent / "failing_calls.so"
SECONDS = 60  # a run takes well under one; this is for hangs

# What failing calls look like: kind, how, error.
FAULTS = [("open", "error", "EMFILE"), ("open", "error", "EACCES"), ("open", "interrupted", ""),
          ("read", "error", "EIO"), ("read", "short", ""), ("read", "interrupted", ""),
          ("write", "error", "ENOSPC"), ("write", "short", ""), ("write", "interrupted", ""),
          ("write", "torn", "ENOSPC"), ("sync", "error", "EIO"), ("sync", "interrupted", ""),
          ("rename", "error", "EIO"), ("map", "error", "ENOMEM"), ("close", "error", "EIO"),
          ("close", "interrupted", ""), ("lock", "error", "ENOLCK"),
          ("thread", "error", "EAGAIN"), ("thread", "limit", ""), ("alloc", "error", "ENOMEM")]

# Libraries that do not survive a lack of memory, or hide it: OpenSSL 3.0 takes a lock that it could
# not make (EVP_MD_fetch), GLib aborts or logs without end, and pixman and cairo leave out what they
# were to paint.
SPARED = "libcrypto libglib libgobject libgio libpixman libcairo libopenslide libtiff libfontconfig"

# Words that only a programmer understands.
RAW = re.compile(r"what\(\)|std::|terminate|should not have happened|bad_alloc|basic_string|"
                 r"vector::|json\.exception|[Aa]ssert|Segmentation|TBB|_M_|unexpected failure")


class Command(abc.ABC):
    """A command on small inputs below `folder`; its outputs are below `out`."""
    name = ""
    statuses = (0, 2, 3)
    spared = SPARED  # libraries whose allocations do not fail

    def __init__(self, folder):
        self.folder = folder
        self.out = folder / "out"
        self.prepare()
        self.clear()
        done = self.run()
        assert done.returncode == 0, done.stderr
        self.whole = self.outputs()
        assert self.whole

    def prepare(self):
        """Makes the inputs."""

    @abc.abstractmethod
    def words(self):
        """The command line."""

    def again(self):
        """The command line that continues after a failure."""
        return self.words()

    def close(self):
        pass

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)
        self.out.mkdir()
        (self.folder / "tmp").mkdir()

    def run(self, words=None, **settings):
        environment = {**os.environ, "PATH": "",  # no programs that convert figures: they are slow
                       "TMPDIR": str(self.folder / "tmp"),
                       "ASSAY_CACHE": str(self.out / "cache"), **settings}
        return subprocess.run([support.PROGRAM, *map(str, words or self.words())],
                              env=environment, text=True, capture_output=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL)

    def outputs(self):
        """What was written, without what differs from run to run."""
        return {str(path.relative_to(self.out)): self.content(path)
                for path in sorted(self.out.rglob("*")) if path.is_file() and self.counts(path)}

    def complaints_of_part(self, outputs, said):
        """What is wrong when some cases failed: each is named, and the others are as ever."""
        return ["exit status 3"]

    def leftovers(self):
        return [*self.folder.rglob(".assay-*"), *(self.folder / "tmp").iterdir()]

    def is_marked(self, path):
        """Whether it is a scratch folder that the next run will remove, or its mark."""
        return path.name == ".assay-temporary" or (path / ".assay-temporary").exists()

    def counts(self, path):
        return (not path.name.startswith(".assay-") and not path.name.endswith(".journal")
                and "cache" not in path.parts)

    def content(self, path):
        if path.suffix == ".json":
            read = support.strict(path.read_text())
            for changes in ("provenance", "timestamp"):
                read.pop(changes, None) if isinstance(read, dict) else None
            return json.dumps(read)
        return path.read_bytes()


class Cases(Command):
    """A command that scores cases."""

    def again(self):
        return [*self.words(), "--resume"]

    def complaints_of_part(self, outputs, said):
        [file] = [name for name in self.whole if name.endswith("results.json")]
        if file not in outputs:
            return ["exit status 3, but there are no results"]
        cases = {case["id"]: case for case in json.loads(self.whole[file])["cases"]}
        found = []
        for case in json.loads(outputs[file])["cases"]:
            if case["status"] == "ok" and case != cases[case["id"]]:
                found.append(f"{case['id']} was scored otherwise")
            if case["status"] != "ok" and f"not scored: {case['id']}: " not in said:
                found.append(f"{case['id']} failed without a word")
        return found


class Score(Cases):
    name = "score"

    def prepare(self):
        support.cohort(self.folder, ["a", "b", "c"])

    def words(self):
        return ["score", self.folder / "pred", self.folder / "ref", "--out",
                self.out / "new/results.json", "--csv", self.out / "cases.csv", "--jobs", 3]


class ScoreShard(Score):
    name = "score --shard"

    def words(self):
        return ["score", self.folder / "pred", self.folder / "ref", "--out",
                self.out / "new/results.json", "--shard", "1/1", "--jobs", 3]

    def cases(self, outputs):
        [file] = [name for name in outputs if name.endswith(".jsonl")]
        records = [json.loads(line)["record"] for line in outputs[file].decode().splitlines()[1:-1]]
        return {record["case"]["id"]: record["case"] for record in records}

    def content(self, path):
        lines = path.read_bytes().splitlines(keepends=True)
        words = json.loads(lines[0])["record"]["command"]  # the only thing that may differ
        return b"".join([str([word for word in words if word != "--resume"]).encode() + b"\n",
                         *lines[1:]]) if path.suffix == ".jsonl" else super().content(path)

    def complaints_of_part(self, outputs, said):
        if not any(name.endswith(".jsonl") for name in outputs):
            return ["exit status 3, but there is no shard"]
        whole = self.cases(self.whole)
        return [f"{name} is otherwise" for name, case in self.cases(outputs).items()
                if (case != whole[name] if case["fate"] == "scored"
                    else f"not scored: {name}: " not in said)]


class Merge(Score):
    name = "merge"

    def prepare(self):
        super().prepare()
        for number in (1, 2):
            support.assay("score", self.folder / "pred", self.folder / "ref", "--out",
                          self.folder / "shards/results.json", "--shard", f"{number}/2")

    def words(self):
        return ["merge", self.folder / "shards", "--out", self.out / "new/results.json", "--csv",
                self.out / "cases.csv"]

    def again(self):
        return self.words()

    def complaints_of_part(self, outputs, said):
        return ["exit status 3"]


class Evaluate(Cases):
    name = "evaluate"

    def prepare(self):
        networks.threshold_network(self.folder / "model/tiny.safetensors")
        for seed, name in enumerate("abc"):
            x = numpy.random.default_rng(seed).random(support.SHAPE).astype("f4")
            support.save(self.folder / f"data/imagesTs/{name}_0000.nii.gz", x)
            support.save(self.folder / f"data/labelsTs/{name}.nii.gz", (x > 0.4).astype("u1"))

    def words(self):
        return ["evaluate", self.folder / "model/tiny.safetensors", self.folder / "data",
                "--recipe", "none", *networks.OF_THRESHOLD, "--out", self.out / "results.json",
                "--save-predictions", self.out / "kept", "--jobs", 4]


class Compare(Command):
    name = "compare"

    def prepare(self):
        values = numpy.random.default_rng(1).uniform(0.5, 1, (12, 3))
        for model, loss in (("good", 0), ("bad", 0.1)):
            results = reports.results(model, values - loss)
            for case in results["cases"]:
                case["label"]["edge"] = case["label"]["foreground"]
            reports.write(self.folder, f"{model}.json", results)

    def words(self):
        return ["compare", self.folder / "good.json", self.folder / "bad.json", "--baseline",
                "good", "--label", "foreground,edge", "--out", self.out / "comparison.json",
                "--jobs", 4]


class Report(Compare):
    name = "report"

    def words(self):
        return ["report", self.folder / "good.json", self.folder / "bad.json", "--out",
                self.out / "report.html", "--figures", self.out / "figures", "--jobs", 3]

    def content(self, path):
        text = path.read_bytes()
        if path.suffix == ".html":
            assert text.rstrip().endswith(b"</html>"), "a page that was cut"
            return "a page"
        return super().content(path)



class QaRun(Command):
    name = "qa run"
    # OpenSlide is loaded while it runs: glibc ends the program when it lacks memory for that, and
    # GLib when glibc lacks it.
    spared = f"{SPARED} libc.so ld-linux"

    def prepare(self):
        level = numpy.add.outer(numpy.arange(256), numpy.arange(384)).astype(numpy.uint8)
        level = numpy.stack([level] * 3, -1)
        (self.folder / "slides").mkdir()
        (self.folder / "slides/slide.tiff").write_bytes(slide_files.tiff(
            [level, level[::4, ::4].copy()], pixels_per_cm=40000))
        qa_runs.table(self.folder / "t.csv", 3)
        self.server = qa_runs.Server(self.folder, "--crops", 1)

    def close(self):
        self.server.__exit__()

    def words(self):
        return ["qa", "run", self.folder / "t.csv", "--wsi-root", self.folder / "slides", "--out",
                self.out / "run", "--base-url", self.server.url, "--model", "m", "--max-steps", 3,
                "--first-wait", 0.01, "--retry-errors", "--concurrency", 3]

    def complaints_of_part(self, outputs, said):
        return [] if "errored: " in said or "stopped: " in said else ["no item is named"]

    def content(self, path):
        if path.parent.name == "trajectories":
            return len(support.strict(path.read_text())["turns"])
        return super().content(path)


COMMANDS = {command.name: command for command in (Score, ScoreShard, Merge, Evaluate,
                                                        Compare, Report, QaRun)}


def counted(command, words=None, status=0, only=""):
    """How many calls of each kind an undisturbed run makes; `only`: allocations of libraries."""
    command.clear()
    place = command.folder / "counts"
    place.unlink(missing_ok=True)
    done = command.run(words, LD_PRELOAD=str(SHIM), FAIL_COUNTS=str(place), FAIL_ONLY=only,
                       FAIL_BELOW=str(command.folder), FAIL_SPARES=command.spared)
    assert done.returncode == status, done.stderr
    return {kind: int(count) for kind, count in map(str.split, place.read_text().splitlines())}


def allocations_before_work(command):
    """What reading the command line takes: most of all allocations, the same for all commands."""
    return counted(command, [*command.name.split(" --")[0].split(), "--no-such-option"], 2)["alloc"]


Fault = collections.namedtuple("Fault", "kind how error nth onward")


def disturbed(command, fault, *options, only=""):
    """The finished run, and whether a call was made to fail."""
    command.clear()
    place = command.folder / "counts"
    place.unlink(missing_ok=True)
    done = command.run([*command.words(), *options], LD_PRELOAD=str(SHIM), FAIL_COUNTS=str(place),
                       FAIL_BELOW=str(command.folder), FAIL_CALL=fault.kind, FAIL_HOW=fault.how,
                       FAIL_ERROR=fault.error, FAIL_NTH=str(fault.nth), FAIL_SPARES=command.spared,
                       FAIL_ONLY=only, FAIL_ONWARD=str(int(fault.onward)))
    return done, "failed" in place.read_text()


def complaints(command, done, fault):
    """What is wrong after a run that was disturbed. JSON values and directory iterators need memory
    where they may not fail; the program then ends at once, and its scratch files stay."""
    found = []
    if done.returncode not in command.statuses:
        found.append(f"exit status {done.returncode}")
    if RAW.search(done.stderr):
        found.append("raw words in the message")
    if done.returncode == 2 and len(re.findall(r"\b(?:assay|stopped): ", done.stderr)) != 1:
        found.append("not one message")
    if fault.kind != "alloc":
        marks = fault.kind == "open"  # a folder that cannot be opened is left to the next run
        found += [f"{path.name} is left over" for path in command.leftovers()
                  if not (marks and command.is_marked(path))]
    try:
        outputs = command.outputs()
    except (ValueError, AssertionError) as error:
        return [*found, f"an output is damaged: {error}"]
    if done.returncode == 0 and outputs != command.whole:
        found.append("exit status 0, but the outputs differ from those of an undisturbed run")
    if done.returncode == 2:
        for name, content in outputs.items():
            if content != command.whole.get(name):
                found.append(f"{name} is neither absent nor whole")
    if done.returncode == 3:
        found += command.complaints_of_part(outputs, done.stderr)
    return found


def complaints_of_resumption(command, fault):
    """What is wrong when the run is continued without a fault."""
    done = command.run(command.again())
    if done.returncode != 0:
        return [f"continued: exit status {done.returncode}: {done.stderr}"]
    if command.outputs() != command.whole:
        return ["continued: the outputs differ from those of an undisturbed run"]
    if fault.kind == "alloc":
        return []
    return [f"continued: {path.name} is left over" for path in command.leftovers()]
