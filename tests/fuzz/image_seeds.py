"""Seeds of the fuzzers of images: small valid files and broken ones."""
import gzip, io, struct, zipfile, zlib


def nifti(version=1, order="<", dim=(3, 2, 2, 1, 1, 1, 1, 1), datatype=2, slope=1.0, sform=1,
          qform=0, units=2, voxels=bytes(range(4)), magic=None, offset=None):
    wide = version == 2
    head = bytearray(540 if wide else 348)
    put = lambda at, fmt, *v: struct.pack_into(order + fmt, head, at, *v)
    put(0, "i", len(head))
    put(12 if wide else 70, "h", datatype)
    put(16 if wide else 40, "8q" if wide else "8h", *dim)
    put(104 if wide else 76, "8d" if wide else "8f", 1, 2, 3, 4, 0, 0, 0, 0)
    put(168 if wide else 108, "q" if wide else "f", offset if offset is not None else len(head) + 4)
    put(176 if wide else 112, "2d" if wide else "2f", slope, 0)
    put(500 if wide else 123, "i" if wide else "B", units)
    put(344 if wide else 252, "2i" if wide else "2h", qform, sform)
    put(400 if wide else 280, "12d" if wide else "12f", 1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7)
    if wide: head[4:12] = magic or b"n+2\0\r\n\x1a\n"
    else: head[344:348] = magic or b"n+1\0"
    return bytes(head) + bytes(4) + voxels


def gz(data):
    return gzip.compress(data, mtime=0)


