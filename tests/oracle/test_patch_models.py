"""ONNX models of several channels, patches and half precision, in ONNX Runtime against NumPy.

Skipped where npm or the network is missing.
"""
import json

import nibabel
import numpy
import pytest

from networks import onnx_convolution
from support import assay, save, strict
from windows import convolution, sliding_window

SHAPE = (17, 14, 11)


def weights_of(outputs, inputs, seed=2):
    rng = numpy.random.default_rng(seed)
    return rng.normal(size=(outputs, inputs, 3, 3, 3)), rng.normal(size=outputs)


def channels(folder, count, shape=SHAPE, name="case"):
    image = numpy.random.default_rng(5).normal(size=(count, *shape)).astype("f4")
    for number, voxels in enumerate(image):
        save(folder / f"{name}_{number:04}.nii.gz", voxels)
    return image


def predict(folder, model, images, library, *options, recipe="none"):
    assay("predict", model, images, "--recipe", recipe, "--onnxruntime", library, "--out",
          folder / "out", "--save-logits", "--no-cache", "--backend", "onnx", *options)
    return (numpy.load(folder / "out/case.npy"),
            numpy.asarray(nibabel.load(folder / "out/case.nii.gz").dataobj))


@pytest.mark.parametrize("axes", ["xyz", "zyx"])
@pytest.mark.parametrize("window,mirror", [(None, ""), ((8, 6, 5), ""), ((24, 8, 8), "xyz")])
def test_channels_and_windows(tmp_path, library, axes, window, mirror):
    weights, bias = weights_of(3, 4)
    model = onnx_convolution(tmp_path / "net.onnx", weights, bias)
    image = channels(tmp_path / "images", 4)
    recipe = tmp_path / "r.toml"
    recipe.write_text(f'axes = "{axes}"\n')
    options = ["--window", ",".join(map(str, window))] if window else []
    options += ["--mirror", mirror] if mirror else []
    found, labels = predict(tmp_path, model, tmp_path / "images", library, *options, recipe=recipe)
    # The tensor's axes are x, y, z or z, y, x: then its kernels are turned as well.
    net = convolution(weights if axes == "xyz" else weights.transpose(0, 1, 4, 3, 2), bias)
    truth = (sliding_window(image, net, window, mirror=["xyz".index(a) for a in mirror])
             if window else net(image))
    assert numpy.abs(found - truth).max() < 1e-4 * numpy.abs(truth).max()
    best = numpy.sort(truth, axis=0)
    clear = best[-1] - best[-2] > 1e-3
    assert (labels == truth.argmax(0))[clear].all()


def test_a_fixed_patch_slides_over_any_image(tmp_path, library):
    weights, bias = weights_of(2, 1)
    model = onnx_convolution(tmp_path / "net.onnx", weights, bias, sides=(8, 6, 4))
    image = channels(tmp_path / "images", 1)
    path = tmp_path / "images/case_0000.nii.gz"
    path.rename(path.with_name("case.nii.gz"))
    done = assay("predict", model, tmp_path / "images", "--recipe", "none", "--backend", "onnx",
                 "--onnxruntime", library, "--out", tmp_path / "out", status=2)
    assert ("takes volumes of 8x6x4 voxels only, and this one has 17x14x11" in done.stderr
            and "--window 8,6,4" in done.stderr)
    found, _ = predict(tmp_path, model, tmp_path / "images", library, "--window", "8,6,4")
    truth = sliding_window(image, convolution(weights, bias), (8, 6, 4))
    assert numpy.abs(found - truth).max() < 1e-5 * max(1, numpy.abs(truth).max())


@pytest.mark.parametrize("window", [None, (8, 8, 8)])
def test_half_precision(tmp_path, library, window):
    weights, bias = weights_of(2, 2)
    weights, bias = weights.astype("f2"), bias.astype("f2")
    model = onnx_convolution(tmp_path / "half.onnx", weights, bias, dtype="float16")
    image = channels(tmp_path / "images", 2)
    options = ["--window", "8,8,8"] if window else []
    found, labels = predict(tmp_path, model, tmp_path / "images", library, *options)
    net = convolution(weights, bias)
    rounded = image.astype("f2")
    truth = sliding_window(rounded, net, window) if window else net(rounded)
    assert numpy.abs(found - truth).max() < 2e-3 * numpy.abs(truth).max()
    clear = numpy.abs(truth[0] - truth[1]) > 0.05
    assert (labels == truth.argmax(0))[clear].all() and clear.mean() > 0.8


