"""Shards of a run, and their merge: the merged file is that of one machine, byte for byte apart
from its provenance, and shards that do not fit together are refused by name."""
import csv, json, os, shutil, signal, subprocess, time, zlib

import numpy
import pytest

import failing_calls
import hanging
import networks
import support
from hanging import hanging_file
from support import assay, cohort, mask, save, without_provenance


def run(*words, **settings):
    """The program, whatever its exit status."""
    return subprocess.run([support.PROGRAM, *map(str, words)], text=True, capture_output=True,
                          timeout=60, stdin=subprocess.DEVNULL, **settings)


def run_shards(folder, words, shards, *options, first=1):
    """Runs every shard of a command into folder/shards; the number of the first is 1 or 0."""
    for number in range(first, first + shards):
        done = run(*words, "--out", folder / "shards/results.json", "--shard",
                   f"{number}/{shards}", *options)
        assert done.returncode in (0, 3), done.stderr


def merged(folder, *options, status=0):
    done = assay("merge", folder / "shards", "--out", folder / "merged.json", "--csv",
                 folder / "merged.csv", *options, status=status)
    return folder / "merged.json", done


def content(path):
    """A results file without its provenance; a summary of nnU-Net has none."""
    text = path.read_text()
    return without_provenance(path) if '"provenance"' in text else text


def rich_cohort(folder):
    """Labels, empty masks, a failed, a missing and an unreadable case, a shifted grid, groups."""
    rows = []
    for i in range(11):
        name = f"sub-{i:02}"
        generator = numpy.random.default_rng(i)
        reference = generator.integers(0, 4, support.SHAPE).astype("u1")
        prediction = numpy.where(generator.random(support.SHAPE) < 0.8, reference,
                                 generator.integers(0, 5, support.SHAPE)).astype("u1")
        if i == 3:
            prediction[:] = 0
        if i == 4:
            reference[:] = 0
        affine = numpy.diag([1, 2, 3, 1.0])
        save(folder / f"ref/{name}.nii.gz", reference, affine.copy())
        if i == 5:
            affine[0, 3] = 0.05  # a warning
        if i == 6:
            affine[0, 3] = 5  # another grid: fails
        if i != 7:  # missing
            save(folder / f"pred/{name}.nii.gz", prediction, affine)
        rows.append({"participant_id": name, "site": "AB"[i % 2]})
    save(folder / "pred/sub-99.nii.gz", mask(support.BOX))  # no reference
    (folder / "pred/sub-08.nii.gz").write_bytes(b"not an image")
    with open(folder / "groups.tsv", "w", newline="") as file:
        table = csv.DictWriter(file, ["participant_id", "site"], delimiter="\t")
        table.writeheader()
        table.writerows(rows)
    return folder


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    return rich_cohort(tmp_path_factory.mktemp("rich"))


