"""assay.spec for question answering: the rules against the specification's own code, items,
results, the runner."""
import csv
import dataclasses
import inspect
import json
import os
import random
import re

import pytest

import assay
from assay import spec
from spec_vectors import cases, close, reference
from support import not_in_both_unicodes, real_data

UNKNOWN = not_in_both_unicodes()

# The specification's code, its docstring mended.
_INT_RE = re.compile(r"\b(\d+)\b")
_LETTER_RE = re.compile(r"\b([A-D])\b", re.IGNORECASE)


def _extract_json_object(text):
    start = text.find("{")
    end = text.rfind("}")
    if start == -1 or end == -1 or end <= start:
        raise ValueError("No JSON object found")
    return text[start : end + 1]


def original(prediction, *, benchmark_name, options):
    text = prediction.strip()
    if benchmark_name == "panda":
        try:
            obj = json.loads(_extract_json_object(text))
            grade = int(obj["isup_grade"])
            return grade, text
        except Exception:
            pass
    if options:
        m = _LETTER_RE.search(text)
        if m and len(options) == 4:
            return ord(m.group(1).upper()) - ord("A") + 1, text
        m = _INT_RE.search(text)
        if m:
            k = int(m.group(1))
            if 1 <= k <= len(options):
                return k, text
        lowered = text.lower()
        for i, opt in enumerate(options, start=1):
            if opt.lower() in lowered:
                return i, text
    m = _INT_RE.search(text)
    return (int(m.group(1)) if m else None), text


OPTIONS = [
    None, [], ["Low", "High"], ["Lung", "Breast", "Colon"], ["Lung", "Breast", "Colon", "Liver"],
    ["art", "heart", "", "İnci"],
    ["   ", "Heart", "Lung"], ["2", "3", "4", "5"], ["STRASSE", "straße", "ΓΑΣΤΗΡ"],
    [f"Option {i}" for i in range(1, 31)],
]
VALUES = ["3", "0", "6", "-1", "3.7", "-0.5", "1e2", "1e400", "1E-2", "true", "false", "null",
          "NaN", "Infinity", "-Infinity", '"4"', '" 5 "', '"+2"', '"1_0"', '"_1"', '"٣"', '"x"',
          '"Grade 3"', "[3]", "{}", "03", "3.", ".5", "--1", '"3.0"', '"\\u0033"', '"\\ud800"',
          "99999999999999999999", "1.5e18"]
PIECES = ["a", "A", "b.", "D", "I'd", "_a", "é", "aé", "K", "ſ", "1", "2", "3", "4", "17", "30",
          "31", "007", "40x", "x40", "1.5", "2,5", "4_", "٣", "²", "½", "Ⅳ", "١٢", "0", "-2",
          "Lung", "lung", "BREAST", "liver", "heart", "i̇nci", "İNCI", "strasse", "STRAẞE",
          "Γαστήρ", "γαστηρ", "option 12", "Option 30", "High", "low-grade", "Gleason 4+3=7",
          "ISUP grade 3", "{", "}", "{}", '"isup_grade"', "```json", "\\", "12345678901234567890",
          "Vitamin D", "(C)", "é́2", "2é", "٣a", "answer:", "<response>", "\x1c", "\x1f5",
          "\u200b3", "\u00a0", "\u3000"]
SPACES = [" ", " ", " ", "", "\n", "\t", "\u00a0", "\u2003", "\x85", "\u200b", "\x1d", "\ufeff",
          "\v\f"]


def grade(chance):
    """An object that may hold a grade."""
    members = [f'"isup_grade": {chance.choice(VALUES)}']
    members += chance.sample(['"a": {"isup_grade": 1}', '"b": [1, {}]', '"isup_grade": 2',
                              '"ISUP_GRADE": 4', '"t": "}{"', '"n": null'],
                             chance.randrange(3))
    chance.shuffle(members)
    opened, closed = chance.choice([("{", "}")] * 6 + [
        ("{{", "}}"), ("{", ""), ("", "}"), ("[{", "}]"), ("{", ",}")])
    return opened + chance.choice([", ", ",", " ,\n"]).join(members) + closed


def answer(chance):
    parts = [grade(chance) if chance.random() < 0.15 else chance.choice(PIECES)
             for _ in range(chance.randrange(9))]
    return "".join(chance.choice(SPACES) + part for part in parts) + chance.choice(SPACES)


def bounded(label):
    return None if label is None else max(-(2**63) + 1, min(2**63 - 1, label))