def nifti_seeds():
    sizes = {2: 1, 256: 1, 512: 2, 4: 2, 768: 4, 8: 4, 1280: 8, 1024: 8, 16: 4, 64: 8, 1536: 16}
    for i, (code, size) in enumerate(sizes.items()):
        yield (f"type_{code}",
               nifti(version=1 + i % 2, order="<>"[i // 2 % 2], datatype=code,
                     voxels=bytes(range(4 * size))))
    yield "gz", gz(nifti())
    yield "gz_big_endian_2", gz(nifti(version=2, order=">"))
    yield "gz_cut", gz(nifti())[:-20]
    yield "gz_bomb", gz(nifti(dim=(3, 32767, 32767, 32767, 1, 1, 1, 1)))
    yield "gz_extra", gz(nifti(voxels=bytes(9)))
    yield "qform", nifti(sform=0, qform=1)
    yield "neither", nifti(sform=0, units=3)
    yield "scaled", nifti(slope=-0.5)
    yield "volumes", nifti(dim=(4, 2, 2, 1, 3, 1, 1, 1))
    yield "negative", nifti(dim=(3, 2, -2, 1, 1, 1, 1, 1))
    yield "overflow", nifti(version=2, dim=(3, 1 << 62, 1 << 62, 4, 1, 1, 1, 1))
    yield "offset_2", nifti(version=2, offset=(1 << 63) - 1)
    yield "analyze", nifti(magic=bytes(4))
    yield "pair", nifti(magic=b"ni1\0", offset=0)
    yield "nan", nifti(datatype=16, voxels=struct.pack("<4f", float("nan"), 1, 0.5, float("inf")))
    yield "short", nifti()[:100]
    yield "empty", b""


def metaimage_seeds():
    start, shape, local = (b"ObjectType = Image\nNDims = 3\n", b"DimSize = 2 2 1\n",
                           b"ElementType = MET_UCHAR\nElementDataFile = LOCAL\n")
    yield "plain", start + shape + local + b"abcd"
    yield "carriage_returns", (start + shape + local).replace(b"\n", b"\r\n") + b"abcd"
    yield "zlib", start + shape + b"CompressedData = True\n" + local + zlib.compress(b"abcd")
    yield (
        "zlib_sized",
        start
        + shape
        + b"CompressedData = True\nCompressedDataSize = 12\n"
        + local
        + zlib.compress(b"abcd"),
    )
    yield ("zlib_cut",
           start + shape + b"CompressedData = True\n" + local + zlib.compress(b"abcd")[:-3])
    yield (
        "float_big_endian",
        start
        + shape
        + b"BinaryDataByteOrderMSB = True\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n"
        + bytes(16),
    )
    yield (
        "placed",
        start
        + shape
        + b"TransformMatrix = 0 1 0 0 0 1 1 0 0\nOffset = 1 2 3\nElementSpacing = 1 2"
        b" 3\nDistanceUnits = um\n"
        + local
        + b"abcd",
    )
    yield "flat", b"NDims = 2\nDimSize = 2 2\nElementSize = 2 3\n" + local + b"abcd"
    yield "four", b"NDims = 4\nDimSize = 2 2 1 1\n" + local + b"abcd"
    yield "header_size", start + shape + b"HeaderSize = -1\n" + local + b"abcd"
    yield "list", start + shape + b"ElementType = MET_SHORT\nElementDataFile = LIST\n"
    yield "elsewhere", start + shape + b"ElementType = MET_SHORT\nElementDataFile = ../x.raw\n"
    yield "huge", start + b"DimSize = 4000000000 4000000000 4000000000\n" + local
    yield "not_numbers", start + b"DimSize = a b c\n" + local
    yield "no_end", start + shape
    yield "gz", gz(start + shape + local + b"abcd")


def nrrd_seeds():
    start, shape = b"NRRD0005\n", b"type: uint8\ndimension: 3\nsizes: 2 2 1\n"
    raw, packed = b"encoding: raw\n", b"encoding: gzip\n"
    place = (b"space: LPS\nspace directions: (0,2,0) (0,0,3) (4,0,0)\nspace origin: (1,2,3)\nspace "
             b"units: \"um\" \"um\" \"um\"\n")
    yield "plain", start + shape + raw + b"\nabcd"
    yield "carriage_returns", (start + shape + raw + b"\n").replace(b"\n", b"\r\n") + b"abcd"
    yield "gzip", start + shape + packed + b"\n" + gz(b"abcd")
    yield "gzip_cut", start + shape + packed + b"\n" + gz(b"abcd")[:-6]
    yield "gzip_skip", start + shape + packed + b"byte skip: 2\n\n" + gz(b"xxabcd")
    yield ("gzip_bomb",
           start + shape.replace(b"2 2 1", b"40000 40000 40000") + packed + b"\n" + gz(b"abcd"))
    yield "placed", start + shape + raw + place + b"\nabcd"
    yield "spacings", start + shape + raw + b"spacings: 1 2 nan\n\nabcd"
    yield (
        "flat",
        start
        + b"type: uchar\ndimension: 2\nsizes: 2 2\nspace dimension: 2\nspace directions: (1,0)"
        b" (0,2)\n"
        + raw
        + b"\nabcd",
    )
    yield (
        "list_first",
        start
        + b"type: float\nendian: big\ndimension: 4\nsizes: 2 2 1 1\nspace: RAS\nspace directions:"
        b" none (1,0,0) (0,1,0) (0,0,1)\n"
        + raw
        + b"\n"
        + bytes(16),
    )
    yield (
        "list_last",
        start
        + b"type: double\nendian: little\ndimension: 4\nsizes: 2 1 1 2\nkinds: domain domain domain"
        b" list\n"
        + raw
        + b"\n"
        + bytes(32),
    )
    yield ("list_inside",
           start + b"type: uint8\ndimension: 4\nsizes: 2 2 2 1\nkinds: domain list domain domain\n"
           + raw + b"\nabcdefgh")
    yield "singular", start + shape + raw + place.replace(b"(4,0,0)", b"(0,4,0)") + b"\nabcd"
    yield ("huge",
           start + shape.replace(b"2 2 1", b"4000000000 4000000000 4000000000") + raw + b"\nabcd")
    yield "not_numbers", start + shape.replace(b"2 2 1", b"a b c") + raw + b"\nabcd"
    yield "vector", start + shape + raw + b"space directions: (1,0,0 (0,1,0)\n\nabcd"
    yield "text", start + shape + b"encoding: ascii\n\n1 2 3 4"
    yield "block", start + shape.replace(b"uint8", b"block") + raw + b"\nabcd"
    yield "detached", start + shape + raw + b"data file: x.raw\n"
    yield "elsewhere", start + shape + raw + b"data file: ../x.raw\n"
    yield "no_end", start + shape + raw
    yield "pairs", start + b"# a comment\nkey:=type: float\n" + shape + raw + b"\nabcd"


def npy(descr="|u1", shape="(2, 2, 1)", order="False", voxels=b"abcd", version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode() + b"\n"
    return (b"\x93NUMPY" + bytes([version, 0])
            + struct.pack("<H" if version == 1 else "<I", len(text)) + text + voxels)


def npz(**arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, (data, method) in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), data, method)
    return out.getvalue()


def npy_seeds():
    for number, kind in enumerate(("|b1", "|i1", "<u2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f2",
                                   ">f4", "<f8")):
        yield "type_" + kind[1:], npy(kind, version=1 + number % 3, voxels=bytes(4 * int(kind[2])))
    yield "fortran", npy(order="True")
    yield "flat", npy(shape="(2, 2)")
    yield "classes", npy("<f4", "(2, 2, 1, 1)", voxels=bytes(16))
    yield "classes_fortran", npy("<f4", "(2, 2, 1, 1)", "True", voxels=bytes(16))
    yield "object", npy("|O")
    yield "record", npy().replace(b"'|u1'", b"[('a', '<i2')]")
    yield "one_axis", npy(shape="(4,)")
    yield "negative", npy(shape="(-2, 2, 1)")
    yield "huge", npy(shape="(4611686018427387904, 4611686018427387904, 16)")
    yield "short", npy()[:20]
    yield "cut", npy()[:-2]
    yield "length", b"\x93NUMPY\2\0\xff\xff\xff\xff" + npy()[10:]
    yield "no_shape", npy().replace(b"shape", b"shepe")
    yield "stored", npz(arr_0=(npy(), zipfile.ZIP_STORED))
    yield "deflated", npz(mask=(npy(), zipfile.ZIP_DEFLATED))
    yield "several", npz(a=(npy(), 0), b=(npy(), 0))
    yield ("probabilities",
           npz(probabilities=(npy("<f4", "(2, 1, 2, 1)", voxels=bytes(16)), zipfile.ZIP_DEFLATED),
               other=(npy(), 0)))
    yield "no_array", npz()[:-1] + b"\0"
    yield "damaged", npz(mask=(npy(), zipfile.ZIP_DEFLATED)).replace(b"NUMPY", b"NUMPX")
    yield "bomb", npz(mask=(npy(shape="(40000, 40000, 40000)"), zipfile.ZIP_DEFLATED))
    yield "zip_cut", npz(mask=(npy(), zipfile.ZIP_DEFLATED))[:-30]


def gzip_seeds():
    text = b"some text, some text, some text"
    good = gz(text)
    yield "good", good
    yield "nothing", gz(b"")
    yield "members", gz(b"a") + gz(b"") + gz(b"bc")
    yield "padded", good + bytes(100)
    yield "garbage", good + b"garbage"
    yield "checksum", good[:-8] + b"\0\0\0\0" + good[-4:]
    yield "length", good[:-4] + b"\xff\xff\xff\xff"
    yield "cut", good[:-10]
    yield "magic", b"\x1f\x8b"
    yield "zlib", zlib.compress(text)
    yield "stored", gzip.compress(text, compresslevel=0, mtime=0)
    yield "zeros", gz(bytes(100000))
    yield "name", good[:3] + b"\x08" + good[4:10] + b"name\0" + good[10:]
    head = good[:3] + b"\x02" + good[4:10]
    yield "header_checksum", head + struct.pack("<H", zlib.crc32(head) & 0xffff) + good[10:]
    yield "header_checksum_wrong", head + b"\x5a\xa5" + good[10:]


def runs_seeds():
    """The first byte says how the rest is wrapped, how wide voxels are and where they begin."""
    first = lambda wrapper, width: bytes([next(byte for byte in range(width << 2, 192, 16)
                                               if byte % 3 == wrapper)])
    for i, (name, data) in enumerate(gzip_seeds()):
        yield name, first(0, i % 4) + data
    rows = b"".join(bytes(50 + i % 7) + bytes([1 + i % 3]) * (i % 11) for i in range(300))
    for width in range(4):
        wide = b"".join(bytes([byte]) * (1 << width) for byte in rows)
        yield f"zlib_{1 << width}", first(1, width) + zlib.compress(wide)
        bare = zlib.compressobj(wbits=-15)
        yield f"bare_{1 << width}", first(2, width) + bare.compress(wide) + bare.flush()
    noise = bytes((i * i >> 3) % 3 for i in range(40000))
    for strategy in range(5):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31, 8, strategy)
        packed = packer.compress(noise[:20000]) + packer.flush(zlib.Z_FULL_FLUSH)
        yield f"busy_{strategy}", b"\0" + packed + packer.compress(noise[20000:]) + packer.flush()


