#!/usr/bin/env python3
"""Times `assay report` and how soon a browser shows its page: 14 models × 1,000 cases, and one
model × 100,000 cases.

usage: report_bench.py
"""
import json, pathlib, resource, shutil, subprocess, sys, tempfile, time

import numpy

from compare_bench import results

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/assay"

# (models, cases, seconds to make, bytes, seconds until the first drawing is painted, seconds until
# the page answers)
STUDIES = [(14, 1_000, 2.0, 8_000_000, 1.0, 3.0), (1, 100_000, None, 8_000_000, 3.0, 3.0),
           (2, 100_000, None, 8_000_000, 3.0, 3.0)]


def write_results(folder, models, cases):
    rng = numpy.random.default_rng(42)
    base = rng.random(cases) * 0.3 + 0.6
    paths = []
    for m in range(models):
        values = numpy.stack([base + 0.05 * rng.random(cases), rng.random(cases),
                              rng.random(cases)], 1)
        paths.append(folder / f"model_{m:02}.json")
        paths[-1].write_text(json.dumps(results(f"model_{m:02}", values.tolist())))
    return paths


def browser_times(page):
    """Seconds from the start of navigation: first contentful paint with a drawing in the page, and
    the page's own 'ready'."""
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service(
        shutil.which("chromedriver")), options=options)
    try:
        best = None
        for _ in range(3):
            driver.get("about:blank")
            driver.get(page.as_uri())
            times = driver.execute_async_script("""
                const done = arguments[0];
                const root = document.documentElement;
                const painted = () =>
                  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
                const ready = () => performance.measure(
                  "ready", {start: 0, end: Number(root.dataset.at ?? performance.now())}).duration;
                const wait = () => root.dataset.ready === "yes"
                  ? done([painted(), ready()])
                  : setTimeout(wait, 10);
                wait();""")
            best = times if best is None or times[1] < best[1] else best
        return [None if t is None else t / 1000 for t in best]
    finally:
        driver.quit()


def main():
    failed = False
    for models, cases, limit, size, painted_limit, ready_limit in STUDIES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            paths = write_results(folder, models, cases)
            page = folder / "report.html"
            seconds = []
            for _ in range(3):
                start = time.perf_counter()
                subprocess.run([PROGRAM, "report", *paths, "--out", page, "--quiet"], check=True)
                seconds.append(time.perf_counter() - start)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            bytes_ = page.stat().st_size
            painted, ready = browser_times(page)
            print(f"{models} models x {cases} cases: made in {min(seconds):.2f} s, peak {peak:.0f} "
                  f"MB, page {bytes_ / 1e6:.2f} MB, "
                  f"first paint {painted or float('nan'):.2f} s, ready {ready:.2f} s")
            failed |= ((limit is not None and min(seconds) > limit) or bytes_ > size
                       or ready > ready_limit or (painted or 0) > painted_limit)
    if failed:
        print("a limit is exceeded")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
