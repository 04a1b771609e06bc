"""`assay demo` and `assay bench` as a first user meets them."""
import json, os, subprocess

import pytest

from support import PROGRAM


def run(*arguments, cwd):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, text=True, capture_output=True)


def test_the_demo_ends_in_one_screen(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    screen = done.stdout
    assert len(screen.splitlines()) < 50
    assert "36 calls answered in all, 0 calls repeated, $0.00 paid twice" in screen
    assert "scored 3 models × 24 cases" in screen
    assert "  good.json, over.json, misses_small.json, comparison.json\n" in screen
    assert screen.endswith("\n\nreport: build/demo/report.html\n")
    assert "there is no prediction for the reference sub-017.nii.gz" in screen
    good = json.loads((tmp_path / "build/demo/good.json").read_text())
    assert good["ledger"] == {"expected": 24, "scored": 22, "failed": 1, "missing_prediction": 1,
                              "missing_reference": 0}
    assert {key: label["name"] for key, label in good["labels"].items()} == {
        "1": "core", "2": "oedema"}
    assert 0.8 < good["dice"]["mean"] < 0.9
    assert good["metrics"]["dice"]["mean_missing_as_worst"] < good["metrics"]["dice"]["mean"]


def test_the_demo_tells_what_dice_does_not(tmp_path):
    run("demo", cwd=tmp_path)
    read = {name: json.loads((tmp_path / f"build/demo/{name}.json").read_text())
            for name in ("good", "over", "misses_small", "comparison")}
    verdicts = {(metric, one["model_name"]): (one["is_significant"], one["difference"] > 0)
                for metric, pairs in read["comparison"]["metrics"].items() for one in pairs}
    assert verdicts["dice", "misses_small"] == (True, True)
    assert verdicts["lesion_f1", "misses_small"] == (True, False)
    sweep = read["over"]["labels"]["1"]["threshold_sweep"]["thresholds"]
    at = {row["threshold"]: row["dice"] for row in sweep}
    assert at[0.85] > at[0.5] + 0.05  # it promises too much
    assert "threshold_sweep" not in read["good"]["labels"]["1"]
    page = (tmp_path / "build/demo/report.html").read_text()
    assert "The value of a case is the unweighted mean over labels core, oedema." in page
    for figure in ("figure-lesion-size", "figure-reliability", "figure-threshold-sweep"):
        assert f'id="{figure}"' in page


def commands(screen):
    """Those that the demo proposes."""
    return screen.partition("\ntry it yourself\n")[2].partition("\n\n")[0].splitlines()


@pytest.mark.parametrize("folder", ["build/demo", "a demo's folder"])
def test_the_commands_that_the_demo_proposes_can_be_pasted(tmp_path, folder):
    screen = run("demo", "--cases", 8, "--side", 32, "--out", folder, cwd=tmp_path).stdout

    def paste(line):
        return subprocess.run(line, shell=True, cwd=tmp_path, text=True, capture_output=True)
    show, score, cut, compare, report = commands(screen)
    assert f"{PROGRAM} qa show" in show and paste(show).returncode == 0
    assert "<svg" in (tmp_path / folder / "seven.html").read_text()
    assert paste(score).returncode == 3  # two of its files are broken on purpose
    assert "ece" in paste(cut).stdout
    done = paste(compare)
    assert done.returncode == 0 and "site / dice" in done.stdout and "failures (" in done.stdout
    done = paste(report)
    assert done.returncode == 0 and "no images" not in done.stderr and "two.html" in done.stdout
    assert (json.loads((tmp_path / folder / "comparison.json").read_text())["schema"]
            == "assay.comparison/1")


def test_the_demo_calls_the_program_as_it_can_be_called(tmp_path):
    def called(**environment):
        done = subprocess.run([PROGRAM, "demo", "--cases", "4", "--side", "32"], cwd=tmp_path,
                              text=True, capture_output=True, env=dict(os.environ, **environment))
        return {line.split()[0] for line in commands(done.stdout)}
    assert called(PATH=f"/nowhere:{PROGRAM.parent}") == {"assay"}
    other = tmp_path / "bin/assay"  # something else of that name
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert called(PATH=f"{other.parent}:{PROGRAM.parent}") == {str(PROGRAM)}


def test_the_demo_gives_the_same_numbers_every_time(tmp_path):
    texts = []
    for jobs in (1, 2):
        run("demo", "--cases", 4, "--side", 32, "--jobs", jobs, "--out", f"d{jobs}", cwd=tmp_path)
        result = json.loads((tmp_path / f"d{jobs}/over.json").read_text())
        del result["provenance"]
        texts.append(json.dumps(result))
    assert texts[0] == texts[1]


def test_bench_measures_and_cleans_up(tmp_path):
    done = run("bench", "--cases", 3, "--side", 32, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["figures"]
    assert figures["score_ms"]["value"] > 0 and figures["over_inflate"]["value"] > 1
    assert list(tmp_path.iterdir()) == []


def test_the_demo_touches_no_folder_that_is_not_its_own(tmp_path):
    study = tmp_path / "study/references"
    study.mkdir(parents=True)
    (study / "sub-001.nii.gz").write_text("somebody's work")
    done = run("demo", "--out", "study", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr
        == "assay: study: holds files that do not belong to a demo; give an empty or a new folder"
        " with --out\n"
    )
    assert (study / "sub-001.nii.gz").read_text() == "somebody's work"


def test_without_openslide_the_demo_leaves_the_questions_out_and_says_so(tmp_path):
    done = subprocess.run([PROGRAM, "demo", "--cases", "4", "--side", "32"], cwd=tmp_path,
                          text=True, capture_output=True,
                          env={**os.environ, "ASSAY_OPENSLIDE": "/absent/libopenslide.so"})
    assert done.returncode == 0, done.stderr
    assert "questions about a slide were left out: OpenSlide is not installed" in done.stdout
    assert (tmp_path / "build/demo/report.html").exists() and "qa show" not in done.stdout
