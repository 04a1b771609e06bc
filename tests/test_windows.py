"""Models of patches: windows and flips of our own engine against NumPy."""
import nibabel
import numpy
import pytest

from networks import safetensors
from support import assay, save, strict
from windows import convolution, sliding_window

SHAPE = (21, 18, 13)
OF_NETWORK = ("--dilations", "1", "--activation", "none")


@pytest.fixture
def network(tmp_path):
    """One hidden layer and a classifier: together a 3x3x3 convolution with two outputs."""
    rng = numpy.random.default_rng(4)
    kernel, last, bias = rng.normal(size=(1, 1, 3, 3, 3)), rng.normal(size=2), rng.normal(size=2)
    model = safetensors(tmp_path / "model/net.safetensors",
                        {"0.weight": kernel, "0.bias": [0.25],
                         "1.weight": last.reshape(2, 1, 1, 1, 1), "1.bias": bias})
    weights = last.reshape(2, 1, 1, 1, 1) * kernel
    return model, convolution(weights, last * 0.25 + bias)


def image(folder, shape=SHAPE):
    voxels = numpy.random.default_rng(1).random(shape).astype("f4")
    return save(folder / "image.nii.gz", voxels), voxels


def scores(folder, model, path, *options, recipe="none"):
    out = folder / "out"
    assay("predict", model, path, "--recipe", recipe, *OF_NETWORK, "--out", out, "--save-logits",
          "--no-cache", *options)
    return numpy.load(out / "image.npy"), numpy.asarray(
        nibabel.load(out / "image.nii.gz").dataobj)


@pytest.mark.parametrize("window,overlap,kind,mirror", [
    ((8, 8, 8), 0.5, "gaussian", ""),
    ((8, 8, 8), 0.5, "constant", ""),
    ((7, 9, 5), 0.25, "gaussian", ""),
    ((9, 6, 4), 0.0, "gaussian", ""),
    ((9, 6, 13), 0.7, "constant", ""),
    ((32, 18, 15), 0.5, "gaussian", ""),
    ((32, 32, 32), 0.5, "constant", "xyz"),
    ((8, 8, 8), 0.5, "gaussian", "xyz"),
    ((10, 5, 6), 0.6, "gaussian", "xz"),
])
def test_scores_are_those_of_numpy(tmp_path, network, window, overlap, kind, mirror):
    model, net = network
    path, voxels = image(tmp_path)
    options = ["--window", ",".join(map(str, window)), "--overlap", overlap, "--window-weights",
               kind, "--mirror", mirror or "none"]
    found, labels = scores(tmp_path, model, path, *options)
    truth = sliding_window(voxels[None], net, window, overlap, kind, ["xyz".index(a) for a in
                                                                    mirror])
    assert numpy.abs(found - truth).max() < 1e-5
    clear = numpy.abs(truth[0] - truth[1]) > 1e-4
    assert (labels == truth.argmax(0))[clear].all() and clear.mean() > 0.9


def test_without_a_window_flips_are_of_the_whole_image(tmp_path, network):
    model, net = network
    path, voxels = image(tmp_path)
    found, _ = scores(tmp_path, model, path, "--mirror", "y")
    truth = (net(voxels[None]) + net(voxels[None, :, ::-1])[:, :, ::-1]) / 2
    assert numpy.abs(found - truth).max() < 1e-5


def test_the_recipe_says_it_and_the_command_line_has_the_last_word(tmp_path, network):
    model, _ = network
    path, _ = image(tmp_path)
    recipe = tmp_path / "patches.toml"
    recipe.write_text('window = [8, 8, 8]\noverlap = 0.25\nwindow_weights = "constant"\n'
                      'mirror = "x"\n')
    by_recipe, _ = scores(tmp_path, model, path, recipe=recipe)
    by_hand, _ = scores(tmp_path, model, path, "--window", "8,8,8", "--overlap", 0.25,
                        "--window-weights", "constant", "--mirror", "x")
    assert by_recipe.tobytes() == by_hand.tobytes()
    changed, _ = scores(tmp_path, model, path, "--overlap", 0.5, "--window-weights", "gaussian",
                        "--mirror", "none", recipe=recipe)
    other, _ = scores(tmp_path, model, path, "--window", "8,8,8")
    assert changed.tobytes() == other.tobytes() != by_recipe.tobytes()
    shown = assay("recipe", "show", recipe).stdout
    assert "8x8x8, overlap 0.25, constant weights, mean over all flips of x" in shown


def test_jobs_do_not_change_a_bit(tmp_path, network):
    model, _ = network
    path, _ = image(tmp_path, (40, 33, 29))
    one, two = (scores(tmp_path, model, path, "--window", "16,16,16", "--mirror", "xy", "--jobs",
                       jobs)[0] for jobs in (1, 3))
    assert one.tobytes() == two.tobytes()


def test_another_window_is_another_prediction(tmp_path, network):
    """The cache must not give one for the other."""
    model, _ = network
    path, _ = image(tmp_path)
    run = ["predict", model, path, "--recipe", "none", *OF_NETWORK, "--out", tmp_path / "out",
           "--cache", tmp_path / "cache", "--json"]
    for options, known in (([], False), (["--window", "8,8,8"], False), (["--window", "8,8,8"],
                                                                         True)):
        found = strict(assay(*run, *options).stdout)["images"][0]["from_cache"]
        assert found is known


@pytest.mark.parametrize("options,said", [
    (["--window", "8,8"], "--window takes three sizes along x, y and z"),
    (["--window", "8,8,0"], "window must be three whole numbers of 1 or more"),
    (["--window", "8,8,8", "--overlap", "1"], "overlap must be 0 or more, and below 1"),
    (["--overlap", "0.5"], "--overlap and --window-weights are about windows"),
    (["--mirror", "xa"], "--mirror must be the letters of axes"),
])
def test_what_cannot_be_meant_is_refused(tmp_path, network, options, said):
    path, _ = image(tmp_path)
    done = assay("predict", network[0], path, "--recipe", "none", *OF_NETWORK, *options, "--out",
                 tmp_path / "out", status=2)
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_program_slides_its_own_windows(tmp_path):
    path, _ = image(tmp_path)
    done = assay("predict", path, "--command", "cat", "--window", "8,8,8", "--out",
                 tmp_path / "out", status=2)
    assert "a program gives labels, and windows, mirroring and regions need scores" in done.stderr
