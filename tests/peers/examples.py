"""The cases on the pages of docs/peers: a small cohort with the edges on which tools differ, and
assay's numbers for it.

Every page has a table between two marks. `make test-peers` fills its column of the peer; the
ordinary tests check assay's columns.
"""
import pathlib

import numpy

import assay

from pairs import Pair

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- made by make test-peers -->\n", "<!-- end of what make test-peers makes -->\n"
SHAPE, SPACING, TOLERANCE_MM = (24, 20, 12), (0.8, 0.8, 3.0), 1.0


class Example(Pair):
    """Two masks with a name."""

    def __init__(self, name, prediction, reference):
        super().__init__(name, prediction, reference, SPACING)
        self.name = name


def mask(*boxes):
    out = numpy.zeros(SHAPE, bool)
    for box in boxes:
        out[box] = True
    return out


LARGE, MOVED = numpy.s_[4:14, 4:14, 2:8], numpy.s_[5:15, 4:14, 2:8]
SMALL, STRAY = numpy.s_[17:22, 3:8, 9:12], numpy.s_[18:20, 15:17, 1:4]
EXAMPLES = [Example("shifted by a voxel", mask(MOVED), mask(LARGE)),
            Example("a lesion missed, one invented", mask(MOVED, STRAY), mask(LARGE, SMALL)),
            Example("prediction empty", mask(), mask(LARGE)),
            Example("reference empty", mask(MOVED), mask()),
            Example("both empty", mask(), mask())]


class Page:
    """Which numbers of which peer are on a page."""

    def __init__(self, title, convention, keys):
        self.title, self.convention, self.keys = title, convention, keys

    def ours(self, example, convention):
        return assay.metrics(example.prediction, example.reference, spacing=SPACING,
                             metrics=self.keys, convention=convention,
                             nsd_tolerance=TOLERANCE_MM)


PAGES = {
    "monai": Page("MONAI", "monai", ["dice", "iou", "hd", "hd95", "assd", "nsd"]),
    "nnunet": Page("nnU-Net", "nnunet", ["dice", "iou"]),
    "metrics-reloaded": Page("MetricsReloaded", "metrics-reloaded",
                             ["dice", "iou", "hd95", "masd", "nsd"]),
    "panoptica": Page("panoptica", "panoptica",
                      ["dice", "hd95", "assd", "lesion_f1", "pq", "sq", "rq"]),
    "seg-metrics": Page("seg-metrics", "metrics-reloaded",
                        ["dice", "iou", "precision", "recall", "hd95", "assd"]),
}
DEFAULT = "metrics-reloaded"


def shown(value):
    """Five digits, or the word."""
    return "undefined" if value is None else f"{value:.5g}"


def columns(page):
    """The heads of the table."""
    heads = ["case", "metric", page.title, f"assay, `{page.convention}`"]
    return heads + (["assay, default"] if page.convention != DEFAULT else [])


def rows(page):
    """(example, key, assay's numbers) in the order of the page."""
    conventions = [page.convention, DEFAULT][: 1 + (page.convention != DEFAULT)]
    for example in EXAMPLES:
        found = [page.ours(example, convention) for convention in conventions]
        for key in page.keys:
            yield example, key, [each[key] for each in found]


def path(name):
    return ROOT / f"docs/peers/{name}.md"


def table_of(name):
    """The cells of a page's table, without heads."""
    text = path(name).read_text()
    lines = text[text.index(BEGIN):text.index(END)].splitlines()
    found = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in lines if line.startswith("|")]
    return found[0], found[2:]


def replace_table(name, lines):
    text = path(name).read_text()
    before, after = text[: text.index(BEGIN)] + BEGIN, text[text.index(END):]
    path(name).write_text(before + "\n" + "\n".join(lines) + "\n\n" + after)
