"""The report in Firefox: the same page without a word on its console."""
import pytest

import firefox
from reports import volumes
from support import assay
from test_report_labels import two_models

if firefox.PROGRAM is None:
    pytest.skip("no firefox-esr", allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    one = firefox.Firefox()
    yield one
    one.close()


def report(folder, *arguments):
    assay("report", *arguments, "--out", folder / "report.html", cwd=folder)
    return folder / "report.html"


def test_labels_tabs_and_table_work_in_firefox(browser, tmp_path):
    browser.open(report(tmp_path, *two_models(tmp_path)))
    browser.run("""const select = document.querySelector('.choices select[aria-label="Label"]');
        select.value = "2"; select.dispatchEvent(new Event("change"));""")
    browser.wait("return document.querySelector('.lead:not([hidden])').innerText === "
                 "'Judged by Dice of rim on 12 cases, b is worse than a.'")
    browser.run("document.querySelectorAll('[role=tab]')[1].click()")
    assert browser.run("return location.hash") == "#label=2&metric=mcc"
    browser.run("document.querySelector('#case-table tbody tr').click()")
    chosen = browser.run("return document.querySelector('.chosen-bar span').innerText")
    assert chosen.startswith("sub-")
    assert browser.run("return document.querySelector('.side h3').innerText") == chosen[:7]
    assert browser.run("return document.querySelectorAll('.panel:not(.away) circle.chosen').length")
    assert browser.complaints() == []


def test_the_viewer_draws_in_firefox(browser, tmp_path):
    browser.open(report(tmp_path, volumes(tmp_path), "--images", tmp_path / "images"))
    browser.wait("return document.querySelector('#case-view canvas[data-slice]') !== null")
    colours = browser.run("""
        const canvas = document.querySelector('#case-view canvas[data-plane="axial"]');
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const found = new Set();
        for (let i = 0; i < data.length; i += 4)
          found.add(data[i + 1] > data[i] + 40 ? "green" : data[i] > data[i + 2] + 40 ? "orange"
            : data[i + 2] > data[i] + 40 ? "blue" : "grey");
        return [...found].sort();""")
    assert colours == ["blue", "green", "grey", "orange"]
    assert browser.complaints() == []
