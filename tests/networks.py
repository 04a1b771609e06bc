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


def fields(number, content):
    """A field of a protocol buffer: a number, text, or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value):
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


ONNX_TYPES = {"float32": 1, "float16": 10}


def onnx_tensor(name, values):
    return (b"".join(fields(1, side) for side in values.shape)
            + fields(2, ONNX_TYPES[values.dtype.name]) + fields(8, name)
            + fields(9, values.tobytes()))


def onnx_value(name, dtype, sides):
    """A tensor that goes in or comes out; a side that is text is dynamic."""
    shape = b"".join(fields(1, fields(1 if isinstance(side, int) else 2, side)) for side in sides)
    return fields(1, name) + fields(2, fields(1, fields(1, ONNX_TYPES[dtype]) + fields(2, shape)))


def onnx_convolution(path, weights, bias, dtype="float32", sides=("d", "h", "w"), end=None):
    """A network of one 3x3x3 convolution with zero padding, and `end`, such as Sigmoid, after it.
    `weights` are indexed (output, input, and the tensor's three axes)."""
    outputs, inputs = weights.shape[:2]
    ints = lambda name, values: fields(5, fields(1, name) + b"".join(fields(8, v) for v in values)
                                       + fields(20, 7))
    nodes = fields(1, b"".join(fields(1, name) for name in ("x", "w", "b"))
                   + fields(2, "c" if end else "y") + fields(4, "Conv")
                   + ints("kernel_shape", (3, 3, 3)) + ints("pads", (1,) * 6))
    if end:
        nodes += fields(1, fields(1, "c") + fields(2, "y") + fields(4, end))
    graph = (nodes + fields(2, "net")
             + fields(5, onnx_tensor("w", numpy.asarray(weights, dtype)))
             + fields(5, onnx_tensor("b", numpy.asarray(bias, dtype)))
             + fields(11, onnx_value("x", dtype, (1, inputs, *sides)))
             + fields(12, onnx_value("y", dtype, (1, outputs, *sides))))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(fields(1, 8) + fields(8, fields(1, "") + fields(2, 13)) + fields(7, graph))
    return path
