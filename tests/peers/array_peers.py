"""Pictures in chunks and tiles as others write them: zarr-python with numcodecs, ome-zarr, and
tifffile with imagecodecs. What assay counts has to be what NumPy counts.

Every check is a function that raises AssertionError; `outcomes` runs them all.
"""
import importlib.metadata, itertools, json, pathlib, subprocess, tempfile, warnings

import numpy

from tools import Missing, module

SHAPE, LABELS = (83, 119), 3
READERS = ("buffer", "tiles")


class Bench:
    """The program, and a folder for one check."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.number = itertools.count()

    def path(self, ending):
        return self.folder / f"{next(self.number)}{ending}"

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              check=False)

    def assert_counts(self, paths, shown, what, *options):
        """Every label of the pair, counted as a whole and part by part."""
        wanted = {str(label): counts(shown[0] == label, shown[1] == label)
                  for label in numpy.unique(shown) if label}
        for reader in READERS:
            done = self.run("score", *paths, "--labels", "all", "--metrics", "dice", "--json",
                            "--reader", reader, *options)
            assert done.returncode == 0, f"{what}: {done.stderr.strip()}"
            found = json.loads(done.stdout)["cases"][0]["label"]
            seen = {label: {key: found[label]["evidence"][key] for key in ("tp", "fp", "fn", "tn")}
                    for label in found}
            assert seen == wanted, f"{what}, {reader}: {seen} is not {wanted}"


def counts(prediction, reference):
    return {"tp": int((prediction & reference).sum()), "fp": int((prediction & ~reference).sum()),
            "fn": int((~prediction & reference).sum()),
            "tn": int((~prediction & ~reference).sum())}


def label_map(seed, labels=LABELS, shape=SHAPE):
    """Lumps, with large parts that are 0."""
    rng = numpy.random.default_rng(seed)
    places = numpy.indices(shape)
    out = numpy.zeros(shape, int)
    for k in range(3 * labels):
        centre = [rng.integers(0, side) for side in shape]
        far = sum((axis - c) ** 2 for axis, c in zip(places, centre))
        out[far < rng.integers(4, 20) ** 2] = 1 + k % labels
    return out


def pair(labels=LABELS, shape=SHAPE):
    return numpy.stack([label_map(seed, labels, shape) for seed in (1, 2)])


# ---- Zarr.

def write_zarr(path, voxels, chunks, compressor=None, order="C", separator=".", fill=0):
    """An array of version 2, by the package's own functions."""
    zarr = module("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = zarr.create_array(
            str(path), shape=voxels.shape, chunks=chunks, dtype=voxels.dtype, order=order,
            compressors=compressor, fill_value=fill, zarr_format=2, config={"order": order},
            chunk_key_encoding={"name": "v2", "separator": separator})
        array[...] = voxels
    return path


def assert_zarr(bench, what, dtype="u1", labels=LABELS, **how):
    shown = pair(labels)
    how = {"chunks": (32, 48), **how}
    paths = [write_zarr(bench.path(".zarr"), voxels.astype(dtype), **how) for voxels in shown]
    bench.assert_counts(paths, shown, what)


def zarr_compressions(bench):
    codecs = module("numcodecs")
    kinds = {"none": None, "zlib": codecs.Zlib(6), "gzip": codecs.GZip(6), "zstd": codecs.Zstd(3)}
    for name in codecs.blosc.list_compressors():
        for shuffle in (codecs.Blosc.NOSHUFFLE, codecs.Blosc.SHUFFLE, codecs.Blosc.BITSHUFFLE):
            kinds[f"blosc {name}, shuffle {shuffle}"] = codecs.Blosc(name, 5, shuffle)
    for what, compressor in kinds.items():
        for dtype in ("u1", "<u2"):
            assert_zarr(bench, f"{what} of {dtype}", dtype, compressor=compressor)


def zarr_chunks(bench):
    for chunks in ((1, 119), (83, 1), (7, 200), (16, 16), (83, 119), (128, 128), (100, 30)):
        assert_zarr(bench, f"chunks of {chunks}", chunks=chunks,
                    compressor=module("numcodecs").Blosc())


def zarr_types(bench):
    zlib = module("numcodecs").Zlib()
    for dtype in ("i1", "<u2", ">u2", "<i4", ">i4", "<u8", ">i8", "<f4", ">f8"):
        assert_zarr(bench, dtype, dtype, compressor=zlib)
    assert_zarr(bench, "bool", "?", labels=1, compressor=zlib, fill=False)
    assert_zarr(bench, "order F", "<u2", order="F", compressor=zlib)
    assert_zarr(bench, "folders", separator="/", compressor=zlib)
    assert_zarr(bench, "fill value 2", fill=2, compressor=zlib)


def zarr_volumes(bench):
    shape = (9, 40, 50)
    shown = pair(2, shape)
    paths = [write_zarr(bench.path(".zarr"), voxels.astype("u1"), (4, 16, 32),
                        module("numcodecs").Blosc("zstd")) for voxels in shown]
    bench.assert_counts(paths, shown, "a volume")
    lead = [write_zarr(bench.path(".zarr"), voxels.astype("u1")[None, None], (1, 1, 4, 16, 32),
                       module("numcodecs").Zstd(), separator="/") for voxels in shown]
    bench.assert_counts(lead, shown, "five axes")