OPTIONS = {
    "plain": [],
    "all labels": ["--labels", "all", "--metrics", "all"],
    "labels and regions": ["--labels", "1,2,3", "--region", "whole=1,2,3", "--missing", "worst"],
    "regions, bca": ["--region", "whole=1,2,3", "--region", "core=2,3", "--ci", "bca"],
    "lesions": ["--labels", "1,2", "--metrics", "lesion,hd99,nsd,dice", "--nsd-tolerance", "2,4",
                "--lesion-rule", "iou", "--connectivity", "6", "--min-lesion-ml", "0.001"],
    "convention": ["--labels", "1,2", "--convention", "monai", "--metrics", "standard", "--beta",
                   "2", "--ignore-label", "3"],
    "the specification": ["--compat", "spec"],
    "nnU-Net": ["--labels", "1,2", "--format", "nnunet"],
    "anonymous, nonzero": ["--anonymous", "--foreground", "nonzero", "--allow-affine-mismatch"],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_merged_shards_are_the_file_of_one_machine(tmp_path, rich, name):
    words = ["score", rich / "pred", rich / "ref", "--groups", rich / "groups.tsv", *OPTIONS[name]]
    one = assay(*words, "--out", tmp_path / "one.json", "--csv", tmp_path / "one.csv", status=3)
    for shards, first in [(1, 1), (2, 0), (3, 1), (7, 0), (15, 1)]:
        shutil.rmtree(tmp_path / "shards", ignore_errors=True)
        run_shards(tmp_path, words, shards, first=first)
        file, done = merged(tmp_path, status=3)
        assert content(file) == content(tmp_path / "one.json")
        assert (tmp_path / "merged.csv").read_text() == (tmp_path / "one.csv").read_text()
        assert done.stdout == one.stdout
        assert [line for line in done.stderr.splitlines() if line.startswith("not scored")] == [
            line for line in one.stderr.splitlines() if line.startswith("not scored")]


def shard_file(folder, number, shards):
    return folder / f"shards/results.shard-{number}-of-{shards}.jsonl"


@pytest.fixture
def plain(tmp_path):
    """A cohort of seven cases, and the words that score it."""
    cohort(tmp_path, [f"c{i}" for i in range(7)])
    words = ["score", tmp_path / "pred", tmp_path / "ref", "--metrics", "dice,avd"]
    assay(*words, "--out", tmp_path / "one.json", "--quiet")
    return tmp_path, words


def test_a_shard_tells_what_it_did_and_writes_only_its_own_file(plain):
    folder, words = plain
    (folder / "pred/c2.nii.gz").unlink()
    done = assay(*words, "--out", folder / "shards/results.json", "--shard", "2/3", status=3)
    assert done.stdout == "shard 2 of 3: 2 cases, 1 failed\n"
    assert "not scored: c2" in done.stderr
    assert support.listing(folder / "shards") == ["results.shard-2-of-3.jsonl",
                                                  "results.shard-2-of-3.jsonl.journal"]
    done = assay(*words, "--out", folder / "shards/results.json", "--shard", "1/3", "--json")
    assert json.loads(done.stdout) == {"shard": 1, "shards": 3, "cases": 2, "failed": 0}
    assert "results.shard-1-of-3.jsonl.journal" not in support.listing(folder / "shards")


def test_a_folder_and_a_model_name_the_shards(plain):
    folder, words = plain
    (folder / "out").mkdir()
    for number in (1, 2):
        assay(*words, "--out", folder / "out", "--model", "a/b", "--shard", f"{number}/2")
    assert support.listing(folder / "out") == ["a_b.shard-1-of-2.jsonl", "a_b.shard-2-of-2.jsonl"]
    assay("merge", folder / "out")
    assert json.loads((folder / "out/a_b.json").read_text())["model_name"] == "a/b"


def test_a_shard_without_cases_is_a_shard(plain):
    folder, words = plain
    done = assay(*words, "--out", folder / "shards/results.json", "--shard", "9/10")
    assert done.stdout == "shard 9 of 10: 0 cases, 0 failed\n"
    assert shard_file(folder, 9, 10).exists()


@pytest.mark.parametrize("options, said", [
    (["--shard", "4/3"], "there is no shard 4 of 3"), (["--shard", "1/0"], "1 to 1000000 shards"),
    (["--shard", "x"], "'x' is neither K/N"), (["--shard", "1/2", "--csv", "t.csv"], "assay merge"),
    (["--shard", "1/2", "--out", ""], "--shard needs --out"), (["--plan", "p"], "--make-plan"),
    (["--shard", "auto"], "SLURM_ARRAY_TASK_ID"), (["--make-plan", "2"], "--plan FILE")])
def test_wrong_usage_of_shards(plain, options, said):
    folder, words = plain
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("SLURM", "OMPI", "JOB_", "ASSAY_SHARDS"))}
    out = [] if "--out" in options else ["--out", folder / "results.json"]
    options = [word for word in options if word not in ("--out", "")]
    done = run(*words, *out, *options, env=environment, cwd=folder)
    assert done.returncode == 2 and said in done.stderr


def test_auto_takes_the_task_of_a_slurm_array(plain):
    folder, words = plain
    for task in range(3):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task),
                       "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "0",
                       "SLURM_ARRAY_TASK_MAX": "2", "SLURM_ARRAY_TASK_STEP": "1"}
        assay(*words, "--out", folder / "shards/results.json", "--shard", "auto", env=environment)
    assert content(merged(folder)[0]) == content(folder / "one.json")


def test_a_plan_divides_the_cases_and_must_be_the_same_for_all(plain):
    folder, words = plain
    assay(*words, "--make-plan", 3, "--plan", folder / "plan.json")
    plan = json.loads((folder / "plan.json").read_text())
    assert plan["schema"] == "assay.plan/1" and plan["shards"] == 3
    assert sorted(plan["shard_of"].count(shard) for shard in (1, 2, 3)) == [2, 2, 3]
    run_shards(folder, words, 3, "--plan", folder / "plan.json")
    assert content(merged(folder)[0]) == content(folder / "one.json")
    assay(*words, "--out", folder / "shards/results.json", "--shard", "1/3")
    _, done = merged(folder, status=2)
    assert "results.shard-1-of-3.jsonl: was made with another --plan" in done.stderr
    done = run(*words, "--out", folder / "r.json", "--shard", "1/2", "--plan", folder / "plan.json")
    assert done.returncode == 2 and "for 3 shards" in done.stderr
    cohort(folder, ["c7"])
    done = run(*words, "--out", folder / "r.json", "--shard", "1/3", "--plan", folder / "plan.json")
    assert done.returncode == 2 and "other cases" in done.stderr


