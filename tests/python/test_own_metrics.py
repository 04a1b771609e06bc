"""Metrics of the user's own as Python functions: the same numbers, ledger, statistics and report as
the built-in ones. The oracle is Dice, computed here and by the program."""
import concurrent.futures
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import sys
import warnings

import numpy
import pytest

import assay
from support import save

SHAPE = (7, 6, 5)
LABELS = [1, 2]


@assay.metric(better="higher", range=(0, 1), empty={"both": 1}, title="Dice by NumPy", failure=0)
def my_dice(prediction, reference):
    return 2 * (prediction & reference).sum() / (prediction.sum() + reference.sum())


@assay.metric(better="lower", range=(0, None), unit="mm")
def extent_difference(prediction, reference, spacing, label):
    """How much longer one mask is than the other along the first axis."""
    lengths = [numpy.any(mask, axis=(1, 2)).sum() * spacing[0] for mask in (prediction, reference)]
    return abs(lengths[0] - lengths[1])


@assay.metric(better="lower")
def touchy(prediction, reference):
    raise RuntimeError("the sensor is wet")


def made_cohort(folder, cases=8, noise=0.2, seed=0):
    """Label maps with empty masks on either side, both, and on none; an axis is flipped."""
    generator = numpy.random.default_rng(seed)
    fixed = numpy.random.default_rng(99)
    affine = numpy.diag([1.5, 2, 3, 1.0])
    for i in range(cases):
        reference = fixed.integers(0, 3, SHAPE).astype("u1")
        other = generator.integers(0, 3, SHAPE).astype("u1")
        prediction = numpy.where(generator.random(SHAPE) < noise, other, reference).astype("u1")
        if i == 0:
            prediction[prediction == 2] = 0
        if i == 1:
            reference[reference == 1] = 0
        if i == 2:
            prediction[prediction == 1] = reference[reference == 1] = 0
        save(folder / f"ref/sub-{i}.nii.gz", reference, affine)
        if i == 3:
            flipped = affine.copy()
            flipped[0, 0], flipped[0, 3] = -1.5, 1.5 * (SHAPE[0] - 1)
            save(folder / f"pred/sub-{i}.nii.gz", prediction[::-1], flipped)
        else:
            save(folder / f"pred/sub-{i}.nii.gz", prediction, affine)
    return folder / "pred", folder / "ref"


@pytest.fixture
def study(tmp_path):
    return made_cohort(tmp_path)


def values(result, metric):
    return [[labels.get(metric) for labels in case["label"].values()] for case in result["cases"]]


