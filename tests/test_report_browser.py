"""The report in a real browser: opened from disk, it draws, links, escapes, prints, and asks nobody
for anything."""
import base64, json, re, subprocess

import pytest

from browsers import (  # noqa: F401
    assert_quiet, browser, open_page, press, report, serious_faults, text, webdriver)
from reports import HOSTILE, questions, results, two_models, volumes, write
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from support import PROGRAM, assay


def shown_ids(browser):
    """At once: the rows of the table are made anew whenever it scrolls."""
    return browser.execute_script("return [...document.querySelectorAll('#case-table tbody "
                                  ".id')].map((id) => id.innerText.replace(/\\s+/g, ' '))")


def click_case(browser, name):
    browser.execute_script("[...document.querySelectorAll('#case-table .id')].find((id) => "
                           "id.firstChild.data === arguments[0]).click()", name)


def test_it_opens_from_disk_quietly_and_shows_the_headline(browser, tmp_path):
    page = report(tmp_path, *two_models(tmp_path))
    open_page(browser, page)
    assert_quiet(browser, page)
    rows = [row.text for row in browser.find_elements(By.CSS_SELECTOR, ".headline tbody tr")]
    assert len(rows) == 2 and rows[0].startswith("good") and "baseline" in rows[0]
    good = [case["label"]["foreground"]["dice"]
            for case in json.loads((tmp_path / "good.json").read_text())["cases"]]
    assert f"{sum(good) / len(good):.3f}" in rows[0]
    assert "prediction is damaged" not in text(browser, "#summary")
    browser.execute_script("document.querySelector('.account summary').click()")
    assert "sub-900 of bad: prediction is damaged" in text(browser, ".account")
    assert "WORSE" in rows[1] and "WORSE" not in rows[0]  # every case is worse: 12 of 12 pairs
    assert text(browser, ".lead") == ("Judged by Dice on 12 cases, bad is worse than good, but its "
                                      "AVD is better.")
    # curve and median in every cell
    assert browser.execute_script("return [...document.querySelectorAll('.headline td')].every("
                                  "(cell) => cell.querySelectorAll('svg path').length >= 1)")


def test_a_case_chosen_in_the_table_is_ringed_in_the_drawings_and_back(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    cells = shown_ids(browser)
    assert cells[0] == "sub-900"  # failures stand on top, and say what happened
    assert "bad: prediction is damaged" in text(browser, "#case-table tbody tr")
    click_case(browser, "sub-004")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".drawing circle.chosen")) >= 2
    assert "sub-004" in text(browser, ".chosen-bar")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    assert browser.find_elements(By.CSS_SELECTOR, ".drawing circle.chosen") == []
    mark = browser.find_element(By.CSS_SELECTOR, '.drawing .mark[data-case="7"]')
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})",
                           mark)
    webdriver.ActionChains(browser).move_to_element(mark).perform()
    assert "sub-" in text(browser, ".tip")
    hovered = text(browser, ".tip").split(" · ")[0]
    webdriver.ActionChains(browser).move_to_element(mark).click().perform()
    selected = browser.execute_script("return document.querySelector('#case-table "
                                      "tr[aria-selected=true] .id').innerText")
    assert selected == hovered and hovered in text(browser, ".chosen-bar")


def test_drawn_marks_hold_the_values(browser, tmp_path):
    """Marks of a drawing of one metric stand in the order of their values."""
    files = two_models(tmp_path)
    open_page(browser, report(tmp_path, *files))
    dice = [case["label"]["foreground"]["dice"]
            for case in json.loads(files[0].read_text())["cases"]]
    marks = browser.execute_script("""
        const marks = document.querySelectorAll('#figure-raincloud-dice .mark[data-model="0"]');
        return [...marks].map((mark) => {
          const box = mark.getBoundingClientRect();
          return [Number(mark.dataset.case), box.x + box.width / 2, box.y + box.height / 2];
        });""")
    assert len(marks) == len(dice)
    along = max((1, 2),
                key=lambda axis: abs(spearman([m[axis] for m in marks],
                                              [dice[m[0]] for m in marks])))
    places = [m[along] for m in marks]
    values = [dice[m[0]] for m in marks]
    slope = (places[values.index(max(values))]
             - places[values.index(min(values))]) / (max(values) - min(values))
    for place, value in zip(places, values):
        assert abs(place - places[0] - slope * (value - values[0])) < 0.75  # pixels