@pytest.mark.parametrize("end", [None, "Sigmoid"])
def test_regions_as_in_brats(tmp_path, library, end):
    """Outputs TC, WT and ET become the labels 1, 2 and 4; one command scores them."""
    weights, bias = weights_of(3, 4)
    model = onnx_convolution(tmp_path / "brats/model.onnx", weights, bias, end=end)
    (tmp_path / "brats/recipe.toml").write_text(
        'channels = 4\nintensity = "zscore_nonzero"\nwindow = [8, 8, 8]\n'
        'window_weights = "constant"\nregions = ["TC=1,4", "WT=1,2,4", "ET=4"]\n')
    data = tmp_path / "Dataset001_BraTS"
    image = channels(data / "imagesTs", 4)
    scaled = (image - image.mean((1, 2, 3), keepdims=True)) / image.std((1, 2, 3), keepdims=True)
    net = convolution(weights, bias)
    wrapped = net if end is None else lambda patch: 1 / (1 + numpy.exp(-net(patch)))
    truth = sliding_window(scaled, wrapped, (8, 8, 8), kind="constant") - (0 if end is None
                                                                           else 0.5)
    core, whole, active = truth > 0
    expected = numpy.select([active, core, whole], [4, 1, 2], 0)
    save(data / "labelsTs/case.nii.gz", expected.astype("u1"))
    done = assay("evaluate", model, data, "--onnxruntime", library, "--json", "--metrics", "dice",
                 "--save-predictions", tmp_path / "kept")
    found = numpy.asarray(nibabel.load(tmp_path / "kept/case.nii.gz").dataobj)
    clear = (numpy.abs(truth) > 1e-3).all(0)
    assert (found == expected)[clear].all() and set(numpy.unique(found)) == {0, 1, 2, 4}
    result = strict(done.stdout)
    assert list(result["labels"]) == ["TC", "WT", "ET"] and result["metrics"]["dice"]["mean"] > 0.99
    assert "note: regions from the recipe: TC, WT, ET" in done.stderr


def test_probabilities_without_sigmoid_are_not_guessed(tmp_path, library):
    weights, bias = numpy.zeros((2, 1, 3, 3, 3)), [0.25, 0.75]
    model = onnx_convolution(tmp_path / "net.onnx", weights, bias)
    channels(tmp_path / "images", 1)
    recipe = tmp_path / "r.toml"
    recipe.write_text('regions = ["a=1", "b=2"]\n')
    done = assay("predict", model, tmp_path / "images", "--recipe", recipe, "--backend", "onnx",
                 "--onnxruntime", library, "--out", tmp_path / "out", status=2)
    assert "has 2 channels with values from 0 to 1, but does not end in Sigmoid" in done.stderr


def test_the_number_of_channels_is_the_models(tmp_path, library):
    weights, bias = weights_of(2, 3)
    model = onnx_convolution(tmp_path / "net.onnx", weights, bias)
    channels(tmp_path / "images", 2)
    run = ["predict", model, tmp_path / "images", "--onnxruntime", library, "--out",
           tmp_path / "out"]
    done = assay(*run, "--recipe", "none", status=2)
    assert "the image lacks a channel: there is no" in done.stderr
    assert "case_0002.nii.gz" in done.stderr
    recipe = tmp_path / "two.json"
    recipe.write_text(json.dumps({"channels": 2}))
    done = assay(*run, "--recipe", recipe, status=2)
    assert "the recipe two says 2 channels, but the model takes 3" in done.stderr
    save(tmp_path / "alone.nii.gz", numpy.ones(SHAPE, "f4"))
    done = assay("predict", model, tmp_path / "alone.nii.gz", "--recipe", "none", "--onnxruntime",
                 library, "--out", tmp_path / "out", status=2)
    assert ("the image has 1 channel (alone.nii.gz), but the model takes 3; give one file for each"
            in done.stderr)
