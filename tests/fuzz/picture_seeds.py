"""Seeds of the fuzzers of pictures and of tables of labels."""
import gzip, json, struct, zlib


def png(width=3, height=2, depth=8, color=0, interlace=0, rows=None, before=b"", bad_crc=False):
    def chunk(kind, data):
        check = zlib.crc32(kind + data) ^ bad_crc
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    row = b"\0" + bytes((width * depth * samples + 7) // 8)
    data = zlib.compress(row * height if rows is None else rows)
    palette = chunk(b"PLTE", bytes(range(12))) if color == 3 else b""
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))
            + before + palette + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def png_seeds():
    for color, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8,)),
                          (6, (8,))):
        for depth in depths:
            yield f"color_{color}_depth_{depth}", png(depth=depth, color=color)
    yield "interlaced", png(interlace=1, rows=b"\0a\0bc\0de\0fgh"[:12])
    size = struct.pack(">I", 9) + b"pHYs" + struct.pack(">IIB", 3780, 3780, 1)
    yield "sized", png(before=size + struct.pack(">I", zlib.crc32(size[4:])))
    yield "bomb", png(rows=b"\0" * 99).replace(struct.pack(">II", 3, 2),
                                               struct.pack(">II", 2**31 - 1, 2**31 - 1))
    yield "short", png(rows=b"\0")
    yield "long", png(rows=b"\0" * 999)
    yield "filter", png(rows=b"\1abc\4abc")
    yield "wrong_filter", png(rows=b"\7abc\7abc")
    yield "crc", png(bad_crc=True)
    yield "cut", png()[:-20]
    yield "head", png()[:20]


def tiff(pixels=b"abcdef", order="<", big=False, pages=1, **changed):
    """Pages of 3 x 2 that share their pixels."""
    entries = {256: 3, 257: 2, 258: 8, 259: 1, 262: 1, 273: 16, 277: 1, 278: 2, 279: len(pixels)}
    entries.update({int(tag[1:]): value for tag, value in changed.items()})
    entries = {tag: value for tag, value in sorted(entries.items()) if value is not None}
    word, count, field = ("Q", "Q", 20) if big else ("I", "H", 12)
    start = 16 + len(pixels)
    size = struct.calcsize(order + count) + field * len(entries) + struct.calcsize(order + word)
    head = b"II" if order == "<" else b"MM"
    head += (struct.pack(order + "HHHQ", 43, 8, 0, start) if big
             else struct.pack(order + "HI", 42, start) + bytes(8))
    out = head[:16] + pixels
    for page in range(pages):
        out += struct.pack(order + count, len(entries))
        for tag, value in entries.items():
            out += struct.pack(order + "HH" + word, tag, 4, 1)
            out += struct.pack(order + word, value)
        out += struct.pack(order + word, start + size * (page + 1) if page + 1 < pages else 0)
    return out


