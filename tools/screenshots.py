#!/usr/bin/env python3
"""Takes the pictures of README.md: the report of `make demo` in headless Chromium
(python3-selenium, chromium-driver).

usage: screenshots.py [REPORT.html] [DIR]   (default: build/demo/report.html docs/images)
"""
import pathlib, shutil, sys

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZE = (1440, 900)


def browser(dark):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                     "--force-prefers-reduced-motion"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service(
        shutil.which("chromedriver")), options=options)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1,
                            "mobile": False})
    scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    return driver


def open_page(driver, page):
    driver.get(page.resolve().as_uri())
    WebDriverWait(driver, 30).until(lambda b: b.execute_script(
        "return document.documentElement.dataset.ready") == "yes")


def show(driver, section):
    """Its heading below the bar at the top."""
    driver.execute_script("""
        const place = document.getElementById(arguments[0]).getBoundingClientRect().top + scrollY;
        const header = document.querySelector("header").offsetHeight;
        scrollTo({top: place - header, behavior: "instant"});""", section)


def choose_tab(driver, name):
    driver.execute_script("[...document.querySelectorAll('[role=tab]')].find((tab) => "
                          "tab.innerText.trim() === arguments[0]).click()", name)


def choose_best_case(driver):
    driver.execute_script("[...document.querySelectorAll('#viewer button')].find((b) => "
                          "b.innerText.endsWith(' best')).click()")
    WebDriverWait(driver, 30).until(lambda b: b.execute_script(
        "return [...document.querySelectorAll('.chips button')].find((b) => "
        "b.innerText.endsWith(' best')).dataset.place === "
        "document.querySelector('.case').dataset.place"))
    driver.execute_script("document.querySelector('.chosen-bar button:last-child').click()")


def main():
    page = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/demo/report.html")
    to = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs/images")
    for name, dark, section in (("light", False, None), ("dark", True, "figures"),
                                ("viewer", True, "viewer")):
        driver = browser(dark)
        try:
            open_page(driver, page)
            if section == "figures":
                choose_tab(driver, "Lesions")
            if section == "viewer":
                choose_best_case(driver)
            if section:
                show(driver, section)
            driver.implicitly_wait(1)
            driver.save_screenshot(str(to / f"report-{name}.png"))
        finally:
            driver.quit()
    print(f"{to}: report-light.png, report-dark.png, report-viewer.png")


if __name__ == "__main__":
    main()
