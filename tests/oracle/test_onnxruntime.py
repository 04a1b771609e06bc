"""The back-end `onnx` against PyTorch, with the ONNX Runtime of the npm package onnxruntime-node.

Skipped where npm or the network is missing. Needs torch, nibabel and numpy.
"""
import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("nibabel")
from predictors import expect_labels, export, needs_program, run_predictor, scores_of, unet, volume
from support import real_data
from test_torch import arc_network, t1

pytestmark = needs_program


def relative(found, truth):
    return np.abs(found - truth).max() / np.abs(truth).max()


def as_scores(logits, shape):
    """Class by class, x fastest, as an array with x first."""
    return logits.reshape((-1, *shape[::-1])).transpose(0, 3, 2, 1)


def chain(channels=5, classes=3):
    torch.manual_seed(4)
    layers, inputs = [], 1
    for d in (1, 2, 4, 2):
        layers += [torch.nn.Conv3d(inputs, channels, 3, padding=d, dilation=d), torch.nn.ReLU()]
        torch.nn.init.kaiming_normal_(layers[-2].weight)
        inputs = channels
    net = torch.nn.Sequential(*layers, torch.nn.Conv3d(inputs, classes, 1)).eval()
    with torch.no_grad():  # so that every class occurs
        net[-1].bias -= net(torch.from_numpy(volume())[None, None]).mean((0, 2, 3, 4))
    return net


