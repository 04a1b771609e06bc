"""assay submit slurm without a cluster: what it checks, the scripts that it writes, and what it
asks of Slurm's programs, which are replaced by ones that keep a list. tests/cluster has a real
Slurm."""
import os, shlex, subprocess

import pytest

from own_programs import write_metric
from support import assay, cohort, listing, on_a_terminal, strict, without_provenance

IDS = [f"case-{i:02}" for i in range(12)]

# Each keeps its words in `calls`. sbatch counts jobs from 100, and fails where it is told to.
PROGRAMS = {
    "sbatch": """
case "$*" in *job.sh*) kind=array ;; *) kind=merge ;; esac
if [ -e "$at/refuse-$kind" ]; then cat "$at/refuse-$kind" >&2; exit 1; fi
n=$(( $(cat "$at/number" 2>/dev/null || echo 99) + 1 )); echo "$n" | tee "$at/number" """,
    "squeue": 'cat "$at/queue" 2>/dev/null || true',
    "scancel": "",
    "scontrol": 'echo "MaxArraySize            = 11"',
}


class FakeSlurm:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        for name, body in PROGRAMS.items():
            script = folder / name
            script.write_text(f'#!/bin/sh\nat={shlex.quote(str(folder))}\n'
                              f'printf "%s\\n" "{name} $*" >>"$at/calls"\n{body}\n')
            script.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def calls(self, name):
        text = (self.folder / "calls").read_text() if (self.folder / "calls").exists() else ""
        return [line for line in text.splitlines() if line.split()[0] == name]

    def refuse(self, kind, words):
        (self.folder / f"refuse-{kind}").write_text(words)


@pytest.fixture
def slurm(tmp_path):
    return FakeSlurm(tmp_path / "slurm programs")


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    cohort(folder, IDS)
    return folder


def submit(slurm, work, *words, status=0, inner=("score", "pred", "ref", "--out", "results.json")):
    return assay("submit", "slurm", *words, "--", *inner, cwd=work, status=status,
                 env=slurm.environment)


