"""The site in a browser: its search finds pages, from a server and from the disk."""
import functools, http.server, threading, time

import pytest

from browsers import browser  # noqa: F401
from test_site import site  # noqa: F401


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(site):
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def found(browser, words, seconds=30):
    """The pages that the search offers."""
    browser.find_element("css selector", "[data-md-component=search-query]").send_keys(words)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        links = browser.find_elements("css selector", ".md-search-result__link")
        if links:
            return [link.get_attribute("href").partition("#")[0].partition("?")[0].split("/")[-1]
                    for link in links]
        time.sleep(0.1)
    return []


def test_the_search_finds_a_page_by_its_words(browser, address):
    browser.get(f"{address}/index.html")
    assert "which-metric.html" in found(browser, "skeletonisation")


@pytest.mark.parametrize("page", ["index.html", "formats/images.html"])
def test_the_search_works_from_the_disk(browser, site, page):
    browser.get((site / page).as_uri())
    assert "which-metric.html" in found(browser, "skeletonisation")


def test_a_page_from_the_disk_shows_its_text_and_pictures(browser, site):
    browser.get((site / "examples.html").as_uri())
    assert "Worked examples" in browser.find_element("css selector", "h1").text
    pictures = browser.find_elements("css selector", "article img")
    assert len(pictures) == 3
    assert all(browser.execute_script("return arguments[0].naturalWidth", picture) > 0
               for picture in pictures)
