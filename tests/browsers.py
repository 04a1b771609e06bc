"""Chromium for the tests of the report: opened from disk, it is asked what a reader sees."""
import json, shutil

import pytest

from support import ROOT, assay

webdriver = pytest.importorskip("selenium.webdriver", reason="no python3-selenium")
from selenium.common.exceptions import StaleElementReferenceException  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

if not (shutil.which("chromium") and shutil.which("chromedriver")):
    pytest.skip("no chromium with its driver", allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                     "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                     "--window-size=1300,900", "--force-prefers-reduced-motion",
                     "--disable-background-networking", "--no-first-run",
                     "--disable-component-update"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
    driver = webdriver.Chrome(service=service, options=options)
    driver.set_script_timeout(30)
    yield driver
    driver.quit()


def drain(browser):
    return (browser.get_log("browser"),
            [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")])


def open_page(browser, path):
    drain(browser)
    browser.get(path.resolve().as_uri())
    WebDriverWait(browser, 30).until(lambda b: b.execute_script(
        "return document.documentElement.dataset.ready") == "yes")
    return browser


def assert_quiet(browser, path):
    """No word on the console, and no request but for the page itself and what it carries."""
    console, network = drain(browser)
    assert [entry for entry in console if entry["level"] in ("SEVERE", "WARNING")] == []
    asked = {m["params"]["request"]["url"] for m in network
             if m["method"] == "Network.requestWillBeSent"}
    outside = {url for url in asked
               if not url.startswith(("data:", "blob:"))
                  and url.split("#")[0] != path.resolve().as_uri()}
    assert outside == set()


AXE = ROOT / "web/node_modules/axe-core/axe.min.js"


def serious_faults(browser, path, scheme="light"):
    """What axe-core calls serious on a page with everything unfolded, in light or dark."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    try:
        open_page(browser, path)
        browser.execute_script("document.querySelectorAll('details').forEach((d) => d.open = true)")
        browser.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text()})
        browser.set_script_timeout(180)
        found = browser.execute_async_script(
            "const done = arguments[0]; axe.run().then((r) => done(r.violations))")
        return [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found
                if v["impact"] in ("serious", "critical")]
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def report(folder, *arguments, **options):
    assay("report", *arguments, "--out", folder / "report.html", cwd=folder, **options)
    return folder / "report.html"


def steady(browser, selector, use):
    """What `use` gives of an element, found anew where the page replaces it meanwhile."""
    wait = WebDriverWait(browser, 10, ignored_exceptions=[StaleElementReferenceException])
    return wait.until(lambda b: [use(b.find_element(By.CSS_SELECTOR, selector))])[0]


def text(browser, selector):
    return steady(browser, selector, lambda element: element.text)


def click(browser, selector):
    steady(browser, selector, lambda element: element.click())


def press(browser, name):
    browser.execute_script("[...document.querySelectorAll('button')].find((b) => "
                           "b.innerText.trim().startsWith(arguments[0])).click()", name)
