"""The documentation: its links lead somewhere, and it builds as a site."""
import html.parser, json, re, shutil, subprocess

import pytest

from blocks import PAGES
from support import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page):
    """The headings of a page as git hosts name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", text, re.M)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_between_pages_leads_to_a_file_and_a_heading(page):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_every_page_has_a_place_in_the_navigation_and_on_the_first_page():
    listed = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in PAGES
             if (ROOT / "docs") in page.parents}
    assert len(listed) == len(set(listed))
    assert set(listed) - {"SECURITY.md", "CHANGELOG.md"} == pages
    first = set(re.findall(r"\]\(([\w/.-]+)\)", (ROOT / "docs/index.md").read_text()))
    assert pages - first == {"index.md"}


class Page(html.parser.HTMLParser):
    """Links, ids and what the browser loads by itself."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.loaded = [], set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given.get("id")} - {None}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loaded.append(given.get("href", ""))
        elif tag in ("script", "img", "iframe") and given.get("src"):
            self.loaded.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    themes = subprocess.run(["/usr/bin/python3", "-c", "from mkdocs import utils; "
                             "print('material' in utils.get_theme_names())"],
                            text=True, capture_output=True).stdout
    if shutil.which("mkdocs") is None or themes != "True\n":
        pytest.skip("mkdocs-material is not installed: tools/setup.sh site")
    root = tmp_path_factory.mktemp("site")
    for name in ("docs", "examples", "assay", "tools", "CHANGELOG.md", "SECURITY.md", "mkdocs.yml"):
        (root / name).symlink_to(ROOT / name)
    done = subprocess.run([ROOT / "tools/site.py", root], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return root / "build/site"


def test_every_link_of_the_site_works_and_nothing_is_loaded_from_elsewhere(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 40
    for path, page in pages.items():
        for link in page.links:
            place, _, anchor = link.partition("#")
            if "://" in link or link.startswith("mailto:") or path.name == "404.html":
                continue
            target = (path.parent / place).resolve() if place not in ("", ".") else path
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), (path.name, link)
            if anchor and target in pages and not anchor.startswith("__"):
                assert anchor in pages[target].ids, (path.name, link)
        assert not [place for place in page.loaded if "//" in place], path.name


def test_the_search_of_the_site_knows_every_page(site):
    entries = json.loads((site / "search/search_index.json").read_text())["docs"]
    assert {"which-metric.html", "cli.html", "formats/results.html"} <= {
        entry["location"].partition("#")[0] for entry in entries}
    assert any("tolerance" in entry["text"] for entry in entries)
