"""assay evaluate: a model over a cohort, scored as if its predictions had come from files."""
import hashlib, json, signal, subprocess, time

import numpy
import pytest

from networks import OF_THRESHOLD, paper_network, safetensors, threshold_network
from support import PROGRAM, assay, save, strict

SHAPE = (12, 11, 10)
IDS = ["case_1", "case_2", "case_3", "case_4"]


@pytest.fixture
def model(tmp_path):
    return threshold_network(tmp_path / "model/tiny.safetensors")


@pytest.fixture
def data(tmp_path):
    """Images, and references that differ from what the model says of them."""
    folder = tmp_path / "Dataset001_Tiny"
    for seed, name in enumerate(IDS):
        random = numpy.random.default_rng(seed)
        x = random.random(SHAPE).astype("f4")
        save(folder / f"imagesTs/{name}_0000.nii.gz", x)
        save(folder / f"labelsTs/{name}.nii.gz",
             ((x > 0.5) ^ (random.random(SHAPE) < 0.1)).astype("u1"))
    return folder


def evaluate(model, data, *arguments, status=0, recipe="none"):
    done = assay("evaluate", model, data, "--recipe", recipe, *OF_THRESHOLD, "--json", *arguments,
                 status=status)
    return strict(done.stdout)


def without_provenance(result):
    return {key: value for key, value in result.items() if key != "provenance"}


def test_the_same_scores_as_predict_then_score(tmp_path, model, data):
    result = evaluate(model, data, "--metrics", "all", "--save-predictions", tmp_path / "kept")
    assert result["model_name"] == "tiny" and result["num_samples"] == 4
    separate = strict(assay("score", tmp_path / "kept", data / "labelsTs", "--metrics", "all",
                            "--json").stdout)
    assert result["metrics"] == separate["metrics"]
    for ours, theirs in zip(result["cases"], separate["cases"]):
        assert ours["id"] == theirs["id"] and ours["label"] == theirs["label"]
    made = assay("predict", model, data / "imagesTs", "--recipe", "none", *OF_THRESHOLD, "--out",
                 tmp_path / "separate")
    for name in IDS:
        assert ((tmp_path / f"kept/{name}.nii.gz").read_bytes()
                == (tmp_path / f"separate/{name}_0000.nii.gz").read_bytes())
    assert made.returncode == 0


def test_the_result_says_what_made_it(model, data):
    found = evaluate(model, data)["settings"]["prediction"]
    assert (found["backend"].startswith("meshnet") and found["recipe"] == "none"
            and found["space"] == "native")
    assert len(found["model_sha256"]) == 64 and len(found["recipe_sha256"]) == 64


def test_jobs_and_resumption_do_not_change_a_byte(tmp_path, model, data):
    one = evaluate(model, data, "--jobs", "1", "--no-cache")
    two = evaluate(model, data, "--jobs", "2", "--no-cache")
    assert without_provenance(one) == without_provenance(two)
    out = ("--out", tmp_path / "results.json")
    evaluate(model, data, *out, "--keep-journal")
    (tmp_path / "results.json").unlink()
    done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, "--json", *out,
                 "--resume")
    assert "4 cases were taken from the journal" in done.stderr
    assert without_provenance(strict(done.stdout)) == without_provenance(one)


def test_another_model_does_not_resume_this_journal(tmp_path, model, data):
    out = ("--out", tmp_path / "results.json")
    evaluate(model, data, *out)
    other = threshold_network(tmp_path / "model/tiny2.safetensors", 0.25)
    done = assay("evaluate", other, data, "--recipe", "none", *OF_THRESHOLD, "--model", "tiny",
                 *out, "--resume", status=2)
    assert ("results.json: these results were made with other settings; run without --resume"
            in done.stderr)


def test_a_complete_evaluation_is_recognised(tmp_path, model, data):
    kept = tmp_path / "kept"
    command = ("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, "--out",
               tmp_path / "r.json", "--save-predictions", kept)
    assay(*command)
    before = (tmp_path / "r.json").read_bytes()
    done = assay(*command, "--resume")
    assert "this run is complete" in done.stderr and "4 of 4 cases scored" in done.stdout
    assert (tmp_path / "r.json").read_bytes() == before
    (kept / "case_2.nii.gz").unlink()  # a prediction that is gone must be made again
    assert "this run is complete" not in assay(*command, "--resume").stderr
    assert (kept / "case_2.nii.gz").exists()