def run_script(path, cwd, shard=None):
    """As by hand, from another folder."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
    if shard:
        environment["SLURM_ARRAY_TASK_ID"] = str(shard)
    return subprocess.run(["bash", path], cwd=cwd, env=environment, text=True, timeout=60,
                          capture_output=True)


def run_all(folder, shards, cwd="/"):
    """Every shard and the merge, as Slurm would; its logs are where Slurm puts them."""
    for shard in range(1, shards + 1):
        done = run_script(folder / "job.sh", cwd, shard)
        assert done.returncode in (0, 3), done.stderr
    done = run_script(folder / "merge.sh", cwd)
    (folder / "logs/merge.out").write_text(done.stdout)
    (folder / "logs/merge.err").write_text(done.stderr)
    return done


def test_the_scripts_make_the_file_of_one_machine(slurm, work):
    done = submit(slurm, work, "--shards", "5")
    assert "array job 100 with shards 1-5 of 5 (12 cases), merge job 101" in done.stdout
    assert "squeue -j 100,101" in done.stdout
    folder = work / "results.json.shards"
    assert slurm.calls("sbatch") == [
        f"sbatch --parsable {folder}/job.sh",
        f"sbatch --parsable --dependency=afterany:100 {folder}/merge.sh"]
    merged = run_all(folder, 5)
    assert merged.returncode == 0 and "dice" in merged.stdout
    assay("score", "pred", "ref", "--out", "single.json", cwd=work)
    assert (without_provenance(work / "results.json") == without_provenance(work / "single.json"))
    plan = strict((folder / "plan.json").read_text())
    assert plan["shards"] == 5 and sorted(set(plan["shard_of"])) == [1, 2, 3, 4, 5]
    assert os.access(folder / "job.sh", os.X_OK)


def test_a_metric_of_ones_own_goes_along(slurm, work):
    """Its file is named relative to the folder of the submission, and scripts run elsewhere."""
    write_metric(work / "own")
    inner = ("score", "pred", "ref", "--metrics", "dice", "--own-metric", "own/my_dice.toml")
    submit(slurm, work, "--shards", "3", inner=(*inner, "--out", "results.json"))
    merged = run_all(work / "results.json.shards", 3)
    assert merged.returncode == 0 and "my_dice" in merged.stdout
    assay(*inner, "--out", "single.json", cwd=work)
    assert without_provenance(work / "results.json") == without_provenance(work / "single.json")


def test_a_metric_of_ones_own_that_does_not_start_is_refused_before_anything_is_submitted(
        slurm, work):
    inner = ("score", "pred", "ref", "--own-metric", "absent.toml", "--out", "results.json")
    done = submit(slurm, work, inner=inner, status=2)
    assert "absent.toml" in done.stderr and not slurm.calls("sbatch")
    assert not (work / "results.json.shards").exists()


def test_a_script_needs_a_shard(slurm, work):
    submit(slurm, work)
    done = run_script(work / "results.json.shards/job.sh", "/")
    assert done.returncode != 0 and "say which shard, from 1 to 4" in done.stderr


def test_dry_run_writes_nothing(slurm, work):
    before = listing(work)
    done = submit(slurm, work, "--dry-run", "--sbatch", "--mem=8G -A lab", "--at-once", "3")
    assert listing(work) == before and not slurm.calls("sbatch")
    lines = done.stdout.splitlines()
    assert "#SBATCH --array=1-4%3" in lines and lines.count("#SBATCH --mem=8G -A lab") == 2
    assert "say which shard, from 1 to 4}/4\" \\" in done.stdout


AWKWARD = "a b'c\"d$HOME `e` {f,g} %a #h é"


def test_awkward_names(slurm, tmp_path):
    work = tmp_path / AWKWARD
    cohort(work, IDS[:3], prediction="-p red/{}.nii.gz")
    model = "it's \"$HOME\"\n`x` \\ {a,b} #1"
    inner = ("score", "--pred=-p red", "--ref", "ref", f"--model={model}", "--csv", "-t able.csv",
             "--out=-o ut.json")
    submit(slurm, work, "--shards", "2", "--sbatch", "--comment='x \"y\" #z'", inner=inner)
    folder = work / "-o ut.json.shards"
    assert '#SBATCH "--comment=x \\"y\\" #z"' in (folder / "job.sh").read_text().splitlines()
    assert run_all(folder, 2).returncode == 0
    result = strict((work / "-o ut.json").read_text())
    assert result["model_name"] == model and result["num_samples"] == 3
    assert (work / "-t able.csv").read_text().startswith("model,")


def test_words_after_a_bare_double_dash_stay_positional(slurm, work):
    inner = ("score", "--out", "results.json", "--", "pred", "ref")
    submit(slurm, work, "--shards", "2", inner=inner)
    assert run_all(work / "results.json.shards", 2).returncode == 0


def test_what_slurm_cannot_write_is_refused(slurm, tmp_path):
    for name, words in (("new\nline", "line break"), ("back\\slash", "backslash")):
        work = tmp_path / name
        cohort(work, IDS[:2])
        done = submit(slurm, work, status=2)
        assert words in done.stderr and not (work / "results.json.shards").exists()


@pytest.mark.parametrize("inner, words", [
    ((), "give a command after '--'"),
    (("compare", "a.json"), "'compare' cannot be divided into shards"),
    (("predict", "model", "images"), "'predict' leaves nothing to merge; submit an array job"),
    (("score", "pred", "ref"), "needs --out"),
    (("score", "pred", "ref", "--out", "r.json", "--shard", "1/2"), "--shard is set by submit"),
    (("score", "pred", "ref", "--out", "r.json", "--plan=p"), "--plan is set by submit"),
    (("score", "pred", "nowhere", "--out", "r.json"), "nowhere"),
    (("score", "pred", "ref", "--out", "r.json", "--metrics", "dicee"), "did you mean"),
    (("score", "pred", "ref", "--out", "r.json", "--metrix", "dice"), "did you mean '--metrics'"),
])
def test_mistakes_are_found_at_once(slurm, work, inner, words):
    done = submit(slurm, work, inner=inner, status=2)
    assert words in done.stderr
    assert not slurm.calls("sbatch") and listing(work) == sorted(
        {"pred", "ref", *(f"{side}/{name}.nii.gz" for side in ("pred", "ref") for name in IDS)})


def test_out_belongs_to_the_inner_command(slurm, work):
    done = assay("submit", "slurm", "score", "pred", "ref", "--out", "r.json", cwd=work, status=2,
                 env=slurm.environment)
    assert "--out belongs to the command that is run" in done.stderr


def test_without_slurm_it_says_what_to_do(work):
    done = assay("submit", "slurm", "--", "score", "pred", "ref", "--out", "r.json", cwd=work,
                 status=2, env={**os.environ, "PATH": "/nowhere"})
    assert "sbatch is not on the PATH" in done.stderr and "--dry-run" in done.stderr
    assert not (work / "r.json.shards").exists()


def test_slurms_own_words_are_passed_on_and_nothing_is_left(slurm, work):
    slurm.refuse("array", "sbatch: error: Invalid account\n")
    done = submit(slurm, work, status=2)
    assert "Slurm: sbatch says: sbatch: error: Invalid account" in done.stderr
    assert not (work / "results.json.shards").exists()


def test_an_array_without_its_merge_is_cancelled(slurm, work):
    slurm.refuse("merge", "sbatch: error: too many jobs\n")
    submit(slurm, work, status=2)
    assert slurm.calls("scancel") == ["scancel 100"]


def test_the_limit_of_arrays(slurm, work):
    done = submit(slurm, work, "--shards", "11", status=2)
    assert "at most 10 tasks in an array (MaxArraySize)" in done.stderr
    assert "with shards 1-10 of 10" in submit(slurm, work, "--shards", "10").stdout


def test_the_options_of_sbatch_that_are_ours(slurm, work):
    for words in ("--array=1-3", "-a 1-3"):
        assert "is set by submit" in submit(slurm, work, "--sbatch", words, status=2).stderr


def test_a_second_submission_is_refused_and_a_retry_takes_what_is_missing(slurm, work):
    submit(slurm, work, "--shards", "4")
    folder = work / "results.json.shards"
    assert "was submitted already" in submit(slurm, work, status=2).stderr
    for shard in (1, 3):
        assert run_script(folder / "job.sh", "/", shard).returncode == 0
    (slurm.folder / "queue").write_text("100_4|RUNNING|\n101|PENDING|\n")
    done = submit(slurm, work, "--retry", "--json")
    assert strict(done.stdout)["jobs"][1] == {"array": "102", "merge": "103", "shards": "2"}
    assert slurm.calls("scancel") == ["scancel 101"]
    assert slurm.calls("sbatch")[2:] == [
        f"sbatch --parsable --array=2 {folder}/job.sh",
        f"sbatch --parsable --dependency=afterany:100:102 {folder}/merge.sh"]


def test_a_damaged_shard_is_missing(slurm, work):
    submit(slurm, work, "--shards", "2")
    folder = work / "results.json.shards"
    assert run_all(folder, 2).returncode == 0
    assert "no shard is missing" in submit(slurm, work, "--retry").stderr
    file = folder / "results.shard-2-of-2.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert "with shards 2 of 2" in submit(slurm, work, "--retry").stdout


def test_another_command_does_not_continue_a_submission(slurm, work):
    submit(slurm, work, "--shards", "2")
    other = ("score", "pred", "ref", "--out", "results.json", "--metrics", "dice")
    done = submit(slurm, work, "--retry", inner=other, status=2)
    assert "another command" in done.stderr
    assert "was submitted with 2 shards" in submit(slurm, work, "--retry", "--shards", "3",
                                                   status=2).stderr
    (work / "pred/case-03.nii.gz").rename(work / "pred/case-99.nii.gz")
    (work / "ref/case-03.nii.gz").rename(work / "ref/case-99.nii.gz")
    assert "for other cases" in submit(slurm, work, "--retry", status=2).stderr


def test_more_memory_for_a_retry(slurm, work):
    submit(slurm, work, "--shards", "2", "--sbatch", "--mem=1G")
    submit(slurm, work, "--retry", "--sbatch", "--mem=9G")
    assert "#SBATCH --mem=9G" in (work / "results.json.shards/job.sh").read_text()


def test_wait_ends_with_the_status_of_the_merge(slurm, work):
    (work / "pred/case-05.nii.gz").unlink()
    submit(slurm, work, "--shards", "3")
    assert run_all(work / "results.json.shards", 3).returncode == 3
    done = submit(slurm, work, "--wait", status=3)
    assert "3 of 3 shards done, 12 of 12 cases done, 1 failed" in done.stderr
    assert "not scored: case-05" in done.stderr and "dice" in done.stdout


def test_wait_tells_which_shards_were_lost(slurm, work):
    submit(slurm, work, "--shards", "3")
    folder = work / "results.json.shards"
    assert run_script(folder / "job.sh", "/", 1).returncode == 0
    (folder / "logs/shard-2.log").write_text("slurmstepd: error: Detected 1 oom-kill event(s)\n")
    done = run_script(folder / "merge.sh", "/")
    assert done.returncode == 2
    (folder / "logs/merge.err").write_text(done.stderr)
    # The queue is empty at the first look, so there is no second one: the merge names the shards.
    waited = submit(slurm, work, "--wait", status=2)
    assert "shards 2, 3 of 3 are missing" in waited.stderr


def test_a_terminal_gets_a_bar(slurm, work):
    """The queue still has the merge at the first look, and is empty at the second."""
    submit(slurm, work, "--shards", "3")
    assert run_all(work / "results.json.shards", 3).returncode == 0
    (slurm.folder / "queue").write_text("101|RUNNING|\n")
    (slurm.folder / "squeue").write_text(
        f'#!/bin/sh\ncd {shlex.quote(str(slurm.folder))}\ncat queue && mv queue seen\ntrue\n')
    status, shown = on_a_terminal("submit", "slurm", "--wait", "--", "score", "pred", "ref",
                                  "--out", "results.json", cwd=work, env=slurm.environment)
    assert status == 0
    assert b"[########################]  12/12" in shown and b"3 of 3 shards" in shown
