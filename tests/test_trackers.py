"""--log-to: what trackers of experiments read from disk. `make test-peers` reads it with them."""
import csv

import pytest

from support import assay, cohort, strict


@pytest.fixture
def study(tmp_path, monkeypatch):
    cohort(tmp_path, ["a", "b"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(*arguments, status=0):
    return assay("score", "pred", "ref", "--json", *arguments, status=status)


def test_each_tracker_gets_the_means_of_the_results(study):
    targets = ["mlflow=mlruns", "tensorboard=tb", "csv=t/runs.csv"]
    result = strict(score(*(word for target in targets for word in ("--log-to", target))).stdout)
    mean = result["metrics"]["dice"]["mean"]
    (metric,) = (study / "mlruns").glob("*/*/metrics/dice")
    assert float(metric.read_text().split()[1]) == mean
    run = metric.parent.parent
    assert (run / "tags/assay.settings_sha256").read_text() == (
        result["provenance"]["settings_sha256"])
    (events,) = (study / "tb/pred").iterdir()
    assert "tfevents" in events.name and b"brain.Event:2" in events.read_bytes()
    rows = {row["metric"]: row for row in csv.DictReader((study / "t/runs.csv").open())}
    assert float(rows["dice"]["mean"]) == mean and rows["dice"]["n"] == "2"


def test_two_runs_are_two_runs(study):
    for _ in range(2):
        score("--log-to", "mlflow=mlruns", "--log-to", "csv=runs.csv", "--metrics", "dice")
    assert len(list((study / "mlruns").glob("*/*/meta.yaml"))) == 2
    assert len(list((study / "mlruns").glob("*/meta.yaml"))) == 1
    assert len((study / "runs.csv").read_text().splitlines()) == 3


def test_several_labels_have_means_of_their_own(study):
    score("--region", "x=1", "--region", "y=1", "--metrics", "dice", "--log-to", "csv=runs.csv")
    labels = [row["label"] for row in csv.DictReader((study / "runs.csv").open())]
    assert labels == ["", "x", "y"]


def test_a_tracker_that_cannot_be_written_loses_no_results(study):
    (study / "runs.csv").write_text("id,value\n")
    done = score("--out", "r.json", "--log-to", "csv=runs.csv", status=3)
    assert "not logged: runs.csv: is not a table of this kind" in done.stderr
    assert (study / "r.json").exists() and (study / "runs.csv").read_text() == "id,value\n"


@pytest.mark.parametrize("target, words", [
    ("mflow=x", "unknown tracker 'mflow'; did you mean 'mlflow'?"),
    ("csv", "'csv' has no destination; write, for example, csv=runs.csv"),
])
def test_a_target_that_means_nothing_is_refused(study, target, words):
    assert words in score("--log-to", target, status=2).stderr


def test_shards_cannot_log(study):
    err = score("--shard", "1/2", "--out", "r.json", "--log-to", "csv=x.csv", status=2).stderr
    assert "--log-to cannot go with --shard" in err


def test_a_project_logs_only_in_the_current_folder(study):
    for place in ("mlflow=../runs", "mlflow=/tmp/runs"):
        (study / "assay.toml").write_text(f'[score]\nlog-to = ["{place}"]\n')
        assert "may not set --log-to" in score(status=2).stderr
    (study / "assay.toml").write_text('[score]\nlog-to = ["csv=runs.csv"]\n')
    score()
    assert (study / "runs.csv").exists()