def test_missing_shards_are_named_with_the_command_that_makes_them(plain):
    folder, words = plain
    run_shards(folder, words, 5)
    for number in (1, 3, 4, 5):
        shard_file(folder, number, 5).unlink()
    _, done = merged(folder, status=2)
    assert "shards 1, 3-5 of 5 are missing" in done.stderr
    assert f"--out {folder}/shards/results.json --shard 1/5" in done.stderr
    assert not (folder / "merged.json").exists()


def test_partial_merges_what_is_there(plain):
    folder, words = plain
    run_shards(folder, words, 3)
    shard_file(folder, 3, 3).unlink()
    file, done = merged(folder, "--partial", status=3)
    result = json.loads(file.read_text())
    assert [case["id"] for case in result["cases"]] == ["c1", "c2", "c4", "c5"]
    [warning] = result["warnings"]
    assert warning == "shard 3 of 3 is missing: 4 of 7 cases are merged"
    assert f"warning: {warning}" in done.stderr
    shard_file(folder, 2, 3).write_text(shard_file(folder, 2, 3).read_text()[:-40])
    file, done = merged(folder, "--partial", status=3)
    assert f"left out: {shard_file(folder, 2, 3)}: line 4" in done.stderr
    result = json.loads(file.read_text())
    assert len(result["cases"]) == 2
    assert result["warnings"][0] == "shards 2, 3 of 3 are missing: 2 of 7 cases are merged"
    assert result["warnings"][1].startswith("left out: results.shard-2-of-3.jsonl: line 4: it is")
    assert done.stderr.count("results.shard-2-of-3.jsonl") == 1


def test_a_file_is_not_a_folder_of_shards(plain):
    folder, words = plain
    run_shards(folder, words, 1)
    file = shard_file(folder, 1, 1)
    said = assay("merge", file, status=2).stderr
    assert said == (f"assay: {file}: is a file; give the folder that the shards wrote their files "
                    "to\n")
    assert "no such folder" in assay("merge", folder / "absent", status=2).stderr


def repaired(path, change):
    """Writes the records of a shard again, each with its checksum, after `change` saw it."""
    lines = []
    for line in path.read_text().splitlines():
        record = json.loads(line)["record"]
        change(record)
        text = json.dumps(record, separators=(",", ":"))
        lines.append(f'{{"crc32": "{zlib.crc32(text.encode()):08x}", "record": {text}}}\n')
    path.write_text("".join(lines))


def test_a_version_that_differs_is_named(plain):
    folder, words = plain
    run_shards(folder, words, 3)
    repaired(shard_file(folder, 2, 3), lambda record: "version" in record and record.update(
        version="0.0.9"))
    _, done = merged(folder, status=2)
    assert 'results.shard-2-of-3.jsonl: was made by version "0.0.9", the others by' in done.stderr


@pytest.mark.parametrize("options, said", [
    (["--ci", "bca"], "was made with other settings: ci_method is \"bca\", in the others \"t\""),
    (["--beta", "2"], "was made with other settings: beta is 2.0, in the others 1.0"),
    (["--missing", "worst"], 'missing is "worst", in the others "exclude"'),
    (["--model", "other"], 'belongs to model "other", the others to "pred"'),
    (["--labels", "1"], "was made with other settings: regions is "),
    (["--format", "nnunet"], 'format is "nnunet", in the others "json"')])
def test_a_shard_with_other_settings_is_named(plain, options, said):
    folder, words = plain
    run_shards(folder, words, 3)
    assay(*words, *options, "--out", folder / "shards/results.json", "--shard", "2/3")
    _, done = merged(folder, status=2)
    assert "conflict: " in done.stderr and "results.shard-2-of-3.jsonl: " in done.stderr
    assert said in done.stderr and "shard-1-of-3" not in done.stderr
    assert not (folder / "merged.json").exists()


def test_a_division_into_another_number_of_shards_is_named(plain):
    folder, words = plain
    run_shards(folder, words, 3)
    assay(*words, "--out", folder / "shards/results.json", "--shard", "2/4")
    _, done = merged(folder, status=2)
    assert ("results.shard-2-of-4.jsonl: belongs to a division into 4, the others into 3"
            in done.stderr)


