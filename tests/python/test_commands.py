"""Commands as functions: the same numbers as the program gives, as dicts, warnings and
exceptions."""
import json
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import assay
from networks import threshold_network
from support import LABELS, PROGRAM, cohort, mask, random_mask, save
from support import score as program_score
from test_folds import experiment
from test_split import cohort as manifest_columns
from test_split import manifest

IDS = [f"sub-{i:02}" for i in range(8)]


def without_provenance(result):
    return {key: value for key, value in result.items() if key != "provenance"}


@pytest.fixture
def study(tmp_path):
    return cohort(tmp_path, IDS)


def test_score_equals_the_program(study, tmp_path):
    pred, ref = study
    found = assay.score(pred, str(ref), metrics=["dice", "mcc"], model="mine")
    assert without_provenance(found) == without_provenance(
        program_score(pred, ref, "--metrics", "dice,mcc", "--model", "mine"))
    for case in found["cases"]:
        arrays = [assay.read_nifti(folder / f"{case['id']}.nii.gz")[0] for folder in study]
        assert case["label"]["foreground"]["dice"] == assay.dice_coefficient(*arrays)


def test_every_kind_of_setting(tmp_path):
    for side, voxels in zip(("pred", "ref"), LABELS):
        save(tmp_path / side / "a.nii.gz", voxels)
    out = tmp_path / "r.json"
    found = assay.score(tmp_path / "pred", tmp_path / "ref", labels=[1, 2],
                        region={"whole": [1, 2]}, out=out, anonymous=True, resume=False, csv=None)
    assert set(found["labels"]) == {"1", "2", "whole"} and json.loads(out.read_text()) == found
    again = assay.score(pred=tmp_path / "pred", ref=tmp_path / "ref", region=["one=1", "two=2"],
                        ignore_label=-1)
    assert set(again["labels"]) == {"one", "two"}
    rows = manifest(tmp_path,
                    {"id": ["case"], "prediction": ["pred/a.nii.gz"], "reference": ["ref/a.nii.gz"],
                     "site": ["x"]})
    assert assay.score(manifest=rows)["cases"][0]["groups"] == {"site": "x"}


def test_what_failed_is_a_result_and_a_warning(study):
    pred, ref = study
    (pred / "sub-03.nii.gz").unlink()
    with pytest.warns(UserWarning, match="sub-03") as caught:
        found = assay.score(pred, ref)
    assert found["ledger"]["missing_prediction"] == 1 and found["num_samples"] == 7
    assert caught[0].filename == __file__  # the caller's line


def test_what_cannot_be_done_is_an_exception(study, tmp_path):
    pred, ref = study
    with pytest.raises((ValueError, OSError), match="absent"):
        assay.score(tmp_path / "absent", ref)
    with pytest.raises(ValueError, match="did you mean 'dice'"):
        assay.score(pred, ref, metrics="dic")
    with pytest.raises(ValueError, match="frobnicate"):
        assay.score(pred, ref, frobnicate=3)
    with pytest.raises(ValueError, match="scor"):
        assay.run("scor")
    assert not list(tmp_path.glob("*.json"))


def test_compare_takes_results_and_files(study, tmp_path):
    pred, ref = study
    for i, name in enumerate(IDS):
        save(tmp_path / "other" / f"{name}.nii.gz", random_mask(i) ^ random_mask(i + 50, share=0.2))
    first = assay.score(pred, ref, model="first")
    second = assay.score(tmp_path / "other", ref, model="second/of two",
                         out=tmp_path / "second.json")
    found = assay.compare([first, second], "first", metric=["dice"], margin={"dice": 0.01})
    assert without_provenance(found)["metrics"] == assay.compare(
        [first, tmp_path / "second.json"], "first", metric="dice", margin="dice=0.01")["metrics"]
    row = found["metrics"]["dice"][0]
    x, y = (np.array(r["dice"]["values"]) for r in (second, first))
    assert row["p_value"] == pytest.approx(assay.wilcoxon(x, y).pvalue)
    with pytest.raises(ValueError, match="third"):
        assay.compare([first, second], "third")


