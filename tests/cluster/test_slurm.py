"""assay submit on a real Slurm: tasks and nodes are killed, and the merged file is that of one
machine, byte for byte apart from its provenance."""
import json, subprocess

import numpy
import pytest

from hanging import hanging_file
from networks import OF_THRESHOLD, threshold_network
from own_programs import write_metric
from private_slurm import wait_until
from support import PROGRAM, cohort, save, without_provenance

IDS = [f"case-{i:02}" for i in range(16)]
SHARDS = 4
HELD = "case-05"


def score_command(folder):
    cohort(folder, IDS)
    return ["score", "pred", "ref"]


def evaluate_command(folder):
    for seed, name in enumerate(IDS):
        random = numpy.random.default_rng(seed)
        image = random.random((12, 11, 10)).astype("f4")
        save(folder / f"data/images/{name}.nii.gz", image)
        save(folder / f"data/labels/{name}.nii.gz",
             ((image > 0.5) ^ (random.random(image.shape) < 0.1)).astype("u1"))
    threshold_network(folder / "tiny.safetensors")
    return ["evaluate", "tiny.safetensors", "data", "--recipe", "none", *OF_THRESHOLD, "--no-cache"]


class Work:
    """A cohort and a command on it. One of its cases hangs if that is asked for."""

    def __init__(self, folder, cluster, make, hung=None):
        self.folder, self.cluster, self.hung = folder, cluster, hung
        self.command = make(folder)
        self.results = folder / "results.json"
        self.run(*self.command, "--out", "single.json")

    def run(self, *words, status=0):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, text=True, timeout=120,
                              capture_output=True, env={**self.cluster.environment,
                                                        **(self.hung.environment
                                                           if self.hung else {})})
        assert done.returncode == status, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def submit(self, *options, status=0):
        return self.run("submit", "slurm", "--shards", SHARDS, *options, "--", *self.command,
                        "--out", "results.json", status=status)

    def jobs(self):
        """The numbers of the last array job and merge job."""
        row = (self.folder / "results.json.shards/jobs.tsv").read_text().splitlines()[-1]
        return row.split("\t")

    def shard_of_held_case(self):
        plan = json.loads((self.folder / "results.json.shards/plan.json").read_text())
        return plan["shard_of"][IDS.index(HELD)]

    def log(self, name):
        return (self.folder / "results.json.shards/logs" / name).read_text()

    def is_exact(self):
        return without_provenance(self.results) == without_provenance(self.folder / "single.json")


@pytest.fixture(params=[score_command, evaluate_command], ids=["score", "evaluate"])
def work(request, tmp_path, cluster):
    with hanging_file(f"{HELD}.nii.gz") as hung:
        yield Work(tmp_path / "a folder", cluster, request.param, hung)


def held_task(work):
    """Waits until the task that has the hanging case waits for it, and no other is left."""
    array, _, _ = work.jobs()
    task = f"{array}_{work.shard_of_held_case()}"
    wait_until(work.hung.is_waited_for, "the task to open the file")
    wait_until(lambda: [name for name in work.cluster.tasks() if name.startswith(f"{array}_")]
               == [task], "the other tasks to end")
    return task


def test_a_submission_is_the_file_of_one_machine(work):
    done = work.submit("--wait", "--sbatch", "--comment='two words' --time=5")
    assert work.is_exact()
    assert f"{SHARDS} of {SHARDS} shards done, {len(IDS)} of {len(IDS)} cases done" in done.stderr
    assert "dice" in done.stdout
    assert f"shard 1 of {SHARDS}: " in work.log("shard-1.log")


def test_a_killed_task_is_retried_alone(work):
    with work.hung.held():
        work.submit()
        task = held_task(work)
        work.cluster.ask("scancel", "--signal=KILL", "--full", task)
        waited = work.submit("--wait", status=2)
        shard = work.shard_of_held_case()
        assert f"shard {shard} of {SHARDS} is missing" in waited.stderr
        assert not work.results.exists()
    work.submit("--retry", "--wait")
    assert work.jobs()[2] == str(shard)
    assert work.is_exact()


def test_the_tasks_of_a_killed_node_run_elsewhere(work):
    cluster = work.cluster
    with work.hung.held():
        work.submit()
        task = held_task(work)
        node = cluster.tasks()[task][1]
        cluster.kill_node(node)
    # The controller notices by itself after half a minute, or is told by an operator.
    if "evaluate" in work.command:
        cluster.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=no power")
    # Slurm lets the task wait for two minutes.
    wait_until(lambda: cluster.tasks().get(task, ("", ""))[0] == "PENDING", "the requeued task")
    cluster.ask("scontrol", "update", f"JobId={task}", "StartTime=now")
    work.submit("--wait")
    assert work.is_exact()
    cluster.start_node(node)
    wait_until(lambda: node in cluster.idle_nodes(), f"{node} to come back")


def test_slurm_reads_awkward_names_as_they_are(tmp_path, cluster):
    work = Work(tmp_path / "it's $HOME \"x\" #1 100% {a,b} é", cluster, score_command)
    work.command += ["--model", "line\nbreak 'q' \"d\" $PATH `id` \\"]
    work.run(*work.command, "--out", "single.json")
    work.submit("--wait", "--sbatch", "--comment='a \"b\" #c'")
    assert work.is_exact()
    assert "shard 1 of" in work.log("shard-1.log")


def test_a_metric_of_ones_own_runs_on_the_nodes(tmp_path, cluster):
    def own_command(folder):
        command = score_command(folder)
        write_metric(folder / "own")
        return [*command, "--metrics", "dice", "--own-metric", "own/my_dice.toml"]
    work = Work(tmp_path / "a folder", cluster, own_command)
    work.submit("--wait")
    assert work.is_exact()
    assert "my_dice" in json.loads(work.results.read_text())["metrics"]


def test_slurms_refusal_is_passed_on(tmp_path, cluster):
    work = Work(tmp_path, cluster, score_command)
    done = work.submit("--sbatch", "--partition=nowhere", status=2)
    assert "sbatch says" in done.stderr and "nvalid partition" in done.stderr
    assert not (tmp_path / "results.json.shards").exists()
    assert "at most 200 tasks" in work.run("submit", "slurm", "--shards", "201", "--",
                                           *work.command, "--out", "r.json", status=2).stderr
