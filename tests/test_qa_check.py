"""assay qa check: which slides are there, by every name they go by, and which can be opened."""
import csv, os

import numpy
import pytest

from slide_files import tiff, write_slide
from support import assay, listing, real_data, strict

COLUMNS = ["benchmark_name", "benchmark_id", "image_path", "answer", "options", "is_valid",
           "metric_type", "file_id", "prompt"]


def table(folder, *rows):
    """Writes questions, each (benchmark, id, image_path) with an optional file_id."""
    path = folder / "table.csv"
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        for benchmark, number, image_path, *file_id in rows:
            writer.writerow({"benchmark_name": benchmark, "benchmark_id": number,
                             "image_path": image_path, "answer": 1, "options": "['a', 'b']",
                             "is_valid": "True", "metric_type": "accuracy",
                             "file_id": "".join(file_id), "prompt": "What? {options}"})
    return path


def check(path, root, *options, status=0):
    return strict(assay("qa", "check", path, "--wsi-root", root, *options, "--json",
                        status=status).stdout)


def states(result):
    return {(b["benchmark_name"], s["image_path"]): s["state"] for b in result["benchmarks"]
            for s in b["slides"]}


def test_the_published_table_without_slides(tmp_path):
    result = check(real_data("multipathqa/MultiPathQA.csv"), tmp_path, status=3)
    assert {b["benchmark_name"]: b["questions"] for b in result["benchmarks"]} == {
        "tcga": 221, "panda": 197, "gtex": 191, "tcga_expert_vqa": 128, "tcga_slidebench": 197}
    assert {b["benchmark_name"]: b["ledger"]["missing"]
            for b in result["benchmarks"]}["tcga_expert_vqa"] == 76
    assert (result["notes"] == [] and result["complete"] is False
            and result["schema"] == "assay.qa-check/1")


def test_all_there_is_status_0(tmp_path):
    path = table(tmp_path, ("tcga", 1, "a.svs"), ("tcga_slidebench", 1, "a.svs"),
                 ("gtex", "g", "b.tiff"))
    for file in ("tcga/a.UUID.svs", "gtex/b.svs"):
        write_slide(tmp_path / "slides" / file)
    done = assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--open")
    assert ("needs OpenSlide 4" in done.stdout
            and "note: tcga: 1 of 221 published questions" in done.stderr)
    result = check(path, tmp_path / "slides", "--open")
    assert result["complete"] is True and set(states(result).values()) == {"found"}
    slide = result["benchmarks"][0]["slides"][0]
    assert slide["file"] == "tcga/a.UUID.svs"
    assert (slide["slide"]["width"], slide["slide"]["height"]) == (600, 400)
    assert slide["slide"]["microns_per_pixel"] == 0.25 and len(slide["slide"]["levels"]) == 2


def test_a_slide_of_several_benchmarks_counts_once_in_the_sum(tmp_path):
    path = table(tmp_path, ("tcga", 1, "a.svs"), ("tcga", 2, "a.svs"),
                 ("tcga_slidebench", 1, "a.svs"), ("tcga_slidebench", 2, "b.svs"))
    write_slide(tmp_path / "slides/tcga/a.svs")
    done = assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--open", "--verbose",
                 status=3)
    rows = {line.split()[0]: line.split()[1:5] for line in done.stdout.splitlines() if line.split()}
    assert rows["tcga"] == ["2", "1", "1", "0"] and rows["tcga_slidebench"] == ["2", "2", "1", "1"]
    assert rows["all"] == ["4", "2", "1", "1"], "questions, slides, found, missing"
    assert done.stdout.count("tcga/a.svs") == 1


def test_every_state_is_told_apart(tmp_path):
    root = tmp_path / "slides"
    write_slide(root / "good.svs")
    for name in ("twice.1.svs", "twice.2.svs"):
        write_slide(root / name)
    (root / "text.svs").write_text("no slide")
    (root / "cut.svs").write_bytes((root / "good.svs").read_bytes()[:5000])
    (root / "scan").mkdir()
    (root / "scan/1.dcm").write_bytes(bytes(128) + b"DICM" + bytes(64))
    names = ["good.svs", "absent.svs", "twice.svs", "text.svs", "cut.svs", "scan.tiff"]
    path = table(tmp_path, *[("mine", i, name) for i, name in enumerate(names)])
    result = check(path, root, "--open", status=3)
    expected = dict(zip(names,
                        ["found", "missing", "ambiguous", "unreadable", "unreadable",
                         "unsupported"]))
    if not result["openslide"].startswith("3."):
        expected["scan.tiff"] = "unreadable"
    assert states(result) == {("mine", name): state for name, state in expected.items()}
    done = assay("qa", "check", path, "--wsi-root", root, "--open", status=3)
    assert "mine: missing: absent.svs" in done.stderr
    assert "twice.1.svs, twice.2.svs" in done.stderr and "text.svs: is not a slide" in done.stderr
    if result["openslide"].startswith("3."):
        assert "a DICOM slide needs OpenSlide 4" in done.stderr
    # Without --open nothing is said about what was not tried.
    done = assay("qa", "check", path, "--wsi-root", root, status=3)
    assert "unreadable" not in done.stdout and "text.svs" not in done.stderr


def test_a_few_names_or_all_of_them(tmp_path):
    path = table(tmp_path, *[("mine", i, f"s{i}.svs") for i in range(9)])
    (tmp_path / "slides").mkdir()
    done = assay("qa", "check", path, "--wsi-root", tmp_path / "slides", status=3)
    assert "s4.svs" in done.stderr and "s5.svs" not in done.stderr and "… and 4 more" in done.stderr
    done = assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--verbose", status=3)
    assert "s8.svs" in done.stderr and "more" not in done.stderr


