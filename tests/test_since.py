"""assay report --since: what changed between two versions of a model, and what must not be
compared."""
import json, re

import numpy
import pytest

from browsers import assert_quiet, browser, open_page, serious_faults  # noqa: F401
from reports import HOSTILE, questions, results, two_models, volumes, write
from support import assay, save, strict


def versions(folder, cases=12):
    """Two versions of a model: four cases got worse, the others a little better."""
    rng = numpy.random.default_rng(5)
    old = numpy.round(rng.uniform(0.6, 0.8, (cases, 3)), 3)
    new = old + 0.05
    new[:4] = old[:4] - numpy.array([[0.3], [0.1], [0.2], [0.4]])
    new[4] = old[4]
    return (write(folder, "v1.json", results("net", old)),
            write(folder, "v2.json", results("net", new)), old, new)


def since(folder, new, old, *options, status=0):
    done = assay("report", new, "--since", old, "--json", *options, cwd=folder, status=status)
    return strict(done.stdout)["since"] if status == 0 else done.stderr


def test_the_numbers_are_those_of_the_paired_differences(tmp_path):
    v1, v2, old, new = versions(tmp_path)
    found = since(tmp_path, v2, v1)
    assert (found["before"], found["after"]) == (str(v1), str(v2))
    dice = found["metrics"]["dice"]
    change = new[:, 0] - old[:, 0]
    assert dice["n"] == 12
    assert dice["mean_difference"] == pytest.approx(change.mean(), abs=1e-12)
    differing = change[numpy.abs(change) > 1e-12]
    walsh = sorted((a + b) / 2 for i, a in enumerate(differing) for b in differing[i:])
    assert dice["difference"] == pytest.approx(numpy.median(walsh), abs=1e-12)
    assert dice["ci95"][0] <= dice["difference"] <= dice["ci95"][1]
    assert dice["before"] == pytest.approx(old[:, 0].mean())
    assert dice["after"] == pytest.approx(new[:, 0].mean())
    assert [case["id"] for case in dice["worse"]] == ["sub-003", "sub-000", "sub-002", "sub-001"]
    assert len(dice["better"]) == 7 and dice["same"] == 1
    assert dice["worse"][0]["before"] == old[3, 0]
    # AVD improves downwards: what is better in Dice is worse here
    assert len(found["metrics"]["avd"]["better"]) == 4
    assert len(found["metrics"]["avd"]["worse"]) == 7


def test_the_verdict_is_that_of_compare(tmp_path):
    good, bad = two_models(tmp_path)
    compared = json.loads(assay("compare", good, bad, "--intersect", "--json",
                                cwd=tmp_path).stdout)
    found = since(tmp_path, bad, good)
    for metric, pairs in compared["metrics"].items():
        assert found["metrics"][metric]["sentence"] == pairs[0]["sentence"], metric
        assert found["metrics"][metric]["verdict"] == pairs[0]["standing"], metric
        assert found["metrics"][metric]["difference"] == pairs[0]["difference"], metric
        assert found["metrics"][metric]["ci95"] == pairs[0]["ci95"], metric