@pytest.mark.parametrize("axes", ["zyx", "xyz"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_unet_gives_the_labels_of_torch(tmp_path, library, axes, jobs):
    net, volumes = unet(), [volume(), volume((8, 20, 14), 2)]
    found = run_predictor(tmp_path, volumes, model=export(net, tmp_path / "unet.onnx"),
                          onnxruntime=library, axes=axes, jobs=jobs, logits=True)
    assert found["backend"] == "onnx" and found["errors"] == [None, None]
    for voxels, labels, logits in zip(volumes, found["labels"], found["logits"]):
        truth = scores_of(net, voxels, axes)
        assert relative(as_scores(logits, voxels.shape), truth) < 1e-5
        expect_labels(labels, truth)


@pytest.mark.parametrize("axes", ["zyx", "xyz"])
def test_our_engine_and_the_runtime_agree_on_a_chain(tmp_path, library, axes):
    net, voxels = chain(), volume((17, 12, 21))
    model = export(net, tmp_path / "chain.onnx")
    ours = run_predictor(tmp_path, [voxels], model=model, axes=axes, logits=True)
    theirs = run_predictor(tmp_path, [voxels], model=model, axes=axes, logits=True, backend="onnx",
                           onnxruntime=library)
    assert (ours["backend"], theirs["backend"]) == ("meshnet", "onnx")
    assert ours["sha256"] != theirs["sha256"]
    assert relative(ours["logits"][0], theirs["logits"][0]) < 5e-6
    truth = scores_of(net, voxels, axes)
    expect_labels(ours["labels"][0], truth)
    expect_labels(theirs["labels"][0], truth)


def test_our_engine_and_the_runtime_agree_on_trained_weights(tmp_path, library):
    net, voxels = arc_network(real_data("meshnet/arc-meshnet26-fold0-restart0.pt")), t1(48)
    model = export(net, tmp_path / "arc.onnx")
    truth = scores_of(net, voxels)
    for backend in ("meshnet", "onnx"):
        found = run_predictor(tmp_path, [voxels], model=model, backend=backend, onnxruntime=library)
        expect_labels(found["labels"][0], truth)


def test_the_hash_follows_model_and_axes(tmp_path, library):
    model, again, other = (tmp_path / f"{name}.onnx" for name in "abc")
    export(unet(), model)
    again.write_bytes(model.read_bytes())
    export(unet(classes=2), other)
    hash_of = lambda path, **more: run_predictor(
        tmp_path, [], model=path, onnxruntime=library, **more)["sha256"]
    assert hash_of(model) == hash_of(again)
    assert len({hash_of(model), hash_of(other), hash_of(model, axes="xyz")}) == 3


class Argmax(torch.nn.Module):
    def __init__(self, dtype, keep):
        super().__init__()
        self.dtype, self.keep = dtype, keep

    def forward(self, x):
        return x.argmax(1, keepdim=self.keep).to(self.dtype)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
@pytest.mark.parametrize("keep", [True, False])
def test_labels_as_the_model_gives_them(tmp_path, library, dtype, keep):
    voxels = volume()
    model = export(unet(end=Argmax(dtype, keep)), tmp_path / "labels.onnx")
    found = run_predictor(tmp_path, [voxels], model=model, onnxruntime=library, logits=True)
    assert found["errors"] == [None]
    expect_labels(found["labels"][0], scores_of(unet(), voxels))
    assert found["logits"][0].size == 0


def test_a_single_channel_with_and_without_sigmoid(tmp_path, library):
    voxels = volume()
    net = unet(classes=1)
    truth = scores_of(net, voxels)[0]
    with torch.no_grad():  # so that both labels occur
        net.last.bias -= float(np.median(truth))
    truth = scores_of(net, voxels)[0]
    clear = np.abs(truth) > 1e-5
    assert 0.3 < (truth > 0).mean() < 0.7
    for end in (torch.nn.Identity(), torch.nn.Sigmoid()):
        net.end = end
        found = run_predictor(tmp_path, [voxels], model=export(net, tmp_path / "one.onnx"),
                              onnxruntime=library)
        assert found["errors"] == [None]
        assert (found["labels"][0] == (truth > 0))[clear].all()


def test_values_between_0_and_1_without_sigmoid_are_not_guessed(tmp_path, library):
    class Scaled(torch.nn.Module):
        def forward(self, x):
            return (x - x.min()) / (x.max() - x.min())

    model = export(unet(classes=1, end=Scaled()), tmp_path / "scaled.onnx")
    found = run_predictor(tmp_path, [volume()], model=model, onnxruntime=library)
    assert "so it is unclear whether these are probabilities or logits" in found["errors"][0]


@pytest.mark.parametrize("axes,wanted", [("zyx", "8x6x4"), ("xyz", "4x6x8")])
def test_a_fixed_shape_unlike_the_image_is_refused_with_both(tmp_path, library, axes, wanted):
    net = unet()
    model = export(net, tmp_path / "fixed.onnx", shape=(1, 1, 4, 6, 8), fixed=True)
    fitting = volume((8, 6, 4) if axes == "zyx" else (4, 6, 8))
    found = run_predictor(tmp_path, [fitting, volume((12, 10, 16))], model=model,
                          onnxruntime=library, axes=axes)
    assert found["errors"][0] is None
    expect_labels(found["labels"][0], scores_of(net, fitting, axes))
    assert (
        f"takes volumes of {wanted} voxels only, and this one has 12x10x16; use a recipe with the"
        f" shape {wanted}"
        in found["errors"][1]
    )


def test_a_size_that_the_model_cannot_take_fails_that_image_only(tmp_path, library):
    found = run_predictor(tmp_path, [volume((12, 11, 16)), volume()],
                          model=export(unet(), tmp_path / "a.onnx"), onnxruntime=library)
    assert found["errors"][0].startswith("the model could not be run on a volume of 1x1x16x11x12 "
                                         "(ONNX Runtime 1.")
    assert "\n" not in found["errors"][0]
    assert found["errors"][1] is None


def test_voxels_that_are_no_numbers_are_refused(tmp_path, library):
    voxels = volume()
    voxels[3, 2, 1] = np.nan
    found = run_predictor(tmp_path, [voxels], model=export(unet(), tmp_path / "a.onnx"),
                          onnxruntime=library)
    assert found["errors"] == ["voxel (3, 2, 1) is nan; a network needs finite numbers"]


def test_inputs_that_are_no_image_are_refused(tmp_path, library):
    two_channels = export(unet(channels=2), tmp_path / "two.onnx", shape=(1, 2, 8, 8, 8))
    found = run_predictor(tmp_path, [volume()], model=two_channels, onnxruntime=library)
    assert found["errors"] == ["the image has 1 channel, but the model takes 2 channels"]
    flat = tmp_path / "flat.onnx"
    torch.onnx.export(torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Sigmoid()),
                      torch.zeros(1, 1, 8, 8), flat, opset_version=13)
    assert ("input is float32 of 1x1x8x8;"
            in run_predictor(tmp_path, [], model=flat, onnxruntime=library)["error"])

    class Sum(torch.nn.Module):
        def forward(self, a, b):
            return a + b

    pair = tmp_path / "pair.onnx"
    torch.onnx.export(Sum(), (torch.zeros(1, 1, 4, 4, 4),) * 2, pair, opset_version=13)
    assert "has 2 inputs and 1 outputs" in run_predictor(
        tmp_path, [], model=pair, onnxruntime=library)["error"]


def test_a_damaged_file_is_refused_by_its_name(tmp_path, library):
    whole = export(unet(), tmp_path / "a.onnx").read_bytes()
    cut = tmp_path / "cut.onnx"
    for length in (20, len(whole) // 2, len(whole) - 7):
        cut.write_bytes(whole[:length])
        message = run_predictor(tmp_path, [], model=cut, onnxruntime=library)["error"]
        assert message.startswith(f"{cut}: ") and "\n" not in message


def test_without_the_runtime_the_message_says_what_to_do(tmp_path):
    model = export(unet(), tmp_path / "a.onnx")
    message = run_predictor(tmp_path, [], model=model,
                            onnxruntime="/nowhere/libonnxruntime.so")["error"]
    assert "is not a plain chain of convolutions" in message
    assert "npm install onnxruntime-node" in message and "ASSAY_ONNXRUNTIME" in message
