"""`assay demo` and `assay bench` as a first user meets them."""
import json, time
from support import PROGRAM
import subprocess


def run(*arguments, cwd):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, text=True, capture_output=True)


def test_the_demo_ends_in_one_screen_within_ten_seconds(tmp_path):
    started = time.monotonic()
    done = run("demo", cwd=tmp_path)
    assert time.monotonic() - started < 10
    assert done.returncode == 0 and done.stderr == ""
    screen = done.stdout
    assert len(screen.splitlines()) < 45
    assert "36 calls answered in all, 0 calls repeated, $0.00 paid twice" in screen
    assert "scored 4 models × 24 cases" in screen
    for model in ("good", "over", "under", "misses_small"):
        assert f"build/demo/{model}.json" in screen
    assert "there is no prediction for the reference sub-017.nii.gz" in screen
    good = json.loads((tmp_path / "build/demo/good.json").read_text())
    assert good["ledger"] == {"expected": 24, "scored": 22, "failed": 1, "missing_prediction": 1, "missing_reference": 0}
    assert 0.85 < good["dice"]["mean"] < 0.95
    assert good["metrics"]["dice"]["mean_missing_as_worst"] < good["metrics"]["dice"]["mean"]


def test_the_commands_that_the_demo_proposes_work(tmp_path):
    screen = run("demo", "--cases", 8, "--side", 32, cwd=tmp_path).stdout
    show, score, compare, report = [line.split() for line in screen.splitlines()[-4:]]
    assert show[:3] == ["assay", "qa", "show"] and run(*show[1:], cwd=tmp_path).returncode == 0
    assert "<svg" in (tmp_path / "seven.html").read_text()
    assert score[:2] == ["assay", "score"] and compare[:2] == ["assay", "compare"]
    assert run(*score[1:], cwd=tmp_path).returncode == 3  # two of its files are broken on purpose
    done = run(*compare[1:], cwd=tmp_path)
    assert done.returncode == 0 and "site / dice" in done.stdout and "left out: " in done.stderr
    done = run(*report[1:], cwd=tmp_path)
    assert report[:2] == ["assay", "report"] and done.returncode == 0 and "no images" not in done.stderr
    assert json.loads((tmp_path / "build/demo/comparison.json").read_text())["schema"] == "assay.comparison/1"


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
    assert done.stderr == "assay: study: holds files that are not of a demo; give an empty or a new folder with --out\n"
    assert (study / "sub-001.nii.gz").read_text() == "somebody's work"