def tiff_seeds():
    yield "plain", tiff()
    yield "big_endian", tiff(order=">")
    yield "bigtiff", tiff(big=True)
    yield "pages", tiff(pages=3)
    for bits in (1, 4, 16, 32, 64):
        yield f"bits_{bits}", tiff(pixels=bytes(range(6 * max(bits // 8, 1))), t258=bits)
    for kind in (2, 3):
        yield f"format_{kind}", tiff(pixels=bytes(24), t258=32, t339=kind)
    yield "white", tiff(t262=0, t258=1)
    yield "palette", tiff(t262=3)
    yield "colors", tiff(pixels=bytes(18), t262=2, t277=3)
    yield "classes", tiff(pixels=bytes(48), t258=32, t339=3, t277=2)
    yield "tiles", tiff(pixels=bytes(256), t322=16, t323=16, t324=16, t325=256, t273=None,
                        t278=None, t279=None)
    yield "deflate", tiff(pixels=zlib.compress(b"abcdef"), t259=8)
    yield "packbits", tiff(pixels=b"\x05abcdef", t259=32773)
    yield "fax", tiff(pixels=b"\xff\xff", t259=4, t258=1)
    yield "lzw", tiff(pixels=b"\x80\x18\x4c\x56\x33\x20\x40\x40", t259=5)
    yield "jpeg", tiff(t259=7)
    yield "reduced", tiff(t254=1)
    yield "bomb", tiff(t256=2**31 - 1, t257=2**31 - 1, t259=8)
    yield "loop", tiff()[:-4] + struct.pack("<I", 22)
    yield "cut", tiff()[:-30]
    yield "head", tiff()[:8]
    yield "no_strips", tiff(t273=None)


def zarr(chunk=b"", **changed):
    about = {"zarr_format": 2, "shape": [4, 4], "chunks": [2, 2], "dtype": "|u1",
             "compressor": None, "fill_value": 0, "order": "C", "filters": None}
    return json.dumps({**about, **changed}).encode() + b"\0" + chunk


def zarr_seeds():
    yield "plain", zarr(b"abcd")
    yield "zlib", zarr(zlib.compress(b"abcd"), compressor={"id": "zlib", "level": 1})
    yield "gzip", zarr(gzip.compress(b"abcd", mtime=0), compressor={"id": "gzip"})
    stored = struct.pack("<BBBBIII", 2, 1, 2, 1, 4, 4, 20) + b"abcd"
    yield "blosc", zarr(stored, compressor={"id": "blosc", "cname": "lz4"})
    lz4 = struct.pack("<BBBBIII", 2, 1, 0x21, 1, 4, 4, 24) + struct.pack("<II", 20, 0)
    yield "blosc_lz4", zarr(lz4, compressor={"id": "blosc"})
    frame = b"\x28\xb5\x2f\xfd\x20\x04" + struct.pack("<I", 4 << 3 | 1)[:3] + b"abcd"
    yield "zstd", zarr(frame, compressor={"id": "zstd"})
    for kind in ("|b1", "|i1", "<u2", ">i4", "<f4", ">f8", "<u8", "<f2", "|O", "<U3"):
        yield "type_" + kind[1:], zarr(bytes(4 * 8), dtype=kind)
    yield "fortran", zarr(b"abcd", order="F", dimension_separator="/")
    yield "nan", zarr(bytes(16), dtype="<f4", fill_value="NaN")
    yield "infinity", zarr(bytes(16), dtype="<f4", fill_value="-Infinity")
    yield "no_fill", zarr(b"abcd", fill_value=None)
    yield "wide_fill", zarr(b"abcd", fill_value=2**63)
    yield "bomb", zarr(b"abcd", chunks=[2**20, 2**20])
    yield "many", zarr(b"abcd", shape=[2**63, 1], chunks=[1, 1])
    yield "five_axes", zarr(b"abcd", shape=[1, 1, 1, 4, 4], chunks=[1, 1, 1, 2, 2])
    yield "filters", zarr(b"abcd", filters=[{"id": "delta"}])
    yield "cut", zarr()[:40]
    yield "image", json.dumps({"multiscales": [{"version": "0.4", "axes": [
        {"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x"}], "datasets": [
            {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.5]}]}],
        "coordinateTransformations": [{"type": "scale", "scale": [2, 2]}]}]}).encode()
    yield "old_image", b'{"multiscales": [{"axes": ["y", "x"], "datasets": [{"path": "../0"}]}]}'


def label_table_seeds():
    yield "csv", b"value,name,r,g,b\n0,background,0,0,0\n1,lesion,255,0,0\n"
    yield "tsv", b"index\tname\tcolor\n1\tlesion\t#FF0000\n2\tother\tn/a\n"
    yield "lut", b"#No. Label Name: R G B A\n0 Unknown 0 0 0 0\n17 Left-Hippocampus 220 216 20 0\n"
    yield "snap", b'# ITK-SnAP\n  1  255 0 0  1 1 1  "Label 1"\n'
    yield "twice", b"value\n1\n1\n"
    yield "wrong", b"value,color\nx,#GG\n"
    yield "cut", b'1 255 0 0 "'
    yield "empty", b""
    yield "tabs_hex", b"index\tname\tcolor\n1\tlesion\t#ff0000\n2\tedema\t#00ff00\n"
    yield "out_of_range", b"value,r,g,b\n-1,9,9,9\n3,300,0,0\n"
