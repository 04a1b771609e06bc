"""The viewer of the report in a real browser, compared pixel by pixel with the volumes."""
import json, re, struct, subprocess, zlib

import numpy
import pytest

from browsers import assert_quiet, browser, click, open_page, press, report, text  # noqa: F401
from reports import SHAPE, volumes
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from support import PROGRAM, assay, save


def pixel(browser, plane, column, row):
    """The colour at the middle of a voxel of a plane."""
    return browser.execute_script("""
        const canvas = document.querySelector(`canvas[data-plane="${arguments[0]}"]`);
        const [x, y] = [1, 2].map((i) => (arguments[i] + .5) * Number(canvas.dataset.factor));
        const [r, g, b] = canvas.getContext("2d").getImageData(x, y, 1, 1).data;
        return [r, g, b];""", plane, column, row)


def blend(grey, colour, share=0.62):
    return [round((1 - share) * grey + share * c) for c in colour]


def test_the_viewer_draws_the_voxels_of_the_volume(browser, tmp_path):
    page = report(tmp_path, volumes(tmp_path), "--images", tmp_path / "images")
    open_page(browser, page)
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "canvas[data-slice]"))
    # before the test itself reads pixels, which the browser remarks upon
    assert_quiet(browser, page)
    chips = browser.find_elements(By.CSS_SELECTOR, ".chips button")
    assert [chip.text for chip in chips] == ["sub-c worst", "sub-a best", "sub-b median"]
    without_lines(browser)
    go_to_slice(browser, 7)
    # The whole image is within 16 mm of the box, so nothing is cropped; the ramp is 4 x, stretched
    # over the middle 99 %.
    image = {x: pixel(browser, "axial", x, 0)[0] for x in range(SHAPE[0])}
    assert image[0] == 0 and image[23] == 255 and all(image[x] < image[x + 1] for x in range(23))
    row = SHAPE[1] - 1 - 8  # y = 8, counted from above
    both, over, under = (0, 158, 115), (213, 94, 0), (86, 180, 233)
    for x in range(SHAPE[0]):  # sub-c: the prediction is three voxels to the right
        truth, drawn = 8 <= x < 16, 11 <= x < 19
        colour = both if truth and drawn else over if drawn else under if truth else None
        expected = [image[x]] * 3 if colour is None else blend(image[x], colour)
        assert max(abs(a - b) for a, b in zip(pixel(browser, "axial", x, row), expected)) <= 1, x
    assert pixel(browser, "axial", 12, 0) == [image[12]] * 3  # y = 19 is outside the box
    canvas = browser.find_element(By.CSS_SELECTOR, 'canvas[data-plane="axial"]')
    canvas.send_keys(Keys.ARROW_UP)
    assert canvas.get_attribute("data-slice") == "8"
    press(browser, "Radiological")  # the patient's right is on the left now
    assert pixel(browser, "axial", 0, 0)[0] == 255 and pixel(browser, "axial", 23, 0)[0] == 0
    letters = [browser.find_element(By.CSS_SELECTOR, f".plane .edge.{side}").text
               for side in ("left", "right")]
    assert letters == ["R", "L"]


def without_lines(browser):
    """Outlines and the cross-hair may cross the pixel that is looked at."""
    for name in ("reference line", "prediction line", "cross-hair"):
        box = browser.find_element(By.XPATH, f"//label[contains(., '{name}')]/input")
        if box.is_selected():
            browser.execute_script("arguments[0].click()", box)


def go_to_slice(browser, slice):
    browser.execute_script(
        """const slider = document.querySelector('input[aria-label="Slice, axial"]');
        slider.value = arguments[0]; slider.dispatchEvent(new Event("input"));""", slice)


def two_label_case(folder):
    """Two named labels side by side; the prediction moves their border and misses a voxel."""
    reference = numpy.zeros((12, 10, 8), numpy.uint8)
    reference[2:6, 3:7, 2:6] = 1
    reference[6:10, 3:7, 2:6] = 2
    prediction = reference.copy()
    prediction[5, 3:7, 2:6] = 2  # 16 voxels of the wrong label
    prediction[2, 3, 2] = 0      # one missed
    prediction[0, 0, 0] = 1      # one false
    save(folder / "ref/a.nii.gz", reference)
    save(folder / "pred/a.nii.gz", prediction)
    save(folder / "images/a.nii.gz", numpy.full((12, 10, 8), 100, numpy.uint8))
    (folder / "dataset.json").write_text(json.dumps(
        {"labels": {"background": 0, "core": 1, "rim": 2}, "channel_names": {"0": "T1"},
         "file_ending": ".nii.gz", "numTraining": 1}))
    assay("score", "pred", "ref", "--labels", "all", "--dataset-json", "dataset.json", "--out",
          "scores.json", cwd=folder)
    return folder / "scores.json"


