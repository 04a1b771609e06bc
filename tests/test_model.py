"""assay model show: files that other programs wrote, whole, damaged and hostile."""
import pickle, re, zipfile

import numpy
import pytest

from networks import paper_network, safetensors
from support import ROOT, assay, real_data, strict

CORPUS = ROOT / "tests/fuzz/corpus"
OPTIONS = ("--dilations", "2", "--activation", "relu")


def show(*arguments):
    return strict(assay("model", "show", *arguments, "--json").stdout)


@pytest.mark.parametrize("channels,count", [(26, 147474), (16, 56194), (5, 5682)])
def test_the_papers_networks_are_recognised(tmp_path, channels, count):
    found = show(safetensors(tmp_path / "weights.pth", paper_network(channels)))
    assert ((found["schema"], found["format"], found["backend"])
            == ("assay.model/1", "safetensors", "meshnet"))
    assert (found["model_name"], found["parameters"]) == (f"MeshNet-{channels}", count)
    assert ((found["receptive_field"], found["classes"], found["architecture_from"])
            == (123, 2, "recognised"))
    assert [layer["dilation"] for layer in found["layers"]] == [1, 2, 4, 8, 16, 16, 8, 4, 2, 1]
    assert sum(layer["parameters"] for layer in found["layers"]) == count
    c, voxels = channels, 256 ** 3
    assert found["cost"]["operations"] == 2 * voxels * (27 * c + 216 * c * c + 2 * c)
    assert found["cost"]["memory_bytes"] < 1.3 * 4 * c * voxels


def test_the_order_of_tensors_does_not_matter(tmp_path):
    tensors = paper_network(5)
    one = show(safetensors(tmp_path / "a", tensors))
    other = show(safetensors(tmp_path / "b", dict(sorted(tensors.items(), reverse=True))))
    assert one["weights_sha256"] == other["weights_sha256"]


@pytest.mark.parametrize("name",
                         ["network.3.conv.weight", "network.3.conv.bias",
                          "network.3.bn.running_var"])
def test_a_missing_tensor_is_named(tmp_path, name):
    tensors = paper_network(5)
    del tensors[name]
    assert name in assay("model", "show", safetensors(tmp_path / "a", tensors), status=2).stderr


def test_nan_weights_are_refused(tmp_path):
    tensors = paper_network(5)
    tensors["network.4.conv.weight"][1, 2, 0, 0, 1] = numpy.nan
    message = assay("model", "show", safetensors(tmp_path / "a", tensors), status=2).stderr
    assert "hidden layer 5: its weight holds nan" in message


def test_a_pickle_is_never_run(tmp_path):
    class Harm:
        def __reduce__(self):
            return (open, (str(tmp_path / "harm"), "w"))

    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("a/data.pkl", pickle.dumps({"state_dict": Harm()}, 2))
    message = assay("model", "show", tmp_path / "a.pt", status=2).stderr
    assert "it names " in message and ".open, which no file of weights needs" in message
    assert not (tmp_path / "harm").exists()


def test_every_cut_of_a_file_is_refused(tmp_path):
    for seed in ("fuzz_checkpoint/bare", "fuzz_safetensors/whole", "fuzz_onnx/whole"):
        data = (CORPUS / seed).read_bytes()
        for length in range(0, len(data), max(1, len(data) // 25)):
            (tmp_path / "cut").write_bytes(data[:length])
            options = () if "onnx" in seed else OPTIONS
            assert str(tmp_path / "cut") in assay("model", "show", tmp_path / "cut", *options,
                                                  status=2).stderr


def test_out(tmp_path):
    done = assay("model", "show", CORPUS / "fuzz_onnx/whole", "--out", tmp_path / "m.json")
    assert "receptive field  5 x 5 x 5" in done.stdout
    assert strict((tmp_path / "m.json").read_text())["schema"] == "assay.model/1"


@pytest.mark.parametrize("list", ["1,,2", "a", "0", "1,2,", "-1"])
def test_senseless_dilations(list):
    message = assay("model", "show", CORPUS / "fuzz_checkpoint/bare", f"--dilations={list}",
                    "--activation", "relu", status=2).stderr
    assert re.search(r"is not a whole number|entry of the list is empty|dilation", message)


def test_real_files():
    weights = real_data("meshnet/model5_gw_ae/model.pth")
    one, other = show(weights), show(weights.with_name("model.tfjs.json"))
    assert one["format"] == "safetensors" and other["format"] == "tfjs"
    assert (one["weights_sha256"] == other["weights_sha256"]
            and one["network_sha256"] == other["network_sha256"])
    assert one["model_name"] == "brainchop model5_gw_ae" and one["parameters"] == 5598
    arc = show(real_data("meshnet/arc-meshnet26-fold0-restart0.pt"))
    assert ((arc["model_name"], arc["parameters"], arc["format"])
            == ("MeshNet-26", 147474, "pytorch"))
    elu = show(real_data("meshnet/model20chan3cls/model.json"))
    assert ({layer["activation"] for layer in elu["layers"]} == {"elu", "none"}
            and elu["parameters"] == 87183)
