"""Masks in PNG and TIFF files against what Pillow, tifffile and SciPy make of them."""
import struct, zlib

import numpy
import pytest
from scipy import ndimage

from support import assay, counts, dice, evidence, save, score

Image = pytest.importorskip("PIL.Image")
tifffile = pytest.importorskip("tifffile")

SHAPE = (37, 53)  # rows, columns


def lumps(seed, labels=1, shape=SHAPE):
    """Smooth shapes with values from 0 to `labels`."""
    rng = numpy.random.default_rng(seed)
    field = ndimage.gaussian_filter(rng.normal(size=shape), 3)
    edges = numpy.quantile(field, numpy.linspace(0.6, 0.95, labels))
    return numpy.digitize(field, edges).astype(numpy.int32)


def pair(folder, write, labels=1, ending="png"):
    """One pair of pictures, and what they show."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = lumps(1, labels), lumps(2, labels)
    for name, voxels in zip(("p", "r"), shown):
        write(folder / f"{name}.{ending}", voxels)
    return folder / f"p.{ending}", folder / f"r.{ending}", *shown


def as_palette(path, voxels):
    picture = Image.fromarray(voxels.astype(numpy.uint8), "P")
    picture.putpalette([(37 * i) % 256 for i in range(768)])
    picture.save(path)


def as_interlaced_16_bits(path, voxels):
    """Adam7, which Pillow reads and does not write; big-endian samples, no filter."""
    height, width = voxels.shape
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
              (0, 1, 1, 2)]
    raw = b""
    for x, y, dx, dy in passes:
        part = voxels[y::dy, x::dx].astype(">u2")
        raw += b"".join(b"\0" + row.tobytes() for row in part if row.size)
    write_png(path, struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 1), zlib.compress(raw))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, header, data, *others):
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(others)
                     + chunk(b"IDAT", data) + chunk(b"IEND", b""))


PNG_WRITERS = {
    "8 bits": lambda path, v: Image.fromarray(v.astype(numpy.uint8)).save(path),
    "16 bits": lambda path, v: Image.fromarray(v.astype(numpy.uint16)).save(path),
    "palette": as_palette,
    "palette of few bits": lambda path, v: Image.fromarray(v.astype(numpy.uint8), "P").save(
        path, bits=4),
    "interlaced 16 bits": as_interlaced_16_bits,
}


@pytest.mark.parametrize("kind", PNG_WRITERS)
def test_a_png_holds_the_labels_that_were_saved(tmp_path, kind):
    prediction, reference, p, r = pair(tmp_path, PNG_WRITERS[kind], labels=3)
    found = score(prediction, reference, "--labels", "1,2,3", "--metrics", "dice")
    for label in (1, 2, 3):
        assert evidence(found, label=str(label)) == counts(p == label, r == label)


def test_a_bilevel_png_is_a_mask(tmp_path):
    prediction, reference, p, r = pair(
        tmp_path, lambda path, v: Image.fromarray(v.astype(bool)).save(path))
    assert evidence(score(prediction, reference)) == counts(p, r)


def tiff(**options):
    dtype = options.pop("dtype", numpy.uint8)
    return lambda path, v: tifffile.imwrite(path, v.astype(dtype), **options)


def by_pillow(mode, **options):
    dtype = {"1": bool, "P": numpy.uint8, "L": numpy.uint8}[mode]

    def write(path, voxels):
        picture = Image.fromarray(voxels.astype(dtype), None if mode == "1" else mode)
        if mode == "P":
            picture.putpalette([(91 * i) % 256 for i in range(768)])
        picture.save(path, **options)
    return write


TIFF_WRITERS = {
    **{numpy.dtype(t).name: tiff(dtype=t)
       for t in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")},
    "big-endian": tiff(dtype="u2", byteorder=">"),
    "BigTIFF": tiff(dtype="u2", bigtiff=True),
    "tiles": tiff(dtype="u2", tile=(16, 16)),
    "strips": tiff(dtype="i4", rowsperstrip=5),
    "LZW": by_pillow("L", compression="tiff_lzw"),
    "deflate": by_pillow("L", compression="tiff_adobe_deflate"),
    "PackBits": by_pillow("L", compression="packbits"),
    "palette": by_pillow("P"),
    "ImageJ": tiff(imagej=True),
    "OME": tiff(ome=True),
}


@pytest.mark.parametrize("kind", TIFF_WRITERS)
def test_a_tiff_holds_the_labels_that_were_saved(tmp_path, kind):
    prediction, reference, p, r = pair(tmp_path, TIFF_WRITERS[kind], labels=3, ending="tif")
    found = score(prediction, reference, "--labels", "1,2,3", "--metrics", "dice")
    for label in (1, 2, 3):
        assert evidence(found, label=str(label)) == counts(p == label, r == label)


@pytest.mark.parametrize("compression", ["raw", "group3", "group4", "tiff_ccitt", "tiff_lzw"])
def test_a_bilevel_tiff_is_a_mask_with_white_as_foreground(tmp_path, compression):
    prediction, reference, p, r = pair(tmp_path, by_pillow("1", compression=compression),
                                       ending="tiff")
    assert numpy.array_equal(numpy.asarray(Image.open(prediction)), p > 0)
    assert evidence(score(prediction, reference)) == counts(p, r)


def test_where_0_is_white_a_bilevel_tiff_is_a_mask_all_the_same(tmp_path):
    p, r = lumps(1) > 0, lumps(2) > 0
    for name, voxels in (("p", p), ("r", r)):
        tifffile.imwrite(tmp_path / f"{name}.tif", ~voxels, photometric="miniswhite")
    assert numpy.array_equal(numpy.asarray(Image.open(tmp_path / "p.tif")), p)
    assert evidence(score(tmp_path / "p.tif", tmp_path / "r.tif")) == counts(p, r)


def test_pages_of_a_tiff_are_slices(tmp_path):
    p, r = (numpy.stack([lumps(k + s) for k in range(5)]) for s in (0, 100))
    for name, voxels in (("p", p), ("r", r)):
        tifffile.imwrite(tmp_path / f"{name}.tif", voxels.astype("u1"), photometric="minisblack")
    options = ("--metrics", "dice,hd95,volume_reference_ml", "--spacing", "0.5,0.25,2")
    found = score(tmp_path / "p.tif", tmp_path / "r.tif", *options)
    affine = numpy.diag([0.5, 0.25, 2, 1])
    save(tmp_path / "p.nii.gz", p.T, affine)
    save(tmp_path / "r.nii.gz", r.T, affine)
    same = score(tmp_path / "p.nii.gz", tmp_path / "r.nii.gz", *options)
    assert found["cases"][0]["label"] == same["cases"][0]["label"]
    said = assay("score", tmp_path / "p.tif", tmp_path / "r.tif", "--spacing", "1,1", status=2)
    assert "has 5 slices, and their distance is not known" in said.stderr


def test_a_float_picture_is_a_map_of_probabilities(tmp_path):
    reference = lumps(1)
    probability = ndimage.gaussian_filter(reference.astype("f4"), 1)
    tifffile.imwrite(tmp_path / "p.tif", probability)
    Image.fromarray(reference.astype("u1")).save(tmp_path / "r.png")
    found = score(tmp_path / "p.tif", tmp_path / "r.png", "--threshold", "0.5",
                  "--metrics", "dice,auroc")
    assert found["dice"]["mean"] == pytest.approx(dice(probability >= 0.5, reference))
    assert found["metrics"]["auroc"]["n"] == 1


def border(solid):
    """Voxels with background next to them, in the plane; beyond the picture is background."""
    return solid & ~ndimage.binary_erosion(solid, ndimage.generate_binary_structure(2, 1))


def hausdorff_95(p, r, spacing=(1, 1)):
    def directed(a, b):
        far = ndimage.distance_transform_edt(~border(b), sampling=spacing)
        return numpy.percentile(far[border(a)], 95)
    return max(directed(p, r), directed(r, p))


@pytest.mark.parametrize("options, spacing, unit", [((), (1, 1), "px"),
                                                    (("--spacing", "0.5,0.25"), (0.25, 0.5), "mm")])
def test_a_picture_is_measured_in_its_plane(tmp_path, options, spacing, unit):
    prediction, reference, p, r = pair(tmp_path, PNG_WRITERS["8 bits"])
    found = score(prediction, reference, "--metrics", "hd95,nsd", "--nsd-tolerance", "1,2",
                  *options)
    assert found["metrics"]["hd95"]["mean"] == pytest.approx(hausdorff_95(p > 0, r > 0, spacing))
    assert found["settings"]["unit"] == unit
    assert found["settings"][f"nsd_tolerance_{unit}"] == 1
    assert list(found["metrics"]) == ["hd95", "nsd", f"nsd@2{unit}"]
    table = assay("score", prediction, reference, "--metrics", "hd95,nsd", *options).stdout
    assert f"hd95 ({unit})" in table
    assert ("lengths are in pixels, nsd tolerance 1 px" in table) == (unit == "px")
    assert ("mm" in table) == (unit == "mm")


def test_pixels_have_no_volume(tmp_path):
    prediction, reference, *_ = pair(tmp_path, PNG_WRITERS["8 bits"])
    found = score(prediction, reference, "--metrics", "avd,volume_reference_ml")
    assert found["metrics"]["avd"]["n"] == 1
    assert found["metrics"]["volume_reference_ml"]["undefined"] == {"no_voxel_size": 1}
    said = assay("score", prediction, reference, "--metrics", "lesion_f1", "--min-lesion-ml", "1",
                 status=2).stderr
    assert "the volume of a voxel is not known" in said


def test_a_stated_pixel_size_counts_only_where_that_is_asked_for(tmp_path):
    prediction, reference, p, r = pair(
        tmp_path, lambda path, v: Image.fromarray(v.astype("u1")).save(path, dpi=(254, 508)))
    assert score(prediction, reference)["settings"]["unit"] == "px"
    found = score(prediction, reference, "--spacing", "file")
    assert (found["settings"]["unit"], found["settings"]["spacing"]) == ("mm", "file")
    assert found["metrics"]["hd95"]["mean"] == pytest.approx(
        hausdorff_95(p > 0, r > 0, (0.05, 0.1)), rel=1e-4)  # whole pixels per metre


@pytest.mark.parametrize("options", [
    {"resolution": (100, 200), "resolutionunit": "CENTIMETER"},
    {"resolution": (10, 20), "imagej": True, "metadata": {"unit": "mm"}},
    {"ome": True, "metadata": {"PhysicalSizeX": 100, "PhysicalSizeY": 0.05,
                               "PhysicalSizeYUnit": "mm"}}])
def test_tiff_states_the_pixel_size_in_three_ways(tmp_path, options):
    prediction, reference, p, r = pair(tmp_path, tiff(**options), ending="tif")
    found = score(prediction, reference, "--spacing", "file", "--metrics", "hd95")
    assert found["metrics"]["hd95"]["mean"] == pytest.approx(
        hausdorff_95(p > 0, r > 0, (0.05, 0.1)), rel=1e-6)


def test_a_picture_without_a_stated_size_says_what_to_do(tmp_path):
    prediction, reference, *_ = pair(tmp_path, PNG_WRITERS["8 bits"])
    said = assay("score", prediction, reference, "--spacing", "file", status=2).stderr
    assert "states no pixel size; give it in mm with --spacing" in said
    for wrong in ("1", "0,1", "1,2,3,4", "a,b", "files"):
        said = assay("score", prediction, reference, "--spacing", wrong, status=2).stderr
        assert said.startswith(f"assay: '{wrong}' is not a pixel size")


COLORS = {0: (0, 0, 0), 1: (255, 0, 0), 2: (0, 200, 50)}


@pytest.mark.parametrize("mode, ending", [("RGB", "png"), ("RGBA", "png"), ("RGB", "tif"),
                                          ("RGBA", "tif")])
def test_colours_become_labels_by_a_table(tmp_path, mode, ending):
    def write(path, voxels):
        Image.fromarray(numpy.array([COLORS[k] for k in range(3)], "u1")[voxels]).convert(
            mode).save(path)
    prediction, reference, p, r = pair(tmp_path, write, labels=2, ending=ending)
    table = tmp_path / "colors.csv"
    table.write_text("value,name,r,g,b\n" + "".join(
        f"{k},name{k},{','.join(map(str, rgb))}\n" for k, rgb in COLORS.items()))
    found = score(prediction, reference, "--labels", "1,2", "--colors", table)
    for label in (1, 2):
        assert evidence(found, label=str(label)) == counts(p == label, r == label)
    assert found["settings"]["colors"] == {"#000000": 0, "#FF0000": 1, "#00C832": 2}
    said = assay("score", prediction, reference, status=2).stderr
    assert "has colours, not labels; say with --colors FILE" in said
    table.write_text("value,name,r,g,b\n0,background,0,0,0\n")
    said = assay("score", prediction, reference, "--colors", table, status=2).stderr
    assert "has the colour (255, 0, 0), which the table of --colors does not have" in said or (
        "has the colour (0, 200, 50), which the table" in said)


def test_nnunets_natural_images_work_as_they_are(tmp_path):
    (tmp_path / "pred").mkdir()
    (tmp_path / "pred/dataset.json").write_text(
        '{"labels": {"background": 0, "road": 1}, "file_ending": ".png", "numTraining": 2, '
        '"channel_names": {"0": "R", "1": "G", "2": "B"}}')
    shown = {}
    for folder in ("pred", "ref"):
        (tmp_path / folder).mkdir(exist_ok=True)
        for name in ("img-1", "img-2"):
            shown[folder, name] = lumps(len(shown))
            Image.fromarray(shown[folder, name].astype("u1")).save(
                tmp_path / folder / f"{name}.png")
    found = score("pred", "ref", cwd=tmp_path)
    assert found["labels"]["1"]["name"] == "road"
    assert [c["id"] for c in found["cases"]] == ["img-1", "img-2"]
    for k, name in enumerate(("img-1", "img-2")):
        assert evidence(found, k, "1") == counts(shown["pred", name], shown["ref", name])


def test_a_picture_among_volumes_is_for_people(tmp_path):
    for folder in ("pred", "ref"):
        save(tmp_path / folder / "a.nii.gz", numpy.ones((4, 4, 4), "u1"))
    Image.fromarray(lumps(1).astype("u1")).save(tmp_path / "pred/progress.png")
    Image.fromarray(lumps(1).astype("u1")).save(tmp_path / "pred/a.png")
    assert score("pred", "ref", cwd=tmp_path)["ledger"]["expected"] == 1


def test_pixels_and_millimetres_do_not_mix(tmp_path):
    for folder in ("pred", "ref"):
        save(tmp_path / folder / "a.nii.gz", lumps(1)[..., None])
        numpy.save(tmp_path / folder / "b.npy", lumps(2)[..., None].astype("u1"))
    found = score("pred", "ref", "--metrics", "dice,hd95", status=3, cwd=tmp_path)
    assert [c["status"] for c in found["cases"]] == ["ok", "failed"]
    assert "distances have no common unit" in found["cases"][1]["error"]
    assert score("pred", "ref", "--metrics", "dice", cwd=tmp_path)["ledger"]["scored"] == 2
    found = score("pred", "ref", "--spacing", "1,1,1", cwd=tmp_path)
    assert (found["ledger"]["scored"], found["settings"]["unit"]) == (2, "mm")


def test_results_in_pixels_and_in_millimetres_are_not_compared(tmp_path):
    prediction, reference, *_ = pair(tmp_path, PNG_WRITERS["8 bits"])
    for name, options in (("px", ()), ("mm", ("--spacing", "1,1"))):
        assay("score", prediction, reference, "--model", name, *options,
              "--out", tmp_path / f"{name}.json")
    said = assay("compare", "px.json", "mm.json", "--metric", "hd95", cwd=tmp_path, status=2).stderr
    assert "hd95 is in mm in mm.json and in px in px.json" in said


def huge_header(width, height):
    return struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)


def test_hostile_pictures_get_one_clear_sentence(tmp_path):
    good, reference, *_ = pair(tmp_path, PNG_WRITERS["8 bits"])
    whole = good.read_bytes()
    tifffile.imwrite(tmp_path / "good.tif", lumps(1, shape=(200, 300)).astype("u2"), tile=(16, 16),
                     compression=None)
    whole_tiff = (tmp_path / "good.tif").read_bytes()
    bomb = struct.pack("<2sHI", b"II", 42, 8) + struct.pack("<H", 9) + b"".join(
        struct.pack("<HHII", *entry) for entry in (
            (256, 4, 1, 2**31 - 1), (257, 4, 1, 2**31 - 1), (258, 3, 1, 8), (259, 3, 1, 8),
            (262, 3, 1, 1), (273, 4, 1, 130), (277, 3, 1, 1), (278, 4, 1, 1), (279, 4, 1, 20))
    ) + b"\0" * 40
    loop = bytearray(whole_tiff)
    wrong = {
        "cut.png": whole[: len(whole) // 2], "crc.png": whole[:40] + b"xxxx" + whole[44:],
        "head.png": whole[:20], "cut.tif": whole_tiff[:-5000], "head.tif": whole_tiff[:9],
        "bomb.tif": bomb, "empty.tif": b"II*\0" + b"\0" * 60, "other.tif": bytes(loop[:8]),
    }
    write_png(tmp_path / "bomb.png", huge_header(2**31 - 1, 2**31 - 1), zlib.compress(b"\0" * 99))
    wrong["bomb.png"] = (tmp_path / "bomb.png").read_bytes()
    write_png(tmp_path / "zero.png", huge_header(0, 5), zlib.compress(b"\0" * 99))
    wrong["zero.png"] = (tmp_path / "zero.png").read_bytes()
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
        done = assay("score", tmp_path / name, reference, status=2)
        first = done.stderr.splitlines()[0]
        assert first.startswith(f"not scored: r: prediction {name}: "), first
        assert any(words in first for words in ("damaged or cut short", "the header is wrong",
                                                "size is impossible")), first


def test_a_lossy_picture_is_refused(tmp_path):
    _, reference, p, _ = pair(tmp_path, PNG_WRITERS["8 bits"])
    Image.fromarray((p * 255).astype("u1")).save(tmp_path / "p.jpg")
    said = assay("score", tmp_path / "p.jpg", reference, status=2).stderr.splitlines()[0]
    assert said.endswith("JPEG changes the values of pixels, so they are not the labels that were "
                         "saved; save masks as PNG or TIFF")
    Image.fromarray((p * 255).astype("u1")).save(tmp_path / "p.tif", compression="jpeg")
    said = assay("score", tmp_path / "p.tif", reference, status=2).stderr
    assert "is compressed with JPEG, which changes the values of pixels" in said


def test_other_pages_and_meanings_are_refused(tmp_path):
    _, reference, p, _ = pair(tmp_path, PNG_WRITERS["8 bits"])
    with tifffile.TiffWriter(tmp_path / "sizes.tif") as out:
        out.write(p.astype("u1"))
        out.write(p[:9].astype("u1"))
    tifffile.imwrite(tmp_path / "time.tif", numpy.stack([p, p]).astype("u1"), imagej=True,
                     metadata={"axes": "TYX"})
    tifffile.imwrite(tmp_path / "white.tif", p.astype("u1"), photometric="miniswhite")
    for name, words in (("sizes", "has pages of different sizes or kinds"),
                        ("time", "has pages for channels or time points"),
                        ("white", "has grey values in which 0 is white")):
        assert words in assay("score", tmp_path / f"{name}.tif", reference, status=2).stderr


def test_smaller_copies_of_a_picture_are_passed_over(tmp_path):
    prediction, reference, p, r = pair(tmp_path, PNG_WRITERS["8 bits"])
    with tifffile.TiffWriter(tmp_path / "pyramid.tif") as out:
        out.write(p.astype("u1"), tile=(16, 16))
        out.write(p[::2, ::2].astype("u1"), tile=(16, 16), subfiletype=1)
    assert evidence(score(tmp_path / "pyramid.tif", reference)) == counts(p, r)


def test_reports_and_comparisons_say_pixels_and_never_millimetres(tmp_path):
    for model in range(2):
        for case in range(7):
            folder = tmp_path / f"p{model}"
            folder.mkdir(exist_ok=True)
            (tmp_path / "r").mkdir(exist_ok=True)
            for path, seed in ((folder, 7 * model + case + 50), (tmp_path / "r", case)):
                Image.fromarray(lumps(seed).astype("u1")).save(path / f"c{case}.png")
        assay("score", f"p{model}", "r", "--out", f"{model}.json", "--quiet", cwd=tmp_path)
    said = assay("compare", "0.json", "1.json", cwd=tmp_path).stdout
    assert "hd95 (px)" in said and " px (95 % CI" in said and "mm" not in said
    assay("report", "0.json", "1.json", "--out", "report.html", "--quiet", cwd=tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "HD95 (px)" in page and "NSD has a tolerance of 1 px." in page
    assert "HD95 (mm)" not in page and ", in mm" not in page