def test_the_viewer_tells_a_wrong_label_from_a_missed_one(browser, tmp_path):
    page = report(tmp_path, two_label_case(tmp_path), "--images", tmp_path / "images")
    open_page(browser, page)
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "canvas[data-slice]"))
    assert "Worst prediction by Dice: a" in text(browser, ".worst")
    # The largest error is where the viewer starts.
    slice = int(browser.find_element(
        By.CSS_SELECTOR, 'canvas[data-plane="sagittal"]').get_attribute("data-slice"))
    assert slice == 5
    without_lines(browser)
    both, missed, wrong = (0, 158, 115), (86, 180, 233), (204, 121, 167)
    go_to_slice(browser, 2)
    grey = pixel(browser, "axial", 11, 0)[0]
    row = lambda y: 10 - 1 - y
    near = lambda place, colour: max(
        abs(a - b) for a, b in zip(pixel(browser, "axial", *place), blend(grey, colour))) <= 1
    assert near((5, row(4)), wrong) and near((3, row(4)), both) and near((2, row(3)), missed)
    assert "wrong label" in text(browser, "#case-view .legend")
    toggles = browser.find_elements(By.CSS_SELECTOR, ".regions button")
    dice = json.loads((tmp_path / "scores.json").read_text())["cases"][0]["label"]
    assert [toggle.text for toggle in toggles] == [
        f"{name} {dice[key]['dice']:.3f}" for name, key in (("core", "1"), ("rim", "2"))]
    browser.execute_script("arguments[0].click()", toggles[0])  # only the rim is left
    assert pixel(browser, "axial", 3, row(4)) == [grey] * 3 and near((5, row(4)), wrong)
    browser.execute_script("arguments[0].click()", toggles[0])
    press(browser, "Largest error")
    press(browser, "Next error")
    assert "error 2 of 3: 0.0010 mL" in text(browser, ".found")
    colours = Select(browser.find_element(By.CSS_SELECTOR, 'select[aria-label="Colours"]'))
    colours.select_by_value("prediction")  # the legend names what the colours mean now
    legend = text(browser, "#case-view .legend .legend")
    assert "core" in legend and "rim" in legend and "missed" not in legend
    colours.select_by_value("agreement")
    assert "missed" in text(browser, "#case-view .legend .legend")


def test_an_empty_prediction_is_named_next_to_its_value(browser, tmp_path):
    """Dice has a value there, the distance has none: what happened is said once."""
    scores = volumes(tmp_path)
    save(tmp_path / "pred/sub-b.nii.gz", numpy.zeros(SHAPE, numpy.uint8))
    assay("score", "pred", "ref", "--metrics", "dice,hd95,mcc", "--out", scores, cwd=tmp_path)
    open_page(browser, report(tmp_path, scores))
    row = text(browser, "#case-table tbody tr")  # the first one
    assert row.startswith("sub-b 0.000") and row.endswith("empty prediction –")
    click(browser, "#case-table tbody tr")
    WebDriverWait(browser, 10).until(lambda b: text(b, ".side h3") == "sub-b")
    assert text(browser, ".side tbody td") == "0.000 empty prediction"


def test_labels_have_the_colours_that_a_table_gives_them(browser, tmp_path):
    two_label_case(tmp_path)
    (tmp_path / "names.csv").write_text("value,name,r,g,b\n1,core,200,10,30\n2,rim,20,40,250\n")
    assay("score", "pred", "ref", "--labels", "all", "--label-names", "names.csv", "--out",
          "scores.json", cwd=tmp_path)
    page = report(tmp_path, tmp_path / "scores.json", "--images", tmp_path / "images")
    open_page(browser, page)
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "canvas[data-slice]"))
    without_lines(browser)
    browser.execute_script(
        """const select = document.querySelector('select[aria-label="Colours"]');
        select.value = "reference"; select.dispatchEvent(new Event("change"));""")
    go_to_slice(browser, 3)
    grey = pixel(browser, "axial", 11, 0)[0]
    for x, colour in ((3, (200, 10, 30)), (8, (20, 40, 250))):
        found = pixel(browser, "axial", x, 10 - 1 - 4)
        assert max(abs(a - b) for a, b in zip(found, blend(grey, colour))) <= 1


def idat(png):
    """The packed rows of a PNG file."""
    at = 8
    while at < len(png):
        size, = struct.unpack(">I", png[at:at + 4])
        if png[at + 4:at + 8] == b"IDAT":
            yield png[at + 8:at + 8 + size]
        at += 12 + size