def quiet_score(*arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return assay.score(*arguments, **settings)


@pytest.mark.parametrize("settings", [
    {"labels": LABELS}, {}, {"labels": LABELS, "region": {"whole": LABELS}},
    {"labels": LABELS, "ignore_label": 2, "reader": "runs"}, {"reader": "runs"},
    {"reader": "buffer"}, {"labels": LABELS, "missing": "worst"}],
    ids=["labels", "masks", "regions", "ignored", "runs", "buffer", "worst"])
def test_a_dice_of_ones_own_is_ours_on_every_label(study, settings):
    if settings.get("ignore_label") == 2:
        settings = {**settings, "labels": [1]}
    found = assay.score(*study, metrics=["dice", my_dice], **settings)
    ours, own = values(found, "dice"), values(found, "my_dice")
    assert any(None not in each for each in ours)
    for a, b in zip(numpy.ravel(ours), numpy.ravel(own)):
        assert a == pytest.approx(b, abs=1e-12)
    for key in ("n", "mean", "std", "ci95", "direction", "failures", "mean_with_failures"):
        assert found["metrics"]["my_dice"][key] == pytest.approx(found["metrics"]["dice"][key])


def test_results_declare_the_metric_in_full(study):
    found = assay.score(*study, labels=LABELS, metrics=["dice", my_dice, extent_difference])
    assert found["settings"]["metrics"] == ["dice", "my_dice", "extent_difference"]
    dice, extent = found["settings"]["own_metrics"]
    assert dice.pop("sha256") and extent.pop("sha256") != ""
    assert dice == {
        "name": "my_dice", "title": "Dice by NumPy", "equation": "own function", "unit": "",
        "note": "", "reference": "", "kind": "function", "better": "higher", "range": [0, 1],
        "empty": {"both": 1, "reference": "call", "prediction": "call"}, "failure": 0}
    assert extent["range"] == [0, None] and extent["failure"] is None
    assert found["metrics"]["extent_difference"]["direction"] == "lower"


def test_spacing_label_and_arrays_are_those_of_the_reference(tmp_path):
    seen = {}

    def look(prediction, reference, spacing, label):
        seen[label] = (prediction, reference, spacing)
        return 0

    pred, ref = made_cohort(tmp_path, cases=4)
    quiet_score(pred / "sub-3.nii.gz", ref / "sub-3.nii.gz", labels=LABELS,
                metrics=[assay.metric(look, better="neither")])
    reference, _ = assay.read_image(ref / "sub-3.nii.gz")
    prediction, _ = assay.read_image(pred / "sub-3.nii.gz")
    assert sorted(seen) == ["1", "2"]
    for label, (p, r, spacing) in seen.items():
        assert spacing == pytest.approx((1.5, 2, 3))
        assert p.dtype == r.dtype == bool and not p.flags.writeable and not r.flags.writeable
        numpy.testing.assert_array_equal(r, reference == int(label))
        numpy.testing.assert_array_equal(p, prediction[::-1] == int(label))


def test_any_number_of_jobs_and_shards_gives_the_same(study, tmp_path):
    settings = {"labels": LABELS, "metrics": ["dice", my_dice, extent_difference]}
    alone = assay.score(*study, jobs=1, **settings)
    alone.pop("provenance")
    spawn = multiprocessing.get_context("spawn")  # this process has threads: forks are unsafe
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        for given in ({"jobs": 4}, {"executor": pool, "shards": 3}):
            other = assay.score(*study, **settings, **given)
            other.pop("provenance")
            assert other == alone


def test_pickles_hold_a_metric_by_name_or_by_its_function():
    assert pickle.loads(pickle.dumps(my_dice)) is my_dice
    plain = assay.metric(math.hypot, better="lower", name="distance")
    again = pickle.loads(pickle.dumps(plain))
    assert again.name == "distance" and again(3, 4) == 5


def test_a_metric_that_raises_loses_no_case(study, tmp_path):
    with pytest.warns(UserWarning, match="the metric touchy failed 15 times; the first: case "
                                         "sub-0, 1: RuntimeError: the sensor is wet"):
        found = assay.score(*study, labels=LABELS, metrics=["dice", touchy],
                            out=tmp_path / "results.json")
    assert found["ledger"]["scored"] == 8 and found["ledger"]["own_metric_failures"] == 15
    assert found["metrics"]["dice"]["n"] == 8 and found["metrics"]["touchy"]["n"] == 0
    label = found["cases"][0]["label"]["1"]
    assert label["touchy"] is None and label["undefined"] == {"touchy": "own_metric_failed"}
    assert label["messages"]["touchy"].startswith("RuntimeError: the sensor is wet (test_own_")
    assert found["cases"][2]["label"]["1"]["undefined"]["touchy"] == "both_empty"
    assert any("touchy failed 15 times" in each for each in found["warnings"])


@pytest.mark.parametrize("given, message", [
    (math.nan, "it gave nan, which is not finite"), (math.inf, "it gave inf, which is not finite"),
    (1.5, "it gave 1.5, which is outside its range of 0 to 1"),
    ("0.5", "it returned str, which is not a number"),
    ([1, 2], "it returned list, which is not a number")])
def test_a_value_that_is_no_number_of_the_range_is_a_failure(study, given, message):
    def odd(prediction, reference):
        return given

    found = quiet_score(study[0] / "sub-4.nii.gz", study[1] / "sub-4.nii.gz",
                        metrics=[assay.metric(odd, better="higher", range=(0, 1))])
    label = found["cases"][0]["label"]["foreground"]
    assert label["undefined"] == {"odd": "own_metric_failed"}
    assert label["messages"] == {"odd": message}


def test_none_is_undefined_by_the_masks_or_by_the_metric(study):
    def nothing(prediction, reference):
        return None

    found = assay.score(*study, labels=LABELS, metrics=[assay.metric(nothing, better="higher")])
    reasons = [[label["undefined"]["nothing"] for label in case["label"].values()]
               for case in found["cases"]]
    assert reasons[0] == ["own_metric_undefined", "prediction_empty"]
    assert reasons[1] == ["reference_empty", "own_metric_undefined"]
    assert reasons[2] == ["both_empty", "own_metric_undefined"]
    assert "messages" not in found["cases"][0]["label"]["1"]
    assert "own_metric_failures" not in found["ledger"]


def test_a_case_whose_label_failed_has_no_average(study):
    def on_one(prediction, reference, label):
        if label == "2":
            raise ValueError("no")
        return 1

    found = quiet_score(*study, labels=LABELS, metrics=[assay.metric(on_one, better="higher")])
    assert found["metrics"]["on_one"]["n"] == 0
    assert found["cases"][4]["undefined"]["on_one"] == {
        "reason": "own_metric_failed", "culprit": "nobody", "label": "2"}
    again = assay.compare([{**found, "model_name": name} for name in "ab"], "a",
                          metric="on_one")
    assert again["models"][0]["metrics"]["on_one"]["n"] == 0


def test_rules_for_empty_masks_are_applied_without_a_call(study):
    called = []

    def counted(prediction, reference, label):
        called.append((bool(prediction.any()), bool(reference.any())))
        return 0.5

    empty = {"both": 1, "reference": None, "prediction": 0.25}
    found = assay.score(*study, labels=LABELS, jobs=1,
                        metrics=[assay.metric(counted, better="higher", empty=empty)])
    assert set(called) == {(True, True)}
    assert found["cases"][0]["label"]["2"]["counted"] == 0.25
    assert found["cases"][1]["label"]["1"]["undefined"] == {"counted": "reference_empty"}
    assert found["cases"][2]["label"]["1"]["counted"] == 1


def test_a_function_without_a_direction_is_refused(study):
    def plain(prediction, reference):
        return 1

    with pytest.raises(ValueError, match="the function plain does not say whether higher or lower"):
        assay.score(*study, metrics=["dice", plain])
    with pytest.raises(ValueError, match="better must be one of higher, lower, zero, neither"):
        assay.metric(plain, better="up")


@pytest.mark.parametrize("name, why", [
    ("dice", "'dice' is a metric of assay"), ("dsc", "'dsc' is a metric of assay \\(dice\\)"),
    ("hd99", "'hd99' is a metric of assay"), ("standard", "is a group of metrics"),
    ("status", "has another meaning in results"), ("My Metric", "cannot be the name of a metric"),
    ("a" * 65, "cannot be the name of a metric")])
def test_a_name_that_means_something_else_is_refused(study, name, why):
    with pytest.raises(ValueError, match=why):
        assay.score(*study, metrics=[assay.metric(max, better="higher", name=name)])


def test_two_metrics_of_one_name_are_refused(study):
    with pytest.raises(ValueError, match="two metrics called my_dice"):
        assay.score(*study, metrics=[my_dice, assay.metric(max, better="lower", name="my_dice")])


@pytest.mark.parametrize("settings, why", [
    ({"range": (1, 0)}, "empty range"), ({"empty": {"neither": 1}}, "called 'neither'"),
    ({"empty": {"both": 2}, "range": (0, 1)}, "2 for empty masks, which is outside its range"),
    ({"failure": -1, "range": (0, 1)}, "counts a failure as a number that is outside its range"),
    ({"empty": {"both": "maybe"}}, "neither a number nor 'undefined' nor 'call'")])
def test_a_declaration_that_contradicts_itself_is_refused(study, settings, why):
    with pytest.raises(ValueError, match=why):
        assay.score(*study, metrics=[assay.metric(max, better="higher", name="biggest",
                                                  **settings)])


def test_a_comparison_of_the_own_dice_is_that_of_dice(tmp_path):
    results = []
    for seed, noise in ((1, 0.1), (2, 0.3)):
        folder = tmp_path / f"model-{seed}"
        pred, ref = made_cohort(folder, cases=12, noise=noise, seed=seed)
        results.append(assay.score(pred, ref, labels=LABELS, model=f"model-{seed}",
                                   metrics=["dice", my_dice, extent_difference]))
    both = assay.compare(results, "model-1")
    assert list(both["metrics"]) == ["dice", "my_dice", "extent_difference"]
    assert both["directions"] == {"dice": "higher", "my_dice": "higher",
                                  "extent_difference": "lower"}
    assert both["units"] == {"dice": "", "my_dice": "", "extent_difference": "mm"}
    ours, own = both["metrics"]["dice"][0], both["metrics"]["my_dice"][0]
    for key in ("n", "p_value", "corrected_p_value", "difference", "ci95", "effect_size"):
        assert own[key] == pytest.approx(ours[key], abs=1e-12), key
    assert own["verdict"] == ours["verdict"]
    worse = both["metrics"]["extent_difference"][0]
    assert worse["n"] <= 12
    assert not any("unknown to assay" in note for note in both["notes"])


def test_files_that_declare_a_metric_differently_are_not_compared(tmp_path):
    pred, ref = made_cohort(tmp_path)
    results = [assay.score(pred, ref, model=name, metrics=[
        assay.metric(lambda p, r: 0.5, better=better, name="my_number")])
        for name, better in (("a", "higher"), ("b", "lower"))]
    with pytest.raises(ValueError, match="declares the metric 'my_number' in another way"):
        assay.compare(results, "a")


def test_a_report_names_the_metric_by_its_title(tmp_path):
    pred, ref = made_cohort(tmp_path)
    result = assay.score(pred, ref, labels=LABELS, metrics=["dice", my_dice, extent_difference])
    page = tmp_path / "page.html"
    assay.report(result, page)
    text = page.read_text()
    assert "Dice by NumPy (higher is better)" in text
    assert "extent difference (mm)" in text
    assert "Dice by NumPy (my_dice = own function)" in text


def test_a_table_has_a_column_for_the_metric(study):
    pandas = pytest.importorskip("pandas")
    table = assay.to_dataframe(assay.score(*study, metrics=["dice", my_dice]))
    assert isinstance(table, pandas.DataFrame)
    assert table["my_dice"].tolist() == pytest.approx(table["dice"].tolist())


def test_the_long_table_has_rows_of_the_metric(study, tmp_path):
    assay.score(*study, metrics=["dice", my_dice], csv=tmp_path / "long.csv")
    rows = [line.split(",") for line in (tmp_path / "long.csv").read_text().splitlines()]
    by_metric = {metric: [row[4] for row in rows if row[3] == metric]
                 for metric in ("dice", "my_dice")}
    assert len(by_metric["my_dice"]) == 8
    assert [float(x) for x in by_metric["my_dice"]] == pytest.approx(
        [float(x) for x in by_metric["dice"]])


def test_a_resumed_run_takes_what_is_done_and_retries_what_failed(study, tmp_path):
    out, state = tmp_path / "results.json", {"works": False, "calls": 0}

    def moody(prediction, reference):
        state["calls"] += 1
        if not state["works"] and state["calls"] % 2:
            raise OSError("the licence server is away")
        return 1.0

    mine = assay.metric(moody, better="higher")
    first = quiet_score(*study, metrics=["dice", mine], out=out, jobs=1)
    failed = first["ledger"]["own_metric_failures"]
    assert failed == 4
    state.update(works=True, calls=0)
    again = assay.score(*study, metrics=["dice", mine], out=out, jobs=1, resume=True)
    assert state["calls"] == failed and "own_metric_failures" not in again["ledger"]
    assert again["metrics"]["moody"]["n"] == 8
    state["calls"] = 0
    assert assay.score(*study, metrics=["dice", mine], out=out, resume=True) == again
    assert state["calls"] == 0


def test_another_function_of_the_same_name_is_not_resumed(study, tmp_path):
    def first(prediction, reference):
        return 1.0

    def second(prediction, reference):
        return 2.0

    out = tmp_path / "results.json"
    assay.score(*study, metrics=[assay.metric(first, better="higher", name="mine")], out=out)
    with pytest.raises(ValueError, match="with other settings"):
        assay.score(*study, metrics=[assay.metric(second, better="higher", name="mine")], out=out,
                    resume=True)


def test_an_interrupt_stops_the_run(study):
    def stop(prediction, reference):
        import _thread

        _thread.interrupt_main()
        return 1

    # A shell's background jobs begin with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            assay.score(*study, metrics=[assay.metric(stop, better="higher")])
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_file_with_a_broken_declaration_is_refused(study, tmp_path):
    result = assay.score(*study, metrics=[my_dice])
    result["settings"]["own_metrics"][0]["better"] = "up"
    (tmp_path / "a.json").write_text(json.dumps(result))
    with pytest.raises(ValueError, match="'settings' is not as 'assay score' writes it"):
        assay.compare([tmp_path / "a.json", tmp_path / "a.json"], metric="my_dice")


GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/own-metrics.md"


def guide_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)


