"""Small DICOM files for tests, written with pydicom. Volumes are indexed [slice, row, column]."""
import pathlib

import numpy
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import UID, ExplicitVRLittleEndian, generate_uid

SEGMENTATION, LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.4", "1.2.840.10008.5.1.4.1.1.66.7"
CONTOURS, CT = "1.2.840.10008.5.1.4.1.1.481.3", "1.2.840.10008.5.1.4.1.1.2"
AXIAL = (1, 0, 0, 0, 1, 0)


def uid(name):
    """The same for the same name."""
    return generate_uid(entropy_srcs=[str(name)])


class Geometry:
    """Where slices are: DICOM's LPS."""

    def __init__(self, spacing=(2.5, 0.8, 0.7), origin=(-40.0, -30.0, 12.5), orientation=AXIAL):
        self.spacing, self.origin, self.orientation = spacing, origin, orientation
        row, column = (numpy.array(orientation[i:i + 3], float) for i in (0, 3))
        self.axes = numpy.stack([numpy.cross(row, column), column, row])  # slice, row, column

    def position(self, slice_number):
        return numpy.array(self.origin) + slice_number * self.spacing[0] * self.axes[0]

    def affine(self):
        """Of an array indexed [column, row, slice], in NIfTI's RAS."""
        out = numpy.eye(4)
        for axis, (step, direction) in enumerate(zip(self.spacing[::-1], self.axes[::-1])):
            out[:3, axis] = step * direction
        out[:3, 3] = self.origin
        return numpy.diag([-1, -1, 1, 1]) @ out


def item(**fields):
    out = Dataset()
    for name, value in fields.items():
        setattr(out, name, value)
    return out


def texts(values):
    return [f"{value:.10g}" for value in values]


def code(value, meaning, scheme="SCT"):
    return item(CodeValue=value, CodingSchemeDesignator=scheme, CodeMeaning=meaning)


def new_object(class_uid, study="study", patient="P1", name="Doe^Jane", **fields):
    out = item(SOPClassUID=UID(class_uid), SOPInstanceUID=uid((class_uid, study, patient, fields)),
               StudyInstanceUID=uid(study), SeriesInstanceUID=uid((class_uid, study)),
               PatientID=patient, PatientName=name, **fields)
    return out


def write(path, data, syntax=ExplicitVRLittleEndian):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = (data.SOPClassUID,
                                                                     data.SOPInstanceUID)
    meta.TransferSyntaxUID = UID(syntax)
    data.file_meta = meta
    data.is_little_endian = True
    data.is_implicit_VR = syntax == "1.2.840.10008.1.2"
    data.preamble = b"\0" * 128
    data.save_as(path, write_like_original=False)
    return path


def segment(number, label, concept=None, color=None):
    """`color`: L*, a* and b* as DICOM stores them."""
    concept = concept or (f"{number:06}", label)
    out = item(SegmentNumber=number, SegmentLabel=label, SegmentAlgorithmType="AUTOMATIC",
               SegmentAlgorithmName="test",
               SegmentedPropertyCategoryCodeSequence=Sequence([code("123037004", "Anatomy")]),
               SegmentedPropertyTypeCodeSequence=Sequence([code(*concept)]))
    if color:
        out.RecommendedDisplayCIELabValue = list(color)
    return out


def frame(geometry, slice_number, number=None):
    out = item(PlanePositionSequence=Sequence([item(
        ImagePositionPatient=texts(geometry.position(slice_number)))]))
    if number is not None:
        out.SegmentIdentificationSequence = Sequence([item(ReferencedSegmentNumber=number)])
    return out


def segmentation(segments, frames, geometry, kind="BINARY", **fields):
    """`frames`: (slice, segment number or None, pixels)."""
    pixels = numpy.stack([each[2] for each in frames])
    class_uid = LABEL_MAP if kind == "LABELMAP" else SEGMENTATION
    data = new_object(class_uid, **fields, Modality="SEG", SegmentationType=kind)
    data.Rows, data.Columns, data.NumberOfFrames = pixels.shape[1], pixels.shape[2], len(frames)
    data.SegmentSequence = Sequence(segments)
    data.SharedFunctionalGroupsSequence = Sequence([item(
        PlaneOrientationSequence=Sequence([item(
            ImageOrientationPatient=texts(geometry.orientation))]),
        PixelMeasuresSequence=Sequence([item(
            PixelSpacing=texts(geometry.spacing[1:]), SliceThickness=f"{geometry.spacing[0]:g}",
            SpacingBetweenSlices=f"{geometry.spacing[0]:g}")]))])
    data.PerFrameFunctionalGroupsSequence = Sequence(
        [frame(geometry, slice_number, number) for slice_number, number, _ in frames])
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.PixelRepresentation = 0
    if kind == "BINARY":
        data.BitsAllocated = data.BitsStored = 1
        packed = numpy.packbits(pixels.astype(bool).ravel(), bitorder="little").tobytes()
    else:
        wide = pixels.dtype == numpy.uint16
        data.BitsAllocated = data.BitsStored = 16 if wide else 8
        packed = pixels.tobytes()
    data.HighBit = data.BitsStored - 1
    data.PixelData = packed + b"\0" * (len(packed) % 2)
    data["PixelData"].VR = "OW" if data.BitsAllocated == 16 else "OB"
    if kind == "FRACTIONAL":
        data.SegmentationFractionalType, data.MaximumFractionalValue = "PROBABILITY", 255
    return data


