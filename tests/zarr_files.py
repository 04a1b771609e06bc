"""Writes Zarr folders of version 2 by hand: what the tests read must not come from the reader."""
import ctypes, gzip, itertools, json, zlib

import numpy


def blosc(name, shuffle=1):
    """Chunks as blosc packs them, by its own library."""
    library = ctypes.CDLL("libblosc.so.1")

    def pack(data, width):
        room = ctypes.create_string_buffer(len(data) + 1024)
        size = library.blosc_compress_ctx(5, shuffle, ctypes.c_size_t(width),
                                          ctypes.c_size_t(len(data)), data, room,
                                          ctypes.c_size_t(len(room)), name.encode(),
                                          ctypes.c_size_t(0), 1)
        assert size > 0
        return room.raw[:size]
    return pack


def zstd(data, _):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(len(data) + 1024)
    size = library.ZSTD_compress(room, ctypes.c_size_t(len(room)), data,
                                 ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


PACKERS = {
    None: lambda data, _: data,
    "zlib": lambda data, _: zlib.compress(data),
    "gzip": lambda data, _: gzip.compress(data),
    "zstd": zstd,
    "blosc lz4": blosc("lz4"),
    "blosc zstd": blosc("zstd", shuffle=2),
    "blosc zlib": blosc("zlib", shuffle=0),
    "blosc blosclz": blosc("blosclz"),
}


def describe(shape, chunks, dtype, packing=None, order="C", separator=".", fill=0):
    return {"zarr_format": 2, "shape": list(shape), "chunks": list(chunks),
            "dtype": numpy.dtype(dtype).str,
            "compressor": packing and {"id": packing.split()[0]}, "filters": None,
            "order": order, "dimension_separator": separator, "fill_value": fill}


def write_array(folder, array, chunks, packing=None, order="C", separator=".", fill=0):
    """An array; chunks that hold nothing but the fill value are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    about = describe(array.shape, chunks, array.dtype, packing, order, separator, fill)
    (folder / ".zarray").write_text(json.dumps(about))
    for at in itertools.product(*(range(-(-n // c)) for n, c in zip(array.shape, chunks))):
        part = array[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, chunks))]
        if (part == fill).all():
            continue
        whole = numpy.full(chunks, fill, array.dtype)
        whole[tuple(slice(n) for n in part.shape)] = part
        path = folder / separator.join(map(str, at))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PACKERS[packing](whole.tobytes(order), array.itemsize))


def write_image(folder, levels, chunks, axes="yx", size=None, unit="micrometer", **how):
    """An image of OME-Zarr with one array for each level."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    named = [{"name": a, "type": "space", "unit": unit} if a in "zyx" else
             {"name": a, "type": "time" if a == "t" else "channel"} for a in axes]
    datasets = []
    for k, array in enumerate(levels):
        write_array(folder / str(k), array, chunks, **how)
        scale = [(size or 1) * 2**k if a in "yx" else 1 for a in axes]
        datasets.append({"path": str(k), "coordinateTransformations": [
            {"type": "scale", "scale": scale}]})
    (folder / ".zattrs").write_text(json.dumps({"multiscales": [
        {"version": "0.4", "axes": named, "datasets": datasets}]}))