@pytest.mark.parametrize("manifest", [False, True])
def test_a_prediction_that_appears_between_shards_is_found(plain, manifest):
    folder, words = plain
    if manifest:
        lines = [f"c{i},pred/c{i}.nii.gz,ref/c{i}.nii.gz" for i in range(7)]
        (folder / "m.csv").write_text("\n".join(["id,prediction,reference", *lines]))
        words = ["score", "--manifest", folder / "m.csv"]
    late = (folder / "pred/c5.nii.gz").read_bytes()
    (folder / "pred/c5.nii.gz").unlink()
    run_shards(folder, words, 3)
    (folder / "pred/c5.nii.gz").write_bytes(late)
    assay(*words, "--out", folder / "shards/results.json", "--shard", "1/3")
    _, done = merged(folder, status=2)
    assert "results.shard-1-of-3.jsonl: was made from other cases" in done.stderr


def test_equal_copies_are_fine_and_others_are_a_conflict(plain):
    folder, words = plain
    run_shards(folder, words, 3)
    copy = folder / "shards/again.shard-2-of-3.jsonl"
    shutil.copy(shard_file(folder, 2, 3), copy)
    assert content(merged(folder)[0]) == content(folder / "one.json")

    def change(record):
        if record["kind"] == "case" and record["case"]["id"] == "c5":
            record["case"]["prediction_sha256"] = "0"
    repaired(copy, change)
    _, done = merged(folder, status=2)
    assert "case c5 differs between" in done.stderr and "again.shard-2-of-3" in done.stderr


def test_damaged_lines_are_named(plain):
    folder, words = plain
    run_shards(folder, words, 3)
    for number, (old, new) in {1: ('"id":"c4"', '"id":"c5"'), 3: ("assay.shard/1", "assay.shard/7")
                               }.items():
        file = shard_file(folder, number, 3)
        file.write_text(file.read_text().replace(old, new))
    _, done = merged(folder, status=2)
    assert "results.shard-1-of-3.jsonl: line 3: it is damaged or torn" in done.stderr
    assert "results.shard-3-of-3.jsonl: line 1: it is damaged or torn" in done.stderr
    shard_file(folder, 2, 3).write_text("")
    _, done = merged(folder, status=2)
    assert "no shard can be used" in done.stderr
    _, done = merged(folder, "--partial", status=2)


@pytest.mark.skipif(not hanging.SHIM.exists(), reason="built without tests/faults")
def test_a_killed_shard_loses_only_the_case_in_hand(plain):
    folder, words = plain
    run_shards(folder, words, 2)
    shard_file(folder, 1, 2).unlink()
    journal = folder / "shards/results.shard-1-of-2.jsonl.journal"
    with hanging_file("ref/c5.nii.gz") as hung, hung.held():
        started = subprocess.Popen(
            [support.PROGRAM, *map(str, words), "--jobs", "1", "--out",
             folder / "shards/results.json", "--shard", "1/2"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, **hung.environment})
        deadline = time.monotonic() + 50
        lines = 3  # its header, c1 and c3
        while time.monotonic() < deadline and not (
                journal.exists() and journal.read_bytes().count(b"\n") == lines):
            time.sleep(0.005)
        started.send_signal(signal.SIGKILL)
        started.wait()
    assert not shard_file(folder, 1, 2).exists()
    _, done = merged(folder, status=2)
    assert f"{journal}: shard 1 has begun but is not finished; add --resume" in done.stderr
    assert "shard 1 of 2 is missing" in done.stderr
    done = assay(*words, "--out", folder / "shards/results.json", "--shard", "1/2", "--resume")
    assert "2 cases were taken from the journal" in done.stderr
    assert content(merged(folder)[0]) == content(folder / "one.json")


def test_resuming_a_finished_shard_does_nothing(plain):
    folder, words = plain
    words = [*words, "--out", folder / "shards/results.json", "--shard", "1/3"]
    assay(*words)
    before = shard_file(folder, 1, 3).stat()
    done = assay(*words, "--resume")
    assert "this shard is complete" in done.stderr and done.stdout.startswith("shard 1 of 3")
    after = shard_file(folder, 1, 3).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    save(folder / "pred/c1.nii.gz", support.random_mask(99))
    assert "complete" not in assay(*words, "--resume").stderr
    assert shard_file(folder, 1, 3).stat().st_ino != before.st_ino