def write_segmentation(path, masks, geometry=None, kind="BINARY", seed=None, keep_empty=False,
                       concepts=None, colors=None, syntax=ExplicitVRLittleEndian, **fields):
    """`masks`: {name: volume}, numbered from 1 in their order. Frames without a voxel are left out
    unless `keep_empty`; with a `seed` they come in a random order. A LABELMAP takes one volume for
    all: {name: mask} that do not overlap."""
    geometry = geometry or Geometry()
    segments = [segment(number, name, (concepts or {}).get(name), (colors or {}).get(name))
                for number, name in enumerate(masks, 1)]
    frames = []
    if kind == "LABELMAP":
        labels = sum(number * numpy.asarray(mask, numpy.uint8)
                     for number, mask in enumerate(masks.values(), 1)).astype(numpy.uint8)
        frames = [(z, None, plane) for z, plane in enumerate(labels) if keep_empty or plane.any()]
    else:
        for number, mask in enumerate(masks.values(), 1):
            frames += [(z, number, plane) for z, plane in enumerate(numpy.asarray(mask))
                       if keep_empty or plane.any()]
    if seed is not None:
        order = numpy.random.default_rng(seed).permutation(len(frames))
        frames = [frames[i] for i in order]
    return write(path, segmentation(segments, frames, geometry, kind, **fields), syntax)


def write_series(folder, volume, geometry=None, study="study", patient="P1", slope=1, intercept=0,
                 series=None, change=None, **fields):
    """A CT slice per file, in files whose names do not tell their order. `slope` may be a list, one
    for each slice; `change(z, data)` is called before a slice is written and may return False to
    leave it out."""
    geometry = geometry or Geometry()
    slopes = numpy.broadcast_to(slope, len(volume))
    for z, plane in enumerate(numpy.asarray(volume, numpy.int16)):
        data = new_object(CT, study, patient, Modality="CT", InstanceNumber=z + 1, **fields)
        data.SeriesInstanceUID = uid((CT, study) if series is None else (CT, study, series))
        data.ImagePositionPatient = texts(geometry.position(z))
        data.ImageOrientationPatient = texts(geometry.orientation)
        data.PixelSpacing = texts(geometry.spacing[1:])
        data.SliceThickness = f"{geometry.spacing[0]:g}"
        data.Rows, data.Columns = plane.shape
        data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
        data.BitsAllocated, data.BitsStored, data.HighBit = 16, 16, 15
        data.PixelRepresentation = 1
        data.RescaleSlope, data.RescaleIntercept = f"{slopes[z]:g}", f"{intercept:g}"
        data.PixelData = plane.tobytes()
        data["PixelData"].VR = "OW"
        if change is None or change(z, data) is not False:
            write(pathlib.Path(folder) / f"{series or ''}{(z * 7) % 101:03}.dcm", data)
    return folder


def contour(points, kind="CLOSED_PLANAR"):
    """`points`: places in LPS."""
    flat = numpy.asarray(points, float).ravel()
    return item(ContourGeometricType=kind, NumberOfContourPoints=len(flat) // 3,
                ContourData=[f"{value:.4f}" for value in flat])


def write_contours(path, structures, study="study", patient="P1", colors=None, **fields):
    """`structures`: {name: [points of a polygon, ...]}, numbered from 1 in their order, drawn on
    the series that `write_series` makes of the study."""
    data = new_object(CONTOURS, study, patient, Modality="RTSTRUCT", **fields)
    series = item(SeriesInstanceUID=uid((CT, study)))
    data.ReferencedFrameOfReferenceSequence = Sequence([item(
        FrameOfReferenceUID=uid("frame"), RTReferencedStudySequence=Sequence([item(
            RTReferencedSeriesSequence=Sequence([series]))]))])
    data.StructureSetROISequence = Sequence(
        [item(ROINumber=number, ROIName=name) for number, name in enumerate(structures, 1)])
    data.ROIContourSequence = Sequence([
        item(ReferencedROINumber=number, ContourSequence=Sequence(
            [each if isinstance(each, Dataset) else contour(each) for each in polygons]))
        for number, polygons in enumerate(structures.values(), 1)])
    for drawn, name in zip(data.ROIContourSequence, structures):
        if colors and name in colors:
            drawn.ROIDisplayColor = list(colors[name])
    return write(path, data)
