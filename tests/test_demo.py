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
    assert len(screen.splitlines()) < 45
    assert "36 calls answered in all, 0 calls repeated, $0.00 paid twice" in screen
    assert "scored 4 models × 24 cases" in screen
    for model in ("good", "over", "under", "misses_small"):
        assert f"build/demo/{model}.json" in screen
    assert "there is no prediction for the reference sub-017.nii.gz" in screen
    good = json.loads((tmp_path / "build/demo/good.json").read_text())
    assert good["ledger"] == {"expected": 24, "scored": 22, "failed": 1, "missing_prediction": 1,
                              "missing_reference": 0}
    assert 0.85 < good["dice"]["mean"] < 0.95
    assert good["metrics"]["dice"]["mean_missing_as_worst"] < good["metrics"]["dice"]["mean"]


@pytest.mark.parametrize("folder", ["build/demo", "a demo's folder"])
def test_the_commands_that_the_demo_proposes_can_be_pasted(tmp_path, folder):
    screen = run("demo", "--cases", 8, "--side", 32, "--out", folder, cwd=tmp_path).stdout

    def paste(line):
        return subprocess.run(line, shell=True, cwd=tmp_path, text=True, capture_output=True)
    show, score, compare, report = screen.splitlines()[-4:]
    assert f"{PROGRAM} qa show" in show and paste(show).returncode == 0
    assert "<svg" in (tmp_path / folder / "seven.html").read_text()
    assert paste(score).returncode == 3  # two of its files are broken on purpose
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
        return {line.split()[0] for line in done.stdout.splitlines()[-4:]}
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
        result = json.loads((tmp_path / f"d{jobs}/under.json").read_text())
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
