"""Seeds of the fuzzer of DICOM objects: small segmentations and contours, and broken ones."""
import struct, zlib

SEGMENTATION, CONTOURS = b"1.2.840.10008.5.1.4.1.1.66.4", b"1.2.840.10008.5.1.4.1.1.481.3"
IMAGE = b"1.2.840.10008.5.1.4.1.1.2"
LONG = (b"OB", b"OW", b"SQ", b"UN")
DEFLATED = b"1.2.840.10008.1.2.1.99"


def element(group, number, kind, value):
    if isinstance(value, str):
        value = value.encode()
    if kind == b"US" and isinstance(value, int):
        value = struct.pack("<H", value)
    if len(value) % 2:
        value += b"\0" if kind in (b"UI", b"OB") else b" "
    length = struct.pack("<HI", 0, len(value)) if kind in LONG else struct.pack("<H", len(value))
    return struct.pack("<HH", group, number) + kind + length + value


def sequence(group, number, *items):
    packed = [struct.pack("<HHI", 0xFFFE, 0xE000, len(each)) + each for each in items]
    return element(group, number, b"SQ", b"".join(packed))


def file(class_uid, body, syntax=b"1.2.840.10008.1.2.1"):
    meta = element(2, 2, b"UI", class_uid) + element(2, 3, b"UI", b"1.2.3") + element(
        2, 0x10, b"UI", syntax)
    size = element(2, 0, b"UL", struct.pack("<I", len(meta)))
    data = element(8, 0x16, b"UI", class_uid) + element(8, 0x18, b"UI", b"1.2.3") + body
    if syntax == DEFLATED:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = packer.compress(data) + packer.flush()
    return bytes(128) + b"DICM" + size + meta + data


def code(value):
    return element(8, 0x100, b"SH", value) + element(8, 0x102, b"SH", "SCT")


def segment(number):
    return (sequence(0x62, 3, code("123037004")) + element(0x62, 4, b"US", number)
            + element(0x62, 5, b"LO", f"Liver {number}")
            + element(0x62, 0xD, b"US", struct.pack("<HHH", 34886, 53484, 50172))
            + sequence(0x62, 0xF, code("10200004")))


def frame(number, z):
    return (sequence(0x20, 0x9113, element(0x20, 0x32, b"DS", f"-4\\-3\\{z}"))
            + (sequence(0x62, 0xA, element(0x62, 0xB, b"US", number)) if number else b""))


def segmentation(kind="BINARY", frames=((1, 0), (1, 2), (2, 2)), bits=1, pixels=bytes(range(18)),
                 count=None, orientation="1\\0\\0\\0\\1\\0"):
    shared = sequence(0x20, 0x9116, element(0x20, 0x37, b"DS", orientation)) + sequence(
        0x28, 0x9110, element(0x18, 0x88, b"DS", "2") + element(0x28, 0x30, b"DS", "0.5\\0.7"))
    # Tags ascend, as in every data set.
    return file(SEGMENTATION, b"".join([
        element(0x28, 2, b"US", 1), element(0x28, 8, b"IS", str(count or len(frames))),
        element(0x28, 0x10, b"US", 6), element(0x28, 0x11, b"US", 8),
        element(0x28, 0x100, b"US", bits), element(0x28, 0x103, b"US", 0),
        element(0x62, 1, b"CS", kind), sequence(0x62, 2, segment(1), segment(2)),
        element(0x62, 0xE, b"US", 200),
        sequence(0x5200, 0x9229, shared),
        sequence(0x5200, 0x9230, *(frame(*each) for each in frames)),
        element(0x7FE0, 0x10, b"OB", pixels)]))


def contours(*polygons, kind="CLOSED_PLANAR", stored=b"DS"):
    drawn = [element(0x3006, 0x42, b"CS", kind) + element(0x3006, 0x46, b"IS", "4")
             + element(0x3006, 0x50, stored, "\\".join(map(str, each))) for each in polygons]
    return file(CONTOURS, b"".join([
        sequence(0x3006, 0x20, element(0x3006, 0x22, b"IS", "1") + element(
            0x3006, 0x26, b"LO", "Heart")),
        sequence(0x3006, 0x39, element(0x3006, 0x2A, b"IS", "255\\0\\9") + sequence(
            0x3006, 0x40, *drawn) + element(
            0x3006, 0x84, b"IS", "1"))]))