def test_two_writers_of_a_shard_leave_one_whole_file(plain):
    folder, words = plain
    words = [support.PROGRAM, *map(str, words), "--shard", "1/2", "--out"]
    folders = [folder / "a", folder / "b"]
    for place in folders:  # each has its own journal, as on nodes that do not share locks
        place.mkdir()
        (place / "shards").symlink_to(folder / "shards")
    (folder / "shards").mkdir()
    for _ in range(5):
        both = [subprocess.Popen([*words, place / "shards/results.json"], stderr=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, text=True) for place in folders]
        said = [process.communicate()[1] for process in both]
        statuses = sorted(process.returncode for process in both)
        assert statuses in ([0, 0], [0, 2]), said
        assert statuses == [0, 0] or "another assay process" in "".join(said)
        assert support.listing(folder / "shards") == ["results.shard-1-of-2.jsonl"]
        repaired(shard_file(folder, 1, 2), lambda record: None)


@pytest.mark.skipif(not failing_calls.SHIM.exists(), reason="built without tests/faults")
@pytest.mark.parametrize("error", ["ENOLCK", "EOPNOTSUPP"])
def test_a_folder_that_refuses_locks_gets_a_warning(plain, error):
    folder, words = plain
    environment = {**os.environ, "LD_PRELOAD": str(failing_calls.SHIM), "FAIL_CALL": "lock",
                   "FAIL_NTH": "1", "FAIL_ONWARD": "1", "FAIL_ERROR": error,
                   "FAIL_BELOW": str(folder)}
    for number in (1, 2):
        done = assay(*words, "--out", folder / "shards/results.json", "--shard", f"{number}/2",
                     env=environment)
        assert "this file system refuses locks" in done.stderr
    assert content(merged(folder)[0]) == content(folder / "one.json")
    assert not list(folder.rglob(".assay-*"))


def test_shards_of_evaluate_are_those_of_one_machine(tmp_path):
    networks.threshold_network(tmp_path / "tiny.safetensors")
    for seed, name in enumerate("abcde"):
        x = numpy.random.default_rng(seed).random(support.SHAPE).astype("f4")
        save(tmp_path / f"data/imagesTs/{name}_0000.nii.gz", x)
        save(tmp_path / f"data/labelsTs/{name}.nii.gz", (x > 0.4).astype("u1"))
    words = ["evaluate", tmp_path / "tiny.safetensors", tmp_path / "data", "--recipe", "none",
             *networks.OF_THRESHOLD, "--cache", tmp_path / "cache"]
    assay(*words, "--out", tmp_path / "one.json", "--save-predictions", tmp_path / "kept")
    for shards in (2, 7):
        shutil.rmtree(tmp_path / "shards", ignore_errors=True)
        run_shards(tmp_path, words, shards, "--save-predictions", tmp_path / f"kept{shards}")
        assert content(merged(tmp_path)[0]) == content(tmp_path / "one.json")
        assert support.listing(tmp_path / f"kept{shards}") == support.listing(tmp_path / "kept")


def test_shards_of_predict_are_the_images_of_one_machine(tmp_path):
    networks.threshold_network(tmp_path / "tiny.safetensors")
    for seed, name in enumerate("abcde"):
        x = numpy.random.default_rng(seed).random(support.SHAPE).astype("f4")
        save(tmp_path / f"images/{name}.nii.gz", x)
    words = ["predict", tmp_path / "tiny.safetensors", tmp_path / "images", "--recipe", "none",
             *networks.OF_THRESHOLD, "--no-cache"]
    assay(*words, "--out", tmp_path / "one")
    assay(*words, "--make-plan", 2, "--plan", tmp_path / "plan.json")
    for folder, shards, options in [("two", 2, ["--plan", tmp_path / "plan.json"]), ("six", 6, [])]:
        for number in range(shards):
            assay(*words, "--out", tmp_path / folder, "--shard", f"{number}/{shards}", *options)
        assert {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()} == {
            path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}


def test_merge_judges_the_cohort_where_a_shard_does_not(plain):
    folder, words = plain
    words = [*words, "--labels", "9"]
    run_shards(folder, words, 2)
    _, done = merged(folder, status=2)
    assert "9" in done.stderr and "nothing was written" in done.stderr
    one = run(*words, "--out", folder / "other.json")
    assert one.stderr.splitlines()[-1] == done.stderr.splitlines()[-1]


def test_a_run_that_was_merged_is_complete_for_resume(plain):
    folder, words = plain
    run_shards(folder, words, 2)
    merged(folder)
    done = assay(*words, "--out", folder / "merged.json", "--resume")
    assert "this run is complete" in done.stderr


def test_merge_never_replaces_a_shard(plain):
    folder, words = plain
    run_shards(folder, words, 2)
    before = shard_file(folder, 1, 2).read_bytes()
    for option in ("--out", "--csv"):
        done = run("merge", folder / "shards", option, shard_file(folder, 1, 2))
        assert done.returncode == 2 and "is a journal or a shard" in done.stderr
    assert shard_file(folder, 1, 2).read_bytes() == before
