"""assay predict: labels of a network on the grids of the images, checked against what is known."""
import json

import nibabel
import numpy
import pytest

from networks import OF_THRESHOLD, safetensors, threshold_network
from support import assay, save, strict

SHAPE = (9, 8, 7)


@pytest.fixture
def model(tmp_path):
    return threshold_network(tmp_path / "model/weights.safetensors")


def image(path, seed=0, affine=None, shape=SHAPE, scale=1):
    return save(path, (numpy.random.default_rng(seed).random(shape) * scale).astype("f4"), affine)


def predict(model, *arguments, recipe="none", status=0, json_out=True):
    flags = ("--json",) if json_out else ()
    done = assay("predict", model, *arguments, "--recipe", recipe, *OF_THRESHOLD, *flags,
                 status=status)
    return strict(done.stdout) if json_out and done.stdout else done


def voxels(path):
    return numpy.asarray(nibabel.load(path).dataobj)


def test_labels_are_on_the_grid_of_the_image(tmp_path, model):
    affine = numpy.diag([-2, 1.5, 3, 1.0])
    affine[:3, 3] = 5, -6, 7
    one = image(tmp_path / "a.nii.gz", 1, affine)
    out = predict(model, one, "--out", tmp_path / "out")
    found = nibabel.load(tmp_path / "out/a.nii.gz")
    assert numpy.allclose(found.affine, affine)
    assert (voxels(tmp_path / "out/a.nii.gz") == (voxels(one) > 0.5)).all()
    assert (out["schema"] == "assay.prediction/1"
            and out["settings"]["backend"].startswith("meshnet"))
    [entry] = out["images"]
    expected = int((voxels(one) > 0.5).sum())
    assert entry["classes"]["1"]["voxels"] == expected
    assert entry["classes"]["1"]["ml"] == pytest.approx(expected * 9 / 1000)


def test_minmax_scales_what_the_network_sees(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 2, scale=1000)
    predict(model, one, "--out", tmp_path / "out", recipe="minmax")
    x = voxels(one).astype("f8")
    scaled = (x - x.min()) / (x.max() - x.min())
    assert (voxels(tmp_path / "out/a.nii.gz") == (scaled > 0.5)).all()


def test_a_folder_keeps_its_shape(tmp_path, model):
    image(tmp_path / "images/sub-1/t1.nii.gz", 1)
    image(tmp_path / "images/sub-2/t1.nii.gz", 2)
    predict(model, tmp_path / "images", "--out", tmp_path / "out")
    assert ((tmp_path / "out/sub-1/t1.nii.gz").exists()
            and (tmp_path / "out/sub-2/t1.nii.gz").exists())


def test_nothing_is_inferred_twice(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 3)
    cache = ("--cache", tmp_path / "cache")
    first = predict(model, one, "--out", tmp_path / "one", *cache)
    second = predict(model, one, "--out", tmp_path / "two", *cache)
    assert [r["images"][0]["from_cache"] for r in (first, second)] == [False, True]
    assert (tmp_path / "one/a.nii.gz").read_bytes() == (tmp_path / "two/a.nii.gz").read_bytes()
    # Another model, another recipe, another image, no cache: each is inferred anew.
    other = threshold_network(tmp_path / "other.safetensors", 0.25)
    for arguments, recipe in (((other, one), "none"), ((model, one), "minmax"),
                              ((model, image(tmp_path / "b.nii.gz", 4)), "none")):
        again = predict(*arguments, "--out", tmp_path / "three", *cache, recipe=recipe)
        assert again["images"][0]["from_cache"] is False
    assert predict(model, one, "--out", tmp_path / "four",
                   "--no-cache")["images"][0]["from_cache"] is False


def test_a_damaged_cache_is_not_believed(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 3)
    cache = ("--cache", tmp_path / "cache")
    predict(model, one, "--out", tmp_path / "one", *cache)
    [kept] = (tmp_path / "cache").glob("*/*.nii.gz")
    kept.write_bytes(kept.read_bytes()[:40])
    again = predict(model, one, "--out", tmp_path / "two", *cache)
    assert again["images"][0]["from_cache"] is False
    assert (tmp_path / "one/a.nii.gz").read_bytes() == (tmp_path / "two/a.nii.gz").read_bytes()