def test_niivue_shows_the_case_in_three_dimensions(browser, tmp_path):
    file = volumes(tmp_path)
    if subprocess.run([PROGRAM, "report", file, "--viewer", "niivue"], cwd=tmp_path,
                      capture_output=True).returncode != 0:
        pytest.skip("NiiVue is not in this build")
    open_page(browser, tmp_path / "report.html")
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "canvas[data-slice]"))
    browser.find_element(By.XPATH, "//button[text()='3-D']").click()
    WebDriverWait(browser, 30).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "canvas.solid[data-ready]"))
    assert_quiet(browser, tmp_path / "report.html")
    picture = browser.find_element(By.CSS_SELECTOR, "canvas.solid").screenshot_as_png
    assert len(set(zlib.decompress(b"".join(idat(picture))))) > 20  # not one colour


def two_predictions(folder):
    """The second model draws nothing in the only case, the first draws it as it is."""
    reference = numpy.zeros((12, 10, 8), numpy.uint8)
    reference[3:9, 3:7, 2:6] = 1
    for model, drawn in (("one", reference), ("two", numpy.roll(reference, 2, 0))):
        for name in ("a", "b"):
            save(folder / f"ref/{name}.nii.gz", reference)
            save(folder / f"{model}/{name}.nii.gz", drawn)
        assay("score", model, "ref", "--out", f"{model}.json", cwd=folder)
    return folder / "one.json", folder / "two.json"


def rows_of_planes(browser):
    return browser.execute_script("""
        return [...document.querySelectorAll('#case-view .planes')].map((row) => {
          const canvas = row.querySelector('canvas[data-plane="axial"]');
          const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const orange = pixels.data.filter((_, i) => i % 4 === 0
            && pixels.data[i] > pixels.data[i + 2] + 60).length;
          return {slice: canvas.dataset.slice, hasFalseVoxels: orange > 0};
        });""")


def test_two_models_are_shown_together_and_move_together(browser, tmp_path):
    page = report(tmp_path, *two_predictions(tmp_path))
    open_page(browser, page)
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "#case-view canvas[data-slice]"))
    assert [row["hasFalseVoxels"] for row in rows_of_planes(browser)] == [True]  # the worse model
    browser.execute_script("""
        const select = document.querySelector('select[aria-label="Second model"]');
        select.value = "0"; select.dispatchEvent(new Event("change"));""")
    assert [row["hasFalseVoxels"] for row in rows_of_planes(browser)] == [True, False]
    names = [h.text for h in browser.find_elements(By.CSS_SELECTOR, ".of-model h4")]
    assert names[0].startswith("two Dice") and names[1].startswith("one Dice 1.000")
    go_to_slice(browser, 3)
    assert {row["slice"] for row in rows_of_planes(browser)} == {"3"}
    # the slice beside the table is the same one
    side = browser.find_element(By.CSS_SELECTOR, ".side canvas")
    assert side.get_attribute("data-slice") == "3"


def drag(browser, dx, dy):
    browser.execute_script("""
        const canvas = document.querySelector('#case-view canvas[data-plane="axial"]');
        canvas.setPointerCapture = () => {};
        const box = canvas.getBoundingClientRect();
        const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type,
          {pointerId: 1, clientX: box.x + x, clientY: box.y + y, bubbles: true}));
        send("pointerdown", 40, 40);
        send("pointermove", 40 + arguments[0], 40 + arguments[1]);
        send("pointerup", 40 + arguments[0], 40 + arguments[1]);""", dx, dy)


def test_dragging_goes_through_slices_and_changes_contrast(browser, tmp_path):
    open_page(browser, report(tmp_path, volumes(tmp_path), "--images", tmp_path / "images"))
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, "#case-view canvas[data-slice]"))
    without_lines(browser)
    go_to_slice(browser, 4)
    press(browser, "Slices")
    drag(browser, 0, -19)
    assert browser.find_element(By.CSS_SELECTOR, "#case-view canvas[data-plane='axial']"
                                ).get_attribute("data-slice") == "7"
    before = pixel(browser, "axial", 4, 0)
    press(browser, "Contrast")
    drag(browser, 60, 0)
    assert pixel(browser, "axial", 4, 0) < before  # darker below the middle
    press(browser, "Reset")
    assert pixel(browser, "axial", 4, 0) == before


def test_a_label_has_the_colour_of_its_data_set(browser, tmp_path):
    page = report(tmp_path, two_label_case(tmp_path), "--images", tmp_path / "images")
    changed, times = re.subn(r'("key":"1","name":"core","codes":\[1\])(,"color":null)?',
                             r'\1,"color":[16,32,48]', page.read_text())
    assert times == 1
    page.write_text(changed)
    open_page(browser, page)
    WebDriverWait(browser, 20).until(lambda b: b.find_elements(
        By.CSS_SELECTOR, ".regions .swatch"))
    assert browser.find_element(By.CSS_SELECTOR, ".regions .swatch").value_of_css_property(
        "background-color") in ("rgb(16, 32, 48)", "rgba(16, 32, 48, 1)")