@pytest.mark.parametrize("seed", range(8))
def test_the_rules_are_the_specification_s(seed):
    chance = random.Random(seed)
    labels = set()
    for _ in range(1500):
        text = answer(chance)
        settings = {"benchmark_name": chance.choice(["panda", "panda", "tcga", "PANDA"]),
                    "options": chance.choice(OPTIONS)}
        label, raw = original(text, **settings)
        found = spec.extract_label(text, **settings)
        assert (found.label, found.raw) == (bounded(label), raw), (text, settings)
        assert assay.extract_label(text, **settings, rules="spec").raw == raw
        labels.add(found.label)
    assert len(labels) > 15


def test_white_space_and_digits_are_python_s():
    """Every character alone, and between two digits."""
    settings = {"benchmark_name": "gtex", "options": None}
    for point in [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, 97)]:
        if point in UNKNOWN:
            continue
        for text in (chr(point), f"{chr(point)}1", f"2{chr(point)}3"):
            label, raw = original(text, **settings)
            found = spec.extract_label(text, **settings)
            assert (found.label, found.raw) == (label, raw), hex(point)


@pytest.mark.parametrize("entry", reference("answer_extraction", "cases"))
def test_reference(entry):
    found = spec.extract_label(entry["prediction"], benchmark_name=entry["benchmark"],
                               options=entry["options"])
    assert found == spec.ExtractedAnswer(label=entry["spec_label"], raw=entry["prediction"].strip())