def ome_images(bench):
    """An image with labels and a pyramid, as ome-zarr writes it: OME-NGFF 0.4."""
    zarr, writer = module("zarr"), module("ome_zarr.writer")
    how = {"axes": "yx", "fmt": module("ome_zarr.format").FormatV04(), "scale_factors": [2, 4],
           "method": module("ome_zarr.scale").Methods.NEAREST}
    shown, paths = pair(shape=(160, 192)), []
    for voxels in shown:
        paths.append(bench.path(".ome.zarr"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            group = zarr.open_group(str(paths[-1]), mode="w", zarr_format=2)
            writer.write_image(voxels.astype("u2"), group, **how)
            writer.write_labels(voxels.astype("u1"), group, name="tissue", **how)
    for below in ("", "labels/tissue"):
        folders = [path / below for path in paths]
        about = json.loads((folders[0] / ".zattrs").read_text())["multiscales"][0]["datasets"]
        assert len(about) > 2, f"it wrote {len(about)} levels"
        for level, each in enumerate(about):
            levels = [zarr.open(str(folder / each["path"]), mode="r")[...] for folder in folders]
            if level == 0:
                assert (numpy.stack(levels) == shown).all(), "it wrote something else"
            bench.assert_counts(folders, numpy.stack(levels).astype(int),
                                f"{below or 'the image'} at level {level}", "--level", level)


def zarr_refusals(bench):
    """What is not read gets a sentence that names the remedy."""
    zarr, codecs = module("zarr"), module("numcodecs")
    voxels = pair()[0].astype("u1")
    newer = bench.path(".zarr")
    zarr.create_array(str(newer), data=voxels, zarr_format=3)
    bz2 = write_zarr(bench.path(".zarr"), voxels, (32, 48), codecs.BZ2())
    for path, words in ((newer, "zarr_format=2"), (bz2, "is compressed with 'bz2'")):
        done = bench.run("score", path, path)
        assert done.returncode == 2 and words in done.stderr, f"{words}: {done.stderr.strip()}"


# ---- TIFF.

def write_tiff(bench, voxels, **how):
    path = bench.path(".tif")
    module("tifffile").imwrite(path, voxels, **how)
    return path


def tiff_compressions(bench):
    """Every compression without loss, with tiles and strips, with and without a predictor."""
    module("imagecodecs")
    shown = pair()
    kinds = {"none": {}, "PackBits": {"compression": "packbits"}}
    for name in ("zlib", "lzw", "zstd", "lzma"):
        kinds[name] = {"compression": name}
        if name != "lzma":
            kinds[f"{name} with a predictor"] = {"compression": name, "predictor": True}
    for (what, how), parts, dtype in itertools.product(
            kinds.items(), ({}, {"tile": (32, 48)}, {"rowsperstrip": 7}), ("u1", "u2", "u4")):
        paths = [write_tiff(bench, voxels.astype(dtype), **how, **parts) for voxels in shown]
        bench.assert_counts(paths, shown, f"{what} of {dtype}, {parts or 'as it comes'}")


def tiff_layouts(bench):
    shown = pair()
    for dtype in ("i1", "i4", "u8", "f4", "f8"):
        paths = [write_tiff(bench, voxels.astype(dtype), tile=(16, 16)) for voxels in shown]
        bench.assert_counts(paths, shown, dtype)
    for what, how in (("BigTIFF", {"bigtiff": True}), ("big-endian", {"byteorder": ">"}),
                      ("ImageJ", {"imagej": True}), ("OME-TIFF", {"ome": True})):
        paths = [write_tiff(bench, voxels.astype("u2"), **how) for voxels in shown]
        bench.assert_counts(paths, shown, what)
    volumes = pair(2, (6, 40, 50))
    paths = [write_tiff(bench, voxels.astype("u1"), photometric="minisblack", tile=(16, 16))
             for voxels in volumes]
    bench.assert_counts(paths, volumes, "pages")


CHECKS = {
    "Zarr in every compression of numcodecs that is read": zarr_compressions,
    "Zarr in chunks of several shapes": zarr_chunks,
    "Zarr of several types and layouts": zarr_types,
    "Zarr of three and five axes": zarr_volumes,
    "OME-Zarr with levels and labels": ome_images,
    "Zarr that is refused": zarr_refusals,
    "TIFF in every compression without loss": tiff_compressions,
    "TIFF of several types and layouts": tiff_layouts,
}


def versions():
    names = ("zarr", "numcodecs", "ome-zarr", "tifffile", "imagecodecs")
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def outcomes(program):
    """(title, trouble, whether it was left out) of each check."""
    for title, check in CHECKS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Bench(program, pathlib.Path(folder)))
                yield title, "", False
            except Missing as why:
                yield title, str(why), True
            except AssertionError as wrong:
                yield title, str(wrong), False


if __name__ == "__main__":
    import sys

    for title, trouble, is_left_out in outcomes(pathlib.Path(sys.argv[1])):
        print(f"{title}: {'left out, ' if is_left_out else ''}{trouble or 'the same'}", flush=True)
    print(versions())