def dicom(series=b"1.2.3", explicit=True, nested=1):
    """A header, a sequence within a sequence, and the series."""
    tag = lambda group, element: struct.pack("<HH", group, element)
    undefined = b"\xff\xff\xff\xff"

    def element(group, number, kind, value):
        value += bytes(len(value) % 2)
        size = struct.pack("<H", len(value)) if explicit or group == 2 else struct.pack(
            "<I", len(value))
        return tag(group, number) + (kind if explicit or group == 2 else b"") + size + value

    sequence = tag(8, 0x1115) + (b"SQ\0\0" if explicit else b"") + undefined
    item, end = tag(0xfffe, 0xe000) + undefined, tag(0xfffe, 0xe00d) + bytes(4)
    inner = element(0x20, 0xe, b"UI", b"9.9")
    syntax = b"1.2.840.10008.1.2" + (b".1" if explicit else b"")
    return (bytes(128) + b"DICM" + element(2, 0x10, b"UI", syntax)
            + (sequence + item) * nested + inner + (end + tag(0xfffe, 0xe0dd) + bytes(4)) * nested
            + element(0x20, 0xe, b"UI", series))


def dicom_seeds():
    yield "explicit", dicom()
    yield "implicit", dicom(explicit=False)
    yield "no_padding", dicom(series=b"1.2")
    yield "no_series", dicom()[:-14]
    yield "cut", dicom()[:-3]
    yield "nested", dicom(nested=20)
    yield "too_deep", dicom(nested=2000)
    yield "length", dicom()[:-8] + b"\xff\xff" + b"1.2.3\0"
    yield "preamble", bytes(128) + b"DICM"
    yield "other", bytes(132)
    yield "png", b"\x89PNG\r\n\x1a\n" + bytes(100)
    yield "short", b"DICM"
    yield "empty", b""


