"""The choice of a label in the report: everything on the page follows it, and the address keeps
it."""
import json

import numpy
from browsers import assert_quiet, browser, open_page, report, steady, text  # noqa: F401
from reports import write
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from support import assay, save

CASES = 12


def results_of_labels(model, core, rim):
    """A results file with two named labels."""
    cases = [{"id": f"sub-{i:03}", "status": "ok", "groups": {},
              "label": {"1": {"dice": core(i), "mcc": core(i) - 0.1, "status": "ok",
                              "undefined": {}},
                        "2": {"dice": rim(i), "mcc": rim(i) - 0.1, "status": "ok",
                              "undefined": {}}}} for i in range(CASES)]
    return {"schema": "assay.segmentation/1", "model_name": model,
            "metrics": {"dice": {}, "mcc": {}},
            "labels": {"1": {"name": "core", "members": [1]},
                       "2": {"name": "rim", "members": [2]}}, "cases": cases,
            "settings": {"convention": "metrics-reloaded"}, "provenance": {"assay": "0.1.0"}}


def two_models(folder):
    """The second model is better in the core, worse in the rim."""
    return (write(folder, "a.json", results_of_labels("a", lambda i: 0.5 + 0.01 * i,
                                                      lambda i: 0.9 - 0.003 * i)),
            write(folder, "b.json", results_of_labels("b", lambda i: 0.6 + 0.012 * i,
                                                      lambda i: 0.7 - 0.004 * i)))


def choose(browser, name, value):
    steady(browser, f'.choices select[aria-label="{name}"]',
           lambda element: Select(element).select_by_value(value))


def wait_for_lead(browser, words):
    WebDriverWait(browser, 10).until(lambda b: words in b.execute_script(
        "return document.querySelector('.lead:not([hidden])').innerText"))


def headline(browser):
    return [row.text for row in browser.find_elements(By.CSS_SELECTOR, ".headline tbody tr")]


def first_values(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#case-table tbody tr:first-child .bar')].map("
        "(cell) => Number(cell.innerText))")


def test_everything_follows_the_label(browser, tmp_path):
    page = report(tmp_path, *two_models(tmp_path))
    open_page(browser, page)
    wait_for_lead(browser, "mean of core and rim")
    choose(browser, "Label", "1")
    wait_for_lead(browser, "Judged by Dice of core on 12 cases, b is better than a.")
    rows = headline(browser)
    mean = sum(0.6 + 0.012 * i for i in range(CASES)) / CASES
    assert f"{mean:.3f}" in rows[1] and "BETTER" in rows[1]
    assert sorted(first_values(browser)) == [0.5, 0.6]  # the worst case of this label
    assert "label 1" in text(browser, "#figure-raincloud-dice figcaption")
    choose(browser, "Label", "2")
    wait_for_lead(browser, "Judged by Dice of rim on 12 cases, b is worse than a.")
    assert "WORSE" in headline(browser)[1]
    click = browser.find_element(By.CSS_SELECTOR, '#figure-raincloud-dice .mark[data-case="3"]')
    browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, "
                           "clientX: arguments[0].getBoundingClientRect().x + 2, "
                           "clientY: arguments[0].getBoundingClientRect().y + 2}))", click)
    assert text(browser, ".chosen-bar span").startswith("sub-")
    assert_quiet(browser, page)


def test_the_numbers_are_those_of_a_report_of_that_label(browser, tmp_path):
    """What is unpacked for a label is what --label shows, to the byte."""
    files = two_models(tmp_path)
    parts = ("return ['lead', 'means', 'figures'].map((part) => "
             "document.querySelector(`[data-part=${part}]`).innerText)")
    open_page(browser, report(tmp_path, *files, "--label", "2"))
    alone = browser.execute_script(parts)
    assert browser.find_elements(By.CSS_SELECTOR, '.choices select[aria-label="Label"]') == []
    open_page(browser, report(tmp_path, *files))
    choose(browser, "Label", "2")
    wait_for_lead(browser, "of rim")
    chosen = browser.execute_script(parts)
    assert chosen[:2] == alone[:2]
    same = lambda figures: [line for line in figures.splitlines() if "figure" not in line]
    assert same(chosen[2]) == same(alone[2])  # by label there is one figure fewer


def test_the_address_keeps_label_metric_and_section(browser, tmp_path):
    page = report(tmp_path, *two_models(tmp_path))
    open_page(browser, page)
    labels = browser.find_element(By.CSS_SELECTOR, '.choices select[aria-label="Label"]')
    labels.send_keys(Keys.ARROW_DOWN)  # by keyboard
    wait_for_lead(browser, "of core")
    choose(browser, "Metric", "mcc")
    wait_for_lead(browser, "MCC of core")
    assert browser.execute_script("return location.hash") == "#label=1&metric=mcc"
    browser.execute_script("document.querySelector('nav a[href=\"#cases\"]').click()")
    WebDriverWait(browser, 10).until(lambda b: b.execute_script(
        "return location.hash") == "#cases&label=1&metric=mcc")
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    WebDriverWait(browser, 10).until(lambda b: b.execute_script(
        "return document.documentElement.dataset.ready") == "yes")
    wait_for_lead(browser, "MCC of core")
    assert browser.find_element(
        By.CSS_SELECTOR, '[role="tab"][aria-selected="true"]').text == "MCC"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:  # paper has the chosen label, and says which
        assert "of core" in text(browser, ".lead:not([hidden])")
        assert browser.find_element(By.CSS_SELECTOR, ".choices").is_displayed() is False
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    choose(browser, "Label", "")
    wait_for_lead(browser, "mean of core and rim")
    assert browser.execute_script("return location.hash") == "#cases&metric=mcc"


