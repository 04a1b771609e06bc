"""Power cuts: whatever part of the writes reached the disk, nothing that was reported as done is
lost, and a run goes on to the same results. tests/power_cuts.py works out what a cut may leave."""
import collections, hashlib, json, shutil, zlib

import pytest

from networks import OF_THRESHOLD, threshold_network
from power_cuts import cuts, put, recorded
import qa_runs
import reliability
from qa_runs import slides  # noqa: F401, a fixture
from support import assay, cohort, random_mask, save, without_provenance

IDS = [f"case_{number}" for number in range(5)]


def said(calls, words):
    return any(call.words[0] == "say" and words in call.data for call in calls)


def records(journal):
    """The records of a journal up to its torn end; None in the place of a damaged one."""
    *lines, torn = journal.split(b"\n")
    out = []
    for number, line in enumerate(lines):
        text = line[len(b'{"crc32": "00000000", "record": '):-1]
        sound = (line.startswith(b'{"crc32": "') and line.endswith(b"}")
                 and line[11:19] == b"%08x" % zlib.crc32(text))
        if not sound and not torn and number == len(lines) - 1:
            break  # its line break reached the disk before the rest
        out.append(json.loads(text) if sound else None)
    return out


def temporary(folder):
    return list(folder.rglob(".assay-*.tmp"))


def resumed(folder, out, *command):
    """Continues a run after a cut. Writes that reached the disk in another order may leave a hole
    before the last line; that is reported, and salvage keeps everything that was committed."""
    journal = folder / (out + ".journal")
    before = journal.read_bytes() if journal.exists() else b""
    if None in records(before):
        refused = assay(*command, "--out", folder / out, "--resume", status=2)
        assert "is damaged" in refused.stderr and "assay qa salvage" in refused.stderr
        assert journal.read_bytes() == before
        assay("qa", "salvage", journal, status=3)
    assay(*command, "--out", folder / out, "--resume", "--quiet")
    assert not temporary(folder)
    return without_provenance(folder / out)


def shard_lines(path):
    """The records of a shard; its header says how it was called."""
    header, *rest = path.read_bytes().splitlines()
    return {**json.loads(header)["record"], "command": []}, rest


@pytest.fixture
def files(tmp_path):
    return cohort(tmp_path, IDS)


def test_scores_are_there_or_can_be_made_from_the_journal(tmp_path, files):
    score = ("score", *files, "--jobs", "1")
    (tmp_path / "disk").mkdir()
    disk, calls = recorded(tmp_path / "disk", tmp_path / "log", *score, "--out",
                           tmp_path / "disk/runs/new/r.json")
    undisturbed = without_provenance(tmp_path / "disk/runs/new/r.json")
    outcomes = collections.Counter()
    for number, before, name, tree in cuts(disk, calls):
        found = tree.get("runs/new/r.json")
        assert found is None or json.loads(found)["num_samples"] == len(IDS), (number, name)
        if said(before, b"results: ") or number == len(calls):
            assert found is not None, (number, name)
        folder = put(tree, tmp_path / f"{number} {name}")
        assert resumed(folder, "runs/new/r.json", *score) == undisturbed, (number, name)
        outcomes["results there" if found else "made again"] += 1
        shutil.rmtree(folder)
    assert len(outcomes) == 2, outcomes
    reliability.note("power cuts", "score", f"{len(calls)} calls", outcomes)


def test_a_shard_is_there_or_can_be_made_from_its_journal(tmp_path, files):
    name = "r.shard-2-of-2.jsonl"
    score = ("score", *files, "--jobs", "1", "--shard", "2/2")
    (tmp_path / "disk").mkdir()
    disk, calls = recorded(tmp_path / "disk", tmp_path / "log", *score, "--out",
                           tmp_path / "disk/r.json")
    undisturbed, outcomes = shard_lines(tmp_path / "disk" / name), collections.Counter()
    for number, before, state, tree in cuts(disk, calls):
        found = tree.get(name)
        if said(before, b"shard: ") or number == len(calls):
            assert found is not None, (number, state)
        folder = put(tree, tmp_path / f"{number} {state}")
        if found is not None:
            assert shard_lines(folder / name) == undisturbed, (number, state)
        if None in records(tree.get(name + ".journal", b"")):
            assay("qa", "salvage", folder / (name + ".journal"), status=3)
        assay(*score, "--out", folder / "r.json", "--resume", "--quiet")
        assert shard_lines(folder / name) == undisturbed and not temporary(folder), (number, state)
        outcomes["results there" if found else "made again"] += 1
        shutil.rmtree(folder)
    assert len(outcomes) == 2, outcomes
    reliability.note("power cuts", "score --shard", f"{len(calls)} calls", outcomes)


