"""DICOM as others write and read it: highdicom, pydicom, rt-utils, SimpleITK, plastimatch.

Every check is a function that raises AssertionError; `outcomes` runs them all.
"""
import importlib.metadata, json, pathlib, shutil, subprocess, tempfile

from tools import Missing, module

SHAPE = (12, 48, 56)  # slices, rows, columns
SPACING, ORIGIN = (2.5, 0.9, 0.7), (-40.0, -30.0, 12.5)  # slice, row, column; LPS
PACKAGES = ("numpy", "pydicom", "highdicom", "rt_utils", "SimpleITK", "PIL")
AS_NAMED = {"rt_utils": "rt-utils", "PIL": "pillow"}


class Bench:
    """The program, a folder, a series in it, and the packages."""

    def __init__(self, program, folder, spacing=SPACING):
        self.program, self.folder, self.spacing = program, folder, spacing
        folder.mkdir(exist_ok=True)
        (self.numpy, self.pydicom, self.highdicom, self.rt_utils, self.itk,
         _) = (module(name) for name in PACKAGES)
        self.rng = self.numpy.random.default_rng(11)
        self.values = self.rng.integers(-1000, 1000, SHAPE).astype("i2")
        self.series = self.write_series(folder / "ct")

    def slice(self, z):
        """A CT slice as pydicom writes it."""
        uid = self.pydicom.uid
        out = self.pydicom.Dataset()
        out.file_meta = self.pydicom.dataset.FileMetaDataset()
        out.file_meta.TransferSyntaxUID = uid.ExplicitVRLittleEndian
        out.SOPClassUID, out.SOPInstanceUID = uid.CTImageStorage, uid.generate_uid()
        out.file_meta.MediaStorageSOPClassUID = out.SOPClassUID
        out.file_meta.MediaStorageSOPInstanceUID = out.SOPInstanceUID
        out.StudyInstanceUID, out.SeriesInstanceUID = (uid.generate_uid(entropy_srcs=[text])
                                                       for text in ("study", "series"))
        out.FrameOfReferenceUID = uid.generate_uid(entropy_srcs=["frame"])
        out.PatientID = out.PatientName = "P1"
        out.PatientBirthDate = out.PatientSex = out.AccessionNumber = out.StudyID = ""
        out.StudyDate, out.StudyTime, out.ReferringPhysicianName = "20240101", "120000", ""
        out.Modality, out.SeriesNumber, out.InstanceNumber = "CT", 1, z + 1
        out.PositionReferenceIndicator = out.Manufacturer = ""
        out.ImagePositionPatient = [*ORIGIN[:2], ORIGIN[2] + z * self.spacing[0]]
        out.ImageOrientationPatient, out.PixelSpacing = [1, 0, 0, 0, 1, 0], list(self.spacing[1:])
        out.SliceThickness = self.spacing[0]
        out.Rows, out.Columns = SHAPE[1:]
        out.SamplesPerPixel, out.PhotometricInterpretation = 1, "MONOCHROME2"
        out.BitsAllocated, out.BitsStored, out.HighBit, out.PixelRepresentation = 16, 16, 15, 1
        out.RescaleSlope, out.RescaleIntercept = 1, -24
        out.PixelData = self.values[z].tobytes()
        out["PixelData"].VR = "OW"
        return out

    def write_series(self, folder, change=None):
        folder.mkdir()
        for z in range(SHAPE[0]):
            data = self.slice(z)
            if change:
                change(data)
            data.save_as(folder / f"{(z * 7) % 101:03}.dcm", enforce_file_format=True)
        return folder

    def assay(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, f"assay {arguments[0]}: {done.stderr.strip()}"
        return done.stdout

    def read(self, path):
        """As assay reads it, by SimpleITK from a NIfTI file."""
        out = self.folder / "seen.nii"
        self.assay("recipe", "apply", "none", path, "--out", out)
        return self.itk.ReadImage(str(out))

    def array(self, image):
        return self.itk.GetArrayFromImage(image)

    def blob(self, centre, radius):
        z, y, x = self.numpy.indices(SHAPE)
        return sum(((a - c) / r) ** 2 for a, c, r in zip((z, y, x), centre, radius)) < 1

    def save(self, mask, name):
        """A label map in NIfTI on the grid of the series."""
        image = self.itk.GetImageFromArray(mask.astype("u1"))
        image.SetSpacing(self.spacing[::-1])
        image.SetOrigin(ORIGIN)
        path = self.folder / name
        self.itk.WriteImage(image, str(path))
        return path

    def dices(self, prediction, reference, *options):
        found = json.loads(self.assay("score", prediction, reference, "--metrics", "dice",
                                      "--json", *options))
        return found, {key: label["dice"] for key, label in found["cases"][0]["label"].items()}

    def assert_same(self, ours, theirs):
        assert self.numpy.array_equal(self.array(ours), self.array(theirs)), "values differ"
        for name in ("GetOrigin", "GetSpacing", "GetDirection"):
            pair = [self.numpy.array(getattr(image, name)()) for image in (ours, theirs)]
            assert self.numpy.allclose(*pair, atol=1e-4), f"{name[3:]} differs: {pair}"


def itk_series(bench, folder):
    reader = bench.itk.ImageSeriesReader()
    reader.SetFileNames(reader.GetGDCMSeriesFileNames(str(folder)))
    return bench.itk.Cast(reader.Execute(), bench.itk.sitkFloat32)


def series_as_simpleitk(bench):
    bench.assert_same(bench.read(bench.series), itk_series(bench, bench.series))


def compressed_series(bench):
    """RLE by pylibjpeg, JPEG-LS by pyjpegls: both without loss."""
    for name in ("RLELossless", "JPEGLSLossless"):
        syntax = getattr(bench.pydicom.uid, name)
        folder = bench.write_series(bench.folder / name, lambda data: data.compress(syntax))
        bench.assert_same(bench.read(folder), itk_series(bench, bench.series))


def need_program(name, package):
    if not shutil.which(name):
        raise Missing(f"{name} is not installed (apt-get install {package})")


SYNTAXES = {  # without loss: DCMTK's tool and its options
    "1.2.840.10008.1.2": "dcmconv +ti",
    "1.2.840.10008.1.2.2": "dcmconv +tb",
    "1.2.840.10008.1.2.1.99": "dcmconv +td",
    "1.2.840.10008.1.2.5": "dcmcrle",
    "1.2.840.10008.1.2.4.57": "dcmcjpeg +el +un",
    "1.2.840.10008.1.2.4.70": "dcmcjpeg +e1 +un",
    "1.2.840.10008.1.2.4.80": "dcmcjpls +el",
}


def pydicom_series(bench, folder):
    """Values by slice as pydicom decodes them, with the plugins of pylibjpeg."""
    slices = [bench.pydicom.dcmread(file) for file in folder.iterdir()]
    slices.sort(key=lambda data: float(data.ImagePositionPatient[2]))
    return bench.numpy.stack([data.pixel_array * float(data.RescaleSlope)
                              + float(data.RescaleIntercept) for data in slices])


def converted(series, command):
    """A folder with what one of DCMTK's tools makes of each file."""
    need_program(command.split()[0], "dcmtk")
    folder = series.with_name(f"{series.name} {command}")
    folder.mkdir()
    for file in series.iterdir():
        subprocess.run([*command.split(), str(file), str(folder / file.name)], check=True,
                       capture_output=True)
    return folder


def every_syntax(bench):
    """What DCMTK's own tools write, against the series itself and against pydicom."""
    for package in ("libjpeg", "rle", "jpeg_ls"):
        module(package)
    original = bench.array(itk_series(bench, bench.series))
    for syntax, command in SYNTAXES.items():
        folder = converted(bench.series, command)
        written = bench.pydicom.dcmread(next(folder.iterdir())).file_meta.TransferSyntaxUID
        assert written == syntax, f"{command} wrote {written}"
        ours = bench.array(bench.read(folder))
        assert (ours == original).all(), f"{syntax}: values differ"
        assert (ours == pydicom_series(bench, folder)).all(), f"{syntax}: pydicom has other values"


def lossy_series(bench):
    """JPEG and JPEG-LS with loss. Decoders of JPEG may round a value up or down."""
    for package in ("libjpeg", "jpeg_ls"):
        module(package)
    bench.values = bench.blob((5, 20, 20), (6, 18, 22)) * 1000 + bench.rng.integers(0, 90, SHAPE)

    def eight(data):
        z = data.InstanceNumber - 1
        data.BitsAllocated = data.BitsStored = 8
        data.HighBit, data.PixelRepresentation = 7, 0
        data.PixelData = (bench.values[z] // 8).astype("u1").tobytes()
        data["PixelData"].VR = "OB"

    def twelve(data):
        data.BitsStored, data.HighBit, data.PixelRepresentation = 12, 11, 0
        data.PixelData = bench.values[data.InstanceNumber - 1].astype("u2").tobytes()
    for name, change, commands in (("eight", eight, ["dcmcjpeg +eb +q 95", "dcmcjpls +en"]),
                                   ("twelve", twelve, ["dcmcjpeg +ee +q 95", "dcmcjpls +en"])):
        plain = bench.write_series(bench.folder / name, change)
        for command in commands:
            folder = converted(plain, command)
            off = abs(bench.array(bench.read(folder)) - pydicom_series(bench, folder)).max()
            assert off <= ("jpeg" in command), f"{name} bits, {command}: pydicom is off by {off}"


def segments(bench):
    codes = bench.highdicom.sr.coding
    describe = bench.highdicom.seg.SegmentDescription
    out = []
    for number, name in enumerate(("Liver", "Spleen"), 1):
        out.append(describe(
            segment_number=number, segment_label=name,
            segmented_property_category=codes.CodedConcept("123037004", "SCT", "Anatomy"),
            segmented_property_type=codes.CodedConcept(f"1020000{number}", "SCT", name),
            algorithm_type="MANUAL",
            display_color=bench.highdicom.color.CIELabColor.from_rgb(255, 40 * number, 0)))
    return out


def segmentation(bench, kind, pixels, name, syntax="ExplicitVRLittleEndian"):
    sources = [bench.pydicom.dcmread(file) for file in bench.series.iterdir()]
    sources.sort(key=lambda data: float(data.ImagePositionPatient[2]))
    uid = bench.pydicom.uid.generate_uid
    made = bench.highdicom.seg.Segmentation(
        source_images=sources, pixel_array=pixels, segmentation_type=kind,
        segment_descriptions=segments(bench), series_instance_uid=uid(), series_number=9,
        sop_instance_uid=uid(), instance_number=1, manufacturer="x", manufacturer_model_name="x",
        software_versions="1", device_serial_number="1",
        transfer_syntax_uid=getattr(bench.pydicom.uid, syntax))
    path = bench.folder / name
    made.save_as(path)
    return path


def highdicom_segmentations(bench):
    """Binary with segments that overlap, fractional, and a label map, each against NIfTI."""
    one, two = (bench.blob(centre, (4, 14, 16)) for centre in ((5, 20, 20), (6, 26, 34)))
    assert (one & two).any()
    stack = bench.numpy.stack([one, two], axis=-1)
    apart = one + 2 * (two & ~one)
    made = {"BINARY": (stack.astype("u1"), [one, two], ()),
            "FRACTIONAL": (stack * 0.75, [one, two], ("--threshold", "0.5")),
            "LABELMAP": (apart.astype("u1"), [one, two & ~one], ())}
    for kind, (pixels, masks, options) in made.items():
        path = segmentation(bench, kind, pixels, f"{kind}.dcm")
        for number, mask in enumerate(masks, 1):
            truth = bench.save(number * mask, f"{kind}{number}.nii.gz")
            if options:
                continue
            result, found = bench.dices(path, truth, "--labels", str(number))
            assert found == {str(number): 1.0}, f"{kind}: {found}"
            label = result["labels"][str(number)]
            assert label["name"] == ("Liver", "Spleen")[number - 1], f"{kind}: {label['name']}"
            shown = [int(label["color"][i:i + 2], 16) for i in (1, 3, 5)]
            near = max(abs(a - b) for a, b in zip(shown, (255, 40 * number, 0)))
            assert near <= 1, f"{kind}: colour {shown}"
        if options:
            truth = bench.save(masks[0] | masks[1], f"{kind}.nii.gz")
            _, found = bench.dices(path, truth, *options)
            assert list(found.values()) == [1.0], f"{kind}: {found}"


def compressed_segmentations(bench):
    """Highdicom compresses what has a byte per pixel; DCMTK's tool deflates any segmentation."""
    mask = bench.blob((5, 20, 20), (4, 14, 16))
    other = bench.blob((6, 30, 40), (3, 9, 9)) & ~mask
    truth = bench.save(mask + 2 * other, "truth.nii.gz")
    made, stack = [], bench.numpy.stack([mask, other], axis=-1)
    for syntax in ("RLELossless", "JPEGLSLossless"):
        for kind, pixels in (("LABELMAP", mask + 2 * other), ("FRACTIONAL", stack)):
            dtype = "f4" if kind == "FRACTIONAL" else "u1"
            made.append(segmentation(bench, kind, pixels.astype(dtype), f"{kind}{syntax}.dcm",
                                     syntax))
    need_program("dcmconv", "dcmtk")
    plain = segmentation(bench, "BINARY", stack.astype("u1"), "binary.dcm")
    made.append(bench.folder / "deflated.dcm")
    subprocess.run(["dcmconv", "+td", str(plain), str(made[-1])], check=True, capture_output=True)
    for path in made:
        syntax = bench.pydicom.dcmread(path).file_meta.TransferSyntaxUID
        assert syntax.is_compressed or syntax.is_deflated, f"{path.name} is not compressed"
        _, found = bench.dices(path, truth, "--labels", "1,2")
        assert found == {"1": 1.0, "2": 1.0}, f"{path.name}: {found}"


def rt_utils_structures(bench):
    """Contours that rt-utils drew around a mask, rasterised by its rule. It exchanges the two
    spacings of pixels, so they are the same here."""
    bench = Bench(bench.program, bench.folder / "square", (2.5, 0.8, 0.8))
    mask = bench.numpy.zeros(SHAPE, bool)
    mask[2:9] = bench.blob((5, 22, 26), (9, 15, 18))[2:9]
    builder = bench.rt_utils.RTStructBuilder.create_new(dicom_series_path=str(bench.series))
    builder.add_roi(mask=bench.numpy.moveaxis(mask, 0, 2), color=[1, 128, 255], name="Heart")
    path = bench.folder / "rt.dcm"
    builder.save(str(path))
    again = bench.rt_utils.RTStructBuilder.create_from(str(bench.series), str(path))
    theirs = bench.numpy.moveaxis(again.get_roi_mask_by_name("Heart"), 2, 0)
    truth = bench.save(theirs, "heart.nii.gz")
    result, found = bench.dices(path, truth, "--contour-rule", "rt-utils", "--labels", "1")
    assert found["1"] >= 0.999, found
    assert result["labels"]["1"]["color"] == "#0180FF", result["labels"]["1"]


def polygons(bench):
    """By name, what is drawn on a slice, in pixels: convex, not convex, and with a keyhole."""
    t = bench.numpy.linspace(0, 2 * bench.numpy.pi, 90, endpoint=False)
    def ring(x, y, radius, angles=t):
        return bench.numpy.stack([x + radius * bench.numpy.cos(angles),
                                  y + radius * bench.numpy.sin(angles)], 1)
    hole = bench.numpy.concatenate([ring(40.3, 12.2, 9), ring(40.3, 12.2, 9)[:1],
                                    ring(40.3, 12.2, 4)[:1], ring(40.3, 12.2, 4)[::-1]])
    return {"Round": ring(12.4, 12.7, 9.3), "Ring": hole,
            "Star": ring(16.2, 34.1, 8 + 4 * bench.numpy.sin(5 * t))}


def write_structures(bench, drawn):
    """Points of a polygon in pixels, on slices 2 to 8."""
    data = bench.slice(0)
    for name in ("PixelData", "Rows", "Columns", "ImagePositionPatient", "PixelSpacing"):
        delattr(data, name)
    sequence, new = bench.pydicom.sequence.Sequence, bench.pydicom.Dataset
    data.SOPClassUID = data.file_meta.MediaStorageSOPClassUID = (
        bench.pydicom.uid.RTStructureSetStorage)
    data.Modality, data.SeriesInstanceUID = "RTSTRUCT", bench.pydicom.uid.generate_uid()
    series, study, frame = new(), new(), new()
    series.SeriesInstanceUID = bench.slice(0).SeriesInstanceUID
    study.RTReferencedSeriesSequence = sequence([series])
    frame.FrameOfReferenceUID = data.FrameOfReferenceUID
    frame.RTReferencedStudySequence = sequence([study])
    data.ReferencedFrameOfReferenceSequence = sequence([frame])
    data.StructureSetLabel, rois, contours = "x", [], []
    for number, (name, points) in enumerate(drawn.items(), 1):
        roi, of_roi = new(), new()
        roi.ROINumber, roi.ROIName, roi.ROIGenerationAlgorithm = number, name, ""
        roi.ReferencedFrameOfReferenceUID = data.FrameOfReferenceUID
        of_roi.ReferencedROINumber, of_roi.ROIDisplayColor, planes = number, [255, 0, 0], []
        for z in range(2, 9):
            plane = new()
            plane.ContourGeometricType, plane.NumberOfContourPoints = "CLOSED_PLANAR", len(points)
            plane.ContourData = [f"{value:.5f}" for x, y in points for value in (
                ORIGIN[0] + x * SPACING[2], ORIGIN[1] + y * SPACING[1],
                ORIGIN[2] + z * SPACING[0])]
            planes.append(plane)
        of_roi.ContourSequence = sequence(planes)
        rois.append(roi)
        contours.append(of_roi)
    data.StructureSetROISequence, data.ROIContourSequence = sequence(rois), sequence(contours)
    path = bench.folder / "drawn.dcm"
    data.save_as(path, enforce_file_format=True)
    return path


def distance_to(bench, points, x, y):
    """In pixels, from a place to the nearest edge."""
    numpy = bench.numpy
    a, b = points, numpy.roll(points, -1, axis=0)
    edge, place = b - a, numpy.array([x, y])
    length = numpy.maximum((edge ** 2).sum(1), 1e-12)
    share = numpy.clip(((place - a) * edge).sum(1) / length, 0, 1)
    return numpy.sqrt((((a + share[:, None] * edge) - place) ** 2).sum(1)).min()


def plastimatch_structures(bench):
    """Dice of at least 0.995; no voxel that differs is further than half a voxel from a line."""
    need_program("plastimatch", "plastimatch")
    drawn = polygons(bench)
    path = write_structures(bench, drawn)
    ours = bench.array(bench.read(path))
    subprocess.run(["plastimatch", "convert", "--input", str(path), "--referenced-ct",
                    str(bench.series), "--output-prefix", str(bench.folder / "masks"),
                    "--prefix-format", "nii.gz"], check=True, capture_output=True)
    for number, (name, points) in enumerate(drawn.items(), 1):
        theirs = bench.array(bench.itk.ReadImage(str(bench.folder / f"masks/{name}.nii.gz"))) > 0
        mask = ours == number
        dice = 2 * (mask & theirs).sum() / (mask.sum() + theirs.sum())
        assert dice >= 0.995, f"{name}: Dice {dice:.4f}"
        for _, y, x in bench.numpy.argwhere(mask != theirs):
            far = distance_to(bench, points, x, y)
            assert far <= 0.5, f"{name}: a voxel {far:.2f} pixels from the contour differs"


CHECKS = {
    "a series as SimpleITK reads it": series_as_simpleitk,
    "a series that pydicom compressed with RLE and JPEG-LS": compressed_series,
    "a series in every transfer syntax of DCMTK's tools, as pydicom decodes it": every_syntax,
    "a series in JPEG and JPEG-LS with loss, as pydicom decodes it": lossy_series,
    "segmentations by highdicom": highdicom_segmentations,
    "compressed segmentations by highdicom and DCMTK": compressed_segmentations,
    "contours by rt-utils": rt_utils_structures,
    "contours as plastimatch rasterises them": plastimatch_structures,
}


def versions():
    names = ["pylibjpeg-libjpeg"] + [AS_NAMED.get(name, name) for name in PACKAGES[1:5]]
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def outcomes(program):
    """(title, trouble, whether it was left out) of each check. Throws Missing."""
    for title, check in CHECKS.items():
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(program, pathlib.Path(folder))
            try:
                check(bench)
                yield title, "", False
            except Missing as why:
                yield title, str(why), True
            except (AssertionError, subprocess.CalledProcessError) as wrong:
                yield title, str(wrong), False


if __name__ == "__main__":
    import sys

    for title, trouble, is_left_out in outcomes(pathlib.Path(sys.argv[1])):
        print(f"{title}: {'left out, ' if is_left_out else ''}{trouble or 'the same'}", flush=True)
    print(versions())
