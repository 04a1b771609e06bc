"""The workflow of examples/Snakefile: on this machine and on Slurm, with a shard that is killed."""
import os, shutil, signal, subprocess

import pytest

from hanging import hanging_file
from private_slurm import wait_until
from support import PROGRAM, ROOT, assay, cohort, without_provenance

IDS = [f"case-{i:02}" for i in range(12)]
SNAKEMAKE = shutil.which("snakemake", path="/usr/bin")


@pytest.fixture
def work(tmp_path):
    if not SNAKEMAKE:
        pytest.skip("snakemake is not installed; tools/setup.sh cluster installs it")
    cohort(tmp_path, IDS, prediction="the pred/{}.nii.gz")
    assay("score", "the pred", "ref", "--metrics", "dice,hd95", "--out", "single.json",
          cwd=tmp_path)
    return tmp_path


def command(*options):
    return [SNAKEMAKE, "-s", str(ROOT / "examples/Snakefile"), *options, "--config",
            f"assay={PROGRAM}", "predictions=the pred", "references=ref", "shards=3",
            "out=results.json", "options=--metrics dice,hd95"]


def run(work, *options, env=None):
    """Runs the workflow; its status and what it said."""
    done = subprocess.run(command(*options), cwd=work, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, env=env)
    return done.returncode, done.stdout


def assay_processes(folder):
    """The shards that run below a folder."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if (os.readlink(f"/proc/{entry}/cwd") == str(folder)
                        and os.readlink(f"/proc/{entry}/exe") == str(PROGRAM.resolve())):
                    found.append(int(entry))
            except OSError:
                pass  # gone
    return found


def is_exact(work):
    return without_provenance(work / "results.json") == without_provenance(work / "single.json")


def test_a_killed_shard_runs_again_alone(work):
    with hanging_file(f"the pred/{IDS[4]}.nii.gz") as hung, hung.held():
        started = subprocess.Popen(command("--cores", "2", "--keep-going"), cwd=work,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **hung.environment})
        wait_until(hung.is_waited_for, "a shard to open the file")
        wait_until(lambda: len(list((work / "results.json.shards").glob("*.jsonl"))) == 2,
                   "the other shards")
        for process in assay_processes(work.resolve()):
            os.kill(process, signal.SIGKILL)
        assert started.wait(60) != 0
    assert not (work / "results.json").exists()
    status, said = run(work, "--cores", "2")
    assert status == 0 and said.count("rule shard:") == 1, said
    assert is_exact(work)


def test_every_shard_as_a_job_of_slurm(work, cluster):
    status, said = run(work, "--cluster", "sbatch --parsable --output=/dev/null", "--jobs", "8",
                       env=cluster.environment)
    assert status == 0, said
    assert is_exact(work)
