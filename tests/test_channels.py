"""Images of several channels: one case made of several files, given to programs as a list."""
import json

import nibabel
import numpy
import pytest

from networks import OF_THRESHOLD, threshold_network
from support import assay, save, strict

SHAPE = (9, 8, 7)
IDS = ["a", "b", "c"]

WORKER = """
import json, sys
import nibabel, numpy
said = {"channels": int(sys.argv[1])} if len(sys.argv) > 1 else {}
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("hello"):
        answer = {"protocol": 1, "name": "difference", "version": "1", "classes": 2, **said}
    elif "images" not in asked:
        answer = {"error": "one image only"}
    else:
        first, second = (nibabel.load(path) for path in asked["images"])
        mask = (first.get_fdata() > second.get_fdata()).astype("u1")
        nibabel.save(nibabel.Nifti1Image(mask, first.affine), asked["output"])
        answer = {"ok": True}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def command(tmp_path):
    (tmp_path / "worker.py").write_text(WORKER)
    return f"/usr/bin/python3 {tmp_path / 'worker.py'}"


@pytest.fixture
def data(tmp_path):
    """Two channels; the reference is where the first is larger than the second, with errors."""
    folder = tmp_path / "Dataset001_Two"
    for seed, name in enumerate(IDS):
        rng = numpy.random.default_rng(seed)
        one, two = rng.random((2, *SHAPE)).astype("f4")
        save(folder / f"imagesTs/{name}_0000.nii.gz", one)
        save(folder / f"imagesTs/{name}_0001.nii.gz", two)
        save(folder / f"labelsTs/{name}.nii.gz",
             ((one > two) ^ (rng.random(SHAPE) < 0.1)).astype("u1"))
    return folder


def voxels(path):
    return numpy.asarray(nibabel.load(path).dataobj)


def evaluate(*arguments, status=0):
    return strict(assay("evaluate", *arguments, "--json", "--no-cache", status=status).stdout)


def test_numbered_files_are_one_case(tmp_path, data, command):
    found = evaluate(data, "--command", command, "--save-predictions", tmp_path / "kept")
    assert [case["id"] for case in found["cases"]] == IDS
    assert found["cases"][0]["image"] == "a_0000.nii.gz"
    for name in IDS:
        expected = (voxels(data / f"imagesTs/{name}_0000.nii.gz")
                    > voxels(data / f"imagesTs/{name}_0001.nii.gz"))
        assert (voxels(tmp_path / f"kept/{name}.nii.gz") == expected).all()
    again = evaluate(data, "--command", f"{command} 2")
    assert again["metrics"] == found["metrics"]


def test_a_table_lists_channels(tmp_path, data, command):
    table = tmp_path / "cases.csv"
    table.write_text("id,image,reference\n" + "".join(
        f"{n},imagesTs/{n}_0000.nii.gz;imagesTs/{n}_0001.nii.gz,labelsTs/{n}.nii.gz\n"
        for n in IDS))
    folders = evaluate(data, "--command", command)
    listed = evaluate(table, "--images", data, "--ref", data, "--command", command)
    assert listed["metrics"] == folders["metrics"]
    assert listed["cases"][0]["image"] == "imagesTs/a_0000.nii.gz"
    (data / "imagesTs/b_0001.nii.gz").unlink()
    listed = evaluate(table, "--images", data, "--ref", data, "--command", command, status=3)
    assert "'b_0001.nii.gz' of the manifest does not exist" in listed["cases"][1]["error"]


def test_a_channel_that_is_missing_fails_its_case_by_name(data, command):
    (data / "imagesTs/b_0001.nii.gz").unlink()
    found = evaluate(data, "--command", command, status=3)
    assert [case["status"] for case in found["cases"]] == ["ok", "failed", "ok"]
    assert (found["cases"][1]["error"]
            == "the image lacks a channel: there is no b_0001.nii.gz")


def test_dataset_json_says_how_many_channels_and_which_labels(data, command):
    (data / "dataset.json").write_text(json.dumps({
        "channel_names": {"0": "T1", "1": "T2", "2": "FLAIR"},
        "labels": {"background": 0, "lesion": 1}}))
    done = assay("evaluate", data, "--command", command, "--json", "--no-cache", status=2)
    assert "there is no a_0002.nii.gz" in done.stderr
    for name in IDS:
        save(data / f"imagesTs/{name}_0002.nii.gz", numpy.zeros(SHAPE, "f4"))
    done = assay("evaluate", data, "--command", f"{command} 2", "--json", "--no-cache", status=2)
    assert "the image has 3 channels (a_0000.nii.gz, a_0001.nii.gz, a_0002.nii.gz), " \
           "but the model takes 2" in done.stderr
    (data / "dataset.json").write_text(json.dumps({
        "channel_names": {"0": "T1", "1": "T2"}, "labels": {"background": 0, "lesion": 1}}))
    for name in IDS:
        (data / f"imagesTs/{name}_0002.nii.gz").unlink()
    done = assay("evaluate", data, "--command", command, "--json", "--no-cache")
    assert list(strict(done.stdout)["labels"]) == ["1"] and "dataset.json" in done.stderr


def test_channels_on_different_grids_are_refused_with_both(data, command):
    path = data / "imagesTs/b_0001.nii.gz"
    save(path, voxels(path), numpy.diag([2.0, 1, 1, 1]))
    found = evaluate(data, "--command", command, status=3)
    error = found["cases"][1]["error"]
    assert "the channels are on different grids: b_0000.nii.gz on 9x8x7" in error
    assert "b_0001.nii.gz on 9x8x7 voxels of 2x1x1 mm" in error


def test_a_model_of_one_channel_does_not_guess(tmp_path, data):
    model = threshold_network(tmp_path / "model/tiny.safetensors")
    done = assay("evaluate", model, data, "--recipe", "none", *OF_THRESHOLD, status=2)
    assert "several images fit, such as a_0000.nii.gz and a_0001.nii.gz" in done.stderr
    found = evaluate(model, data, "--recipe", "none", *OF_THRESHOLD, "--pred-pattern",
                     "{id}_0000.nii.gz")
    assert found["num_samples"] == 3


def test_cases_with_numbers_of_four_digits_stay_cases(tmp_path):
    """sub_0000 and sub_0001 have references of the same names, so they are not channels."""
    model = threshold_network(tmp_path / "model/tiny.safetensors")
    worker = tmp_path / "one.py"
    worker.write_text(WORKER.replace('"images" not in asked', 'False').replace(
        'first, second = (nibabel.load(path) for path in asked["images"])',
        'first = nibabel.load(asked["image"])').replace("second.get_fdata()", "0.5"))
    for number in range(3):
        x = numpy.random.default_rng(number).random(SHAPE).astype("f4")
        save(tmp_path / f"data/images/sub_{number:04}.nii.gz", x)
        save(tmp_path / f"data/labels/sub_{number:04}.nii.gz", (x > 0.4).astype("u1"))
    ours = evaluate(model, tmp_path / "data", "--recipe", "none", *OF_THRESHOLD)
    theirs = evaluate(tmp_path / "data", "--command", f"/usr/bin/python3 {worker}")
    assert ours["num_samples"] == 3 and theirs["metrics"] == ours["metrics"]


def test_resumption_notices_a_changed_channel(tmp_path, data, command):
    run = ["evaluate", data, "--command", command, "--no-cache", "--out", tmp_path / "r.json"]
    assay(*run)
    assert "this run is complete" in assay(*run, "--resume").stderr
    save(data / "imagesTs/b_0001.nii.gz", numpy.zeros(SHAPE, "f4"))
    assert "this run is complete" not in assay(*run, "--resume").stderr


def test_the_report_shows_the_first_channel(tmp_path, data, command):
    results = tmp_path / "r.json"
    assay("evaluate", data, "--command", command, "--out", results, "--save-predictions",
          tmp_path / "kept")
    done = assay("report", results, "--out", tmp_path / "report.html", "--cases", "a")
    assert "not the file that was scored" not in done.stderr and "is not found" not in done.stderr


def test_predictions_are_named_after_the_image(tmp_path, data, command):
    out = tmp_path / "out"
    run = ["--command", f"{command} 2", "--no-cache", "--out", out]
    assay("predict", data / "imagesTs", *run)
    assert sorted(path.name for path in out.iterdir()) == [f"{n}.nii.gz" for n in IDS]
    one, two = (data / f"imagesTs/a_{number}.nii.gz" for number in ("0000", "0001"))
    expected = voxels(one) > voxels(two)
    assert (voxels(out / "a.nii.gz") == expected).all()
    for words in ([one, two], [f"{one};{two}"]):
        target = tmp_path / f"out{len(words)}"
        assay("predict", *words, *run[:-1], target)
        [written] = target.iterdir()
        assert (voxels(written) == expected).all()
    two.unlink()
    done = assay("predict", data / "imagesTs", *run, status=3)
    assert "the image lacks a channel: there is no" in done.stderr
    assert "a_0001.nii.gz" in done.stderr


def test_the_volumes_of_one_file_are_channels_where_the_recipe_says_so(tmp_path, data, command):
    flat = evaluate(data, "--command", command)
    for name in IDS:
        both = [data / f"imagesTs/{name}_{number}.nii.gz" for number in ("0000", "0001")]
        save(data / f"imagesTs/{name}.nii.gz", numpy.stack([voxels(p) for p in both], -1))
        for path in both:
            path.unlink()
    recipe = tmp_path / "volumes.toml"
    recipe.write_text("volumes_are_channels = true\nchannels = 2\n")
    found = evaluate(data, "--command", command, "--recipe", recipe)
    assert found["metrics"] == flat["metrics"]
    recipe.write_text("volumes_are_channels = true\nchannels = 4\n")
    done = assay("evaluate", data, "--command", command, "--recipe", recipe, status=2)
    assert "has 2 volumes, but the recipe says 4 channels" in done.stderr


def test_each_channel_is_scaled_by_itself(tmp_path, data):
    """The program gets what the recipe made: z-scores of one channel, the other as it is."""
    worker = tmp_path / "keep.py"
    worker.write_text("""