def test_names_fields_and_defaults_are_the_specification_s():
    assert str(inspect.signature(spec.extract_label)).replace("'", "") == (
        "(prediction: str, *, benchmark_name: str, options: list[str] | None) -> ExtractedAnswer")
    assert [f.name for f in dataclasses.fields(spec.ExtractedAnswer)] == ["label", "raw"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.ExtractedAnswer(1, "x").label = 2
    item = {f.name: f.default for f in dataclasses.fields(spec.BenchmarkItem)}
    missing = dataclasses.MISSING
    assert item == {"benchmark_name": missing, "benchmark_id": missing, "image_path": missing,
                    "prompt": missing, "options": None, "metric_type": missing,
                    "truth_label": missing, "wsi_path": missing}
    result = {f.name: f.default for f in dataclasses.fields(spec.BenchmarkResult)}
    assert result == {"item_id": missing, "prediction": missing, "predicted_label": None,
                      "truth_label": missing, "correct": missing, "cost_usd": 0.0,
                      "total_tokens": 0, "trajectory_file": missing, "error": None}
    assert ((spec.MULTIPATHQA_REPO, spec.MULTIPATHQA_FILENAME)
            == ("tbuckley/MultiPathQA", "MultiPathQA.csv"))
    assert spec.BENCHMARK_TASKS == {
        "tcga": {"questions": 221, "classes": 30, "metric": "balanced_accuracy"},
        "panda": {"questions": 197, "classes": 6, "metric": "balanced_accuracy"},
        "gtex": {"questions": 191, "classes": 20, "metric": "balanced_accuracy"},
        "tcga_expert_vqa": {"questions": 128, "metric": "accuracy"},
        "tcga_slidebench": {"questions": 197, "metric": "accuracy"},
    }


COLUMNS = ["benchmark_name", "benchmark_id", "image_path", "prompt", "options", "answer",
           "is_valid", "file_id"]


def table(folder, rows, columns=COLUMNS):
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def question(folder, benchmark="tcga", prompt="Q?", options="", answer="1", number=1):
    """The one item of a table of one row."""
    (item,) = spec.load_benchmark(table(folder,
                                        [{"benchmark_name": benchmark, "benchmark_id": number,
                                          "image_path": "s.svs", "prompt": prompt,
                                          "options": options, "answer": answer}]))
    return item


@pytest.mark.parametrize("case", cases("csv_loading"))
def test_vectors_of_tables(case, tmp_path):
    given, expected = case["input"], case["expected"]
    if "file" in given:
        items = load_published(given["benchmark"])
        labels = [item.truth_label for item in items]
        assert {"n": len(items), "metric": items[0].metric_type,
                "unique_ids": len({item.benchmark_id for item in items}),
                "unique_slides": len({item.image_path for item in items}),
                "label_counts": {str(label): labels.count(label)
                                 for label in sorted(set(labels))}} == expected
        return
    for name in given["existing_wsi"]:
        (tmp_path / name).touch()
    path = table(tmp_path, given["rows"], given["columns"])
    if "raises" in expected:
        with pytest.raises(ValueError, match=expected["message_contains"]):
            spec.load_benchmark(path, tmp_path, given["benchmark"])
        return
    items = spec.load_benchmark(path, tmp_path, given["benchmark"])
    names = {field.name for field in dataclasses.fields(spec.BenchmarkItem)}
    for wanted in (expected, case.get("original_output", expected)):
        shown = [{key: value for key, value in row.items() if key in names} for row in wanted]
        assert len(items) == len(shown) and close([vars(item) for item in items], shown)
    assert [item.wsi_path for item in items] == [str(tmp_path / item.image_path) for item in items]


def load_published(benchmark=None):
    path = real_data("multipathqa/MultiPathQA.csv")
    with pytest.warns(UserWarning, match="numbers as options"):
        return spec.load_benchmark(path, benchmark_name=benchmark)


def test_the_published_table():
    items = load_published()
    for name, task in spec.BENCHMARK_TASKS.items():
        mine = [item for item in items if item.benchmark_name == name]
        assert (len(mine) == task["questions"]
                and {item.metric_type for item in mine} == {task["metric"]})
        assert ("classes" not in task or name == "panda"
                or {len(item.options) for item in mine} == {task["classes"]})
    assert not [item for item in items
                if "{{" in item.prompt or "{options}" in item.prompt or item.wsi_path]
    assert all(text in item.prompt for item in items for text in item.options or [])


@pytest.mark.parametrize("case", cases("options_parsing"))
def test_vectors_of_options(case, tmp_path):
    if "raises" in case["expected"]:
        with pytest.raises(ValueError, match="option"):
            question(tmp_path, options=case["input"]["text"])
        return
    assert question(tmp_path, options=case["input"]["text"]).options == (case["expected"] or None)


@pytest.mark.parametrize("case", cases("truth_label"))
def test_vectors_of_truths(case, tmp_path):
    given = case["input"]
    row = {"benchmark": given["benchmark"], "answer": given["answer"],
           "options": json.dumps(given["options"] or [])}
    if isinstance(case["expected"], dict):
        with pytest.raises(ValueError, match=case["expected"]["message_contains"]):
            question(tmp_path, **row)
        return
    assert question(tmp_path, **row).truth_label == case["expected"]


@pytest.mark.parametrize("case", cases("option_injection"))
def test_vectors_of_prompts(case, tmp_path):
    """Doubled braces are the one difference, a wanted one: they were written for str.format."""
    found = question(tmp_path, prompt=case["input"]["prompt"],
                     options=json.dumps(case["input"]["options"])).prompt
    assert found == case["expected"].replace("{{", "{").replace("}}", "}")


def test_slides_are_found_or_named(tmp_path):
    rows = [{"benchmark_name": "tcga_slidebench", "benchmark_id": i, "image_path": f"{i}.svs",
             "options": "a|b", "answer": 1, "prompt": "Q?"}
            for i in range(3)]
    path, root = table(tmp_path, rows), tmp_path / "slides"
    with pytest.raises(OSError, match="slides"):
        spec.load_benchmark(path, root)
    for name in ("0.svs", "tcga/1.UUID.svs"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    with pytest.raises(FileNotFoundError, match="^2.svs: "):
        spec.load_benchmark(path, root)
    (root / "tcga/2.one.svs").touch()
    assert [item.wsi_path for item in spec.load_benchmark(path, str(root))] == [
        str(root / name) for name in ("0.svs", "tcga/1.UUID.svs", "tcga/2.one.svs")]
    (root / "tcga/2.two.svs").touch()
    with pytest.raises(ValueError, match="2.one.svs"):
        spec.load_benchmark(path, root)
    with pytest.raises(OSError, match="absent.csv"):
        spec.load_benchmark(tmp_path / "absent.csv")
    assert spec.load_benchmark(path, root, "gtex") == []
    with pytest.raises(ValueError,
                       match="Unknown benchmark 'mine': .*table.csv has tcga_slidebench"):
        spec.load_benchmark(path, root, "mine")


def test_bytes_that_are_no_text(tmp_path):
    path = table(tmp_path,
                 [{"benchmark_name": "mine", "benchmark_id": 1, "image_path": "s.svs",
                   "options": "a|b", "answer": 1, "prompt": "What?"}])
    path.write_bytes(path.read_bytes().replace(b"What", b"Wh\xe4t"))
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(folder)
    with pytest.raises(FileNotFoundError, match="s.svs"):
        spec.load_benchmark(path, folder)
    open(os.path.join(folder, "s.svs"), "w").close()
    (item,) = spec.load_benchmark(path, folder)
    assert item.prompt.startswith("Wh\ufffdt?") and item.wsi_path == os.path.join(folder, "s.svs")
    with pytest.raises(OSError, match="\ufffd/absent.csv: does not exist"):
        spec.load_benchmark(os.path.join(folder, "absent.csv"))


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"benchmark_name": name, "benchmark_id": i, "image_path": f"{i}.svs",
             "options": "Lung|Liver", "answer": 1 + i % 2, "prompt": "Q?"}
            for name in ("gtex", "mine")
            for i in range(3)]
    table(tmp_path, rows)
    answers = "".join(f"{name},{i},{text}\n" for name in ("gtex", "mine")
                      for i, text in enumerate(["Lung", "1", "answer: 1"]))
    (tmp_path / "answers.csv").write_text("benchmark_name,benchmark_id,prediction\n" + answers)
    return tmp_path


