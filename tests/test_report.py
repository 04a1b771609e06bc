"""assay report: any mixture of results files as one page; what cannot be read is one clear
sentence, and nothing is written."""
import hashlib, html, json, re, shutil, subprocess

import numpy
import pytest

from reports import HOSTILE, questions, results, two_models, volumes, write
from support import PROGRAM, assay, cohort, listing, save, strict


def summary(folder, *arguments, status=0):
    return strict(assay("report", *arguments, "--json", cwd=folder, status=status).stdout)


def data_of(page):
    """The values that a page carries."""
    text = page.read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text,
                                re.S)[1])


def test_one_model(tmp_path):
    file = write(tmp_path, "a.json", results("alone", [[0.9, 0.1, 0.8], [0.7, 0.2, None]]))
    done = assay("report", file, cwd=tmp_path)
    assert done.stdout == "report.html\n"
    data = data_of(tmp_path / "report.html")
    assert [model["name"] for model in data["models"]] == ["alone"] and data["baseline"] is None
    assert data["ids"] == ["sub-000", "sub-001"]
    assert data["values"] == [[[0.9, 0.7]], [[0.1, 0.2]], [[0.8, None]]]


def test_two_models_are_compared_and_what_failed_is_kept(tmp_path):
    said = summary(tmp_path, *two_models(tmp_path), "--margin", "0.01")
    assert said["models"] == ["good", "bad"] and said["cases"] == 13
    assert ({"raincloud-dice", "forest-dice"} <= set(said["figures"])
            or any("forest" in key for key in said["figures"]))
    page = (tmp_path / "report.html").read_text()
    assert "bad is worse than good" in page and "prediction is damaged" in page
    data = data_of(tmp_path / "report.html")
    assert data["baseline"] == 0 and data["lost"] == [[12, 1, "prediction is damaged"]]
    assert data["groups"][0]["name"] == "site"


def test_different_cases_do_not_refuse_the_report(tmp_path):
    first = results("first", [[0.9, 0.1, 0.8]] * 6)
    second = results("second", [[0.8, 0.1, 0.7]] * 4)
    done = assay("report", write(tmp_path, "a.json", first), write(tmp_path, "b.json", second),
                 cwd=tmp_path)
    assert "compared on the 4 cases that all models have" in done.stderr
    for case in second["cases"]:
        case["id"] = "other-" + case["id"]
    done = assay("report", tmp_path / "a.json", write(tmp_path, "b.json", second), cwd=tmp_path)
    assert "no case in common" in done.stderr
    assert data_of(tmp_path / "report.html")["baseline"] is None


def test_three_models_without_a_baseline_say_which_they_are_compared_with(tmp_path):
    files = [write(tmp_path, f"{name}.json", results(name, [[value, 0.1, 0.8]] * 5))
             for name, value in (("a", 0.9), ("b", 0.8), ("c", 0.7))]
    assert "compared with the first, a" in assay("report", *files, cwd=tmp_path).stderr
    assert "compared with the first" not in assay(
        "report", *files, "--baseline", "b", cwd=tmp_path).stderr
    assert data_of(tmp_path / "report.html")["baseline"] == 1


def test_a_mixture_of_everything(tmp_path):
    good, bad = two_models(tmp_path)
    assay("compare", good, bad, "--intersect", "--out", "comparison.json", cwd=tmp_path)
    assay("parity", good, "--out", "parity.json", cwd=tmp_path)
    for fold in range(3):
        run = tmp_path / f"runs/fold_{fold}_restart_0"
        run.mkdir(parents=True)
        (run / "results.json").write_text(json.dumps(
            {"per_subject_dice": [0.8, 0.9], "per_subject_avd": [0.1, 0.2],
             "per_subject_mcc": [0.7, 0.8], "subject_ids": [f"s{fold}a", f"s{fold}b"]}))
    assay("folds", "runs", "--out", "experiment.json", cwd=tmp_path)
    table = tmp_path / "wide.csv"
    table.write_text("id,dice\nsub-000,0.5\nsub-001,0.6\n")
    said = summary(tmp_path, good, bad, "comparison.json", "parity.json", "experiment.json", table)
    assert {"good", "bad"} < set(said["models"])
    page = (tmp_path / "report.html").read_text()
    for expected in ("Compared with good", "Parity with", "Cross-validation: runs", "wide.csv",
                     "metrics-reloaded"):
        assert expected in page, expected