def test_the_function_of_the_guide_works(tmp_path, monkeypatch, capsys):
    pred, ref = made_cohort(tmp_path)
    pred.rename(tmp_path / "predictions")
    ref.rename(tmp_path / "labelsTr")
    monkeypatch.chdir(tmp_path)
    exec(guide_blocks("python")[0], {})
    result = json.loads((tmp_path / "results.json").read_text())
    assert float(capsys.readouterr().out) == result["metrics"]["volume_ratio"]["mean"]


def test_a_function_and_a_program_give_the_same(study, tmp_path, monkeypatch):
    toml, = guide_blocks("toml")
    program, = [block for block in guide_blocks("python") if "sys.stdin" in block]
    (tmp_path / "volume_ratio.py").write_text(program)
    file = tmp_path / "volume_ratio.toml"
    file.write_text(toml.replace("python3", sys.executable).replace('name = "volume_ratio"',
                                                                    'name = "by_program"'))

    @assay.metric(better="higher", range=(0, 1), empty={"both": 1})
    def by_function(prediction, reference):
        smaller, larger = sorted([int(prediction.sum()), int(reference.sum())])
        return smaller / larger

    alone = assay.score(*study, labels=LABELS, metrics=["dice", by_function], own_metric=file)
    assert values(alone, "by_program") == values(alone, "by_function")
    monkeypatch.chdir(tmp_path)
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        spread = assay.score(*study, labels=LABELS, metrics=["dice", by_function], shards=2,
                             own_metric=[os.path.relpath(file)], executor=threads)
    assert spread["cases"] == alone["cases"]
