"""assay report --figures: what a paper needs, as files: figures of a chosen width, captions,
methods, tables, references."""
import re, shutil
import xml.etree.ElementTree as ElementTree

import pytest

from reports import results, two_models, write
from support import assay


def entries(path):
    """The entries of a .bib file by key, each as a dict of its fields."""
    found = {}
    for kind, key, body in re.findall(r"^@(\w+)\{([^,]+),\n(.*?)\n\}$", path.read_text(),
                                      re.S | re.M):
        assert key not in found
        found[key] = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.M), kind=kind)
    return found


def test_the_files_of_a_paper_are_next_to_the_figures(tmp_path):
    done = assay("report", *two_models(tmp_path), "--figures", "paper", cwd=tmp_path)
    assert "methods, captions, tables and references are with them" in done.stderr
    paper = tmp_path / "paper"
    figures = {path.stem for path in paper.glob("*.svg")}
    captions = (paper / "captions.txt").read_text()
    assert figures and all(f"{key}: " in captions for key in figures)
    assert "two-sided Wilcoxon signed-rank tests" in (paper / "methods.txt").read_text()
    assert "\\begin{tabular" in (paper / "tables.tex").read_text()
    assert "| model" in (paper / "tables.md").read_text()
    page = (tmp_path / "report.html").read_text()
    assert "References, BibTeX" in page and "@article{dice1945" in page


def test_references_are_of_the_methods_that_were_used(tmp_path):
    assay("report", *two_models(tmp_path), "--figures", "paper", cwd=tmp_path)
    found = entries(tmp_path / "paper/references.bib")
    assert {"dice1945", "matthews1975", "metricsreloaded2024", "wilcoxon1945", "hodges1963",
            "assay"} <= set(found)
    assert "holm1979" not in found  # one comparison needs no correction
    assert not {"brier1950", "kirillov2019", "wilson1927"} & set(found)
    for key, fields in found.items():
        assert fields["kind"] == "misc" or {"author", "title", "year"} <= set(fields), key
        assert re.fullmatch(r"10\.\d{4,}/\S+", fields.get("doi", "10.1000/none")), key


def test_every_metric_of_every_label_is_in_one_table(tmp_path):
    content = results("net", [[0.9, 0.1, 0.8]] * 3)
    content["labels"] = {"1": {"name": "core", "members": [1]},
                         "2": {"name": "edge", "members": [2]}}
    for i, case in enumerate(content["cases"]):
        one = case["label"]["foreground"]
        case["label"] = {"1": one, "2": dict(one, dice=0.5 + 0.1 * i)}
    assay("report", write(tmp_path, "net.json", content), "--figures", "paper", cwd=tmp_path)
    table = (tmp_path / "paper/tables.md").read_text().split("## Means by label")[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in table.splitlines() if line.startswith("|")]
    assert rows[0][:2] == ["model", "label"] and "Dice" in rows[0][2]
    assert rows[3][:3] == ["net", "edge", "0.600 (0.100)"]


def millimetres(svg):
    root = ElementTree.parse(svg).getroot()
    return [float(root.get(side).removesuffix("mm")) for side in ("width", "height")], root


def text_points(root, width_mm):
    """How large each text is on paper, in points."""
    units = float(root.get("viewBox").split()[2])
    usual = float(root.get("font-size"))
    texts = [element for element in root.iter() if element.tag.endswith("}text")]
    return [float(text.get("font-size", usual)) * width_mm * 72 / 25.4 / units for text in texts]


@pytest.mark.parametrize("given, expected, points", [
    (["85mm"], 85, 8), (["85mm", "--font-size", "7"], 85, 7), (["18cm"], 180, 8),
    (["7in", "--font-size=9.5"], 177.8, 9.5)])
def test_figures_have_the_width_and_the_text_of_a_column(tmp_path, given, expected, points):
    done = assay("report", *two_models(tmp_path), "--figures", "paper", "--figure-width", *given,
                 cwd=tmp_path)
    assert f"({expected:g} mm wide, text of {points:g} points)" in done.stderr
    drawings = sorted((tmp_path / "paper").glob("*.svg"))
    assert drawings
    for path in drawings:
        (width, height), root = millimetres(path)
        box = [float(x) for x in root.get("viewBox").split()]
        assert width == pytest.approx(expected, abs=0.01)
        assert height / width == pytest.approx(box[3] / box[2], rel=1e-3)
        sizes = text_points(root, width)
        assert max(sizes) == pytest.approx(points, rel=0.01), path.name
        assert min(sizes) == pytest.approx(points * 11 / 12, rel=0.01), path.name
        pdf = path.with_suffix(".pdf")
        if shutil.which("rsvg-convert"):
            found = re.search(rb"/MediaBox \[\s*0 0 ([\d.]+)", pdf.read_bytes())
            assert float(found[1]) == pytest.approx(expected * 72 / 25.4, abs=1)


@pytest.mark.parametrize("given, words", [
    (["--font-size", "8"], "--figures DIR"),
    (["--figures", "paper", "--font-size", "8"], "--figure-width 85mm"),
    (["--figures", "paper", "--figure-width", "85mm", "--font-size", "3"], "from 4 to 24 points"),
    (["--figures", "paper", "--figure-width", "85mm", "--font-size", "nan"], "--font-size"),
    (["--figures", "paper", "--figure-width", "85mm", "--font-size", "14"],
     "--font-size 10.3 is the largest")])
def test_text_that_does_not_fit_is_refused(tmp_path, given, words):
    file = write(tmp_path, "a.json", results("alone", [[0.9, 0.1, 0.8]] * 3))
    done = assay("report", file, *given, cwd=tmp_path, status=2)
    assert words in done.stderr
    assert not (tmp_path / "paper").exists() and not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("given", ["85", "wide", "5mm", "-85mm", "2000mm", "mm", "nanmm"])
def test_a_width_that_is_none_is_refused(tmp_path, given):
    file = write(tmp_path, "a.json", results("alone", [[0.9, 0.1, 0.8]] * 3))
    done = assay("report", file, "--figures", "paper", f"--figure-width={given}", cwd=tmp_path,
                 status=2)
    assert "such as 85mm" in done.stderr and not (tmp_path / "paper").exists()
    done = assay("report", file, "--figure-width", "85mm", cwd=tmp_path, status=2)
    assert "--figures DIR" in done.stderr