def test_a_merge_writes_the_whole_results_or_none(tmp_path, files):
    for shard in (1, 2):
        assay("score", *files, "--out", tmp_path / "disk/r.json", "--shard", f"{shard}/2")
    shards = {path.name: path.read_bytes() for path in (tmp_path / "disk").iterdir()}
    disk, calls = recorded(tmp_path / "disk", tmp_path / "log", "merge", tmp_path / "disk", "--csv",
                           tmp_path / "disk/new/r.csv")
    results, outcomes = (tmp_path / "disk/r.json").read_bytes(), collections.Counter()
    table = (tmp_path / "disk/new/r.csv").read_bytes()
    for number, before, state, tree in cuts(disk, calls):
        assert shards.items() <= tree.items(), (number, state)
        assert tree.get("r.json") in (None, results), (number, state)
        assert tree.get("new/r.csv") in (None, table), (number, state)
        if number == len(calls):
            assert "r.json" in tree and "new/r.csv" in tree, state
        outcomes["results there" if "r.json" in tree else "whole or absent"] += 1
    reliability.note("power cuts", "merge", f"{len(calls)} calls", outcomes)


def test_old_results_stay_until_the_new_ones_are_whole(tmp_path, files):
    out = tmp_path / "disk/r.json"
    assay("score", *files, "--metrics", "dice", "--out", out)
    old = out.read_bytes()
    disk, calls = recorded(tmp_path / "disk", tmp_path / "log", "score", *files, "--metrics",
                           "dice,mcc", "--out", out, "--csv", tmp_path / "disk/new/r.csv")
    new, outcomes = out.read_bytes(), collections.Counter()
    table = (tmp_path / "disk/new/r.csv").read_bytes()
    for number, before, name, tree in cuts(disk, calls):
        assert tree["r.json"] in (old, new), (number, name)
        assert tree.get("new/r.csv") in (None, table), (number, name)
        if number == len(calls):
            assert tree["r.json"] == new and tree["new/r.csv"] == table, name
        outcomes["old results whole" if tree["r.json"] == old else "results there"] += 1
    reliability.note("power cuts", "score over old results", f"{len(calls)} calls", outcomes)


def test_predictions_are_kept_whole_or_not_at_all(tmp_path):
    model = threshold_network(tmp_path / "model/tiny.safetensors")
    for number, name in enumerate(IDS[:2]):
        save(tmp_path / f"data/imagesTs/{name}_0000.nii.gz", random_mask(number).astype("f4"))
        save(tmp_path / f"data/labelsTs/{name}.nii.gz", random_mask(number + 1))
    evaluate = ("evaluate", model, tmp_path / "data", "--recipe", "none", *OF_THRESHOLD, "--jobs",
                "1")
    (tmp_path / "disk").mkdir()
    disk, calls = recorded(tmp_path / "disk", tmp_path / "log", *evaluate, "--cache",
                           tmp_path / "disk/cache", "--save-predictions", tmp_path / "disk/kept",
                           "--out", tmp_path / "disk/r.json")
    undisturbed = without_provenance(tmp_path / "disk/r.json")
    whole = {str(path.relative_to(tmp_path / "disk")): path.read_bytes()
             for path in (tmp_path / "disk").rglob("*.nii.gz")}
    assert len(whole) == 4
    trees = tried = 0
    for number, before, name, tree in cuts(disk, calls):
        for path, content in tree.items():
            if path.endswith(".nii.gz"):
                assert content == whole[path], (number, name, path)
        if number == len(calls):
            assert all(path in tree for path in whole)
        trees += 1
        if trees % 8 != 0:
            continue
        folder = put(tree, tmp_path / f"{number} {name}")
        again = ("--cache", folder / "cache", "--save-predictions", folder / "kept")
        assert resumed(folder, "r.json", *evaluate, *again) == undisturbed, (number, name)
        tried += 1
        shutil.rmtree(folder)
    reliability.note("power cuts", "evaluate", f"{len(calls)} calls",
                     {"whole or absent": trees - tried, "continued, equal": tried})