def test_folds_and_split(tmp_path):
    experiment(tmp_path / "runs")
    found = assay.folds(tmp_path / "runs", restarts="median")
    assert 0 < found["summary"]["test_mean_dice"] < 1
    path = manifest(tmp_path, manifest_columns(30))
    splits = assay.split(path, outer=3, inner=2, stratify=["site"], seed=7)
    assert splits == assay.split(str(path), outer=3, inner=2, stratify="site", seed=7)
    tested = sorted(case for fold in splits["folds"] for case in fold["test"])
    assert tested == sorted(manifest_columns(30)["id"])


def test_parity(tmp_path):
    if "parity" not in subprocess.run([PROGRAM, "--help"], text=True, capture_output=True).stdout:
        pytest.skip("this program has no 'assay parity'")
    result = {"summary": {"test_mean_dice": 0.876, "test_std_dice": 0.016, "test_mean_avd": 0.245,
                          "test_mean_mcc": 0.760}}
    found = assay.validate_parity(result)
    assert found.parity_level == "strict" and found.dice_mean == 0.876 and "dice" in found.details
    assert "report" not in repr(found) and found.report["parity_level"] == "strict"


WORKER = """
import json, sys
import nibabel
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("hello"):
        answer = {"protocol": 1, "name": "threshold", "version": "1", "classes": 2, "device": "cpu"}
    else:
        image = nibabel.load(asked["image"])
        mask = (image.get_fdata() > 0.5).astype("u1")
        nibabel.save(nibabel.Nifti1Image(mask, image.affine), asked["output"])
        answer = {"ok": True}
    print(json.dumps(answer), flush=True)
"""
OF_THRESHOLD = {"dilations": 1, "activation": "relu", "recipe": "none"}


@pytest.fixture
def model(tmp_path):
    """A network that says 1 where a voxel is above 0.5, two images, and references that differ a
    little."""
    for seed in range(2):
        x = np.random.default_rng(seed).random((9, 8, 7)).astype("f4")
        save(tmp_path / f"data/images/case_{seed}.nii.gz", x)
        save(tmp_path / f"data/labels/case_{seed}.nii.gz", x > 0.6)
    return threshold_network(tmp_path / "tiny.safetensors")


def test_predict_writes_label_maps(model, tmp_path):
    images = sorted((tmp_path / "data/images").iterdir())
    found = assay.predict(model, *images, out=tmp_path / "out", **OF_THRESHOLD)
    assert [row["image"] for row in found["images"]] == list(map(str, images))
    for image, row in zip(images, found["images"]):
        labels, affine = assay.read_image(row["output"])
        voxels, expected = assay.read_image(image)
        assert (labels == (voxels > 0.5)).all() and (affine == expected).all()
    again = assay.predict(str(model), images, out=tmp_path / "again", **OF_THRESHOLD)
    assert ([row["classes"] for row in again["images"]]
            == [row["classes"] for row in found["images"]])
    save(tmp_path / "bad.nii.gz", np.full((3, 3, 3), np.nan, "f4"))
    with pytest.warns(UserWarning, match="not predicted: .*bad.nii.gz"):
        assay.predict(model, images[0], tmp_path / "bad.nii.gz", out=tmp_path / "some",
                      **OF_THRESHOLD)
    with pytest.raises(ValueError, match="--out"):
        assay.predict(model, images, **OF_THRESHOLD)


def test_evaluate_equals_predict_then_score(model, tmp_path):
    kept = tmp_path / "kept"
    found = assay.evaluate(model, tmp_path / "data", model="mine", save_predictions=kept,
                           metrics=["dice", "hd95"], **OF_THRESHOLD)
    apart = assay.score(kept, tmp_path / "data/labels", metrics="dice,hd95")
    assert (found["model_name"] == "mine" and found["metrics"] == apart["metrics"]
            and len(found["cases"]) == 2)
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    by_program = assay.evaluate(tmp_path / "data", command=f"{sys.executable} {worker}",
                                metrics="dice,hd95")
    assert by_program["metrics"] == apart["metrics"]  # the data are the only argument


