"""One small network of each kind in docs/exporting-models.md, exported as that page says and run by
ONNX Runtime.

They are built of what the real architectures are built of, and held against PyTorch. Skipped
without npm or network.
"""
import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("nibabel")
from predictors import expect_labels, export, needs_program, run_predictor, scores_of, volume

nn = torch.nn
pytestmark = needs_program
SIDE = 16


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.inner = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.inner(x)


def normal_convolution(channels):
    return (nn.GroupNorm(4, channels), nn.ReLU(),
            nn.Conv3d(channels, channels, 3, padding=1, bias=False))


def segresnet():
    """Group normalisation before residual convolutions, trilinear upsampling."""
    return nn.Sequential(nn.Conv3d(1, 8, 3, padding=1),
                         Residual(*normal_convolution(8), *normal_convolution(8)),
                         nn.Conv3d(8, 8, 3, stride=2, padding=1), Residual(*normal_convolution(8)),
                         nn.Upsample(scale_factor=2, mode="trilinear", align_corners=False),
                         nn.Conv3d(8, 3, 1))


def mednext():
    """Depth-wise 5x5x5 convolution, expansion with GELU, transposed convolution."""
    block = Residual(nn.Conv3d(8, 8, 5, padding=2, groups=8), nn.GroupNorm(8, 8),
                     nn.Conv3d(8, 16, 1), nn.GELU(), nn.Conv3d(16, 8, 1))
    return nn.Sequential(nn.Conv3d(1, 8, 1), block, nn.Conv3d(8, 8, 3, stride=2, padding=1),
                         nn.ConvTranspose3d(8, 8, 3, stride=2, padding=1, output_padding=1),
                         nn.Conv3d(8, 3, 1))


def vnet():
    """PReLU or ELU, residual sums, strided 2x2x2 convolutions both ways."""
    return nn.Sequential(nn.Conv3d(1, 6, 5, padding=2), nn.PReLU(6),
                         Residual(nn.Conv3d(6, 6, 5, padding=2), nn.ELU()),
                         nn.Conv3d(6, 12, 2, stride=2), nn.PReLU(12),
                         nn.ConvTranspose3d(12, 6, 2, stride=2), nn.ELU(), nn.Conv3d(6, 3, 1))


class UNETR(nn.Module):
    """Patches as tokens with learnt positions, self-attention: bound to the size it was made
    for."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv3d(1, 16, 4, stride=4)
        self.positions = nn.Parameter(torch.randn(1, (SIDE // 4) ** 3, 16))
        self.query, self.mix = nn.Linear(16, 48), nn.Linear(16, 16)
        self.first, self.second = nn.LayerNorm(16), nn.LayerNorm(16)
        self.up = nn.ConvTranspose3d(16, 8, 4, stride=4)
        self.last = nn.Conv3d(9, 3, 1)

    def tokens(self, x):
        q, k, v = self.query(self.first(x)).chunk(3, -1)
        x = x + self.mix(torch.softmax(q @ k.transpose(1, 2) / 4, -1) @ v)
        return x + torch.nn.functional.gelu(self.second(x))

    def forward(self, x):
        patches = self.patches(x)
        found = self.tokens(patches.flatten(2).transpose(1, 2) + self.positions)
        return self.last(torch.cat([x, self.up(found.transpose(1, 2).reshape(patches.shape))], 1))


class SwinUNETR(UNETR):
    """The same within windows, which are rolled by half their size."""

    def tokens(self, x):
        count, side, half = x.shape[1], SIDE // 4, SIDE // 8
        cube = torch.roll(x.reshape(1, side, side, side, 16), (-1, -1, -1), (1, 2, 3))
        windows = cube.reshape(half, 2, half, 2, half, 2,
                               16).permute(0, 2, 4, 1, 3, 5, 6).reshape(half ** 3, 8, 16)
        found = super().tokens(windows).reshape(half, half, half, 2, 2, 2,
                                                16).permute(0, 3, 1, 4, 2, 5, 6)
        return torch.roll(found.reshape(1, side, side, side, 16), (1, 1, 1),
                          (1, 2, 3)).reshape(1, count, 16)


class UKAN(nn.Module):
    """Every channel through a learnt sum of B-splines, by the recursion of Cox and de Boor."""

    def __init__(self, degree=3, cells=5):
        super().__init__()
        self.degree = degree
        self.register_buffer("knots",
                             torch.linspace(-1 - 2 * degree / cells, 1 + 2 * degree / cells,
                                            cells + 2 * degree + 1))
        self.first, self.last = nn.Conv3d(1, 6, 3, padding=1), nn.Conv3d(6, 3, 1)
        self.weights = nn.Parameter(torch.randn(6, 6 * (cells + degree)) * 0.3)

    def forward(self, x):
        x = torch.tanh(self.first(x))
        value, t = x.unsqueeze(-1), self.knots
        basis = ((value >= t[:-1]) & (value < t[1:])).to(x.dtype)
        for k in range(1, self.degree + 1):
            basis = ((value - t[:-(k + 1)]) / (t[k:-1] - t[:-(k + 1)]) * basis[..., :-1]
                     + (t[k + 1:] - value) / (t[k + 1:] - t[1:-k]) * basis[..., 1:])
        features = basis.permute(0, 2, 3, 4, 1, 5).flatten(4)
        return self.last(torch.nn.functional.linear(features, self.weights).permute(0, 4, 1, 2, 3))


KINDS = {"segresnet": (segresnet, False), "mednext": (mednext, False), "vnet": (vnet, False),
         "unetr": (UNETR, True), "swin_unetr": (SwinUNETR, True), "u_kan": (UKAN, False)}


def balanced(net, voxels):
    """Shifts the last bias so that every class occurs."""
    with torch.no_grad():
        last = net[-1] if isinstance(net, nn.Sequential) else net.last
        last.bias -= net(torch.from_numpy(voxels)[None, None]).mean((0, 2, 3, 4))
    return net


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_of_each_kind_gives_the_labels_of_torch(tmp_path, library, kind):
    make, fixed = KINDS[kind]
    torch.manual_seed(5)
    voxels = volume((SIDE, SIDE, SIDE))
    net = balanced(make().eval(), voxels)
    model = export(net, tmp_path / f"{kind}.onnx", shape=(1, 1, SIDE, SIDE, SIDE), opset=17,
                   fixed=fixed)
    volumes = [voxels] if fixed else [voxels, volume((SIDE, 24, 8), 2)]
    found = run_predictor(tmp_path, volumes, model=model, onnxruntime=library)
    assert found["backend"] == "onnx" and not any(found["errors"])
    for each, labels in zip(volumes, found["labels"]):
        expect_labels(labels, scores_of(net, each))