def test_one_bad_image_does_not_stop_the_others(tmp_path, model):
    good = image(tmp_path / "good.nii.gz", 1)
    bad = tmp_path / "bad.nii.gz"
    bad.write_bytes(b"no image")
    four = save(tmp_path / "four.nii.gz", numpy.zeros((4, 4, 4, 3), "f4"))
    nan = save(tmp_path / "nan.nii.gz", numpy.full(SHAPE, numpy.nan, "f4"))
    constant = save(tmp_path / "constant.nii.gz", numpy.full(SHAPE, 7, "f4"))
    done = assay("predict", model, good, bad, four, nan, constant, "--recipe", "minmax",
                 *OF_THRESHOLD, "--out", tmp_path / "out", status=3)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["good.nii.gz"]
    for name in ("bad", "four", "nan", "constant"):
        assert f"{name}.nii.gz" in done.stderr
    assert done.stderr.count("not predicted:") == 4


def test_check_against_labels(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 1)
    right = (voxels(one) > 0.5).astype("u1")
    same = save(tmp_path / "same.nii.gz", right)
    out = predict(model, one, "--check-against", same)
    assert (out["images"][0]["check"]["differing"] == 0
            and out["images"][0]["check"]["voxels"] == right.size)
    wrong = right.copy()
    wrong[0, 0, :3] ^= 1
    out = predict(model, one, "--check-against", save(tmp_path / "wrong.nii.gz", wrong), status=1)
    assert out["images"][0]["check"]["differing"] == 3
    elsewhere = save(tmp_path / "elsewhere.nii.gz", right[1:])
    assert ("lies neither on the image's grid"
            in predict(model, one, "--check-against", elsewhere, status=2, json_out=False).stderr)


def test_check_against_logits(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 1)
    x = voxels(one)
    logits = numpy.stack([numpy.full_like(x, 0.5), x])
    numpy.save(tmp_path / "logits.npy", logits)
    check = predict(model, one, "--check-against", tmp_path / "logits.npy")["images"][0]["check"]
    assert check["differing"] == 0 and check["greatest_logit_difference"] < 1e-6
    logits[1, 2, 3, 4] += 0.25
    numpy.save(tmp_path / "logits.npy", logits)
    out = assay("predict", model, one, "--recipe", "none", *OF_THRESHOLD, "--check-against",
                tmp_path / "logits.npy", "--json",
                status=int((x[2, 3, 4] > 0.5) != (x[2, 3, 4] + 0.25 > 0.5)))
    assert (strict(out.stdout)["images"][0]["check"]["greatest_logit_difference"]
            == pytest.approx(0.25, abs=1e-6))


def test_saved_logits_are_what_the_network_said(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 1)
    predict(model, one, "--out", tmp_path / "out", "--save-logits")
    found, x = numpy.load(tmp_path / "out/a.npy"), voxels(one)
    assert found.shape == (2, *SHAPE)
    assert numpy.allclose(found[0], 0.5) and numpy.allclose(found[1], x, atol=1e-6)


@pytest.mark.parametrize("arguments,message", [
    ((), "give a model"),
    (("MODEL",), "give an image"),
    (("MODEL", "IMAGE"), "give a folder for the predictions"),
    (("MODEL", "absent.nii.gz", "--out", "x"), "no such image or folder"),
    (("MODEL", "IMAGE", "IMAGE", "--out", "x"), "two images are called"),
    (("MODEL", "IMAGE", "--out", "x", "--recipe", "arc-meshchopp"), "arc-meshchop"),
    (("MODEL", "IMAGE", "--out", "x"), "give --recipe"),
    (("IMAGE", "IMAGE", "--out", "x", "--recipe", "none"), "a.nii.gz"),
])
def test_what_cannot_be_meant_is_refused(tmp_path, model, arguments, message):
    one = image(tmp_path / "a.nii.gz")
    words = [{"MODEL": model, "IMAGE": one}.get(a, a) for a in arguments]
    if "--recipe" not in words and message in ("give a folder for the predictions",):
        words += ["--recipe", "none"]
    done = assay("predict", *words, *OF_THRESHOLD, cwd=tmp_path, status=2)
    assert message in done.stderr and "terminate" not in done.stderr
    assert not (tmp_path / "x").exists() or not any((tmp_path / "x").iterdir())