def test_the_runner(study):
    runner = spec.BenchmarkRunner(study, agent="replay", predictions="answers.csv", rules="spec")
    results = runner.run("table.csv", "run")
    assert [type(result) for result in results] == [spec.BenchmarkResult] * 6
    assert [(r.item_id, r.predicted_label, r.truth_label, r.correct) for r in results[:3]] == [
        ("0", 1, 1, True), ("1", 1, 2, False), ("2", 1, 1, True)]
    assert results[0].cost_usd is None and results[0].trajectory_file and results[0].error is None
    assert runner.run("table.csv", "run") == results
    scores = runner.score("run")
    assert ({name: scores[name]["point_estimate"] for name in scores}
            == {"gtex": 0.5, "mine": pytest.approx(2 / 3)})
    with pytest.raises(TypeError, match="environment"):
        spec.BenchmarkRunner(study, api_key="secret").run("table.csv", "other")


def saved(results, benchmark):
    """A results file as the specification has it, of (label, truth, error)."""
    rows = [{"item_id": f"I{i}", "prediction": "x", "predicted_label": label, "truth_label": truth,
             "correct": label == truth, "cost_usd": 0.0, "total_tokens": 0, "trajectory_file": "",
             "error": error}
            for i, (label, truth, error) in enumerate(results)]
    return {"run_id": "r", "benchmark_name": benchmark, "model_name": "m", "config": {},
            "results": rows, "metrics": {}, "total_cost_usd": 0.0, "total_tokens": 0,
            "timestamp": ""}


@pytest.mark.filterwarnings("ignore:not scored")
@pytest.mark.parametrize("case", cases("compute_metrics"))
def test_vectors_of_scores(case):
    given = case["input"]
    if "error" in case["expected"]:
        with pytest.raises(ValueError):
            spec.MetricsCalculator.accuracy([], [])
        return
    found = assay.qa_score(saved(given["results"], given["benchmark"]))["metrics"]
    assert close(found, case["expected"]) and close(found, case["original_output"], 1e-12)


METRICS = {"accuracy": spec.MetricsCalculator.accuracy,
           "balanced_accuracy": spec.MetricsCalculator().balanced_accuracy}


@pytest.mark.parametrize("case", cases("accuracy", "balanced_accuracy"))
def test_vectors_of_the_calculator(case):
    assert close(METRICS[case["category"]](**case["input"]), case["expected"], case["tolerance"])


@pytest.mark.parametrize("entry", reference("bootstrap"))
def test_the_evaluator(entry):
    evaluator = spec.BootstrapEvaluator(entry["n_replicates"], entry["seed"])
    for metric in (entry["metric"], METRICS[entry["metric"]]):
        found = evaluator.evaluate(entry["predictions"], entry["truths"], metric)
        assert isinstance(found, spec.BootstrapResult)
        assert close(vars(found),
                     {"mean": entry["mean"], "std": entry["std_ddof1"],
                      "ci_lower": entry["ci_lower"]}, 1e-12)


def test_the_evaluator_s_defaults_and_errors():
    evaluator = spec.BootstrapEvaluator()
    assert (evaluator.n_replicates, evaluator.seed) == (1000, 42)
    assert (evaluator.evaluate(["a", "b"], ["a", "c"])
            == spec.bootstrap_metric(["a", "b"], ["a", "c"], spec.accuracy))
    assert spec.MetricsCalculator.compute([1, 1, 1], [1, 1, 2], "balanced_accuracy") == 0.5
    for wrong in (evaluator.evaluate, spec.MetricsCalculator.compute):
        with pytest.raises(ValueError,
                           match=r"unknown metric 'f1' \(known: accuracy, balanced_accuracy\)"):
            wrong([1], [1], "f1")
    with pytest.raises(ValueError, match="n_replicates must be 1 or more, not 0"):
        spec.BootstrapEvaluator(0)