# 8 x 8 grey pixels, baseline, one table of each kind.
JPEG_TABLES = (b"\xff\xdb\x00\x43\x00" + b"\x01" * 64
               + b"\xff\xc4\x00\x15\x00" + b"\x01\x01" + bytes(14) + b"\x00\x01"
               + b"\xff\xc4\x00\x15\x10" + b"\x01\x01" + bytes(14) + b"\x00\x01")


def jpeg(width=8, height=8, frame=0xc0, scans=1, data=b"\x00", components=1):
    parts = b"".join(bytes([i + 1, 0x11, 0]) for i in range(components))
    start = struct.pack(">HBHHB", 8 + len(parts), 8, height, width, components) + parts
    chosen = b"".join(bytes([i + 1, 0]) for i in range(components))
    end = b"\x00\x00\x00" if frame == 0xc2 else b"\x00\x3f\x00"
    scan = (b"\xff\xda" + struct.pack(">HB", 6 + len(chosen), components) + chosen + end + data)
    return (b"\xff\xd8" + JPEG_TABLES + b"\xff" + bytes([frame]) + start + scan * scans
            + b"\xff\xd9")


def jpeg_seeds():
    yield "grey", jpeg()
    yield "colour", jpeg(components=3, data=b"\x00\x00")
    yield "four", jpeg(components=4, data=b"\x00\x00")
    yield "progressive", jpeg(frame=0xc2)
    yield "scans", jpeg(frame=0xc2, scans=300)
    yield "cut", jpeg()[:-3]
    yield "large", jpeg(width=65500, height=65500)
    yield "large_progressive", jpeg(width=20000, height=20000, frame=0xc2)
    yield "no_pixels", jpeg(width=0)
    yield "no_height", jpeg(height=0)
    yield "arithmetic", jpeg(frame=0xc9)
    yield "arithmetic_large", jpeg(width=20000, height=20000, frame=0xc9)
    yield "arithmetic_progressive_large", jpeg(width=20000, height=20000, frame=0xca)
    yield "scans_large", jpeg(width=1000, height=400, frame=0xc2, scans=300, data=bytes(3))
    yield "lossless", jpeg(frame=0xc3)
    yield "comment", b"\xff\xd8\xff\xfe\xff\xff" + jpeg()[2:]
    yield "magic", b"\xff\xd8\xff"
    yield "empty", b""
