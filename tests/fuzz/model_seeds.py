"""Seeds of the fuzzers of networks: small valid files and broken ones."""
import io, json, struct, zipfile


def floats(count):
    return struct.pack(f"<{count}f", *((i % 7 - 3) / 8 for i in range(count)))


# One hidden layer of one channel, and a classifier of two classes.
SHAPES = {"0.weight": (1, 1, 3, 3, 3), "0.bias": (1,), "2.weight": (2, 1, 1, 1, 1), "2.bias": (2,)}


def size(shape):
    return 1 if not shape else shape[0] * size(shape[1:])


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def numbers(values):
    return b"(" + b"".join(b"J" + struct.pack("<i", v % 2 ** 31) for v in values) + b"t"


def pickled_tensor(key, shape, storage=b"FloatStorage", offset=0, strides=None):
    if strides is None:
        strides = [size(shape[i + 1:]) for i in range(len(shape))]
    stored = (b"(" + text("storage") + b"ctorch\n" + storage + b"\n" + text(key) + text("cpu")
              + numbers([size(shape)])[1:-1] + b"tQ")
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + stored + numbers([offset])[1:-1]
            + numbers(shape) + numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR")


def state(shapes=SHAPES, **options):
    return b"}(" + b"".join(text(k) + pickled_tensor(str(i), s, **options)
                            for i, (k, s) in enumerate(shapes.items())) + b"u"


def checkpoint(pickle, shapes=SHAPES, method=zipfile.ZIP_STORED, extra=()):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        entries = [("a/data.pkl", b"\x80\x02" + pickle + b"."),
                   *((f"a/data/{i}", floats(size(s))) for i, s in enumerate(shapes.values())),
                   *extra]
        for name, data in entries:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


def checkpoint_seeds():
    whole = checkpoint(state())
    yield "bare", whole
    yield ("model_state_dict",
           checkpoint(b"}(" + text("epoch") + b"K\x03" + text("model_state_dict") + state()
                      + b"u"))
    yield "global", checkpoint(b"cos\nsystem\n(" + text("true") + b"tR")
    yield "stack_global", checkpoint(b"\x8c\x02os\x8c\x06system\x93")
    yield "cut", whole[:-30]
    yield "damaged", whole.replace(floats(4), bytes(16), 1)
    yield "compressed", checkpoint(state(), method=zipfile.ZIP_DEFLATED)
    yield "script", checkpoint(state(), extra=[("a/constants.pkl", b"")])
    yield "big_endian", checkpoint(state(), extra=[("a/byteorder", b"big")])
    yield "none", checkpoint(b"N")
    yield "memo", checkpoint(b"]q\x00h\x00ah\x01a")
    yield "memo_bomb", checkpoint(b"]r\xff\xff\xff\xff")
    yield "offset", checkpoint(state(offset=1))
    yield "strides", checkpoint(state(strides=[0, 0, 0, 0, 0]))
    yield "integers", checkpoint(state(storage=b"LongStorage"))
    others = {"0.weight": (1, 1, 5, 5, 5), "2.weight": (2, 1, 1, 1, 1)}
    yield "other_shapes", checkpoint(state(others), others)
    yield "huge_shape", checkpoint(state({"0.weight": (2 ** 30, 1, 1, 1, 1)}), {"a": (1,)})
    yield "overflow", checkpoint(state({"0.weight": (2 ** 31 - 1,) * 5}), {"a": (1,)})
    normed = {**SHAPES,
              **{f"1.{k}": (1,) for k in ("weight", "bias", "running_mean", "running_var")}}
    yield "batch_norm", checkpoint(state(normed), normed)
    yield "no_pickle", checkpoint(b"N", extra=[("b/data.pkl", b"")])
    yield "empty", b"PK\x03\x04"


def safetensors(header, data=b""):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(header)) + header + data


