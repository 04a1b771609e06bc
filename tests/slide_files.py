"""Slides for tests, written without the library: plain tiled TIFF, uncompressed."""
import struct

import numpy

TILE = 256


def tiff(levels, pixels_per_cm=None):
    """The bytes of a pyramid; `levels` are arrays (height, width, 3), finest first."""
    out = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for number, level in enumerate(levels):
        height, width, _ = level.shape
        offsets = []
        for y in range(0, height, TILE):
            for x in range(0, width, TILE):
                tile = numpy.full((TILE, TILE, 3), 255, numpy.uint8)
                part = level[y:y + TILE, x:x + TILE]
                tile[:part.shape[0], :part.shape[1]] = part
                offsets.append(len(out))
                out += tile.tobytes()
        entries = {254: (4, [int(number > 0)]), 256: (4, [width]), 257: (4, [height]),
                   258: (3, [8, 8, 8]), 259: (3, [1]), 262: (3, [2]), 277: (3, [3]), 284: (3, [1]),
                   322: (4, [TILE]), 323: (4, [TILE]), 324: (4, offsets),
                   325: (4, [TILE * TILE * 3] * len(offsets))}
        if pixels_per_cm:
            entries |= {282: (5, [pixels_per_cm, 1]), 296: (3, [3])}
        rows = []
        for tag, (kind, values) in sorted(entries.items()):
            data = struct.pack(f"<{len(values)}{'H' if kind == 3 else 'I'}", *values)
            if len(data) > 4:
                place = len(out)
                out += data + b"\0" * (len(data) % 2)
                data = struct.pack("<I", place)
            rows.append(struct.pack("<HHI", tag, kind, 1 if kind == 5 else len(values))
                        + data.ljust(4, b"\0"))
        out[link:link + 4] = struct.pack("<I", len(out))
        out += struct.pack("<H", len(rows)) + b"".join(rows)
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


def write_slide(path, width=600, height=400, pixels_per_cm=40000):
    """A smooth slide with two levels."""
    y, x = numpy.mgrid[:height, :width]
    fine = numpy.stack([x * 255 // width, y * 255 // height, numpy.full_like(x, 90)],
                       -1).astype(numpy.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(tiff([fine, fine[::4, ::4]], pixels_per_cm))
    return path