def test_report_takes_results_and_files(study, tmp_path):
    pred, ref = study
    first = assay.score(pred, ref, model="first")
    assay.score(ref, ref, model="second", out=tmp_path / "second.json")
    found = assay.report([first, tmp_path / "second.json"], tmp_path / "page.html",
                         baseline="first", title="Two models")
    assert (found["report"] == str(tmp_path / "page.html")
            and found["models"] == ["first", "second"]
            and found["cases"] == 8)
    assert "Two models" in (tmp_path / "page.html").read_text()
    assert assay.report(first, out=tmp_path / "one.html")["models"] == ["first"]
    with pytest.raises((ValueError, OSError), match="absent"):
        assay.report(tmp_path / "absent.json", tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def test_other_commands(tmp_path):
    assert assay.run("metrics")["metrics"] == assay.metric_table()
    assert assay.run("docs", "cli").startswith("#")  # only text


def test_dataframes(study):
    pandas = pytest.importorskip("pandas")
    found = assay.score(*study, model="mine")
    frame = assay.to_dataframe(found)
    assert (isinstance(frame, pandas.DataFrame) and len(frame) == 8
            and set(frame["case"]) == set(IDS))
    assert (frame["dice"].mean() == pytest.approx(found["dice"]["mean"])
            and set(frame["label"]) == {"foreground"})
    other = {**found, "model_name": "other"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = assay.to_dataframe(assay.compare([found, other], "mine"))
    assert (list(pairs["metric"]) == ["dice", "nsd", "hd95", "avd", "mcc"]
            and list(pairs["model_name"]) == ["other"] * 5)
    with pytest.raises(ValueError, match="rows"):
        assay.to_dataframe({})


def test_several_results_make_one_dataframe(study, tmp_path):
    pytest.importorskip("pandas")
    results = [assay.score(*study, model=name, out=tmp_path / f"{name}.json")
               for name in ("a", "b", "c")]
    one_by_one = assay.to_dataframe(*results)
    assert list(one_by_one["model"]) == ["a"] * 8 + ["b"] * 8 + ["c"] * 8
    for same in (results, tuple(results), iter(results),
                 [tmp_path / f"{name}.json" for name in "abc"]):
        assert assay.to_dataframe(same).equals(one_by_one)
    assert assay.to_dataframe(str(tmp_path / "a.json")).equals(assay.to_dataframe(results[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared = assay.compare(results[:2], "a")
    with pytest.raises(ValueError,
                       match="one kind of results, not of assay.comparison and "
                             "assay.segmentation"):
        assay.to_dataframe(results[0], compared)
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(ValueError, match="list.json is not a results file"):
        assay.to_dataframe(tmp_path / "list.json")


def test_commands_run_in_threads_and_after_a_fork(study):
    expected = without_provenance(assay.score(*study))
    found = [None] * 3

    def work(i):
        found[i] = without_provenance(assay.score(*study))

    workers = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 3
    large = np.ones((1 << 22) + 3, bool)
    # the pool of threads is there; its child has none of them
    assert assay.dice_coefficient(large, large) == 1
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0
                 if assay.dice_coefficient(large, large) == 1
                    and len(assay.score(*study)["cases"]) == 8
                 else 1)
    assert os.waitpid(child, 0)[1] == 0


INTERRUPTED = """
import assay, os, pathlib, signal, sys, threading, time
journal = pathlib.Path(sys.argv[3] + ".journal")
# shells let what they start in the background ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt():
    while not (journal.exists() and journal.read_bytes().count(b"\\n") > 0):
        time.sleep(0.005)  # the header; records follow in groups, late on a busy disk
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    assay.score(sys.argv[1], sys.argv[2], out=sys.argv[3], jobs=1)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_control_c_stops_in_order_and_can_be_resumed(tmp_path):
    rng = np.random.default_rng(0)
    for side in ("pred", "ref"):
        file = save(tmp_path / f"{side}.nii.gz",
                    (rng.random((160, 160, 160)) < 0.4).astype(np.uint8))
        (tmp_path / side).mkdir()
        for i in range(240):
            os.link(file, tmp_path / side / f"{i:03}.nii.gz")
    out = tmp_path / "r.json"
    package = os.path.dirname(os.path.dirname(assay.__file__))
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, tmp_path / "pred", tmp_path / "ref",
                           out], text=True, capture_output=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": package})
    assert done.stdout == "interrupted\n", done.stderr
    assert not out.exists()
    found = assay.score(tmp_path / "pred", tmp_path / "ref", out=out, resume=True)
    assert found["ledger"]["scored"] == 240


def test_a_configuration_file_does_not_reach_functions(study, tmp_path, monkeypatch):
    (tmp_path / "assay.toml").write_text('[score]\nmetrics = "iou"\n')
    monkeypatch.chdir(tmp_path)
    assert "dice" in assay.score(*study)["metrics"]
