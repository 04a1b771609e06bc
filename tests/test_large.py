"""OME-Zarr images, pyramids, and pairs that are counted by tiles."""
import json, struct

import numpy
import pytest

from support import assay, counts, evidence, score, strict
from test_memory import measured
from test_pictures import lumps
from zarr_files import PACKERS, describe, write_array, write_image

tifffile = pytest.importorskip("tifffile")


def both(folder, write, labels=3, shape=(37, 53), ending=".zarr"):
    """One pair of images, and what they show."""
    shown = lumps(1, labels, shape), lumps(2, labels, shape)
    for name, voxels in zip("pr", shown):
        write(folder / f"{name}{ending}", voxels)
    return folder / f"p{ending}", folder / f"r{ending}", *shown


def array(dtype="u1", chunks=(16, 20), lead=(), **how):
    def write(path, voxels):
        write_array(path, voxels.astype(dtype).reshape(*lead, *voxels.shape),
                    (1,) * len(lead) + chunks, **how)
    return write


ARRAYS = {
    **{str(packing): array(packing=packing) for packing in PACKERS},
    **{dtype: array(dtype, packing="zlib") for dtype in
       ("b1", "i1", "<u2", ">u2", ">i4", "<u4", "<i8", ">u8", "<f2", "<f4", ">f8")},
    "order F": array("<u2", order="F"),
    "folders": array(separator="/"),
    "blosc wide": array("<i4", packing="blosc lz4"),
    "five axes": array(lead=(1, 1, 1), separator="/"),
    "one chunk": array(chunks=(37, 53)),
    "larger chunk": array(chunks=(100, 100), packing="zstd"),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_a_zarr_array_holds_the_labels_that_were_saved(tmp_path, kind):
    labels = 1 if kind == "b1" else 3
    prediction, reference, p, r = both(tmp_path, ARRAYS[kind], labels)
    found = score(prediction, reference, "--labels", "all", "--metrics", "dice")
    for label in range(1, labels + 1):
        assert evidence(found, label=str(label)) == counts(p == label, r == label)


@pytest.mark.parametrize("fill", [1, 255])
def test_a_missing_chunk_has_the_fill_value(tmp_path, fill):
    for name in "pr":
        voxels = numpy.full((40, 40), fill, "u1")
        voxels[:10, :12] = 7 if name == "p" else 8
        write_array(tmp_path / f"{name}.zarr", voxels, (10, 10), packing="zlib", fill=fill)
        assert len(list((tmp_path / f"{name}.zarr").glob("[0-9]*"))) == 2
    found = score(tmp_path / "p.zarr", tmp_path / "r.zarr", "--labels", "7,8", "--region",
                  f"fill={fill}", "--metrics", "dice")
    assert evidence(found, label="fill")["tp"] == 1600 - 120


def test_a_zarr_volume_has_the_axes_z_y_x(tmp_path):
    p, r = (numpy.stack([lumps(k + s) for k in range(5)]).astype("u1") for s in (0, 100))
    for name, voxels in (("p", p), ("r", r)):
        write_image(tmp_path / f"{name}.ome.zarr", [voxels], (2, 16, 16), axes="zyx")
        tifffile.imwrite(tmp_path / f"{name}.tif", voxels, photometric="minisblack")
    options = ("--spacing", "0.5,0.25,2")
    found = [score(tmp_path / f"p{end}", tmp_path / f"r{end}", *options)["cases"][0]["label"]
             for end in (".ome.zarr", ".tif")]
    assert found[0] == found[1]


def test_a_zarr_folder_is_one_image_of_a_cohort(tmp_path):
    for folder in ("pred", "ref"):
        for name in ("a", "b"):
            write_image(tmp_path / folder / f"{name}.ome.zarr", [lumps(ord(name))], (16, 16))
    found = score("pred", "ref", "--metrics", "dice", cwd=tmp_path)
    assert [c["id"] for c in found["cases"]] == ["a", "b"]
    assert [c["prediction"] for c in found["cases"]] == ["a.ome.zarr", "b.ome.zarr"]


def test_a_label_image_within_an_image_is_given_by_its_folder(tmp_path):
    for name in "pr":
        write_image(tmp_path / f"{name}.zarr/labels/tissue", [lumps(ord(name))], (16, 16))
        (tmp_path / f"{name}.zarr/.zgroup").write_text('{"zarr_format": 2}')
    at = [tmp_path / f"{name}.zarr/labels/tissue" for name in "pr"]
    assert evidence(score(*at, "--metrics", "dice")) == counts(lumps(ord("p")), lumps(ord("r")))
    said = assay("score", tmp_path / "p.zarr", tmp_path / "r.zarr", status=2).stderr
    assert "give the folder of one, such as labels/NAME in it" in said


def test_the_stated_size_of_a_zarr_pixel_counts_on_request(tmp_path):
    for name in "pr":
        write_image(tmp_path / f"{name}.zarr", [lumps(ord(name)), lumps(ord(name))[::2, ::2]],
                    (16, 16), size=250)
    sides = tmp_path / "p.zarr", tmp_path / "r.zarr"
    pixels = score(*sides, "--metrics", "hd95", "--level", "1")
    assert pixels["settings"]["unit"] == "px"
    found = score(*sides, "--metrics", "hd95", "--level", "1", "--spacing", "file")
    assert found["metrics"]["hd95"]["mean"] == pytest.approx(
        0.5 * pixels["metrics"]["hd95"]["mean"])


# ---- Levels.

def write_sub_directories(path, levels):
    with tifffile.TiffWriter(path) as out:
        out.write(levels[0], tile=(16, 16), subifds=len(levels) - 1)
        for level in levels[1:]:
            out.write(level, tile=(16, 16), subfiletype=1)


def write_pages(path, levels):
    with tifffile.TiffWriter(path) as out:
        for k, level in enumerate(levels):
            out.write(level, tile=(16, 16), subfiletype=1 if k else 0, metadata=None)


PYRAMIDS = {"tif": write_sub_directories, "tiff": write_pages,
            "zarr": lambda path, levels: write_image(path, levels, (16, 16))}


def pyramid(seed):
    full = lumps(seed, shape=(80, 64)).astype("u1")
    return [full[::2**k, ::2**k] for k in range(3)]


@pytest.mark.parametrize("reader", ["buffer", "tiles"])
@pytest.mark.parametrize("ending", PYRAMIDS)
def test_a_level_of_a_pyramid_is_scored(tmp_path, ending, reader):
    for name in "pr":
        PYRAMIDS[ending](tmp_path / f"{name}.{ending}", pyramid(ord(name)))
    sides = tmp_path / f"p.{ending}", tmp_path / f"r.{ending}"
    for level in range(3):
        found = score(*sides, "--level", level, "--metrics", "dice", "--reader", reader)
        assert evidence(found) == counts(pyramid(ord("p"))[level], pyramid(ord("r"))[level])
        assert ("level" in found["settings"]) == (level > 0)
    said = assay("score", *sides, "--level", 3, status=2).stderr
    assert "has no level 3; it has 3 levels, from 0, the largest, to 2" in said


def test_each_side_may_have_its_own_level(tmp_path):
    tifffile.imwrite(tmp_path / "p.tif", pyramid(1)[2])
    write_pages(tmp_path / "r.tif", pyramid(2))
    sides = tmp_path / "p.tif", tmp_path / "r.tif"
    found = score(*sides, "--level", "0,2", "--metrics", "dice")
    assert evidence(found) == counts(pyramid(1)[2], pyramid(2)[2])
    assert found["settings"]["level"] == {"prediction": 0, "reference": 2}
    said = assay("score", *sides, "--level", "2", status=2).stderr
    assert "has no level 2, only the picture itself; drop --level" in said
    for wrong in ("x", "-1", "1,2,3", "1,"):
        said = assay("score", *sides, "--level", wrong, status=2).stderr
        assert f"'{wrong}' is not a level" in said or "--level" in said


# ---- By tiles.

def tiff(**how):
    dtype = how.pop("dtype", "u1")
    return lambda path, v: tifffile.imwrite(path, v.astype(dtype), **how)


TILED = {"tiles": (".tif", tiff(tile=(16, 32))), "strips": (".tif", tiff(rowsperstrip=3)),
         "one strip": (".tif", tiff()), "wide": (".tif", tiff(dtype="u2", tile=(64, 16))),
         "float": (".tif", tiff(dtype="f4", tile=(16, 16))), "zarr": (".zarr", array()),
         "zarr of other chunks": (".zarr", array(">i4", chunks=(11, 7), order="F"))}
ASKED = {"mask": (), "labels": ("--labels", "all"), "regions": ("--region", "some=1,3"),
         "ignored": ("--labels", "1,2", "--ignore-label", "3"), "cut": ("--threshold", "2"),
         "nonzero": ("--foreground", "nonzero")}


def results(*arguments):
    found = score(*arguments)
    del found["provenance"]
    return found


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("of_prediction", TILED)
@pytest.mark.parametrize("of_reference", ["tiles", "zarr"])
def test_counting_by_tiles_changes_nothing(tmp_path, of_prediction, of_reference, asked):
    sides = []
    for name, kind, seed in (("p", of_prediction, 1), ("r", of_reference, 2)):
        ending, write = TILED[kind]
        sides.append(tmp_path / f"{name}{ending}")
        write(sides[-1], lumps(seed, 3, (70, 90)))
    options = (*sides, "--metrics", "overlap", *ASKED[asked])
    found = results(*options, "--reader", "tiles")
    assert found == results(*options, "--reader", "buffer")
    assert found["ledger"]["scored"] == 1


def test_a_map_of_probabilities_is_cut_by_tiles(tmp_path):
    rng = numpy.random.default_rng(1)
    probability = rng.random((300, 400)).astype("f4")
    tifffile.imwrite(tmp_path / "p.tif", probability, tile=(64, 64))
    tifffile.imwrite(tmp_path / "r.tif", lumps(1, shape=(300, 400)).astype("u1"), tile=(32, 32))
    sides = tmp_path / "p.tif", tmp_path / "r.tif", "--metrics", "dice", "--reader", "tiles"
    found = score(*sides, "--threshold", "0.5")
    assert evidence(found) == counts(probability >= 0.5, lumps(1, shape=(300, 400)))
    said = assay("score", *sides, status=2).stderr
    assert "--threshold T" in said
    probability[3, 4] = numpy.nan
    tifffile.imwrite(tmp_path / "p.tif", probability, tile=(64, 64))
    said = assay("score", *sides, "--threshold", "0.5", status=2).stderr
    assert "prediction p.tif: holds NaN or infinity" in said


@pytest.mark.parametrize("reader", ["buffer", "tiles"])
def test_a_tile_that_is_not_stored_is_0(tmp_path, reader):
    shown = numpy.zeros((64, 64), "u1")
    shown[16:32, 32:48] = 1
    tiles = [shown[y:y + 16, x:x + 16] if shown[y:y + 16, x:x + 16].any() else None
             for y in range(0, 64, 16) for x in range(0, 64, 16)]
    tifffile.imwrite(tmp_path / "p.tif", iter(tiles), shape=shown.shape, dtype="u1",
                     tile=(16, 16), compression="zlib")
    assert tifffile.TiffFile(tmp_path / "p.tif").pages[0].databytecounts.count(0) == 15
    tifffile.imwrite(tmp_path / "r.tif", lumps(1, shape=(64, 64)).astype("u1"))
    found = score(tmp_path / "p.tif", tmp_path / "r.tif", "--metrics", "dice", "--reader", reader)
    assert evidence(found) == counts(shown, lumps(1, shape=(64, 64)))


def test_a_pair_larger_than_memory_is_counted(tmp_path):
    side, chunk = 40_000, 1000
    for name, filled in (("p", [(0, 0), (3, 5)]), ("r", [(3, 5), (39, 39)])):
        folder = tmp_path / f"{name}.zarr"
        write_array(folder, numpy.zeros((0, 0), "u1"), (chunk, chunk), packing="zlib")
        (folder / ".zarray").write_text(json.dumps(
            describe((side, side), (chunk, chunk), "u1", "zlib")))
        for y, x in filled:
            (folder / f"{y}.{x}").write_bytes(PACKERS["zlib"](bytes([1]) * chunk * chunk, 1))
    sides = tmp_path / "p.zarr", tmp_path / "r.zarr"
    out, _, peak = measured("score", *sides, "--metrics", "overlap", "--max-memory", "500M",
                            "--json")
    million = chunk * chunk
    assert evidence(strict(out)) == {"tp": million, "fp": million, "fn": million,
                                     "tn": side * side - 3 * million}
    assert peak < 500e6
    said = assay("score", *sides, "--max-memory", "500M", status=2).stderr
    assert "for which about" in said and "or give --metrics overlap" in said


def test_millions_of_chunks_that_are_not_there_are_the_fill_value(tmp_path):
    side = 2000 * 16
    for name in "pr":
        folder = tmp_path / f"{name}.zarr"
        write_array(folder, numpy.ones((16, 32), "u1"), (16, 16), separator="/")
        (folder / ".zarray").write_text(json.dumps(
            describe((side, side), (16, 16), "u1", separator="/")))
        for other in ("0/01", "0/-1", "x", "0/2000", "2000/0", "0/5.tmp"):  # not chunks
            (folder / other).parent.mkdir(exist_ok=True)
            (folder / other).write_bytes(b"?")
    sides = tmp_path / "p.zarr", tmp_path / "r.zarr"
    assert evidence(score(*sides, "--metrics", "dice")) == {"tp": 512, "fp": 0, "fn": 0,
                                                            "tn": side * side - 512}


def test_jobs_do_not_change_what_is_counted_by_tiles(tmp_path):
    small = lumps(1, 3), lumps(2, 3)
    for name, voxels in zip("pr", small):
        array(chunks=(500, 500))(tmp_path / f"{name}.zarr", numpy.tile(voxels, (150, 100)))
    how = (tmp_path / "p.zarr", tmp_path / "r.zarr", "--labels", "all", "--metrics", "overlap",
           "--reader", "tiles", "--jobs")
    one = results(*how, 1)
    for label in "123":
        wanted = counts(*(voxels == int(label) for voxels in small))
        assert evidence(one, label=label) == {key: 15_000 * n for key, n in wanted.items()}
    for jobs in (2, 3, 8):
        assert results(*how, jobs) == one


# ---- Hostile files.

def broken(**changed):
    def write(folder):
        write_array(folder, lumps(1).astype("u1"), (16, 16), packing="zlib")
        about = json.loads((folder / ".zarray").read_text())
        (folder / ".zarray").write_text(json.dumps({**about, **changed}))
    return write


def with_chunk(data, packing="zlib"):
    def write(folder):
        write_array(folder, lumps(1).astype("u1"), (16, 16), packing=packing)
        (folder / "0.0").write_bytes(data(PACKERS[packing]))
    return write


def with_attributes(**image):
    def write(folder):
        folder.mkdir()
        (folder / ".zattrs").write_text(json.dumps({"multiscales": [image]}))
    return write


def version_3(folder):
    folder.mkdir()
    (folder / "zarr.json").write_text('{"zarr_format": 3}')


HOSTILE = {
    "many chunks": (broken(shape=[2**40, 2**40]), "chunks (1099511627776x1099511627776 voxels"),
    "large chunks": (broken(chunks=[2**20, 2**20]), "more than 1 GB; save it with smaller chunks"),
    "negative": (broken(shape=[-1, 5]), "its shape has a number that is not from 1 to 2^40"),
    "axes": (broken(shape=[5], chunks=[5]), "axes are not those of a picture"),
    "channels": (broken(shape=[3, 20, 20, 20], chunks=[1, 20, 20, 20]), "with channels or points"),
    "uneven": (broken(chunks=[5]), "different numbers of axes"),
    "type": (broken(dtype="|O"), "has voxels of the type '|O'"),
    "record": (broken(dtype=[["a", "<i4"]]), "has voxels of the type ''"),
    "packing": (broken(compressor={"id": "bz2"}), "is compressed with 'bz2'"),
    "filters": (broken(filters=[{"id": "delta"}]), "uses filters"),
    "fill": (broken(fill_value="x"), "its fill_value is not a number"),
    "fill of another type": (broken(fill_value=300), "not a number of the array's type"),
    "version": (broken(zarr_format=4), "is not of version 2 of Zarr"),
    "version 3": (version_3, "is of version 3 of Zarr"),
    "bomb": (with_chunk(lambda pack: pack(bytes(10**7), 1)), "0.0"),
    "short": (with_chunk(lambda pack: pack(b"abc", 1)), "0.0"),
    "cut": (with_chunk(lambda pack: pack(bytes(256), 1)[:-3]), "0.0"),
    "plain of another size": (with_chunk(lambda pack: b"abc", None),
                              "a chunk has 3 bytes, not 256"),
    "blosc bomb": (with_chunk(lambda pack: pack(bytes(10**6), 1), "blosc lz4"),
                   "a chunk is damaged"),
    "blosc lies": (with_chunk(lambda pack: struct.pack("<BBBBIII", 2, 1, 2, 1, 256, 256, 2**31 - 1),
                              "blosc lz4"), "a chunk is damaged"),
    "zstd bomb": (with_chunk(lambda pack: pack(bytes(10**6), 1), "zstd"), "a chunk is damaged"),
    "not packed": (with_chunk(lambda pack: b"\xff" * 300, "zstd"), "a chunk is damaged"),
    "padded": (with_chunk(lambda pack: bytes(200_000), None), "far more than a chunk takes"),
    "outside": (with_attributes(datasets=[{"path": "../r.zarr"}]), "outside the header's folder"),
    "absolute": (with_attributes(datasets=[{"path": "/etc"}]), "outside the header's folder"),
    "no level": (with_attributes(datasets=[]), "multiscales without any dataset"),
    "no array": (with_attributes(datasets=[{"path": "0"}]), "0/.zarray"),
    "empty": (lambda folder: folder.mkdir(), "holds neither an array (.zarray) nor an image"),
}


@pytest.mark.parametrize("reader", ["auto", "tiles"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_zarr_folder_gets_one_clear_sentence(tmp_path, kind, reader):
    write, words = HOSTILE[kind]
    write(tmp_path / "p.zarr")
    broken()(tmp_path / "r.zarr")
    out, said, peak = measured("score", tmp_path / "p.zarr", tmp_path / "r.zarr", "--metrics",
                               "dice", "--reader", reader, status=2)
    assert words in said and "p.zarr" in said
    assert peak < 200e6


def test_a_pair_of_other_shapes_fails_by_tiles_too(tmp_path):
    for name, side in (("p", 40), ("r", 41)):
        write_array(tmp_path / f"{name}.zarr", numpy.ones((side, side), "u1"), (16, 16))
    said = assay("score", tmp_path / "p.zarr", tmp_path / "r.zarr", "--metrics", "dice",
                 "--reader", "tiles", status=2).stderr
    assert "the images have different shapes" in said