import json, shutil, sys
import nibabel, numpy
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("hello"):
        answer = {"protocol": 1, "name": "keep", "version": "1"}
    else:
        for number, path in enumerate(asked["images"]):
            shutil.copy(path, f"{sys.argv[1]}/{number}.nii")
        image = nibabel.load(asked["images"][0])
        nibabel.save(nibabel.Nifti1Image(numpy.zeros(image.shape, "u1"), image.affine),
                     asked["output"])
        answer = {"ok": True}
    print(json.dumps(answer), flush=True)
""")
    recipe = tmp_path / "two.toml"
    recipe.write_text('channels = 2\nintensity = ["zscore_nonzero", "fixed"]\nmean = [0, 0.5]\n'
                      'standard_deviation = [1, 0.25]\nclip_values = [-1, 1, 0.25, 0.75]\n')
    x, y = (voxels(data / f"imagesTs/a_{number}.nii.gz").astype("f8") for number in ("0000",
                                                                                     "0001"))
    x[:4] = 0
    save(data / "imagesTs/a_0000.nii.gz", x.astype("f4"))
    assay("predict", data / "imagesTs/a_0000.nii.gz", data / "imagesTs/a_0001.nii.gz", "--command",
          f"/usr/bin/python3 {worker} {tmp_path}", "--recipe", recipe, "--out", tmp_path / "out")
    inside = x != 0
    expected = numpy.where(inside, (x - x[inside].mean()) / x[inside].std(), 0)
    assert numpy.abs(voxels(tmp_path / "0.nii") - expected).max() < 1e-5
    expected = (numpy.clip(y, 0.25, 0.75) - 0.5) / 0.25
    assert numpy.abs(voxels(tmp_path / "1.nii") - expected).max() < 1e-6