def test_one_file_for_two_slides_is_noted(tmp_path):
    write_slide(tmp_path / "slides/F/x.svs")
    path = table(tmp_path, ("mine", 1, "a.svs", "F"), ("mine", 2, "b.svs", "F"))
    assert ("a.svs and b.svs resolve to the same file, F/x.svs"
            in check(path, tmp_path / "slides")["notes"])


def test_only_some_benchmarks(tmp_path):
    path = table(tmp_path, ("tcga", 1, "a.svs"), ("gtex", 1, "b.tiff"))
    write_slide(tmp_path / "slides/a.svs")
    assert (list(states(check(path, tmp_path / "slides", "--benchmark", "tcga")))
            == [("tcga", "a.svs")])
    done = assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--benchmark", "tgca",
                 status=2)
    assert "did you mean 'tcga'?" in done.stderr


def test_what_cannot_be_done_is_refused(tmp_path):
    path = table(tmp_path, ("tcga", 1, "a.svs"))
    for arguments, says in [([path], "give a table and --wsi-root DIR, the folder with the slides"),
                            ([path, "--wsi-root", tmp_path / "absent"], "cannot be read"),
                            ([path, "--wsi-root", path], "cannot be read"),
                            ([tmp_path / "absent.csv", "--wsi-root", tmp_path], "does not exist")]:
        done = assay("qa", "check", *arguments, status=2)
        assert says in done.stderr and done.stdout == ""
    environment = {**os.environ, "ASSAY_OPENSLIDE": "/absent/libopenslide.so"}
    done = assay("qa", "check", path, "--wsi-root", tmp_path, "--open", status=2, env=environment)
    assert "OpenSlide is not installed (looked for /absent/libopenslide.so)" in done.stderr
    # Looking for files needs no OpenSlide.
    assay("qa", "check", path, "--wsi-root", tmp_path, status=3, env=environment)


@pytest.mark.parametrize("image_path", ["../secret.svs", "/etc/passwd", "tcga/../../secret.svs"])
def test_the_table_cannot_lead_out_of_the_folder(tmp_path, image_path):
    write_slide(tmp_path / "secret.svs")
    (tmp_path / "slides").mkdir()
    result = check(table(tmp_path, ("tcga", 1, image_path)), tmp_path / "slides", status=3)
    assert list(states(result).values()) == ["missing"]


def test_the_result_can_be_a_file(tmp_path):
    path = table(tmp_path, ("tcga", 1, "a.svs"))
    (tmp_path / "slides").mkdir()
    assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--out", f"{tmp_path}/made/",
          "--quiet", status=3)
    assert listing(tmp_path / "made") == ["qa_check.json"]
    first = (tmp_path / "made/qa_check.json").read_text()
    assert first == assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--json",
                          status=3).stdout
    assert "is an input of this run" in assay(
        "qa", "check", path, "--wsi-root", tmp_path, "--out", path, status=2).stderr


@pytest.mark.parametrize("per_cm, microns, plausible",
                         [
                             (28, 10000 / 28, False), (499, 10000 / 499, False), (500, 20.0, True),
                             (40000, 0.25, True), (200000, 0.05, True),
                             (200001, 10000 / 200001, False)])
def test_implausible_pixel_sizes_are_warned_about(tmp_path, per_cm, microns, plausible):
    path = table(tmp_path, ("tcga", 1, "a.tiff"), ("gtex", 1, "a.tiff"))
    (tmp_path / "slides").mkdir()
    level = numpy.full((300, 300, 3), 200, numpy.uint8)
    (tmp_path / "slides/a.tiff").write_bytes(tiff([level], pixels_per_cm=per_cm))
    result = check(path, tmp_path / "slides", "--open")
    assert (result["benchmarks"][0]["slides"][0]["slide"]["microns_per_pixel"]
            == pytest.approx(microns, rel=1e-6))
    assert len(result["warnings"]) == (0 if plausible else 1), (
        "the slide of two benchmarks is named once")
    said = assay("qa", "check", path, "--wsi-root", tmp_path / "slides", "--open").stderr
    assert ("warning: 1 slide has an implausible pixel size" in said) == (not plausible)
    assert "a.tiff: 357.1 µm" in said or per_cm != 28
    assert "implausible" not in assay("qa", "check", path, "--wsi-root",
                                      tmp_path / "slides").stderr, "nothing was opened"


def test_rows_that_are_not_valid_are_counted(tmp_path):
    path = table(tmp_path, ("tcga", 1, "a.svs"), ("tcga", 2, "a.svs"), ("tcga", 3, "a.svs"))
    write_slide(tmp_path / "slides/a.svs")
    assert "is_valid" not in assay("qa", "check", path, "--wsi-root", tmp_path / "slides").stderr
    path.write_text(path.read_text().replace("True", "False", 1))
    done = assay("qa", "check", path, "--wsi-root", tmp_path / "slides")
    assert "note: 1 of 3 rows was excluded by the column is_valid" in done.stderr
    assert check(path, tmp_path / "slides")["table"]["invalid"] == 1
    path.write_text(path.read_text().replace("True", "no", 1))
    assert ("note: 2 of 3 rows were excluded"
            in assay("qa", "check", path, "--wsi-root", tmp_path / "slides").stderr)
    assert "is_valid" not in assay("qa", "check", path, "--wsi-root", tmp_path / "slides",
                                   "--quiet").stderr