def test_predictions_are_remembered(tmp_path, model, data):
    cache = ("--cache", tmp_path / "cache")
    first = evaluate(model, data, *cache)
    done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, "--json", *cache)
    assert "4 predictions came from the cache, 0 were computed" in done.stderr
    assert without_provenance(strict(done.stdout)) == without_provenance(first)


def test_metrics_in_the_space_of_the_model(tmp_path, model):
    """At 2 mm the model sees a quarter of the voxels; there its own labels are what is counted."""
    x = numpy.random.default_rng(5).random((16, 16, 16)).astype("f4")
    affine = numpy.diag([2.0, 2, 2, 1])
    folder = tmp_path / "data"
    save(folder / "images/a.nii.gz", x, affine)
    save(folder / "labels/a.nii.gz", (x > 0.5).astype("u1"), affine)
    recipe = tmp_path / "one.json"
    recipe.write_text(json.dumps({"extends": "none", "grid": "zoom", "spacing_mm": 1.0,
                                  "orientation": "RAS"}))
    native = evaluate(model, folder, recipe=recipe)
    moved = evaluate(model, folder, "--space", "model", recipe=recipe)
    assert (native["settings"]["prediction"]["space"] == "native"
            and moved["settings"]["prediction"]["space"] == "model")
    counted = [sum(v for k, v in r["cases"][0]["label"]["foreground"]["evidence"].items()
                   if k in ("tp", "fp", "fn", "tn"))
               for r in (native, moved)]
    assert counted == [16 ** 3, 32 ** 3]


def test_one_bad_image_is_recorded_and_the_others_go_on(tmp_path, model, data):
    (data / "imagesTs/case_2_0000.nii.gz").write_bytes(b"broken")
    save(data / "labelsTs/case_3.nii.gz", numpy.zeros((3, 3, 3), "u1"))
    (data / "imagesTs/case_4_0000.nii.gz").unlink()
    done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, "--json", status=3)
    result = strict(done.stdout)
    assert result["ledger"] == {"expected": 4, "scored": 1, "failed": 2, "missing_prediction": 1,
                                "missing_reference": 0}
    by_id = {case["id"]: case for case in result["cases"]}
    assert ("case_2_0000.nii.gz" in by_id["case_2"]["error"]
            and str(tmp_path) not in done.stdout.split('"provenance"')[0])
    assert "there is no image for the reference" in by_id["case_4"]["error"]


def test_a_table_names_images_references_and_groups(tmp_path, model, data):
    table = tmp_path / "cases.csv"
    rows = [f"{name},imagesTs/{name}_0000.nii.gz,labelsTs/{name}.nii.gz,site{number % 2}"
            for number, name in enumerate(IDS)]
    table.write_text("id,image,reference,site\n" + "\n".join(rows) + "\n")
    result = evaluate(model, table, "--images", data, "--ref", data)
    assert ([case["groups"] for case in result["cases"]]
            == [{"site": f"site{n % 2}"} for n in range(4)])
    assert result["metrics"] == evaluate(model, data)["metrics"]


@pytest.mark.parametrize("arguments,message", [
    ((), "give a model"),
    (("MODEL",), "give a model and its data"),
    (("MODEL", "absent"), "no such file or folder"),
    (("MODEL", "empty"), "holds no folders of images and references"),
    (("MODEL", "DATA", "more"), "is unexpected"),
    (("MODEL", "DATA", "--images", "x"), "go together"),
    (("MODEL", "both"), "choose with --images and --ref"),
    (("MODEL", "DATA", "--split", "Tr"), "(looked for imagesTr/ and labelsTr/)"),
    (("MODEL", "--images", "x", "--ref", "y", "--split", "Tr"), "--split chooses in a folder"),
    (("MODEL", "DATA", "--pred-pattern", "{id}_{label}.nii.gz"), "images have no {label}"),
])
def test_what_cannot_be_meant_is_refused(tmp_path, model, data, arguments, message):
    (tmp_path / "empty").mkdir()
    for name in ("images", "labels", "masks"):
        (tmp_path / "both" / name).mkdir(parents=True)
    words = [{"MODEL": model, "DATA": data}.get(a, a) for a in arguments]
    assert message in assay("evaluate", *words, "--recipe", "none", *OF_THRESHOLD, cwd=tmp_path,
                            status=2).stderr


