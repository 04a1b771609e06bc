"""Networks as assay runs them against networks as PyTorch runs them, with real weights and a real
image.

Needs /usr/bin/python3 with torch, nibabel, numpy and pytest. ASSAY_BIN_DIR says where run_network
is.
"""
import os
import pathlib
import subprocess

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("nibabel")
from support import real_data

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "run_network"
pytestmark = pytest.mark.skipif(not RUN.exists(), reason=f"{RUN} is not built")

PAPER = (1, 2, 4, 8, 16, 16, 8, 4, 2)
RAMP = (1, 2, 4, 8, 16, 8, 4, 2, 1)
TIED = 1e-5


def run_network(model, volume, folder, kernels="best", jobs=2, status=0):
    """Labels and logits; the volume's first axis is the tensor's depth."""
    volume = np.ascontiguousarray(volume, "f4")
    volume.tofile(folder / "voxels")
    shape = ",".join(map(str, volume.shape[::-1]))
    command = [RUN, model, shape, folder / "voxels", folder / "labels", folder / "logits", kernels,
               str(jobs), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    if status:
        return done.stderr
    logits = np.fromfile(folder / "logits", "f4").reshape((-1, *volume.shape))
    return np.fromfile(folder / "labels", "u1").reshape(volume.shape), logits


def runnable(model, folder):
    """The kernels of this processor."""
    np.zeros(1, "f4").tofile(folder / "voxels")
    start = [RUN, model, "1,1,1", folder / "voxels", folder / "labels", "-"]
    return [k for k in ("avx512", "avx2", "portable")
            if subprocess.run([*start, k, "1", "1"], capture_output=True).returncode == 0]


def meshnet(channels, classes, dilations, activation=torch.nn.ReLU, norm=torch.nn.BatchNorm3d,
            bias=True):
    layers, inputs = [], 1
    for d in dilations:
        layers.append(torch.nn.Conv3d(inputs, channels, 3, padding=d, dilation=d, bias=bias))
        layers += [norm(channels)] if norm else []
        layers.append(activation())
        inputs = channels
    return torch.nn.Sequential(*layers, torch.nn.Conv3d(inputs, classes, 1)).eval()


def arc_network(path):
    state = torch.load(path, map_location="cpu")["model_state_dict"]
    net = meshnet(26, 2, PAPER)
    with torch.no_grad():
        for i in range(9):
            part = lambda kind: {k.split(".")[-1]: v for k, v in state.items()
                                 if k.startswith(f"network.{i}.{kind}.")}
            net[3 * i].load_state_dict(part("conv"))
            net[3 * i + 1].load_state_dict(part("bn"))
        net[27].load_state_dict({k.split(".")[-1]: v for k, v in state.items()
                                 if k.startswith("network.9.")})
    return net


def torch_logits(net, volume, dtype=torch.float64):
    with torch.no_grad():
        return net.to(dtype)(torch.as_tensor(np.ascontiguousarray(
            volume)).to(dtype)[None, None])[0].numpy()


def t1(side=256):
    nibabel = pytest.importorskip("nibabel")
    voxels = np.asarray(nibabel.load(real_data("t1_crop.nii.gz")).dataobj).astype("f4")
    start = (256 - side) // 2
    cut = voxels[start:start + side, start:start + side, start:start + side]
    return (cut - cut.min()) / (cut.max() - cut.min())


def relative(found, truth):
    return np.abs(found - truth).max() / np.abs(truth).max()


def expect_equal_labels(labels, logits):
    """Equal wherever the two largest logits differ by more than rounding."""
    top = np.partition(logits, -2, axis=0)[-2:]
    clear = top[1] - top[0] > TIED * np.abs(logits).max()
    assert clear.mean() > 0.99
    assert (labels != logits.argmax(0))[clear].sum() == 0


@pytest.fixture(scope="module")
def arc_truth():
    """Double precision takes PyTorch half a minute for a cube of 48."""
    path = real_data("meshnet/arc-meshnet26-fold0-restart0.pt")
    volume = t1(48)
    return path, volume, torch_logits(arc_network(path), volume)


@pytest.mark.parametrize("kernels", ["avx512", "avx2", "portable"])
def test_arc_checkpoint_in_double_precision(tmp_path, arc_truth, kernels):
    path, volume, truth = arc_truth
    if kernels not in runnable(path, tmp_path):
        pytest.skip(f"this processor has no {kernels}")
    labels, logits = run_network(path, volume, tmp_path, kernels)
    assert relative(logits, truth) < 2e-6
    expect_equal_labels(labels, truth)


def test_arc_checkpoint_labels(tmp_path):
    path = real_data("meshnet/arc-meshnet26-fold0-restart0.pt")
    volume = t1(96)
    labels, _ = run_network(path, volume, tmp_path)
    expect_equal_labels(labels, torch_logits(arc_network(path), volume, torch.float32))


@pytest.mark.parametrize("file", ["model.pth", "model.tfjs.json"])
def test_brainchop_labels_on_a_whole_head(tmp_path, file):
    model = real_data(f"meshnet/model5_gw_ae/{file}")
    volume = t1(256 if file == "model.pth" else 64)
    numbers = np.fromfile(real_data("meshnet/model5_gw_ae/model.bin"), "f4")
    net = meshnet(5, 3, RAMP, norm=None)
    with torch.no_grad():
        at = 0
        for layer in net:
            for part in ("weight", "bias") if hasattr(layer, "weight") else ():
                target = getattr(layer, part)
                values = torch.from_numpy(numbers[at:at + target.numel()].copy())
                at += target.numel()
                if part == "weight":
                    o, i, *sides = target.shape
                    values = values.reshape(*sides, i, o).permute(4, 3, 0, 1, 2)
                target.copy_(values)
    assert at == numbers.size
    truth = torch_logits(net, volume, torch.float32)
    labels, logits = run_network(model, volume, tmp_path)
    expect_equal_labels(labels, truth)
    assert len(np.unique(labels)) == 3


def test_threads_give_the_same_bytes(tmp_path):
    path = real_data("meshnet/arc-meshnet26-fold0-restart0.pt")
    volume = t1(40)[:, :33, :37]
    first = run_network(path, volume, tmp_path, jobs=1)[1].tobytes()
    for jobs in (2, 3):
        assert run_network(path, volume, tmp_path, jobs=jobs)[1].tobytes() == first


STYLES = {
    "relu": dict(),
    "elu": dict(activation=torch.nn.ELU),
    "gelu": dict(activation=torch.nn.GELU),
    "folded": dict(norm=None),
    "instance": dict(norm=torch.nn.InstanceNorm3d, activation=torch.nn.GELU, bias=False),
    "instance_affine": dict(norm=lambda c: torch.nn.InstanceNorm3d(c, affine=True)),
}


def random_network(style, channels=6, classes=4, dilations=(1, 3, 2)):
    torch.manual_seed(7)
    net = meshnet(channels, classes, dilations, **STYLES[style])
    with torch.no_grad():
        for layer in net:
            if getattr(layer, "running_mean", None) is not None:
                layer.running_mean.normal_()
                layer.running_var.uniform_(0.5, 2)
            if "Norm" in type(layer).__name__ and layer.weight is not None:
                layer.weight.normal_(1, 0.2)
                layer.bias.normal_(0, 0.2)
    return net.eval()


@pytest.mark.parametrize("style", STYLES)
def test_onnx_as_torch_exports_it(tmp_path, style):
    """The exporter folds batch normalisations, writes GELU as five operations, and so on."""
    net = random_network(style)
    volume = np.random.default_rng(1).random((11, 14, 19), dtype="f4")
    torch.onnx.export(net.float(), torch.zeros(1, 1, 8, 8, 8), tmp_path / "a.onnx",
                      opset_version=13)
    labels, logits = run_network(tmp_path / "a.onnx", volume, tmp_path)
    truth = torch_logits(net, volume)
    assert relative(logits, truth) < 2e-6
    expect_equal_labels(labels, truth)


def test_onnx_of_another_network_is_refused(tmp_path):
    class Skip(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = (torch.nn.Conv3d(1, 4, 3, padding=1),
                              torch.nn.Conv3d(4, 4, 3, padding=1))

        def forward(self, x):
            x = self.a(x)
            return x + self.b(x)

    torch.onnx.export(Skip(), torch.zeros(1, 1, 8, 8, 8), tmp_path / "a.onnx", opset_version=13)
    message = run_network(tmp_path / "a.onnx", np.zeros((4, 4, 4)), tmp_path, status=2)
    assert "is not a plain chain of convolutions: Add" in message
    assert "3 operations (Conv, Add)" in message


@pytest.mark.parametrize("wrap", ["bare", "state_dict", "model_state_dict", "half"])
def test_checkpoints_as_this_torch_saves_them(tmp_path, wrap):
    net = meshnet(5, 2, PAPER)
    optimizer = torch.optim.AdamW(net.parameters())
    state = net.half().state_dict() if wrap == "half" else net.state_dict()
    content = (state if wrap in ("bare", "half")
               else {"epoch": 3, wrap: state, "optimizer": optimizer.state_dict()})
    torch.save(content, tmp_path / "a.pt")
    volume = np.random.default_rng(2).random((20, 21, 22), dtype="f4")
    labels, logits = run_network(tmp_path / "a.pt", volume, tmp_path)
    assert relative(logits, torch_logits(net, volume)) < 2e-6