def spearman(a, b):
    import scipy.stats
    return scipy.stats.spearmanr(a, b).statistic if len(a) > 2 else 0


def test_hostile_names_are_text(browser, tmp_path):
    rows = [[0.9, 0.1, 0.8]] * 4
    content = results(HOSTILE, rows, groups={HOSTILE: [HOSTILE, "a", HOSTILE, "a"]},
                      failed=[(HOSTILE + "2", HOSTILE)])
    content["cases"][0]["id"] = HOSTILE
    content["settings"]["convention"] = "</script><script>alert(2)</script>"
    other = results('"><img src=x onerror=alert(3)>', [[0.8, 0.2, 0.7]] * 4)
    other["cases"][0]["id"] = HOSTILE
    page = report(tmp_path, write(tmp_path, "a.json", content), write(tmp_path, "b.json", other),
                  "--title", HOSTILE)
    open_page(browser, page)
    assert_quiet(browser, page)
    assert browser.title == HOSTILE
    assert text(browser, "h1") == HOSTILE
    assert (
        browser.execute_script("return document.querySelectorAll('script:not([type])').length") == 1
    )
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    assert any(name.startswith(HOSTILE) for name in shown_ids(browser))
    assert HOSTILE in browser.find_element(By.CSS_SELECTOR, ".headline tbody").text


def test_a_question_opens_the_steps_of_its_answer(browser, tmp_path):
    page = report(tmp_path, questions(tmp_path))
    open_page(browser, page)
    row = browser.execute_script("const row = document.querySelector('#item-table tbody tr'); "
                                 "row.click(); return row.innerText")
    assert row.startswith("7") and HOSTILE in row
    steps = browser.find_element(By.CSS_SELECTOR, ".trajectory")
    assert steps.get_attribute("open") is not None and HOSTILE in steps.text
    assert_quiet(browser, page)


def luminance(colour):
    parts = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_holds_in_both_schemes(browser, tmp_path, scheme):
    page = report(tmp_path, *two_models(tmp_path))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    try:
        open_page(browser, page)
        background = browser.execute_script(
            "return getComputedStyle(document.body).backgroundColor"
        )
        assert (luminance(background) > 0.5) == (scheme == "light")
        for selector in ("h1", ".lead", ".soft", ".interval", "figcaption", ".conclusions li",
                         "nav a", ".bad", ".chip.worse", ".tabs button", ".account summary"):
            element = browser.find_element(By.CSS_SELECTOR, selector)
            colour, behind = browser.execute_script("""
                let at = arguments[0];
                const colour = getComputedStyle(at).color;
                const clear = (at) => getComputedStyle(at).backgroundColor === "rgba(0, 0, 0, 0)";
                while (at !== null && clear(at)) at = at.parentElement;
                return [colour, getComputedStyle(at).backgroundColor];""", element)
            low, high = sorted([luminance(colour), luminance(behind)])
            assert (high + 0.05) / (low + 0.05) >= 4.5, (selector, colour, behind)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1300])