def test_an_ordinary_nnunet_folder(model, data):
    """Training cases with labels, test cases with or without."""
    def told(*options):
        done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, "--json", *options)
        return [case["id"] for case in strict(done.stdout)["cases"]], done.stderr
    for name in ("train_1", "train_2"):
        save(data / f"imagesTr/{name}_0000.nii.gz",
             numpy.random.default_rng(3).random(SHAPE).astype("f4"))
        save(data / f"labelsTr/{name}.nii.gz", numpy.ones(SHAPE, "u1"))
    ids, notes = told()
    assert (
        ids == IDS
        and "note: evaluated on imagesTs/ and labelsTs/; --split Tr takes imagesTr/ and labelsTr/\n"
        in notes
    )
    ids, notes = told("--split", "Tr")
    assert ids == ["train_1", "train_2"] and "evaluated on" not in notes
    (data / "labelsTs").rename(data / "hidden")
    ids, notes = told()
    assert (ids == ["train_1", "train_2"]
            and "note: evaluated on imagesTr/ and labelsTr/; imagesTs/ has no references" in notes)


def test_the_report_shows_images_without_being_told_where(tmp_path, model, data):
    """Results name the roots of predictions, references and images; nothing is read from the
    command that was typed."""
    out = tmp_path / "elsewhere/r.json"
    assay("evaluate", model, "Dataset001_Tiny", "--recipe", "none", *OF_THRESHOLD, "--out", out,
          "--save-predictions", "kept", cwd=tmp_path)
    result = strict(out.read_text())
    assert result["provenance"]["roots"] == {"prediction": str(tmp_path / "kept"),
                                             "reference": str(data / "labelsTs"),
                                             "image": str(data / "imagesTs")}
    result["provenance"]["command"] = ["nothing"]
    out.write_text(json.dumps(result))
    for options in ([], ["--images"]):
        told = strict(assay("report", out, *options, "--json", "--out", tmp_path / "page.html",
                            cwd="/").stdout)
        assert sorted(told["shown"]) == IDS and told["images"] == 4 and told["notes"] == []
    del result["provenance"]["roots"]
    out.write_text(json.dumps(result))
    told = strict(assay("report", out, "--images", "--json", "--out",
                        tmp_path / "page.html").stdout)
    assert (
        told["shown"] == []
        and "--images: no results file says where its images are; name their folder, --images DIR"
        in told["notes"]
    )


def test_a_known_model_gives_the_results_its_name(tmp_path, data):
    model = safetensors(tmp_path / "model/final.safetensors", paper_network(26))
    for options, name in ([], "meshnet_26"), (["--model", "mine"], "mine"):
        result = strict(assay("evaluate", model, data, "--recipe", "minmax", *options,
                              "--json").stdout)
        assert result["model_name"] == name


def test_an_id_cannot_lead_out_of_the_folder(tmp_path, model, data):
    table = tmp_path / "cases.csv"
    table.write_text(f"id,image,reference\n../../out,imagesTs/case_1_0000.nii.gz,"
                     f"labelsTs/case_1.nii.gz\n"
                     f"fine,imagesTs/case_2_0000.nii.gz,labelsTs/case_2.nii.gz\n")
    done = assay("evaluate", model, table, "--images", data, "--ref", data, "--recipe", "none",
                 *OF_THRESHOLD, "--save-predictions", tmp_path / "a/b/kept", status=3)
    assert "points outside the folder" in done.stderr
    assert not list(tmp_path.rglob("out.nii.gz")) and (tmp_path / "a/b/kept/fine.nii.gz").exists()