def test_the_page_has_the_section_and_text_stays_text(tmp_path):
    v1, v2, old, new = versions(tmp_path)
    for path in (v1, v2):
        path.write_text(path.read_text().replace("sub-003", HOSTILE))
    assay("report", v2, "--since", v1, cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    section = re.search(r'<section id="since">(.*?)</section>', page, re.S)[1]
    assert "<h2>Since v1</h2>" in section and 'href="#since"' in page
    assert HOSTILE not in page and "&lt;script&gt;alert(1)" in section
    assert "scored with the same settings" in section
    assert "v1.json" in re.search(r'<section id="sources">(.*?)</section>', page, re.S)[1]


def test_cases_that_came_went_and_failed_are_named(tmp_path):
    old = results("net", [[0.9, 0.1, 0.8]] * 8, failed=[("sub-900", "cut short")])
    new = results("net", [[0.9, 0.1, 0.8]] * 8, failed=[("sub-002", "grid differs")])
    new["cases"] = [case for case in new["cases"]
                    if case["id"] != "sub-001" and not (case["id"] == "sub-002"
                                                        and case["status"] == "ok")]
    new["cases"] += [dict(old["cases"][0], id="sub-900"), dict(old["cases"][0], id="sub-new")]
    found = since(tmp_path, write(tmp_path, "new.json", new), write(tmp_path, "old.json", old))
    assert found["failed"] == {"sub-002": "grid differs"}
    assert found["recovered"] == ["sub-900"]
    assert found["appeared"] == ["sub-new"] and found["disappeared"] == ["sub-001"]
    page = (tmp_path / "report.html").read_text()
    assert "failed and did not before: grid differs" in page


def test_numbers_that_mean_something_else_are_refused(tmp_path):
    v1, v2, *_ = versions(tmp_path)
    old = json.loads(v1.read_text())
    old["settings"]["convention"] = "monai"
    said = since(tmp_path, v2, write(tmp_path, "other.json", old), status=2)
    assert "convention is monai in" in said and "cannot be compared" in said
    assert not (tmp_path / "report.html").exists()
    old = json.loads(v1.read_text())
    old["labels"] = {"7": {"name": "vessel", "members": [7]}}
    for case in old["cases"]:
        case["label"] = {"7": case["label"]["foreground"]}
    new = json.loads(v2.read_text())
    new["labels"] = {"8": {"name": "tumour", "members": [8]}}
    for case in new["cases"]:
        case["label"] = {"8": case["label"]["foreground"]}
    said = since(tmp_path, write(tmp_path, "tumour.json", new),
                 write(tmp_path, "vessel.json", old), status=2)
    assert "the averages are of different things" in said
    other = results("net", [[0.9, 0.1, 0.8]] * 8)
    for case in other["cases"]:
        case["id"] = "x" + case["id"]
    assert "no case in common" in since(tmp_path, v2, write(tmp_path, "x.json", other), status=2)


def test_a_metric_whose_meaning_changed_is_left_out(tmp_path):
    metrics = ("dice", "nsd")
    rows = [[0.9, 0.5], [0.8, 0.4], [0.7, 0.6]] * 3
    old, new = results("net", rows, metrics), results("net", rows, metrics)
    old["settings"]["nsd_tolerance_mm"], new["settings"]["nsd_tolerance_mm"] = 1, 2
    new["settings"]["threshold"] = 0.4
    files = write(tmp_path, "new.json", new), write(tmp_path, "old.json", old)
    found = since(tmp_path, *files)
    assert list(found["metrics"]) == ["dice"]
    assert "nsd left out: nsd_tolerance_mm is 1" in found["notes"][0]
    assert found["settings"]["threshold"] == {"before": "", "after": "0.4"}
    assert "cannot be compared" in since(tmp_path, *files, "--metric", "nsd", status=2)


def test_the_older_model_is_found_by_its_name(tmp_path):
    v1, v2, *_ = versions(tmp_path)
    other = write(tmp_path, "other.json", results("other", [[0.5, 0.5, 0.5]] * 12))
    assert since(tmp_path, v2, v1, other)["after"] == str(v2)
    strange = json.loads(v1.read_text())
    strange["model_name"] = "strange"
    said = since(tmp_path, v2, write(tmp_path, "s.json", strange), other, status=2)
    assert "no model of the report is called 'strange'" in said


def scored_versions(tmp_path):
    """Two versions with images; one case got worse."""
    volumes(tmp_path)
    worse = numpy.zeros((24, 20, 16), numpy.uint8)
    worse[0:6, 6:14, 5:11] = 1
    for name in ("sub-a", "sub-b", "sub-c"):
        moved = worse if name == "sub-a" else None
        source = tmp_path / f"pred/{name}.nii.gz"
        target = tmp_path / f"pred2/{name}.nii.gz"
        if moved is None:
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(source.read_bytes())
        else:
            save(target, moved)
    assay("score", "pred2", "ref", "--out", "new.json", cwd=tmp_path)


def test_pictures_show_both_versions_of_the_cases_that_changed(tmp_path):
    scored_versions(tmp_path)
    found = since(tmp_path, "new.json", "scores.json", "--images", "images")
    assert [case["id"] for case in found["metrics"]["dice"]["worse"]] == ["sub-a"]
    section = re.search(r'<section id="since">(.*?)</section>',
                        (tmp_path / "report.html").read_text(), re.S)[1]
    assert "got better" in section and "Three planes of sub-a" in section
    assert section.count("<img ") == 2


def test_another_reference_is_said(tmp_path):
    volumes(tmp_path)
    box = numpy.zeros((24, 20, 16), numpy.uint8)
    box[8:16, 6:14, 5:12] = 1
    save(tmp_path / "ref/sub-b.nii.gz", box)
    assay("score", "pred", "ref", "--out", "new.json", cwd=tmp_path)
    assert since(tmp_path, "new.json", "scores.json")["other_reference"] == ["sub-b"]


def test_answers_are_refused_with_the_command_that_compares_them(tmp_path):
    run = questions(tmp_path)
    v1, *_ = versions(tmp_path)
    assert "qa compare" in since(tmp_path, v1, run / "bench_results.json", status=2)


def test_the_section_is_quiet_and_fits_a_phone(browser, tmp_path):
    v1, v2, *_ = versions(tmp_path)
    assay("report", v2, "--since", v1, cwd=tmp_path)
    page = tmp_path / "report.html"
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    try:
        open_page(browser, page)
        assert_quiet(browser, page)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
        story = browser.find_element("css selector", "#since .story").text
        assert "net" not in story and "v2" in story and "7 cases got better, 4 worse" in story
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault_in_the_changes(browser, tmp_path, scheme):
    scored_versions(tmp_path)
    new = json.loads((tmp_path / "new.json").read_text())
    new["settings"]["threshold"] = 0.4  # a table of settings that differ
    write(tmp_path, "new.json", new)
    since(tmp_path, "new.json", "scores.json", "--images", "images")
    assert serious_faults(browser, tmp_path / "report.html", scheme) == []