def image(frames=(0,), bits=(16, 12, 11), pixels=bytes(range(96)), syntax=b"1.2.840.10008.1.2.1",
          groups=False):
    """A CT image of 6 x 8 pixels, or several at the heights of `frames`."""
    plane = element(0x20, 0x32, b"DS", "-4\\-3\\0") + element(0x20, 0x37, b"DS", "1\\0\\0\\0\\1\\0")
    group = [frame(0, z) + sequence(0x28, 0x9145, element(0x28, 0x1052, b"DS", "-4")
                                    + element(0x28, 0x1053, b"DS", str(z + 1))) for z in frames]
    shared = sequence(0x20, 0x9116, element(0x20, 0x37, b"DS", "1\\0\\0\\0\\1\\0")) + sequence(
        0x28, 0x9110, element(0x28, 0x30, b"DS", "0.5\\0.7"))
    kind = b"OB" if syntax != b"1.2.840.10008.1.2.1" else b"OW"
    return file(IMAGE, b"".join([
        b"" if groups else plane, element(0x28, 2, b"US", 1),
        element(0x28, 4, b"CS", "MONOCHROME2"),
        element(0x28, 8, b"IS", str(len(frames))) if groups else b"",
        element(0x28, 0x10, b"US", 6), element(0x28, 0x11, b"US", 8),
        b"" if groups else element(0x28, 0x30, b"DS", "0.5\\0.7"),
        *(element(0x28, 0x100 + k, b"US", value) for k, value in enumerate(bits)),
        element(0x28, 0x103, b"US", 1),
        b"" if groups else element(0x28, 0x1052, b"DS", "-9") + element(0x28, 0x1053, b"DS", "2"),
        sequence(0x5200, 0x9229, shared) + sequence(0x5200, 0x9230, *group) if groups else b"",
        element(0x7FE0, 0x10, kind, pixels)]), syntax)


def object_seeds():
    yield "image", image()
    yield "image_frames", image((2, 0, 4), pixels=bytes(range(96)) * 3, groups=True)
    yield "image_missing", image((0, 2, 6), pixels=bytes(range(96)) * 3, groups=True)
    yield "image_same_place", image((0, 0), pixels=bytes(range(96)) * 2, groups=True)
    yield "image_bits", image(bits=(16, 17, 40))
    yield "image_bytes", image(bits=(8, 8, 7))
    yield "image_cut", image()[:-9]
    yield "image_packed", image(syntax=b"1.2.840.10008.1.2.5")
    yield "image_deflated", image(syntax=DEFLATED)
    yield "image_deflated_cut", image(syntax=DEFLATED)[:-9]
    yield "binary", segmentation()
    yield "fractional", segmentation("FRACTIONAL", bits=8, pixels=bytes(range(144)))
    labels = bytes(k % 3 for k in range(96))
    yield "label_map", segmentation("LABELMAP", ((0, 0), (0, 2)), 8, labels)
    yield "frames", segmentation(count=9_000_000)
    yield "twice", segmentation(frames=((1, 0), (1, 0)))
    yield "far", segmentation(frames=((1, 0), (1, 2), (2, 199_998)))
    yield "tilted", segmentation(orientation="1\\0\\0\\1\\0\\0")
    yield "number", segmentation(orientation="1\\0\\nan\\0\\1\\0")
    yield "cut", segmentation()[:-9]
    box = (-2, -2, 1, -9, -2, 1, -9, -9, 1, -2, -9, 1)
    yield "contours", contours(box, tuple(3 if k % 3 == 2 else v for k, v in enumerate(box)))
    yield "huge", contours(tuple(v * 1e300 if k % 3 != 2 else v for k, v in enumerate(box)))
    yield "slanted", contours(box[:-1] + (2,))
    yield "unknown_type", contours(box, stored=b"UN")
    yield "half", contours(box[:-1])
    yield "point", contours(box[:3], kind="POINT")
    deep = b""
    for _ in range(100):
        deep = sequence(0x3006, 0x39, deep)
    yield "deep", file(CONTOURS, deep)