def test_a_prediction_never_replaces_its_image(tmp_path, model):
    one = image(tmp_path / "a.nii.gz", 1)
    before = one.read_bytes()
    assert "is an input of this run" in predict(
        model, one, "--out", tmp_path, status=2, json_out=False).stderr
    assert one.read_bytes() == before


def test_a_recipe_beside_the_model_is_found(tmp_path, model):
    (model.parent / "recipe.json").write_text(json.dumps({"extends": "minmax"}))
    one = image(tmp_path / "a.nii.gz", 2, scale=1000)
    done = assay("predict", model, one, *OF_THRESHOLD, "--out", tmp_path / "out")
    assert "found next to the model" in done.stderr
    x = voxels(one).astype("f8")
    assert (voxels(tmp_path / "out/a.nii.gz") == ((x - x.min()) / (x.max() - x.min()) > 0.5)).all()


def test_what_is_assumed_of_arrays_is_said_once(tmp_path, model):
    x = numpy.random.default_rng(1).random(SHAPE).astype("f4")
    (tmp_path / "images").mkdir()
    for name in "abc":
        numpy.save(tmp_path / f"images/{name}.npy", x)
    recipe = tmp_path / "zoom.toml"
    recipe.write_text('name = "zoom"\ngrid = "zoom"\n')
    run = ("predict", model, tmp_path / "images", *OF_THRESHOLD, "--out", tmp_path / "out",
           "--json")
    done = assay(*run, "--recipe", recipe)
    assert done.stderr.count("warning: ") == 1
    assert (
        "a.npy and 2 more: the image is an array and has no grid: it was taken as RAS with voxels"
        " of 1 mm; give a NIfTI or NRRD"
        in done.stderr
    )
    assert all("taken as RAS" in entry["warnings"][0] for entry in strict(done.stdout)["images"])
    assert "warning" not in assay(*run, "--recipe", recipe, "--quiet").stderr
    done = assay(*run, "--recipe", "none")
    assert "warning" not in done.stderr and "warnings" not in done.stdout


def test_an_array_is_indexed_as_numpy_indexes_it(tmp_path):
    """A kernel that looks along one axis tells whether axes were exchanged."""
    kernel = numpy.zeros((1, 1, 3, 3, 3))
    # the next voxel along the tensor's first axis: x, with the recipe's axes
    kernel[0, 0, 2, 1, 1] = 1
    model = safetensors(tmp_path / "model/weights",
                        {"0.weight": kernel, "0.bias": [0],
                         "1.weight": numpy.reshape([0, 1], (2, 1, 1, 1, 1)), "1.bias": [0.5, 0]})
    x = numpy.random.default_rng(1).random(SHAPE).astype("f4")
    numpy.save(tmp_path / "a.npy", x)
    save(tmp_path / "b.nii.gz", x)
    predict(model, tmp_path / "a.npy", tmp_path / "b.nii.gz", "--out", tmp_path / "out")
    expected = numpy.zeros(SHAPE, bool)
    expected[:-1] = x[1:] > 0.5
    assert ((voxels(tmp_path / "out/a.nii.gz") == expected).all()
            and (voxels(tmp_path / "out/b.nii.gz") == expected).all())


def test_a_models_name_is_no_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    worker = tmp_path / "worker.py"
    worker.write_text("""import json, shutil, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("hello"):
        open(sys.argv[1]).close()
        answer = {"protocol": 1, "name": "n", "version": "1", "classes": 2, "device": "cpu"}
    else:
        shutil.copy(asked["image"], asked["output"])
        answer = {"ok": True}
    print(json.dumps(answer), flush=True)
""")
    one = save(tmp_path / "a.nii.gz", numpy.zeros(SHAPE, "u1"))
    for name in ("m;touch PWNED", "$(touch PWNED)", "`touch PWNED` | &"):
        (tmp_path / name).write_text("")
        assay("predict", name, one, "--command", f"/usr/bin/python3 {worker} {{model}}", "--out",
              tmp_path / "out", "--no-cache")
    assert not list(tmp_path.rglob("PWNED"))