def test_a_question_answering_run_with_its_steps(tmp_path):
    questions(tmp_path)
    said = summary(tmp_path, "run")
    assert said["questions"] == 1 and said["models"] == []
    page = (tmp_path / "report.html").read_text()
    assert HOSTILE not in page and "&lt;script&gt;alert(1)" in page
    assert 'class="trajectory" data-part="0" data-item="0"' in page


def test_questions_have_cards_and_what_a_right_answer_costs(tmp_path):
    run = questions(tmp_path)
    file = run / "bench_results.json"
    content = json.loads(file.read_text())
    right = dict(content["results"][0], item_id="8", predicted_label=2, correct=True,
                 outcome="scored", cost_usd=0.05)
    right["votes"] = [dict(right["votes"][0], outcome="scored", predicted_label=2, cost_usd=0.05)]
    content["results"].append(right)
    content["total_cost_usd"] = 0.06
    file.write_text(json.dumps(content))
    jpeg = b"\xff\xd8 not really \xff\xd9"
    name = hashlib.sha256(jpeg).hexdigest()
    (run / "crops").mkdir()
    (run / f"crops/{name}.jpg").write_bytes(jpeg)
    steps = json.loads((run / "trajectories/t.json").read_text())
    steps["turns"] = [{"step_index": 1, "prompt": "look", "response": HOSTILE, "problem": "",
                       "images": [{"kind": "thumbnail", "sha256": name, "width": 8, "height": 4,
                                   "region": {"x": 0, "y": 0, "width": 10, "height": 10}}],
                       "region": {"x": 2, "y": 3, "width": 4, "height": 5}}]
    (run / "trajectories/t.json").write_text(json.dumps(steps))
    assay("report", "run", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    table = re.search(r"Cost per right answer</th>.*?</tbody>", page, re.S)[0]
    assert "$0.06" in table and HOSTILE not in page
    gallery = re.search(r'<div class="gallery">(.*?)</div>\n<details', page, re.S)[1]
    assert gallery.count('<article class="card">') == 2
    assert 'class="hop" style="--i:0" x="2" y="3" width="4" height="5"' in gallery
    assert page.count("background-image:url(data:image/jpeg") == 1  # once for both questions
    assert gallery.count("not right") == 1 and "truth: &lt;script&gt;" in gallery


def test_questions_without_steps_share_one_note(tmp_path):
    run = questions(tmp_path)
    (run / "trajectories/t.json").unlink()
    said = assay("report", "run", cwd=tmp_path).stderr
    assert "no steps of question 7: " in said and "t.json" in said
    file = run / "bench_results.json"
    content = json.loads(file.read_text())
    content["results"] = [dict(content["results"][0], item_id=str(i)) for i in range(1, 6)]
    file.write_text(json.dumps(content))
    said = assay("report", "run", cwd=tmp_path).stderr
    assert said.count("no steps") == 1
    assert "no steps of 5 questions (1, 2, 3 and 2 more); the first: " in said and "t.json" in said


def test_volumes_are_found_where_they_were_scored(tmp_path):
    said = summary(tmp_path, volumes(tmp_path), "--images", "images")
    assert said["shown"] == ["sub-c", "sub-a", "sub-b"]  # worst, best, median
    moved = tmp_path / "elsewhere"
    for folder in ("pred", "ref"):
        shutil.move(tmp_path / folder, moved / folder)
    done = assay("report", "scores.json", cwd=tmp_path)
    assert "no images of case sub-c" in done.stderr and "--predictions" in done.stderr
    said = summary(tmp_path, "scores.json", "--predictions", "elsewhere/pred", "--references",
                   "elsewhere/ref")
    assert said["shown"] == ["sub-c", "sub-a", "sub-b"]
    save(moved / "pred/sub-c.nii.gz", numpy.zeros((24, 20, 16), numpy.uint8))
    done = assay("report", "scores.json", "--predictions", "elsewhere/pred", "--references",
                 "elsewhere/ref", "--cases", "sub-c", cwd=tmp_path, status=3)
    assert "is not the file that was scored" in done.stderr


def test_the_budget_drops_and_says_so(tmp_path):
    rng = numpy.random.default_rng(3)
    for name in ("a", "b", "c"):
        noise = rng.integers(0, 1000, (160, 128, 96)).astype(numpy.int16)
        save(tmp_path / f"images/{name}.nii.gz", noise)
        box = numpy.zeros((160, 128, 96), numpy.uint8)
        box[12:148, 12:116, 12:84] = 1
        save(tmp_path / f"ref/{name}.nii.gz", box)
        save(tmp_path / f"pred/{name}.nii.gz", box)
    assay("score", "pred", "ref", "--out", "scores.json", cwd=tmp_path)
    done = assay("report", "scores.json", "--images", "images", cwd=tmp_path)
    assert "left out to keep this page within 8 MB" in done.stderr
    page = tmp_path / "report.html"
    assert (page.stat().st_size <= 8_000_000
            and "left out to keep this page within 8 MB" in page.read_text())


def test_all_cases_are_shown_as_far_as_they_fit(tmp_path):
    """The usual ones first, then the others from the worst to the best."""
    file = volumes(tmp_path, [f"sub-{i}" for i in range(8)])
    done = assay("report", file, "--cases", "all", "--json", cwd=tmp_path)
    shown = json.loads(done.stdout)["shown"]
    assert sorted(shown) == [f"sub-{i}" for i in range(8)]
    assert shown[:2] == ["sub-7", "sub-0"] and shown[-3:] == ["sub-4", "sub-2", "sub-1"]


@pytest.mark.parametrize("name, text, sentence", [
    ("empty.json", "", "is empty"),
    ("list.json", "[1, 2]", "is a JSON list"),
    ("cut.json", '{"schema": "assay.segmentation/1", "cases": [', "cut.json"),
    ("other.json", '{"schema": "assay.model/1"}', "not a table of cases"),
    ("parity.json", '{"schema": "assay.parity/1"}', "run the command again"),
    ("parity2.json", '{"schema": "assay.parity/1", "sources": 3}', "parity2.json"),
    ("comparison.json", '{"schema": "assay.comparison/1", "baseline": 3}', "comparison.json"),
    ("folds.json", '{"schema": "assay.folds/1", "model_name": "x", "cases": []}', "folds.json"),
    ("qa.json", '{"schema": "assay.qa/1"}', "qa.json"),
    ("page.html", "<html></html>", "is HTML"),
    ("table.csv", "a,b\n", "table.csv"),
])
def test_what_cannot_be_read_is_one_sentence_and_nothing_is_written(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    done = assay("report", name, "--figures", "figures", cwd=tmp_path, status=2)
    assert sentence in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""
    assert listing(tmp_path) == [name]


@pytest.mark.parametrize("arguments, sentence", [
    ((), "give at least one results file"),
    (("absent.json",), "absent.json"),
    (("a.json", "--cases", "sub-00x"), "no file has a case 'sub-00x'; did you mean 'sub-000'?"),
    (("a.json", "--images", "nowhere"), "--images: nowhere is not a folder"),
    (("a.json", "--label", "7"), "has no label '7'"),
    (("a.json", "--metric", "dise"), "dise"),
    (("a.json", "--margin", "x"), "'x' is not a number"),
    (("a.json", "a.json"), "is given twice"),
    (("a.json", "--baseline", "nosuch"), "no model is called 'nosuch'"),
    (("a.json", "--out", "a.json"), "is an input of this run"),
    (("a.json", "--out", "a.json/x.html"), "is a file"),
])
def test_wrong_usage_is_refused(tmp_path, arguments, sentence):
    write(tmp_path, "a.json", results("a", [[0.9, 0.1, 0.8]] * 3))
    done = assay("report", *arguments, cwd=tmp_path, status=2)
    assert sentence in done.stderr and listing(tmp_path) == ["a.json"]


def test_niivue_is_in_the_page_or_refused_clearly(tmp_path):
    file = write(tmp_path, "a.json", results("a", [[0.9, 0.1, 0.8]] * 3))
    done = subprocess.run([PROGRAM, "report", file, "--viewer", "niivue"], cwd=tmp_path, text=True,
                          capture_output=True)
    if done.returncode == 0:
        page = (tmp_path / "report.html").read_text()
        assert len(page) > 1_000_000 and "connect-src data: blob:" in page
    else:
        assert (done.returncode == 2 and "NiiVue is not part of this build" in done.stderr
                and "--viewer canvas" in done.stderr)
        assert listing(tmp_path) == ["a.json"]
    assay("report", file, cwd=tmp_path)
    assert "connect-src" not in (tmp_path / "report.html").read_text()


def test_figures_are_written(tmp_path):
    done = assay("report", *two_models(tmp_path), "--figures", "figures", cwd=tmp_path, timeout=120)
    written = listing(tmp_path / "figures")
    assert "raincloud-dice.svg" in written and "figures: " in done.stderr
    if shutil.which("rsvg-convert"):
        assert "raincloud-dice.pdf" in written and "raincloud-dice.png" in written
    assert (tmp_path / "figures/raincloud-dice.svg").read_text().startswith("<?xml")


def test_volumes_are_drawn_though_only_dice_was_asked_for(tmp_path):
    volumes(tmp_path)
    assay("score", "pred", "ref", "--metrics", "dice", "--out", "dice.json", cwd=tmp_path)
    for label in ((), ("--label", "foreground")):
        said = summary(tmp_path, "dice.json", *label)
        assert {"bland-altman", "dice-volume"} <= set(said["figures"])
    shutil.copy(tmp_path / "dice.json", tmp_path / "again.json")
    refused = assay("compare", "dice.json", "again.json", "--metric", "volume_prediction_ml",
                    cwd=tmp_path, status=2)
    assert "has no metric" in refused.stderr


def test_the_same_input_gives_the_same_page(tmp_path):
    files = two_models(tmp_path)
    assay("report", *files, "--out", "one.html", "--jobs", "1", cwd=tmp_path)
    assay("report", *files, "--out", "two.html", "--jobs", "3", cwd=tmp_path)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_files_without_ids(tmp_path):
    for name, shift in (("a", 0.0), ("b", 0.1)):
        write(tmp_path, f"{name}.json",
              {"model_name": name, "dice": {"name": "DICE", "values": [0.7 + shift, 0.8, 0.75]}})
    assert "no case in common" in assay("report", "a.json", "b.json", cwd=tmp_path).stderr
    assay("report", "a.json", "b.json", "--by-position", cwd=tmp_path)
    assert data_of(tmp_path / "report.html")["ids"] == ["#1", "#2", "#3"]


def test_methods_say_how_it_was_measured_and_tested(tmp_path):
    made = cohort(tmp_path, [f"c{i}" for i in range(8)])
    options = ["--metrics", "dice,nsd,lesion_f1", "--nsd-tolerance", "2", "--connectivity", "6",
               "--lesion-rule", "iou"]
    for name in ("a", "b", "c"):
        assay("score", *made, *options, "--model", name, "--out", tmp_path / f"{name}.json")
    assay("report", *(tmp_path / f"{name}.json" for name in "abc"), "--metric",
          "dice,nsd,lesion_f1", "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    text = html.unescape(page.partition("<summary>Methods</summary>")[2].partition("</pre>")[0])
    for words in ("NSD has a tolerance of 2 mm.", "6-connectivity, matched by the rule iou",
                  "Missing and unreadable predictions are left out of the means of single models.",
                  "95 % intervals of Student's t, cut to the range of the metric",
                  "Wilcoxon signed-rank", "Holm correction over 2 models",
                  "count as the metric declares", "the two may disagree", "on the 8 cases"):
        assert words in text, (words, text)
    assert "tau" not in text.split()
    sentences = [each.strip() for each in text.split(". ")]
    assert len(sentences) == len(set(sentences))


def test_methods_claim_only_scores_of_assay(tmp_path):
    write(tmp_path, "a.json", results("ours", [[0.9, 0.1, 0.8]] * 3))
    (tmp_path / "b.csv").write_text("id,dice\nsub-000,0.5\nsub-001,0.6\n")
    assay("report", "b.csv", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "Values of b on 2 cases were read from b.csv" in page and "scored with assay" not in page
    assay("report", "a.json", "b.csv", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert ("by ours were scored with assay" in page
            and "Values of b on 3 cases were read from b.csv" in page)


def test_means_are_over_finite_values_and_the_ledger_counts_the_rest(tmp_path):
    (tmp_path / "a.csv").write_text("id,dice,avd\n" + "".join(
        f"s{i},{0.5 if i < 4 else ''},{'inf' if i == 0 else 2}\n" for i in range(10)))
    assay("report", "a.csv", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    headline, ledger = (re.search(f'<table class="{name}".*?</table>', page, re.S)[0]
                        for name in ("headline", "ledger"))
    assert "inf" not in headline and "n 9" in headline and "n 4" in headline
    assert "6 of Dice, 1 of AVD" in ledger
    assert ("All 10 cases were scored; means leave out values that are undefined or infinite."
            in summary_text(page))


def summary_text(page):
    """What a reader sees of the first screen, without the folded parts."""
    part = page.partition('<section id="summary">')[2].partition("</section>")[0]
    part = re.sub(r"</summary>.*?</details>|<p [^>]* hidden>.*?</p>", "", part, flags=re.S)
    return re.sub(r"[ \n]+", " ", html.unescape(re.sub(r"<[^>]*>", " ", part))).strip()


def test_the_first_screen_says_what_was_found_in_a_sentence(tmp_path):
    assay("report", *two_models(tmp_path), cwd=tmp_path)
    seen = summary_text((tmp_path / "report.html").read_text())
    assert seen.startswith("Judged by Dice on 12 cases, bad is worse than good , but its AVD is "
                           "better. 12 of 13 cases were compared; bad has no score for 1 case. "
                           "Why?")
    one = write(tmp_path, "a.json", results("alone", [[0.5, 0.1, 0.8], [0.7, 0.2, 0.8]]))
    assay("report", one, cwd=tmp_path)
    seen = summary_text((tmp_path / "report.html").read_text())
    assert seen.startswith("alone has a mean Dice of 0.600 (95\u00a0% confidence interval 0.000 "
                           "to 1.000) on 2 cases. All 2 cases were scored. Mean over cases and "
                           "its 95\u00a0% confidence interval.")


@pytest.mark.parametrize("shift, margin, word", [
    (0.0, "0.05", "equivalent"), (0.1, "0.01", "better"), (-0.1, "0.01", "worse"),
    (None, "0.0001", "inconclusive")])
def test_chips_say_what_the_comparison_found(tmp_path, shift, margin, word):
    rng = numpy.random.default_rng(2)
    base = rng.uniform(0.5, 0.8, 20)
    other = base + (rng.normal(0, 0.05, 20) if shift is None else shift + rng.normal(0, 1e-3, 20))
    files = [write(tmp_path, f"{name}.json", results(name, [[v] for v in values], ("dice",)))
             for name, values in (("base", base), ("other", other))]
    assay("report", *files, "--margin", margin, cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    rows = page.split('class="headline"')[1].split("</table>")[0].split("<tr>")
    chips = [re.findall(r'<b class="chip [^"]*">([^<]*)<', row) for row in rows[2:4]]
    assert chips == [[], [word]]


def test_minus_signs_and_units_are_set_with_care(tmp_path):
    rows = [[-0.2 - 0.01 * i] for i in range(8)]
    file = write(tmp_path, "a.json", results("a", rows, ("rvd",)))
    assay("report", file, cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    seen = summary_text(page)
    assert "\u22120.235" in seen and "-0.235" not in seen and "95 %" not in seen
    captions = " ".join(re.findall(r"<figcaption>.*?</figcaption>", page, re.S))
    assert " %" not in captions


def test_every_metric_has_a_panel_and_the_last_one_has_them_all(tmp_path):
    assay("report", *two_models(tmp_path), cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    titles = re.findall(r'<div class="panel[^"]*" id="panel-\d" data-title="([^"]*)"', page)
    assert titles == ["Dice", "AVD", "MCC", "All metrics"]
    overview = page.split('class="overview"')[1].split("</table>")[0]
    assert re.findall(r'<th scope="row">([^<]*)</th>', overview) == ["Dice ↑", "AVD ↓", "MCC ↑"]
    assert page.count("How to read this</summary>") == page.count('class="drawing"')


def test_a_file_counts_once(tmp_path):
    questions(tmp_path)
    done = assay("report", "run", "./run", cwd=tmp_path, status=2)
    assert "is given twice; name each results file once" in done.stderr


def test_options_that_do_nothing_say_so(tmp_path):
    write(tmp_path, "a.json", results("a", [[0.9, 0.1, 0.8]] * 6))
    (tmp_path / "cases.csv").write_text("id,site\nother,Basel\n")
    save(tmp_path / "images/other.nii.gz", numpy.zeros((4, 4, 4), numpy.uint8))
    done = assay("report", "a.json", "--manifest", "cases.csv", "--images", "images", cwd=tmp_path)
    assert "--groups: cases.csv: none of its ids is the id of a case" in done.stderr
    assert "--images: no image in images is named after a case" in done.stderr
    assert done.stderr.count("no images of case") == 1


def test_no_word_of_pictures_where_no_file_names_any(tmp_path):
    (tmp_path / "a.csv").write_text("id,dice\ns0,0.5\ns1,0.6\n")
    assert assay("report", "a.csv", cwd=tmp_path).stderr == ""


def test_the_sentence_names_a_metric_that_disagrees(tmp_path):
    rng = numpy.random.default_rng(3)
    base = rng.uniform(0.5, 0.8, (12, 3))
    shift = rng.uniform(0.05, 0.06, (12, 3))
    files = [write(tmp_path, f"{name}.json", results(name, values, ("dice", "nsd", "mcc")))
             for name, values in (("base", base), ("mixed", base + shift * [1, -1, 1]),
                                  ("bad", base - shift))]
    assay("report", *files, "--baseline", "base", cwd=tmp_path)
    seen = summary_text((tmp_path / "report.html").read_text())
    assert seen.startswith("Judged by Dice on 12 cases, mixed is better than base , but its NSD is "
                           "worse; bad is worse on all 3 metrics. All 12 cases were compared. ")


def with_failures(folder):
    """Two models of twelve cases. The first lacks two, and these alone make the second better: W is
    10 with ten pairs (p = 0.084) and with twelve (p = 0.021)."""
    steps = [0.01 * (i + 1) * (-1 if i in (0, 3, 4) else 1) for i in range(10)]
    first = results("first", [[0.5]] * 10, ("dice",))
    first["cases"] += [{"id": f"sub-{i:03}", "status": "failed", "reason": "missing_prediction",
                        "error": "there is no prediction", "groups": {}, "label": {}}
                       for i in (10, 11)]
    second = results("second", [[0.5 + step] for step in steps] + [[0.6]] * 2, ("dice",))
    return write(folder, "first.json", first), write(folder, "second.json", second)


def test_failures_that_decide_are_told_under_the_sentence(tmp_path):
    files = with_failures(tmp_path)
    assay("report", *files, cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    seen = summary_text(page)
    assert seen.startswith(
        "Judged by Dice on 12 cases, second is better than first . first failed on 2 of 12 cases; "
        "each failure counts as the worst score (Dice 0). Without these 2 cases, second cannot be "
        "told apart from first . "
        "All 12 cases were compared; first has no score for 2 cases. Why?")
    assert "0.417 0.293 to 0.540 0.500 without 2\u00a0failures" in seen
    assert "there is no prediction" not in seen and "there is no prediction" in page
    kept = [json.loads(assay("compare", *files, "--json", *more, cwd=tmp_path).stdout)
            ["metrics"]["dice"][0]["standing"] for more in ([], ["--undefined", "exclude",
                                                                 "--intersect"])]
    assert kept == ["better", None]  # inconclusive


def test_failures_of_one_model_are_told_with_both_means(tmp_path):
    assay("report", with_failures(tmp_path)[0], cwd=tmp_path)
    seen = summary_text((tmp_path / "report.html").read_text())
    assert ("on 10 of 12 cases. The mean leaves out 2 failures . With them counted as the worst "
            "value, it is 0.417 . 10 of 12 cases were scored; 2 were not. Why?") in seen
    assert "0.500 n 10 0.500 to 0.500 0.417 with 2\u00a0failures" in seen


def test_no_mean_of_the_table_stands_out(tmp_path):
    """What is best is not always a finding: the badges say what is."""
    assay("report", *two_models(tmp_path), cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    table = page.split('class="headline"')[1].split("</table>")[0]
    assert set(re.findall(r'<span class="(value[^"]*)"', table)) == {"value"}
    assert "<b" not in re.sub(r'<b class="chip [^>]*>.*?</b>', "", table)


def test_metrics_without_room_are_named(tmp_path):
    names = ["dice", "avd", "mcc", "iou", "recall", "precision", "hd95"]
    rows = [",".join([f"c{i}", *(f"0.{(7 * i + k) % 10}" for k in range(len(names)))])
            for i in range(100_000)]
    (tmp_path / "many.csv").write_text("\n".join(["id," + ",".join(names), *rows]) + "\n")
    done = assay("report", tmp_path / "many.csv", "--out", tmp_path / "page.html")
    assert "leaves out" in done.stderr and "leaves out" in (tmp_path / "page.html").read_text()


def two_labels(folder, models=("one", "two")):
    """Results of two labels for each model; the second model is a little worse in both."""
    rng = numpy.random.default_rng(5)
    values = {label: rng.uniform(0.7, 0.9, 8) for label in ("WT", "ET")}
    for shift, model in enumerate(models):
        cases = [{"id": f"c{i}", "status": "ok", "groups": {},
                  "label": {label: {"dice": float(v[i] - 0.05 * shift),
                                    "hd95": float(4 + i + shift), "status": "ok", "undefined": {}}
                            for label, v in values.items()}}
                 for i in range(8)]
        write(folder, f"{model}.json",
              {
                  "schema": "assay.segmentation/1", "model_name": model,
                  "metrics": {"dice": {}, "hd95": {}},
                  "labels": {label: {"name": label, "kind": "region", "members": [n]}
                             for n, label in enumerate(values, 1)}, "cases": cases,
                  "settings": {"convention": "metrics-reloaded", "averaged": list(values)},
                  "provenance": {"assay": "0.2.0"}})
    return values


def test_several_labels_have_columns_drawings_and_conclusions_of_their_own(tmp_path):
    values = two_labels(tmp_path)
    said = summary(tmp_path, "one.json", "two.json", "--label", "WT,ET", "--margin", "dice=0.1")
    page = (tmp_path / "report.html").read_text()
    head = re.findall(r'<th scope="col" class="number" [^>]*>([^<]*) <span class="arrow">(.)<',
                      page.split('class="headline"')[1].split("</thead>")[0])
    assert head == [("Dice, WT", "↑"), ("Dice, ET", "↑"), ("HD95, WT (mm)", "↓"),
                    ("HD95, ET (mm)", "↓")]
    row = page.split('class="headline"')[1].split("<tbody>")[1].split("</tr>")[0]
    found = re.findall(r'<span class="value[^"]*">([^<]*)</span>', row)
    assert found[:2] == [f"{values[label].mean():.3f}" for label in ("WT", "ET")]
    panel = page.partition('data-metric="hd95 of WT"><h3>')[2].partition('<div class="panel')[0]
    assert panel.startswith("HD95, WT (mm)") and "two is worse than one" in html.unescape(panel)
    assert ({"raincloud-dice-of-wt", "raincloud-dice-of-et"}
            <= {key.lower() for key in said["figures"]})
    assert ("Metrics, each of WT and ET, were Dice similarity coefficient (dice = "
            in html.unescape(page))
    assert page.count("(dice = ") == 1
    data = data_of(tmp_path / "report.html")
    assert [metric["key"] for metric in data["metrics"]][:2] == ["dice of WT", "dice of ET"]


def test_labels_are_called_by_their_names(tmp_path):
    two_labels(tmp_path)
    for model in ("one", "two"):
        content = json.loads((tmp_path / f"{model}.json").read_text())
        content["labels"]["WT"]["name"] = "whole tumour"
        write(tmp_path, f"{model}.json", content)
    page = lambda *label: (assay("report", "one.json", "two.json", *label, cwd=tmp_path),
                           (tmp_path / "report.html").read_text())[1]
    several = page("--label", "WT,ET")
    assert "Dice, whole tumour <" in several and "HD95, whole tumour (mm) <" in several
    assert summary_text(several).startswith("Judged by Dice of whole tumour on 8 cases, ")
    assert summary_text(page("--label", "WT")).startswith("Judged by Dice of whole tumour on 8 ")
    assert summary_text(page()).startswith(
        "Judged by Dice (mean of whole tumour and ET) on 8 cases, ")
    assay("report", "one.json", "--label", "WT", cwd=tmp_path)
    alone = summary_text((tmp_path / "report.html").read_text())
    assert alone.startswith("Judged by Dice of whole tumour, one has a mean of 0.")


def test_several_labels_of_one_model(tmp_path):
    two_labels(tmp_path, ["one"])
    summary(tmp_path, "one.json", "--label", "WT,ET", "--metric", "dice")
    page = (tmp_path / "report.html").read_text()
    assert ("Dice, WT" in page and "Dice, ET" in page
            and "HD95" not in page.split('class="headline"')[1].split("</table>")[0])
    refused = assay("report", "one.json", "--label", "WT,TC", cwd=tmp_path, status=2)
    assert "has no label 'TC'" in refused.stderr


def test_a_label_whose_name_has_a_comma_is_one(tmp_path):
    """nnU-Net's summary calls a region "(1, 2)"."""
    metrics = {"(1, 2)": {"Dice": 0.9, "IoU": 0.82}, "3": {"Dice": 0.7, "IoU": 0.54}}
    for model in ("a", "b"):
        cases = [{"reference_file": f"/r/c{i}.nii.gz", "prediction_file": f"/p/c{i}.nii.gz",
                  "metrics": metrics}
                 for i in range(3)]
        (tmp_path / model).mkdir()
        write(tmp_path / model, "summary.json",
              {"metric_per_case": cases, "mean": {}, "foreground_mean": {}})
    summary(tmp_path, "a/summary.json", "--label", "(1, 2)")
    found = strict(assay("compare", "a/summary.json", "b/summary.json", "--label", "(1, 2),3",
                         "--metric", "dice", "--json", cwd=tmp_path).stdout)
    assert found["settings"]["label"] == ["(1, 2)", "3"]