def safetensors_seeds():
    at, header = 0, {"__metadata__": {"format": "pt"}}
    for name, shape in SHAPES.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * size(shape)]}
        at += 4 * size(shape)
    yield "whole", safetensors(header, floats(at // 4))
    yield ("half",
           safetensors({k: {**v, "dtype": "F16"} for k, v in header.items()}, floats(at // 4)))
    yield "cut", safetensors(header, floats(at // 4 - 1))
    yield "nan", safetensors(header, b"\xff" * at)
    yield "header_length", struct.pack("<Q", 2 ** 63) + b"{}"
    yield "header_cut", safetensors(header)[:40]
    yield "list", safetensors([])
    yield ("shape_type",
           safetensors({"0.weight": {"dtype": "F32", "shape": [-1, "a"], "data_offsets": [0, 4]}},
                       floats(1)))
    yield ("offsets",
           safetensors({"0.weight": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}},
                       floats(1)))
    yield ("overflow",
           safetensors({"0.weight": {"dtype": "F32", "shape": [2 ** 62, 2 ** 62],
                                     "data_offsets": [0, 4]}}, floats(1)))
    yield ("other",
           safetensors({"attention.weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
                       floats(1)))
    yield "null", safetensors({"0.weight": None})
    yield "empty", b""


def tfjs(layers, weights, data=None):
    model = {"modelTopology": {"model_config": {"config": {"layers": layers}}},
             "weightsManifest": [{"paths": ["a.bin"],
                                  "weights": [{"name": n, "shape": s, "dtype": "float32"}
                                              for n, s in weights.items()]}]}
    return json.dumps(model).encode() + b"\0" + (
        data if data is not None else floats(sum(map(size, weights.values()))))


def tfjs_seeds():
    layer = lambda kind, name, source, **config: {
        "class_name": kind, "config": {"name": name, **config},
        "inbound_nodes": [[[source, 0, 0, {}]]] if source else []}
    weights = {"c/kernel": (3, 3, 3, 1, 1), "c/bias": (1,), "d/kernel": (1, 1, 1, 1, 2),
               "d/bias": (2,)}
    first, act, last = (layer("Conv3D", "c", "i", padding="same", dilation_rate=[2, 2, 2]),
                        layer("Activation", "a", "c", activation="elu"), layer("Conv3D", "d", "a"))
    whole = [layer("InputLayer", "i", ""), first, act, last]
    yield "whole", tfjs(whole, weights)
    yield "cut", tfjs(whole, weights, floats(9))
    yield "more", tfjs(whole, weights, floats(99))
    yield "no_weight", tfjs(whole, {"c/kernel": (3, 3, 3, 1, 1)})
    yield "branch", tfjs([*whole, layer("Conv3D", "e", "c")], weights)
    yield ("activation",
           tfjs([whole[0], first, layer("Activation", "a", "c", activation="swish"), last],
                weights))
    yield ("softmax",
           tfjs([whole[0], first, layer("Activation", "a", "c", activation="softmax"), last],
                weights))
    yield ("strides",
           tfjs([whole[0], layer("Conv3D", "c", "i", strides=[2, 2, 2]), act, last], weights))
    yield "pooling", tfjs([whole[0], layer("MaxPooling3D", "c", "i")], weights)
    yield ("norm",
           tfjs([whole[0], first, layer("BatchNormalization", "n", "c"), last],
                {**weights,
                 **{f"n/{k}": (1,)
                    for k in ("gamma", "beta", "moving_mean", "moving_variance")}}))
    yield "shape", tfjs(whole, {**weights, "c/kernel": (2 ** 40, 2 ** 40)}, b"")
    yield "types", b'{"weightsManifest": [{"weights": 3, "paths": [1]}], "modelTopology": []}\0'
    yield "paths", b'{"weightsManifest": [{"paths": ["../../etc/passwd"]}]}\0'
    yield "empty", b""


def field(number, value):
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_tensor(name, shape, data=None):
    return field(5,
                 b"".join(field(1, n) for n in shape) + field(2, 1) + field(8, name)
                 + field(9, floats(size(shape)) if data is None else data))


def onnx_node(kind, inputs, output, **attributes):
    lists = b"".join(field(5, field(1, k) + b"".join(field(8, v) for v in values))
                     for k, values in attributes.items())
    return field(1,
                 b"".join(field(1, i) for i in inputs) + field(2, output) + field(3, output)
                 + field(4, kind) + lists)


def onnx(*parts, inputs=("x",), outputs=("y",)):
    ends = (b"".join(field(11, field(1, n)) for n in inputs)
            + b"".join(field(12, field(1, n)) for n in outputs))
    return field(1, 7) + field(7, b"".join(parts) + ends)


def onnx_seeds():
    tensors = (onnx_tensor("w", (1, 1, 3, 3, 3)) + onnx_tensor("v", (2, 1, 1, 1, 1))
               + onnx_tensor("b", (1,)))
    conv = onnx_node("Conv", "xwb", "c", dilations=[2] * 3, pads=[2] * 6)
    relu, last = onnx_node("Relu", "c", "r"), onnx_node("Conv", "rv", "y")
    whole = onnx(conv, relu, last, tensors)
    yield "whole", whole
    yield "cut", whole[:-9]
    yield ("cut_tensor",
           onnx(conv, relu, last,
                tensors.replace(onnx_tensor("w", (1, 1, 3, 3, 3)),
                                onnx_tensor("w", (1, 1, 3, 3, 3), b"abc"))))
    yield ("norm",
           onnx(conv, onnx_node("BatchNormalization", ["c", "b", "b", "b", "b"], "r"), last,
                tensors))
    yield "instance", onnx(conv, onnx_node("InstanceNormalization", "cbb", "r"), last, tensors)
    yield "branch", onnx(conv, onnx_node("Add", "cx", "r"), last, tensors)
    yield ("gelu",
           onnx(conv, onnx_node("Div", "cb", "1"), onnx_node("Erf", "1", "2"),
                onnx_node("Add", "2b", "3"), onnx_node("Mul", "c3", "4"),
                onnx_node("Mul", "4b", "r"), last, tensors))
    yield "pads", onnx(onnx_node("Conv", "xwb", "c", pads=[0, 1, 2]), relu, last, tensors)
    yield "two_inputs", onnx(conv, relu, last, tensors, inputs=("x", "z"))
    yield "no_tensor", onnx(conv, relu, last)
    yield "no_output", onnx(field(1, field(4, "Relu")))
    yield "dims", onnx(conv, relu, last, onnx_tensor("w", (-1, -1, 3, 3, 3), b""))
    yield "external", onnx(conv, field(5, field(8, "w") + field(13, b"")))
    yield "wire_type", field(1, 7) + b"\x3f\x01"
    yield "empty", b""


def predictor_seeds():
    yield "greeting", b'{"protocol": 1, "name": "net", "version": "2", "classes": 3}'
    yield "done", b'{"id": 1, "ok": true}'
    yield "error", b'{"id": 1, "error": "out of memory\\n"}'
    yield "error_object", b'{"error": {"code": [1, 2]}, "ok": true}'
    yield "other_id", b'{"id": 2, "ok": true}'
    yield "id_type", b'{"id": "1", "ok": true}'
    yield "id_huge", b'{"id": 1e300, "ok": 1}'
    yield "protocol", b'{"protocol": 1.0, "name": "net"}'
    yield "no_name", b'{"protocol": 1, "name": ""}'
    yield "name_type", b'{"protocol": 1, "name": [1]}'
    yield "classes", b'{"protocol": 1, "name": "n", "classes": 257}'
    yield "classes_negative", b'{"protocol": 1, "name": "n", "classes": -1}'
    yield "classes_huge", b'{"protocol": 1, "name": "n", "classes": 18446744073709551615}'
    yield "channels", b'{"protocol": 1, "name": "n", "channels": 4}'
    yield "channels_huge", b'{"protocol": 1, "name": "n", "channels": 18446744073709551615}'
    yield "words", b"loading the model ..."
    yield "bytes", b'{"protocol": 1, "name": "\xff"}'
    yield "nested", b'{"error": ' + b"[" * 5000
    yield "empty", b""


def recipe_seeds():
    yield "toml", b'extends = "arc-meshchop"\nshape = [8, 9, 10]\nmin_volume_ml = 0.1\n'
    yield ("json",
           b'{"grid": "conform", "orientation": "LIA", "shape": [8, 8, 8], "to_bytes": true, '
           b'"largest_component": true}')
    yield ("view",
           b'grid = "field_of_view"\nspacing_mm = 0.3\nintensity = "quantile"\nquantiles = [0.02, '
           b'0.98]\nclip = true')
    yield "zoom", b'grid = "zoom"\nspacing_mm = 0.7\norientation = "PSL"\naxes = "zyx"'
    yield ("patches",
           b'channels = 2\nintensity = ["zscore_nonzero", "fixed"]\nmean = [0, 1.5]\n'
           b'clip_values = [0, 1, -2, 2]\nspacing_mm = [1, 1, 2]\nwindow = [4, 5, 6]\n'
           b'overlap = 0.25\nwindow_weights = "constant"\nmirror = "xz"\n'
           b'regions = ["TC=1,4", "WT=1,2,4"]\nthreshold = 0.4')
    yield "no_label_left", b'regions = ["a=1", "b=2", "c=1,2"]'
    yield "no_region", b'regions = ["=", "a=", "a=256", "a=1,,"]\nmean = []'
    yield "coarse", b'grid = "zoom"\nspacing_mm = 1e300'
    yield "fine", b'grid = "conform"\nspacing_mm = 1e-300'
    yield "large", b"shape = [1024, 1024, 1024]"
    yield "too_large", b"shape = [9223372036854775807, 1, 1]"
    yield "nan", b"epsilon = nan"
    yield "date", b"name = 1979-05-27"
    yield "nested", b"shape = " + b"[" * 500
    yield "table", b"[post]\nclip = true"
    yield "odd_table", b"[.a]"
    yield "tables_without_name", b"clip = true\n [[ =a]]"
    yield "letter", b"[post]\xcc\x82ip = true"
    yield "no_value", b"clip = ]"
    yield "twice", b"clip = true\nclip = true"
    yield "hash", b'sha256 = "00"'
    yield "cut", b'{"grid": "zo'
    yield "bytes", b"\xff\xfe= 1"
    yield "empty", b""


def own_metric_seeds():
    yield "declared", (b'name = "mine"\nbetter = "lower"\ncommand = "a \'b c\'"\ntimeout_s = 5\n'
                       b'range = [0, inf]\n[empty]\nboth = 1\nreference = "undefined"\n')
    yield "whole", (b'name = "mine"\ntitle = "T"\nequation = "a/b"\nunit = "mm"\nbetter = "zero"\n'
                    b'range = [-1, 2]\nfailure = -1\nnote = "n"\nreference = "r"\ncommand = "a"\n')
    yield "bounds", b'name = "m"\nbetter = "higher"\nrange = [1, nan]\ncommand = "a"\n'
    yield "rules", b'name = "m"\nbetter = "higher"\ncommand = "a"\nempty = {all = 1}\n'
    yield "types", b'name = 1\nbetter = [1]\ncommand = "a"\n'
    yield "taken", b'name = "dice"\nbetter = "higher"\ncommand = "a"\n'
    yield "value", b'{"id": 1, "value": 0.5}'
    yield "undefined", b'{"undefined": "no lesion"}'
    yield "error", b'{"error": {"code": [1, 2]}, "value": 1}'
    yield "other_id", b'{"id": 2, "value": 1}'
    yield "value_type", b'{"value": "0.5"}'
    yield "value_huge", b'{"value": 1e999}'
    yield "empty", b""
