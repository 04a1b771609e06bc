#!/usr/bin/env python3
"""Makes the site of the documentation in build/site, with mkdocs.

The pages of docs/ link to files of the project as a git host shows them. Here these files are
copied next to the pages, and the links follow. A browser does not let a page from the disk fetch
the search's index or start its worker, so both also come as a script, which only such pages load.

usage: site.py [ROOT]
"""
import json, os, pathlib, re, shutil, subprocess, sys

ROOT_PAGES = ["CHANGELOG.md", "SECURITY.md"]
BUNDLE = re.compile(r'<script src="([./]*)assets/javascripts/bundle')
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def moved(target, page, root, source):
    """Where a link of a page goes in the site. Files from outside docs/ come along."""
    if "://" in target or target.startswith("mailto:"):
        return target
    found = pathlib.Path(os.path.normpath(page.parent / target)).relative_to(root)
    if found.parts[0] == "docs":
        place = source / found.relative_to("docs")
    elif found.name in ROOT_PAGES and len(found.parts) == 1:
        place = source / found
    else:
        place = source / "files" / found.parent / (found.name + ".txt")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / found, place)
    inside = source / (page.relative_to(root / "docs") if "docs" in page.relative_to(root).parts
                       else page.name)
    up = len(inside.parent.relative_to(source).parts)
    return "../" * up + place.relative_to(source).as_posix()


def add_search_from_disk(site):
    """The theme takes its index and its worker from __search, if there is one."""
    (worker,) = (site / "assets/javascripts/workers").glob("search.*.js")
    index = json.dumps(json.loads((site / "search/search_index.json").read_text()))
    (site / "search/from_disk.js").write_text(
        f"var __search = {{index: Promise.resolve({index}),\n"
        f"worker: URL.createObjectURL(new Blob([{json.dumps(worker.read_text())}],\n"
        '{type: "text/javascript"}))};\n')
    for page in site.rglob("*.html"):
        page.write_text(BUNDLE.sub(
            r"""<script>if (location.protocol === "file:") document.write("""
            r"""'<script src="\1search/from_disk.js"><\\/script>');</script>\n\g<0>""",
            page.read_text()))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    source = root / "build/site-source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(root / "docs", source)
    for page in [*(root / "docs").rglob("*.md"), *(root / name for name in ROOT_PAGES)]:
        text = LINK.sub(lambda link: link[1] + moved(link[2], page, root, source) + link[3],
                        page.read_text())
        place = source / (page.relative_to(root / "docs") if page.parent != root else page.name)
        place.write_text(text)
    status = subprocess.run(["mkdocs", "build", "--quiet", "--clean", "-f", root / "mkdocs.yml"],
                            cwd=root).returncode
    if status == 0:
        add_search_from_disk(root / "build/site")
    return status


if __name__ == "__main__":
    sys.exit(main())