def test_the_page_never_scrolls_sideways(browser, tmp_path, width):
    good, bad = two_models(tmp_path)
    bad.write_text(bad.read_text().replace("prediction is damaged", f"prediction {'x' * 60}"))
    page = report(tmp_path, good, bad, "--title",
                  "A title of many words that has to go somewhere on a small screen")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": 800, "deviceScaleFactor": 1,
                             "mobile": width < 500})
    try:
        open_page(browser, page)
        size = "return document.documentElement.scrollWidth"
        assert browser.execute_script(size) <= width
        browser.execute_script(  # the first case has a long reason
            "document.querySelector('#case-table tbody tr').click();"
            "document.querySelectorAll('details').forEach((d) => d.open = true)")
        assert browser.execute_script(size) <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_it_prints(browser, tmp_path):
    page = report(tmp_path, volumes(tmp_path), "--images", tmp_path / "images")
    open_page(browser, page)
    pdf = base64.b64decode(browser.execute_cdp_cmd(
        "Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        stills = browser.find_elements(By.CSS_SELECTOR, ".still img")
        assert len(stills) == 3 and all(still.is_displayed() for still in stills)
        assert not browser.find_element(By.CSS_SELECTOR, "#case-view").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_without_script_it_still_shows_everything_that_matters(browser, tmp_path):
    page = report(tmp_path, volumes(tmp_path))
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.resolve().as_uri())
        assert len(browser.find_elements(By.CSS_SELECTOR, ".still img")) == 3
        assert browser.find_element(By.CSS_SELECTOR, ".headline").is_displayed()
        assert "needs JavaScript" in text(browser, "#cases")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def saved(browser):
    """What the page hands to the reader as a file, instead of handing it over."""
    browser.execute_script("""window.saved = null;
        const made = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
          blob.text().then((text) => { window.saved = text; });
          return "#";
        };""")
    return lambda: WebDriverWait(browser, 10).until(
        lambda b: b.execute_script("return window.saved"))


def test_sort_search_filter_and_export(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    search = browser.find_element(By.CSS_SELECTOR, '#case-table input[type="search"]')
    search.send_keys("north")
    assert text(browser, "#case-table .count") == "6 of 13"
    search.clear()
    search.send_keys("sub-00")
    assert text(browser, "#case-table .count") == "10 of 13"
    shown = lambda: shown_ids(browser)
    press = lambda: browser.execute_script("document.querySelector('#case-table thead "
                                           "button').click()")
    press()
    assert shown() == sorted(shown())
    press()
    assert shown() == sorted(shown(), reverse=True)
    result = saved(browser)
    browser.find_element(By.XPATH, "//button[text()='Export CSV']").click()
    lines = result().splitlines()
    assert (lines[0].startswith("case,site,good dice,good avd,good mcc,bad dice")
            and len(lines) == 11)
    first = json.loads((tmp_path / "good.json").read_text())["cases"][int(lines[1][4:7])]["label"][
        "foreground"]["dice"]
    assert float(lines[1].split(",")[2]) == pytest.approx(first, rel=1e-5)


def test_ratings_and_notes_are_saved(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    click_case(browser, "sub-003")
    WebDriverWait(browser, 10).until(lambda b: b.find_elements(By.CSS_SELECTOR, ".rating button"))
    browser.find_elements(By.CSS_SELECTOR, ".rating button")[3].click()
    browser.find_element(By.CSS_SELECTOR, ".review textarea").send_keys("edge is soft")
    result = saved(browser)
    browser.execute_script("[...document.querySelectorAll('button')].find((b) => b.textContent === "
                           "'Save ratings').click()")
    assert (json.loads(result())["reviews"]
            == [{"id": "sub-003", "rating": 4, "note": "edge is soft"}])


def shown_panels(browser):
    return browser.execute_script("return [...document.querySelectorAll('.panel')].filter((p) => "
                                  "p.getClientRects().length > 0).map((p) => p.dataset.title)")


def test_a_tab_per_metric_by_keyboard_and_the_table_follows(browser, tmp_path):
    page = report(tmp_path, *two_models(tmp_path))
    open_page(browser, page)
    assert shown_panels(browser) == ["Dice"]
    tab = browser.find_element(By.CSS_SELECTOR, '[role="tab"][aria-selected="true"]')
    tab.send_keys(Keys.ARROW_RIGHT)
    assert shown_panels(browser) == ["AVD"]
    assert browser.switch_to.active_element.text == "AVD"
    table = browser.find_element(By.CSS_SELECTOR, '.choices select[aria-label="Metric"]')
    assert table.get_attribute("value") == "avd"
    browser.switch_to.active_element.send_keys(Keys.END)
    assert shown_panels(browser) == ["All metrics"]
    press(browser, "MCC")  # the head of its column
    assert shown_panels(browser) == ["MCC"] and table.get_attribute("value") == "mcc"
    click_case(browser, "sub-004")
    rings = "return document.querySelectorAll('#figure-raincloud-mcc circle.chosen').length"
    assert browser.execute_script(rings) == 2
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert shown_panels(browser) == ["Dice", "AVD", "MCC", "All metrics"]
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The report of the demo, with its default number of cases."""
    folder = tmp_path_factory.mktemp("demo")
    subprocess.run([PROGRAM, "demo", "--side", "64", "--out", "demo", "--quiet"], cwd=folder,
                   check=True, capture_output=True)
    return folder / "demo/report.html"


def at_size(browser, width, height):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1,
                             "mobile": width < 500})


def test_the_demo_fits_five_screens_and_eight_sheets(browser, demo):
    at_size(browser, 1440, 900)
    try:
        open_page(browser, demo)
        WebDriverWait(browser, 20).until(lambda b: b.find_elements(
            By.CSS_SELECTOR, "canvas[data-slice]"))
        assert_quiet(browser, demo)
        size = "return document.documentElement.scroll"
        assert browser.execute_script(size + "Height") <= 5 * 900
        headline = browser.find_element(By.CSS_SELECTOR, ".headline")
        assert headline.location["y"] + headline.size["height"] <= 900  # on the first screen
        picture = browser.find_element(By.CSS_SELECTOR, ".worst img")
        assert picture.is_displayed() and picture.get_property("naturalWidth") > 100
        pdf = base64.b64decode(browser.execute_cdp_cmd(
            "Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
        assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) <= 8
        at_size(browser, 390, 844)
        assert browser.execute_script(size + "Width") <= 390
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser, demo, scheme):
    assert serious_faults(browser, demo, scheme) == []


def click_mark(browser, model):
    mark = browser.find_element(By.CSS_SELECTOR,
                                f'#figure-raincloud-dice .mark[data-model="{model}"]')
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})",
                           mark)
    webdriver.ActionChains(browser).move_to_element(mark).click().perform()


def test_a_mark_names_its_own_model(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    for model, name in ((1, "bad"), (0, "good")):
        click_mark(browser, model)
        assert text(browser, ".chosen-bar span").split(" · ")[1] == name


def test_sorting_keeps_the_focus_and_an_empty_search_says_so(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    heads = browser.find_elements(By.CSS_SELECTOR, "#case-table thead button")
    name = heads[1].text
    heads[1].send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.text.startswith(name)
    browser.find_element(By.CSS_SELECTOR, "#case-table input[type=search]").send_keys("nobody")
    assert text(browser, "#case-table tbody") == "no case matches"


def test_cells_of_heat_maps_bear_their_text_in_light_and_dark(browser, tmp_path):
    files = [write(tmp_path, f"{name}.json",
                   results(name,
                           [[value - 0.01 * i - 0.001 * i * value, 0.1, 0.8] for i in range(12)]))
             for name, value in (("a", 0.9), ("b", 0.7), ("c", 0.5))]
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        open_page(browser, report(tmp_path, *files))
        unfold(browser)
        contrasts = browser.execute_script(CONTRASTS)
        assert len(contrasts) >= 6 and min(contrasts) >= 4.5, (scheme, contrasts)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def unfold(browser):
    browser.execute_script("for (const d of document.querySelectorAll('details')) d.open = true;")


CONTRASTS = """
const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((c) => Number(c) / 255);
const linear = (v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const light = (c) => c.map(linear).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const svg = document.querySelector('#figure-significance-dice svg');
const paper = rgb(getComputedStyle(svg.closest('.drawing')).backgroundColor);
const cells = [...svg.querySelectorAll('rect')].filter((cell) => {
  const style = getComputedStyle(cell);
  return style.fill.startsWith('rgb') && Number(style.fillOpacity) > 0;
});
return [...svg.querySelectorAll('text')].flatMap((text) => {
  const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  const cell = cells.find((one) => {
    const b = one.getBoundingClientRect();
    return b.left < x && x < b.right && b.top < y && y < b.bottom;
  });
  if (cell === undefined) return [];
  const style = getComputedStyle(cell), share = Number(style.fillOpacity);
  const mixed = rgb(style.fill).map((v, i) => share * v + (1 - share) * paper[i]);
  const lights = [light(mixed), light(rgb(getComputedStyle(text).fill))];
  const [a, b] = lights.sort((p, q) => p - q);
  return [(b + .05) / (a + .05)];
});"""


def test_what_is_odd_about_a_cohort_stands_above_the_numbers(browser, tmp_path):
    """A prediction of labels that no reference has; the same warning of two models is one line."""
    from support import mask, save
    import numpy
    for model, extra in (("one", 5), ("two", 5), ("three", 6)):
        prediction = mask(numpy.s_[2:5, 2:5, 2:5])
        prediction[6, 6, 6] = extra
        save(tmp_path / model / "a.nii.gz", prediction)
        save(tmp_path / "ref/a.nii.gz", mask(numpy.s_[2:5, 2:5, 2:5]))
        assay("score", model, "ref", "--labels", "all", "--out", f"{model}.json", cwd=tmp_path)
    said = json.loads((tmp_path / "one.json").read_text())["warnings"]
    assert said
    open_page(browser,
              report(tmp_path, *(f"{model}.json" for model in ("one", "two", "three")), "--label",
                     "1"))
    lines = [line.text for line in browser.find_elements(By.CSS_SELECTOR, "#summary .warnings li")]
    assert lines[0] == f"one, two: {said[0]}" and len(lines) == 2 and lines[1].startswith("three: ")
    assert "2 warnings about the images that were scored" in text(browser, "#summary .warnings")
    above, below = (browser.find_element(By.CSS_SELECTOR, each).location["y"]
                    for each in (".warnings", ".headline"))
    assert above < below


def test_nothing_odd_is_not_mentioned(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    assert browser.find_elements(By.CSS_SELECTOR, ".warnings") == []


def test_a_row_shows_its_case_beside_the_table_and_keys_walk_on(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    click_case(browser, "sub-004")
    assert text(browser, ".side h3") == "sub-004"
    good, bad = (json.loads((tmp_path / f"{name}.json").read_text())["cases"][4]["label"][
        "foreground"]["dice"] for name in ("good", "bad"))
    assert f"{good:.3f}" in text(browser, ".side") and f"{bad:.3f}" in text(browser, ".side")
    table, ids = browser.find_element(By.CSS_SELECTOR, "#case-table .scroller"), shown_ids(browser)
    table.send_keys(Keys.ARROW_DOWN)
    assert text(browser, ".side h3") == ids[ids.index("sub-004") + 1]
    table.send_keys(Keys.HOME)
    assert text(browser, ".side h3") == "sub-900"
    assert "prediction is damaged" in text(browser, ".side")
    table.send_keys(Keys.END)
    assert text(browser, ".side h3") == ids[-1]


def test_cases_are_filtered_by_what_went_wrong(browser, tmp_path):
    files = two_models(tmp_path)
    content = json.loads(files[0].read_text())
    label = content["cases"][2]["label"]["foreground"]
    label.update({"avd": None, "mcc": None, "dice": None, "status": "prediction_empty",
                  "undefined": {key: "prediction_empty" for key in ("dice", "avd", "mcc")}})
    files[0].write_text(json.dumps(content))
    open_page(browser, report(tmp_path, *files))
    which = browser.find_element(By.CSS_SELECTOR, '#case-table select[aria-label="Which cases"]')
    options = [option.text for option in which.find_elements(By.TAG_NAME, "option")]
    assert options == ["All cases", "not scored (1)", "empty prediction (1)", "rated or noted"]
    which.send_keys("empty")
    assert shown_ids(browser) == ["sub-002"]
    assert "good: empty prediction" in text(browser, "#case-table tbody")


def test_ratings_are_loaded_from_a_file(browser, tmp_path):
    open_page(browser, report(tmp_path, *two_models(tmp_path)))
    file = write(tmp_path, "reviews.json",
                 {"schema": "assay.reviews/1", "title": "x",
                  "reviews": [{"id": "sub-003", "rating": 2, "note": "soft edge"},
                              {"id": "nobody", "rating": 1, "note": ""}]})
    browser.find_element(By.CSS_SELECTOR, '#case-table input[type="file"]').send_keys(str(file))
    WebDriverWait(browser, 10).until(lambda b: "1 of 2 loaded." in text(b, "#case-table .tools"))
    click_case(browser, "sub-003")
    for place in (".side", "#case-view"):
        note = browser.find_element(By.CSS_SELECTOR, f"{place} textarea")
        assert note.get_attribute("value") == "soft edge"
    browser.find_elements(By.CSS_SELECTOR, ".side .rating button")[4].click()
    pressed = browser.find_elements(By.CSS_SELECTOR, "#case-view .rating button[aria-pressed=true]")
    assert [button.text for button in pressed] == ["5"]