WORKER = """
import json, sys
import nibabel, numpy
level = float(open(sys.argv[1]).read()) if len(sys.argv) > 1 else 0.5
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("hello"):
        answer = {"protocol": 1, "name": "threshold", "version": "1", "classes": 2, "device": "cpu"}
    elif "case_3" in asked["image"] and len(sys.argv) > 2:
        sys.exit("out of memory")
    else:
        image = nibabel.load(asked["image"])
        mask = (image.get_fdata() > level).astype("u1")
        nibabel.save(nibabel.Nifti1Image(mask, image.affine), asked["output"])
        answer = {"ok": True}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def worker(tmp_path):
    path = tmp_path / "worker.py"
    path.write_text(WORKER)
    return path


def test_a_program_predicts_as_the_network_does(model, data, worker):
    ours = evaluate(model, data)
    done = assay("evaluate", data, "--command", f"/usr/bin/python3 {worker}", "--json")
    theirs = strict(done.stdout)
    assert theirs["metrics"] == ours["metrics"]
    assert theirs["settings"]["prediction"]["backend"].startswith("command")


def test_a_program_is_told_where_the_model_is(tmp_path, data, worker):
    level, results = tmp_path / "level.txt", []
    for text in ("0.5", "0.25"):
        level.write_text(text)
        done = assay("evaluate", level, data, "--command", f"/usr/bin/python3 {worker} {{model}}",
                     "--json")
        results.append(strict(done.stdout))
    assert (
        results[0]["metrics"]["dice"]["mean"] > results[1]["metrics"]["dice"]["mean"]
    ), "not taken from the cache"
    assert (results[0]["settings"]["prediction"]["model_sha256"]
            != results[1]["settings"]["prediction"]["model_sha256"])


def test_a_program_that_dies_costs_one_case(tmp_path, data, worker):
    (tmp_path / "level.txt").write_text("0.5")
    done = assay("evaluate", data, "--command",
                 f"/usr/bin/python3 {worker} {tmp_path}/level.txt dies", "--json", status=3)
    result = strict(done.stdout)
    assert [case["status"] for case in result["cases"]] == ["ok", "ok", "failed", "ok"]
    assert "out of memory" in result["cases"][2]["error"]


def test_a_models_name_is_no_command(tmp_path, data, worker, monkeypatch):
    """No shell sees it: what it holds is one argument, and nothing in it is run."""
    monkeypatch.chdir(tmp_path)
    for name in ("m;touch PWNED;/a.bin", "$(touch PWNED).txt",
                 "a b 'c' \"d\" `touch PWNED` | & > x.txt"):
        level = tmp_path / name
        level.parent.mkdir(parents=True, exist_ok=True)
        level.write_text("0.5")
        done = assay("evaluate", name, data, "--command", f"/usr/bin/python3 {worker} {{model}}",
                     "--json", "--no-cache")
        assert strict(done.stdout)["num_samples"] == 4
    assert not list(tmp_path.rglob("PWNED"))
    assay("evaluate", "m;touch PWNED;/none.bin", data, "--command",
          f"/usr/bin/python3 {worker} {{model}}", status=2)
    assert not list(tmp_path.rglob("PWNED"))


def test_words_of_a_command_are_split_once(tmp_path, data, worker):
    spaced = tmp_path / "my models" / "it's a worker.py"
    spaced.parent.mkdir()
    spaced.write_text(WORKER)
    level = tmp_path / "my models" / "level.txt"
    level.write_text("0.5")
    for command in (f'/usr/bin/python3 "{spaced}" {{model}}',
                    f"/usr/bin/python3 '{spaced.parent}'/it\\'s\\ a\\ worker.py '{{model}}'",
                    f"sh -c 'cat | /usr/bin/python3 \"$0\" \"$1\"' \"{spaced}\" {{model}}"):
        done = assay("evaluate", level, data, "--command", command, "--json", "--no-cache")
        assert strict(done.stdout)["num_samples"] == 4


@pytest.mark.parametrize("command, said",
                         [
                             ("python3 'w.py", "--command has a ' that is not closed"),
                             ('python3 "w.py', '--command has a " that is not closed'),
                             ("python3 w.py\\", "--command ends with a backslash"),
                             ("  ", "--command is empty"),
                             ("cat | python3 w.py",
                              "--command has a '|' outside of quotes, which only a shell "
                              "understands; quote it, or start a shell: sh -c '…'"),
                             ("python3 w.py > log", "--command has a '>' outside of quotes"),
                             ("python3 w.py $HOME", "--command has a '$' outside of quotes"),
                             ("python3 w.py; rm x", "--command has a ';' outside of quotes"),
                             ("no-such-program {x} 'a b'",
                              "the program 'no-such-program' cannot be started: it is not in any "
                              "folder of PATH"),
                             ("./none",
                              "the program './none' cannot be started: there is no such file"),
                             ("python3 w.py {model}",
                              "--command has {model}, but no model was given")])
def test_a_command_that_cannot_be_run_is_told(data, command, said):
    for arguments in (["evaluate", data],
                      ["predict", next(data.glob("imagesTs/*")), "--out", data / "out"]):
        (line,) = assay(*arguments, "--command", command, status=2).stderr.splitlines()
        assert said in line, line


@pytest.mark.parametrize("folder", ["labelsTs", "imagesTs"])
def test_saved_predictions_never_replace_images_or_references(data, model, folder):
    if folder == "imagesTs":  # names as predictions have them
        for file in (data / "imagesTs").iterdir():
            file.rename(file.with_name(file.name.replace("_0000", "")))
    before = {file.name: file.read_bytes() for file in (data / folder).iterdir()}
    done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, "--save-predictions",
                 data / folder, status=2)
    assert "is an input of this run" in done.stderr
    assert before == {file.name: file.read_bytes() for file in (data / folder).iterdir()}


def test_resumption_makes_saved_predictions_whole(tmp_path, model, data):
    out = ("--out", tmp_path / "results.json")
    evaluate(model, data, *out, "--save-predictions", tmp_path / "kept")
    (tmp_path / "kept/case_2.nii.gz").unlink()
    result = evaluate(model, data, *out, "--save-predictions", tmp_path / "kept", "--resume")
    assert (tmp_path / "kept/case_2.nii.gz").exists() and result["num_samples"] == 4


def test_results_name_the_image_and_only_a_kept_prediction(tmp_path, model, data):
    [first, *_] = evaluate(model, data)["cases"]
    assert (first["prediction"] is None and first["image"] == "case_1_0000.nii.gz"
            and len(first["image_sha256"]) == 64)
    [first, *_] = evaluate(model, data, "--save-predictions", tmp_path / "kept")["cases"]
    assert first["prediction"] == "case_1.nii.gz"
    kept = (tmp_path / "kept/case_1.nii.gz").read_bytes()
    assert first["prediction_sha256"] == hashlib.sha256(kept).hexdigest()


def test_arrays_are_scored_index_by_index(tmp_path, model):
    """A C-ordered array as image, an image with another orientation as reference."""
    x = numpy.random.default_rng(3).random((6, 6, 6)).astype("f4")
    truth = x > 0.6
    (tmp_path / "data/images").mkdir(parents=True)
    numpy.save(tmp_path / "data/images/a.npy", x)
    save(tmp_path / "data/labels/a.nii.gz", truth.astype("u1"), numpy.diag([-2.0, 1, 3, 1]))
    result = evaluate(model, tmp_path / "data")
    assert result["dice"]["values"][0] == pytest.approx(
        2 * (truth & (x > 0.5)).sum() / (truth.sum() + (x > 0.5).sum()))


def test_what_is_assumed_of_arrays_is_kept_with_each_case_and_said_once(tmp_path, model):
    x = numpy.random.default_rng(3).random((6, 6, 6)).astype("f4")
    (tmp_path / "data/images").mkdir(parents=True)
    for name in "ab":
        numpy.save(tmp_path / f"data/images/{name}.npy", x)
        save(tmp_path / f"data/labels/{name}.nii.gz", (x > 0.6).astype("u1"))
    recipe = tmp_path / "oriented.toml"
    recipe.write_text('name = "oriented"\norientation = "RAS"\n')
    done = assay("evaluate", model, tmp_path / "data", "--recipe", recipe, *OF_THRESHOLD, "--json")
    assert (done.stderr.count("warning: ") == 1
            and "warning: a and 1 more: the image is an array and has no grid" in done.stderr)
    assert [len(case["warnings"]) for case in strict(done.stdout)["cases"]] == [1, 1]


def test_a_changed_voxel_file_is_another_image(tmp_path, model):
    """Header and voxels in two files: the cache must not go by the header alone."""
    header = ("ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementType = MET_FLOAT\n"
              "ElementSpacing = 1 1 1\nElementDataFile = a.raw\n")
    found = []
    for level in (0.0, 1.0):
        (tmp_path / "a.mhd").write_text(header)
        (tmp_path / "a.raw").write_bytes(numpy.full(64, level, "<f4").tobytes())
        done = assay("predict", model, tmp_path / "a.mhd", "--recipe", "none", *OF_THRESHOLD,
                     "--out", tmp_path / "out", "--json")
        found.append(strict(done.stdout)["images"][0]["classes"])
    assert set(found[0]) == {"0"} and set(found[1]) == {"1"}


def test_a_cache_that_cannot_be_written_costs_nothing(tmp_path, model, data, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file/below"))
    done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD)
    assert "predictions could not be kept" in done.stderr
    assert "cannot be created" in assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD,
                                        "--cache", tmp_path / "file/below", status=2).stderr


def test_control_c_gives_up_at_once_and_resumption_goes_on(tmp_path):
    """A network that takes seconds per image: it is left in the middle, and the journal has what
    was done."""
    model = safetensors(tmp_path / "model/slow.safetensors", paper_network(16))
    for seed in range(4):
        x = numpy.random.default_rng(seed).random((96, 96, 96)).astype("f4")
        save(tmp_path / f"data/images/c{seed}.nii.gz", x)
        save(tmp_path / f"data/labels/c{seed}.nii.gz", (x > 0.5).astype("u1"))
    command = ["evaluate", model, tmp_path / "data", "--recipe", "minmax", "--jobs", "1",
               "--no-cache", "--out", tmp_path / "results.json"]
    running = subprocess.Popen([PROGRAM, *map(str, command)], stderr=subprocess.PIPE, text=True)
    journal = tmp_path / "results.json.journal"
    while (running.poll() is None
           and not (journal.exists() and journal.read_bytes().count(b"\n") > 1)):
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, talk = running.communicate(timeout=60)
    finished = journal.read_bytes().count(b"\n") - 1  # cases that were given up do not count
    assert running.returncode == 130 and f"interrupted after {finished} of 4 cases; " in talk, talk
    assert (finished < 4 and "add --resume to the same command" in talk
            and b'"failed"' not in journal.read_bytes())
    assert not (tmp_path / "results.json").exists()
    done = assay(*command, "--resume", "--json", timeout=120)
    assert "taken from the journal" in done.stderr and strict(done.stdout)["num_samples"] == 4


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path, model, data, monkeypatch):
    room, worker = tmp_path / "room", tmp_path / "worker.sh"
    room.mkdir()
    worker.write_text(
        """echo '{"protocol":1,"name":"mute","version":"1"}'\nwhile read -r line; do :; done\n"""
    )
    monkeypatch.setenv("TMPDIR", str(room))
    running = subprocess.Popen([PROGRAM, "evaluate", str(data), "--command", f"sh {worker}",
                                "--no-cache"], stderr=subprocess.DEVNULL)
    while running.poll() is None and len(list(room.glob("*/.assay-temporary"))) < 2:
        time.sleep(0.01)
    assert running.poll() is None  # one folder for the program, one for what is scored
    running.kill()
    running.wait()
    assert len(list(room.iterdir())) == 2
    evaluate(model, data)
    assert not list(room.iterdir())


@pytest.mark.parametrize("space", ["native", "model"])
def test_an_unreadable_reference_is_not_the_models_fault(tmp_path, model, data, space):
    """It does not count as worst, in whichever space, and no message shows where the data lie."""
    (data / "labelsTs/case_2.nii.gz").write_bytes(b"broken")
    result = evaluate(model, data, "--space", space, "--missing", "worst", status=3)
    assert result["ledger"]["failed"] == 1
    assert (result["metrics"]["dice"]["n"] == 3
            and "mean_missing_as_worst" not in result["metrics"]["dice"])
    error = result["cases"][1]["error"]
    assert error.startswith("reference case_2.nii.gz: ") and str(tmp_path) not in error