def test_disagreements_and_failures_follow_the_choice(browser, tmp_path):
    """In the core the second model is better by Dice and worse by MCC; of the first a case is
    lost."""
    first, second = (json.loads(file.read_text()) for file in two_models(tmp_path))
    for case, other in zip(first["cases"], second["cases"]):
        other["label"]["1"]["mcc"] = case["label"]["1"]["mcc"] - 0.05 - 0.001 * len(other["id"])
    first["cases"][-1] = {**first["cases"][-1], "status": "failed", "reason": "missing_prediction",
                          "error": "there is no prediction", "label": {}}
    page = report(tmp_path, write(tmp_path, "a.json", first), write(tmp_path, "b.json", second))
    open_page(browser, page)
    choose(browser, "Label", "1")
    wait_for_lead(browser, "Judged by Dice of core on 12 cases, b is better than a, but its MCC is "
                           "worse.")
    choose(browser, "Metric", "mcc")
    wait_for_lead(browser, "Judged by MCC of core on 12 cases, b is worse than a, but its Dice is "
                           "better.")
    said = [p.text for p in browser.find_elements(By.CSS_SELECTOR, ".failures") if p.is_displayed()]
    assert said == ["a failed on 1 of 12 cases; each failure counts as the worst score (MCC 0). "
                    "The verdict is the same without this case."]
    choose(browser, "Label", "2")
    wait_for_lead(browser, "Judged by MCC of rim on 12 cases, b is worse than a.")
    assert_quiet(browser, page)


def test_one_label_offers_no_choice(browser, tmp_path):
    content = results_of_labels("a", lambda i: 0.5 + 0.01 * i, lambda i: 0.9)
    for case in content["cases"]:
        del case["label"]["2"]
    del content["labels"]["2"]
    open_page(browser, report(tmp_path, write(tmp_path, "a.json", content)))
    assert browser.find_elements(By.CSS_SELECTOR, '.choices select[aria-label="Label"]') == []
    choose(browser, "Metric", "mcc")
    assert "MCC" in text(browser, ".lead:not([hidden])")


def test_too_many_values_are_not_drawn_label_by_label(tmp_path):
    """The page says which label needs a report of its own."""
    content = results_of_labels("a", lambda i: 0.5, lambda i: 0.9)
    content["cases"] = [{**content["cases"][0], "id": f"c{i:06}"} for i in range(40_000)]
    write(tmp_path, "a.json", content)
    done = assay("report", "a.json", "--json", cwd=tmp_path)
    assert any("1 of 2 labels" in note and "--label 2" in note
               for note in json.loads(done.stdout)["notes"])


def shifted(offset, low, high, label, volume):
    volume[low + offset:high + offset, 4:9, 3:8] = label


def cohort_of_labels(folder):
    """Nine cases of two labels: 'sub-2' is worst in the core, 'sub-6' in the rim, 'sub-4' in both
    together."""
    core, rim = [1, 1, 5, 1, 4, 1, 1, 1, 1], [1, 1, 1, 1, 4, 1, 5, 1, 1]
    for i in range(9):
        reference, prediction = (numpy.zeros((40, 12, 10), numpy.uint8) for _ in range(2))
        for low, label, offset in ((4, 1, core[i]), (22, 2, rim[i])):
            shifted(0, low, low + 6, label, reference)
            shifted(offset, low, low + 6, label, prediction)
        save(folder / f"ref/sub-{i}.nii.gz", reference)
        save(folder / f"pred/sub-{i}.nii.gz", prediction)
    names = write(folder, "dataset.json",
                  {"labels": {"background": 0, "core": 1, "rim": 2}, "channel_names": {"0": "T1"},
                   "file_ending": ".nii.gz", "numTraining": 9})
    assay("score", "pred", "ref", "--labels", "all", "--dataset-json", names, "--metrics",
          "dice,hd95", "--out", "scores.json", cwd=folder)
    return folder / "scores.json"


def worst_caption(browser, words):
    WebDriverWait(browser, 10).until(lambda b: words in b.execute_script(  # it is replaced
        "return document.querySelector('.worst figcaption b').innerText"))
    return text(browser, ".worst figcaption span")


def test_the_picture_of_the_worst_case_follows_the_choice(browser, tmp_path):
    page = report(tmp_path, cohort_of_labels(tmp_path))
    open_page(browser, page)
    worst_caption(browser, "Worst prediction by Dice: sub-4")
    assert browser.find_elements(By.CSS_SELECTOR, ".worst img")
    choose(browser, "Label", "1")
    score = worst_caption(browser, "Worst prediction by Dice of core: sub-2")
    assert score == "pred, Dice 0.167"  # one of six voxels in a row
    canvas = browser.find_element(By.CSS_SELECTOR, ".worst canvas")
    assert canvas.get_property("width") == 600
    assert canvas.get_attribute("aria-label").startswith(
        "Worst prediction by Dice of core: sub-2; an")
    choose(browser, "Label", "2")
    worst_caption(browser, "Worst prediction by Dice of rim: sub-6")
    choose(browser, "Metric", "hd95")
    worst_caption(browser, "Worst prediction by HD95 of rim: sub-6")
    browser.execute_script("document.querySelector('.worst a').click()")
    WebDriverWait(browser, 10).until(lambda b: text(b, "#case-view h3").startswith("sub-6"))
    choose(browser, "Label", "")
    choose(browser, "Metric", "dice")
    worst_caption(browser, "Worst prediction by Dice: sub-4")
    assert browser.find_elements(By.CSS_SELECTOR, ".worst img")
    assert_quiet(browser, page)