def crops_of(trajectory):
    """The files that a trajectory shows."""
    return {f"run/crops/{image['sha256']}.jpg" for turn in trajectory["turns"]
            for image in turn["images"]}


def check_run(tree, calls):
    """What a run must find again, from the calls before the cut. Gives its answered calls."""
    posts = sum(call.words[0] == "send" and call.data.startswith(b"POST") for call in calls)
    found = [record for record in records(tree.get("run/run.journal", b"")) if record]
    sent = [record for record in found if record["kind"] == "sent"]
    answered = [record for record in found if record["kind"] == "call" and "reply" in record]
    assert len(sent) >= posts, "a call was sent that the budget does not know"
    assert len(answered) >= posts - 1, "a reply that was paid for is lost"
    for path, content in tree.items():
        if path.startswith("run/crops/") and path.endswith(".jpg"):
            assert hashlib.sha256(content).hexdigest() in path, "a crop is not whole"
    for record in found:
        if record["kind"] == "attempt" and record["trajectory_file"]:
            trajectory = json.loads(tree["run/" + record["trajectory_file"]])
            assert crops_of(trajectory) <= set(tree), "a crop is lost"
    return answered


def test_what_was_paid_for_is_never_asked_again(tmp_path, slides):  # noqa: F811
    questions = qa_runs.table(tmp_path / "questions.csv", 3)
    prices = qa_runs.prices(tmp_path)
    (tmp_path / "disk").mkdir()
    with qa_runs.Server(tmp_path, "--crops", 2) as server:
        run = ("qa", "run", questions, "--wsi-root", slides, "--base-url", server.url, "--model",
               "m", "--prices", prices, "--budget-usd", "1000", "--concurrency", "1")
        disk, calls = recorded(tmp_path / "disk", tmp_path / "log", *run, "--out",
                               tmp_path / "disk/run")
        undisturbed, total = qa_runs.results(tmp_path / "disk/run"), len(server.calls())
        trees = tried = 0
        for number, before, name, tree in cuts(disk, calls):
            answered = check_run(tree, before)
            if number == len(calls):
                assert "run/demo_results.json" in tree and "run/questions.json" in tree
            trees += 1
            if trees % 20 != 0 or None in records(tree.get("run/run.journal", b"")):
                continue
            folder, asked = put(tree, tmp_path / f"{number} {name}"), len(server.calls())
            assay(*run, "--out", folder / "run")
            assert qa_runs.results(folder / "run") == undisturbed, (number, name)
            assert len(server.calls()) - asked == total - len(answered), (number, name)
            assert not temporary(folder)
            tried += 1
            shutil.rmtree(folder)
    assert tried > 5
    reliability.note("power cuts", "qa run", f"{len(calls)} calls",
                     {"nothing lost": trees - tried, "continued, equal": tried})


def test_salvage_keeps_the_damaged_journal_and_every_record(tmp_path, files):
    out = tmp_path / "disk/r.json"
    assay("score", *files, "--out", out, "--keep-journal")
    journal = tmp_path / "disk/r.json.journal"
    lines = journal.read_bytes().split(b"\n")
    damaged = b"\n".join([*lines[:2], b"#" + lines[2][1:], *lines[3:]])
    journal.write_bytes(damaged)
    disk, calls = recorded(tmp_path / "disk", tmp_path / "log", "qa", "salvage", journal, status=3)
    salvaged, trees = journal.read_bytes(), 0
    for number, before, name, tree in cuts(disk, calls):
        assert tree["r.json.journal"] in (damaged, salvaged), (number, name)
        if tree["r.json.journal"] == salvaged or number == len(calls):
            assert tree["r.json.journal.damaged"] == damaged, (number, name)
        trees += 1
    reliability.note("power cuts", "qa salvage", f"{len(calls)} calls", {"nothing lost": trees})
