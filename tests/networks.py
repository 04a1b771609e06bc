"""Small networks whose answer is known without running them."""
import json, struct

import numpy


def safetensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        values = numpy.asarray(values, "<f4")
        header[name] = {"dtype": "F32", "shape": values.shape,
                        "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


OF_THRESHOLD = ("--dilations", "1", "--activation", "relu")


def threshold_network(path, level=0.5):
    """Says 1 where the voxel is above `level`: the logits are `level` and the voxel itself."""
    kernel = numpy.zeros((1, 1, 3, 3, 3))
    kernel[0, 0, 1, 1, 1] = 1
    return safetensors(path,
                       {"0.weight": kernel, "0.bias": [0],
                        "1.weight": numpy.reshape([0, 1], (2, 1, 1, 1, 1)), "1.bias": [level, 0]})


def paper_network(channels):
    """The tensors of MeshNet-X, as arc-meshchop names them."""
    rng, tensors, inputs = numpy.random.default_rng(channels), {}, 1
    for i in range(9):
        tensors[f"network.{i}.conv.weight"] = rng.normal(size=(channels, inputs, 3, 3, 3))
        for part in ("conv.bias", "bn.weight", "bn.bias", "bn.running_mean"):
            tensors[f"network.{i}.{part}"] = rng.normal(size=channels)
        tensors[f"network.{i}.bn.running_var"] = rng.uniform(0.5, 2, channels)
        inputs = channels
    return {**tensors, "network.9.weight": rng.normal(size=(2, channels, 1, 1, 1)),
            "network.9.bias": rng.normal(size=2)}
