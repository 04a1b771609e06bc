#!/usr/bin/env python3
"""Writes the seeds of the fuzzers into tests/fuzz/corpus: small valid files and broken ones."""
import gzip, io, json, pathlib, struct, zipfile, zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"


def nifti(version=1, order="<", dim=(3, 2, 2, 1, 1, 1, 1, 1), datatype=2, slope=1.0, sform=1, qform=0,
          units=2, voxels=bytes(range(4)), magic=None, offset=None):
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
        yield f"type_{code}", nifti(version=1 + i % 2, order="<>"[i // 2 % 2], datatype=code, voxels=bytes(range(4 * size)))
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
    start, shape, local = b"ObjectType = Image\nNDims = 3\n", b"DimSize = 2 2 1\n", b"ElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
    yield "plain", start + shape + local + b"abcd"
    yield "carriage_returns", (start + shape + local).replace(b"\n", b"\r\n") + b"abcd"
    yield "zlib", start + shape + b"CompressedData = True\n" + local + zlib.compress(b"abcd")
    yield "zlib_sized", start + shape + b"CompressedData = True\nCompressedDataSize = 12\n" + local + zlib.compress(b"abcd")
    yield "zlib_cut", start + shape + b"CompressedData = True\n" + local + zlib.compress(b"abcd")[:-3]
    yield "float_big_endian", start + shape + b"BinaryDataByteOrderMSB = True\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n" + bytes(16)
    yield "placed", start + shape + b"TransformMatrix = 0 1 0 0 0 1 1 0 0\nOffset = 1 2 3\nElementSpacing = 1 2 3\nDistanceUnits = um\n" + local + b"abcd"
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
    place = b"space: LPS\nspace directions: (0,2,0) (0,0,3) (4,0,0)\nspace origin: (1,2,3)\nspace units: \"um\" \"um\" \"um\"\n"
    yield "plain", start + shape + raw + b"\nabcd"
    yield "carriage_returns", (start + shape + raw + b"\n").replace(b"\n", b"\r\n") + b"abcd"
    yield "gzip", start + shape + packed + b"\n" + gz(b"abcd")
    yield "gzip_cut", start + shape + packed + b"\n" + gz(b"abcd")[:-6]
    yield "gzip_skip", start + shape + packed + b"byte skip: 2\n\n" + gz(b"xxabcd")
    yield "gzip_bomb", start + shape.replace(b"2 2 1", b"40000 40000 40000") + packed + b"\n" + gz(b"abcd")
    yield "placed", start + shape + raw + place + b"\nabcd"
    yield "spacings", start + shape + raw + b"spacings: 1 2 nan\n\nabcd"
    yield "flat", start + b"type: uchar\ndimension: 2\nsizes: 2 2\nspace dimension: 2\nspace directions: (1,0) (0,2)\n" + raw + b"\nabcd"
    yield "list_first", start + b"type: float\nendian: big\ndimension: 4\nsizes: 2 2 1 1\nspace: RAS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n" + raw + b"\n" + bytes(16)
    yield "list_last", start + b"type: double\nendian: little\ndimension: 4\nsizes: 2 1 1 2\nkinds: domain domain domain list\n" + raw + b"\n" + bytes(32)
    yield "list_inside", start + b"type: uint8\ndimension: 4\nsizes: 2 2 2 1\nkinds: domain list domain domain\n" + raw + b"\nabcdefgh"
    yield "singular", start + shape + raw + place.replace(b"(4,0,0)", b"(0,4,0)") + b"\nabcd"
    yield "huge", start + shape.replace(b"2 2 1", b"4000000000 4000000000 4000000000") + raw + b"\nabcd"
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
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + voxels


def npz(**arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, (data, method) in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), data, method)
    return out.getvalue()


def npy_seeds():
    for number, kind in enumerate(("|b1", "|i1", "<u2", ">i2", "<u4", ">i4", "<u8", ">i8", "<f2", ">f4", "<f8")):
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
    yield "probabilities", npz(probabilities=(npy("<f4", "(2, 1, 2, 1)", voxels=bytes(16)), zipfile.ZIP_DEFLATED), other=(npy(), 0))
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


def csv_seeds():
    yield "plain", b"id,prediction,reference\n1,a,b\n"
    yield "quotes", b'a,b\n"x, ""y""\nz",2\n'
    yield "tabs", b"a\tb\n1\t2\n"
    yield "mark", b"\xef\xbb\xbfa\r\n1\r\n"
    yield "open_quote", b'a\n"x'
    yield "short_row", b"a,b\n1\n"
    yield "long_row", b"a\n1,2\n"
    yield "no_end", b"a,b\n1,2"
    yield "blank", b"a\n\n\n1\n\n"
    yield "empty", b""
    yield "quote_in_field", b'a,b\n1"2,"3"4\n'
    yield "nul", b"a,b\n\0,\xff\n"


def record_seeds():
    whole = (b'{"kind":"case","id":"a","fate":"scored","error":"","reference_at_fault":false,"warnings":["w"],"groups":[["site","A"]],'
             b'"prediction":"p","reference":"r","prediction_sha256":"","reference_sha256":"",'
             b'"counts":{"1":[1,2,3,4]},"voxels":10,"voxel_ml":0.001}')
    yield "whole", whole
    chance = b'"probability":{"1":{"voxels":10,"positives":3,"pairs_won":1.5,"precision_sum":2,"squared_error":0.1,"bins":[%s],"sweep":[%s]}},' % (
        b",".join([b"[1,0,0.5]"] * 15), b",".join([b"[1,2]"] * 19))
    yield "probability", whole.replace(b'"voxels":10', chance + b'"voxels":10')
    yield "probability_short", whole.replace(b'"voxels":10', chance.replace(b"[1,2],", b"", 3) + b'"voxels":10')
    yield "cut", whole[:80]
    yield "fate", whole.replace(b"scored", b"lost")
    yield "missing", whole.replace(b'"fate":"scored",', b"")
    yield "counts", whole.replace(b"[1,2,3,4]", b"[1]")
    yield "negative", whole.replace(b"[1,2,3,4]", b"[-1,2,3,9223372036854775807]")
    yield "too_large", whole.replace(b"[1,2,3,4]", b"[1e300,2,3,4]")
    yield "type", whole.replace(b'"a"', b"7")
    yield "nan", whole.replace(b"0.001", b"NaN")
    yield "infinity", whole.replace(b"0.001", b"-Infinity")
    yield "deep", b"[" * 500
    yield "utf8", whole.replace(b'"a"', b'"\xff\xfe"')
    yield "escape", whole.replace(b'"a"', b'"\\u0001NaN"')
    yield from shape_seeds(whole)


def shape_seeds(whole):
    """Records with surfaces and lesions."""
    side = {"weight": 8, "sum_mm": 5.5, "greatest_mm": 2, "percentile_mm": [[95, 1.5]], "within": [[1, 4], [2, 8]]}
    surface = {"prediction": side, "reference": side, "pooled_percentile_mm": [[95, 1.5]], "common": 3, "either": 13}
    lesion = [12, [1.5, 0, -2], True, [0], 0.5, None]
    lesions = {"counts": [1, 1, 1, 1, 0], "sums": [0.5, 2, 0.3], "penalty_mm": 0, "harmonic_f1": False, "by_size": [[1, 1]] + [[0, 0]] * 4,
               "reference": [lesion], "prediction": [lesion[:5] + [2.5]]}

    def record(**shapes):
        return whole[:-1] + b"," + json.dumps({"diagonal_mm": 17.3, **shapes}, separators=(",", ":"))[1:].encode()
    both = record(boundary={"1": surface}, lesions={"1": lesions})
    yield "shapes", both
    yield "shapes_cut", both[:-40]
    yield "boundary", record(boundary={"1": surface})
    yield "boundary_empty", record(boundary={"1": {}})
    yield "boundary_type", record(boundary=[surface])
    yield "boundary_one_side", record(boundary={"1": {**surface, "reference": None}})
    yield "boundary_short_pair", record(boundary={"1": {**surface, "pooled_percentile_mm": [[95]]}})
    yield "boundary_twice", record(boundary={"1": {**surface, "prediction": {**side, "within": [[1, 4], [1, 5]]}}})
    yield "boundary_huge", both.replace(b'"common":3', b'"common":1e300').replace(b'"sum_mm":5.5', b'"sum_mm":-1e308')
    yield "boundary_nan", both.replace(b'"greatest_mm":2', b'"greatest_mm":NaN')
    yield "lesions", record(lesions={"1": lesions})
    yield "lesions_few_counts", record(lesions={"1": {**lesions, "counts": [1, 1]}})
    yield "lesions_few_bins", record(lesions={"1": {**lesions, "by_size": []}})
    yield "lesions_partner", record(lesions={"1": {**lesions, "reference": [lesion[:3] + [[-1, 4294967296]] + lesion[4:]]}})
    yield "lesions_centroid", record(lesions={"1": {**lesions, "reference": [[12, [1.5], True, [], 0.5, None]]}})
    yield "lesions_type", record(lesions={"1": {**lesions, "prediction": {"0": lesion}}})


def results_seeds():
    yield "folds", b'{"schema": "assay.folds/1", "model_name": "m", "cases": [{"id": "a", "outer_fold": 0, "dice": 0.5, "avd": null}]}'
    yield "folds_number", b'{"schema": "assay.folds/1", "model_name": "m", "cases": [{"id": "a", "outer_fold": 1e300, "dice": 0.5}]}'
    yield "folds_no_id", b'{"schema": "assay.folds/1", "model_name": "m", "cases": [{"dice": 0.5}]}'
    theirs = (b'{"model_name": "m", "dice": {"name": "DICE", "mean": NaN, "std": 0, "values": [0.5, NaN]},'
              b' "avd": {"values": [Infinity, 1]}, "mcc": {"values": []}, "num_samples": 2}')
    ours = (b'{"schema": "assay.segmentation/1", "model_name": "m", "metrics": {"dice": {}, "avd": {}},'
            b' "cases": [{"id": "a", "label": {"1": {"dice": 0.5, "avd": null}, "2": {"dice": 1}}}, {"id": "b", "label": {}}]}')
    yield "theirs", theirs
    yield "ours", ours
    yield "cut", ours[:60]
    yield "other_schema", b'{"schema": "assay.qa/1"}'
    yield "schema_type", b'{"schema": 3}'
    yield "no_cases", ours.replace(b'"cases"', b'"casas"')
    yield "label_type", ours.replace(b'{"dice": 1}', b'"x"')
    yield "values_type", theirs.replace(b"[0.5, NaN]", b'"x"')
    yield "list", b"[1, 2]"
    yield "number", b"7"
    yield "empty", b""
    yield "ours_failed", ours.replace(b'{"id": "b", "label": {}}', b'{"id": "b", "status": "failed", "error": "\\u00e9\\ud83d", "label": {}}')
    yield "ours_groups", ours.replace(b'"id": "a", ', b'"id": "a", "status": "ok", "groups": {"site": "A"}, ')
    yield "ours_twice", ours.replace(b'"id": "b"', b'"id": "a"')
    yield "ours_headline", ours[:-1] + b', "mcc": {"values": [1, null]}}'
    yield "deep", b'{"schema": ' + b"[" * 600
    yield "lengths", theirs.replace(b'"values": []', b'"values": [1]')
    yield "compressed", gz(ours)
    yield "mark", b"\xef\xbb\xbf" + theirs
    yield from nnunet_seeds()
    yield from table_seeds()


def nnunet_seeds():
    counts = b'{"Dice": 0.5, "FN": 10, "FP": 10, "IoU": NaN, "TN": 70, "TP": 10, "n_pred": 20, "n_ref": 20}'
    second = (b'{"foreground_mean": {"Dice": 0.5}, "mean": {}, "metric_per_case": [{"metrics": {"1": %s, "(1, 2)": %s},'
              b' "prediction_file": "/p/a.nii.gz", "reference_file": "/r/a.nii.gz"}]}' % (counts, counts))
    first = (b'{"name": "n", "results": {"all": [{"0": {"Dice": 1}, "1": {"Dice": 0.5, "Hausdorff Distance 95": 3},'
             b' "reference": "/r/a.nii.gz", "test": null}], "mean": {}}}')
    yield "nnunet_2", second
    yield "nnunet_2_count", second.replace(b'"TP": 10', b'"TP": 9223372036854775807')
    yield "nnunet_2_fraction", second.replace(b'"TP": 10', b'"TP": 1.5')
    yield "nnunet_2_no_file", second.replace(b'"/r/a.nii.gz"', b"null").replace(b'"/p/a.nii.gz"', b"3")
    yield "nnunet_2_cut", second[:150]
    yield "nnunet_1", first
    yield "nnunet_1_no_cases", first.replace(b'"all"', b'"none"')


def table_seeds():
    long = b"model,case,label,metric,value,status\nm,a,1,dice,0.5,ok\nm,b,,,,failed\nn,a,1,avd,,reference_empty\n"
    yield "long", long
    yield "long_twice", long + b"m,a,1,dice,0.5,ok\n"
    yield "long_comma", long + b'm,c,1,dice,"0,5",ok\n'
    yield "long_challenge", b"team\tsubject\tscore name\tscore\ttask\nA\ts1\tDSC\t0.5\tliver\n"
    yield "long_no_case", b"metric,value\ndice,1\n"
    yield "wide", b"id,dice,HD95,site,fold\na.nii.gz,0.5,inf,A,1\nb,NaN,-2e-400,,2\nMean,1,1,,\n"
    yield "wide_labels", b"model,id,label,dice\nm,a,1,0.5\nm,a,2,1\nn,a,1,\n"
    yield "wide_no_ids", b",dice\n0,1\n1,0x1\n"
    yield "wide_semicolons", b"id;dice\na;0,5\n"
    yield "wide_text", b"id,dice\na,abc\n"
    yield "wide_titles", b"id,dice,dice\na,1,2\n"
    yield "wide_only_summary", b"id,dice\nMean,1\n"


def dataset_seeds():
    yield "version_2", b'{"labels": {"background": 0, "whole": [1, 2], "core": 2, "ignore": 3}}'
    yield "version_1", b'{"labels": {"0": "background", "1": "lesion"}}'
    yield "none", b"{}"
    yield "only_background", b'{"labels": {"background": 0}}'
    yield "fraction", b'{"labels": {"a": 1.5}}'
    yield "empty_region", b'{"labels": {"a": []}}'
    yield "nested", b'{"labels": {"a": [[1]]}}'
    yield "ignore_list", b'{"labels": {"a": 1, "ignore": [3, 4]}}'
    yield "null", b'{"labels": null}'
    yield "large", b'{"labels": {"a": 99999999999999999999}}'
    yield "text", b"labels"


def experiment_seeds():
    run = b'{"outer_fold": 0, "restart": 1, "test_dice": 0.6, "test_avd": 0.3, "test_mcc": 0.6, "per_subject_dice": [0.5, null, 0.7], "subject_ids": ["a", 2]}'
    yield "run", run
    yield "folds", b'{"folds": [{"outer_fold": 0, "runs": [' + run + b', {}]}, 3], "config": {"parameters": 5, "dilations": [1, 2]}}'
    yield "summary", b'{"summary": {"test_mean_dice": 0.876, "test_std_dice": 0.016, "test_mean_avd": Infinity, "test_mean_mcc": NaN, "num_test_subjects": 3}}'
    yield "spread", b'{"schema": "assay.folds/1", "summary": {"test_mean_dice": 0.8, "spread": {"runs": {"dice": {"std": 0.1, "n": 2, "ddof": 1}}}}, "cases": [{"dice": 0.7}]}'
    yield "listed", b'{"test_results": [{"test_dice": 1e308, "test_avd": 1e308, "test_mcc": -1e308}, {"test_dice": 1e308, "test_avd": 0, "test_mcc": 1}]}'
    yield "validation", b'{"val_mean_dice": 0.9, "std_dice": "x"}'
    yield "segmentation", b'{"schema": "assay.segmentation/1", "dice": {"mean": 0.7, "std": 0.1, "values": [0.6, 0.8]}, "avd": {"mean": 0}, "mcc": {"mean": 0.7}, "metrics": {"dice_macro": {"mean": 0.8, "std": 0.1, "n": 2}}}'
    yield "empty", b"{}"
    yield "cut", b'{"summary": {"test_mean'
    yield "other_schema", b'{"schema": "assay.comparison/1"}'


def paper_seeds():
    yield "list", b'[{"model": "My Net", "parameters": 10, "dice_mean": 0.7, "dice_std": 0.1, "avd_sig": 1}]'
    yield "keys", b'{"net": {"dice_mean": 0.7, "avd_mean": 0.2, "mcc_mean": 0.6}, "tolerances": {"dice": 0.1}, "limits": {"minimum": {"dice": 0.5}}}'
    yield "part", b'{"title": "t", "table1": [{"name": "a", "dice_mean": 0.7}]}'
    yield "unknown", b'{"net": {"dice_mean": 0.7}, "tolerances": {"dcie": 0.1}}'
    yield "nan", b'{"net": {"dice_mean": NaN}}'
    yield "zero", b'{"net": {"dice_mean": 0}}'
    yield "same_key", b'[{"model": "A b", "dice_mean": 0.7}, {"model": "a-b", "dice_mean": 0.7}]'
    yield "nameless", b'[{"dice_mean": 0.7}]'
    yield "limits_type", b'{"net": {"dice_mean": 0.7}, "limits": [1]}'
    yield "empty", b"{}"


def parity_seeds():
    metric = {"achieved": 0.87, "paper": 0.876, "diff": -0.006, "pct_diff": -0.7, "within_tolerance": True, "acceptable": True,
              "minimum": True, "meets_or_exceeds": False, "within_paper_sd": True}
    whole = {"schema": "assay.parity/1", "sources": {"file": "run.json"}, "model": "m", "parity_level": "acceptable",
             "paper": {"key": "m", "model": "M", "source": "a paper", "parameters": 147474, "dice_mean": 0.876, "dice_std": 0.016, "avd_mean": None},
             "tolerances": {"dice": 0.01, "avd": 0.1, "mcc": 0.01, "dice_std": 0.03},
             "limits": {"acceptable": {"dice": 0.85, "avd": 0.3, "mcc": 0.74}, "minimum": {"dice": 0.8}},
             "dice_mean": 0.87, "dice_std": 0.02, "avd_mean": None, "mcc_mean": None, "meets_or_exceeds": None,
             "details": {"dice": metric, "dice_std": {"achieved": 0.02, "paper": 0.016, "acceptable": True}, "avd": {}, "mcc": {}},
             "explanation": ["because"], "warnings": []}
    but = lambda **changed: json.dumps({**whole, **changed}).encode()
    yield "whole", but()
    yield "level", but(parity_level="fine")
    yield "level_type", but(parity_level=3)
    yield "no_file", but(sources={})
    yield "sources_type", but(sources=[])
    yield "details_type", but(details={"dice": 1, "dice_std": [], "avd": None, "mcc": "x"})
    yield "parameters", but(paper={**whole["paper"], "parameters": 1e300})
    yield "differs_type", but(paper={**whole["paper"], "dice_differs": "yes"})
    yield "huge", but().replace(b"0.876", b"1e999")
    yield "not_finite", but(dice_mean=float("nan"), mcc_mean=float("inf"))
    yield "limits_type", but(limits={"acceptable": [], "minimum": 0.8})
    yield "explanation_type", but(explanation=["because", 3])
    yield "warning", but(warnings=["<b>", "\ud800"])
    yield "bytes", but(model="x").replace(b'"x"', b'"\xff"')
    yield "cut", but()[:200]
    yield "deep", b"[" * 5000
    yield "list", b"[]"
    yield "empty", b""


def scored_files_seeds():
    whole = {"schema": "assay.segmentation/1", "model_name": "m",
             "labels": {"1": {"name": "core", "members": [1]}, "all": {"name": "whole", "members": [1, 2]}},
             "cases": [{"id": "a", "prediction": "a.nii", "reference": None, "prediction_sha256": "00"}, {"id": "b", "label": {}}, {"id": "c"}],
             "settings": {"threshold": 0.5, "allow_affine_mismatch": True}, "provenance": {"command": ["assay", "score", "p", "r"]}}
    but = lambda **changed: json.dumps({**whole, **changed}).encode()
    yield "whole", but()
    yield "mark", b"\xef\xbb\xbf" + but()
    yield "spaces", b" \r\n\t" + but()
    yield "other_schema", but(schema="assay.folds/1")
    yield "schema_type", but(schema=["assay.segmentation/1"])
    yield "no_cases", b'{"schema": "assay.segmentation/1"}'
    yield "cases_type", but(cases={"a": {}})
    yield "case_type", but(cases=[1, None])
    yield "id_type", but(cases=[{"id": 7, "prediction": {}}])
    yield "twice", but(cases=[{"id": "a"}, {"id": "a", "id ": "b"}])
    yield "labels_type", but(labels=[1])
    yield "label_type", but(labels={"1": 1})
    yield "members", but(labels={"1": {"members": [1.5, "x", -1, 18446744073709551615]}})
    yield "members_type", but(labels={"1": {"name": 3, "members": {"a": 1}}})
    yield "mismatch_type", but(settings={"threshold": "0.5", "allow_affine_mismatch": 3})
    yield "command_type", but(provenance={"command": "assay score"})
    yield "words_type", but(provenance={"command": ["assay", 3, None]})
    yield "escapes", but(cases=[{"id": "\u0061", "prediction": "\ud800"}])
    yield "behind", but() + b"x"
    yield "cut", but()[:150]
    yield "table", b"id,dice\na,1\n"
    yield "deep", b'{"cases": ' + b"[" * 5000
    yield "empty", b""


def journal_seeds():
    line = lambda record: b'{"crc32": "%08x", "record": %s}\n' % (zlib.crc32(record), record)
    header = line(b'{"kind":"header","settings_sha256":"s","inputs_sha256":"i","version":"0.1.0"}')
    case = line(b'{"kind":"case","id":"a"}')
    yield "whole", header + case + case
    yield "header", header
    yield "torn", header + case[:-9]
    yield "torn_header", header[:20]
    yield "damaged", header + case.replace(b'"a"', b'"b"') + case
    yield "damaged_last", header + case.replace(b'"a"', b'"b"')
    yield "no_header", case + case
    yield "header_type", line(b"[1]") + case
    yield "header_values", line(b'{"kind":"header","version":7}') + case
    yield "blank_lines", header + b"\n\n" + case
    yield "empty", b""
    yield "not_json", line(b"not json") + case


def run_seeds():
    lists = b'"per_subject_dice": [0.5, NaN], "per_subject_avd": [Infinity, null], '
    yield "whole", b'{"outer_fold": 0, "restart": 0, "seed": 42, "test_dice": 0.5, ' + lists + b'"subject_ids": ["a", "b"]}'
    yield "indices", b"{" + lists + b'"subject_indices": [7, 3]}'
    yield "large_index", b"{" + lists + b'"subject_indices": [1e300, 18446744073709551615]}'
    yield "twice", b"{" + lists + b'"subject_ids": ["a", "a"]}'
    yield "no_ids", b"{" + lists[:-2] + b"}"
    yield "lengths", b"{" + lists + b'"subject_ids": ["a"]}'
    yield "id_type", b"{" + lists + b'"subject_ids": [1, 2]}'
    yield "list_type", b'{"per_subject_dice": {"a": 1}, "subject_ids": ["a"]}'
    yield "value_type", b'{"per_subject_dice": ["1"], "subject_ids": ["a"]}'
    yield "other_fold", b'{"outer_fold": 1, "per_subject_dice": [1], "subject_ids": ["a"]}'
    yield "means", b'{"test_dice": 0.5}'
    yield "nnunet", b'{"metric_per_case": [{"metrics": {"1": {"Dice": 0.5, "TP": 1, "FP": 1, "FN": 1, "TN": 1}}, "reference_file": "a.nii.gz", "prediction_file": "a.nii.gz"}]}'
    yield "cut", b'{"per_subject_dice": [0.5, '
    yield "empty", b""


def manifest_seeds():
    yield "whole", b"id,s,v\na,x,1\nb,y,2\nc,x,3\nd,y,4\ne,x,5\nf,y,6\n"
    yield "no_id", b"scan,s\na,x\nb,x\nc,y\nd,y\n"
    yield "twice", b"id,s\na,x\na,y\n"
    yield "blank_id", b"id,s\n,x\nb,y\n"
    yield "blank_cells", b"id,s,v\na,,1\nb,,2\nc,x,\n"
    yield "equal", b"id,v\na,1\nb,1\nc,1\nd,1\n"
    yield "not_finite", b"id,v\na,nan\nb,inf\nc,1e999\n"
    yield "numbers", b"id,s\n" + b"".join(b"%d,%d.5\n" % (i, i) for i in range(25))
    yield "columns_twice", b"id,s,s\na,x,y\nb,x,y\n"
    yield "one", b"id,s,v\na,x,1\n"
    yield "header", b"id,s,v\n"
    yield "empty", b""


def qa_table_seeds():
    head = b"benchmark_name,benchmark_id,image_path,answer,options,is_valid,metric_type,file_id,prompt\n"
    yield "python", head + b"gtex,1,a.tiff,Lung,\"['Lung', \"\"O'B\"\", 'x\\\\u00e9']\",True,,f,\"{options}\n{{\"\"answer\"\": X}}\"\n"
    yield "json", head + b'tcga,1,a.svs,2,"[""A"", 3]",,,,Q?\n'
    yield "bars", head + b"x,1,a.svs,1,A|B,true ,accuracy,,Q?\n"
    yield "panda", head + b"panda,1,a.tiff,5,,,,,Q?\n"
    yield "twice", head + b"x,1,a,1,,,,,\nx,1,b,1,,,,,\n"
    yield "bad_metric", head + b"x,1,a,1,,,kappa,,\n"
    yield "bad_truth", head + b"panda,1,a,6,,,,,\n"
    yield "bad_options", head + b"x,1,a,1,{},,,,\n"
    yield "no_column", b"benchmark_name,image_path\nx,a\n"
    yield "invalid", head + b"x,1,a,1,,False,,,\n"
    yield "list", b'[{"benchmark_name": "x", "id": 7, "image_path": "a", "answer": 1, "options": ["A", "B"]}]'
    yield "data", b'{"data": [{"benchmark_name": "x", "image_path": "a", "answer": "1", "options": null}]}'
    yield "lines", b'{"benchmark_name": "x", "image_path": "a", "answer": 1}\n{"benchmark_name": "x", "image_path": "b", "answer": 0}\n'
    yield "empty", b""


def qa_results_seeds():
    item = b'{"item_id": "1", "prediction": "{\\"answer\\": 1}", "predicted_label": 1, "truth_label": 1, "correct": true, "cost_usd": 0.0, "total_tokens": 0, "trajectory_file": "", "error": null'
    vote = b'{"run": 0, "prediction": "1", "label": 1, "rule": "lone_token", "span": [0, 1], "outcome": "scored", "cost_usd": null, "total_tokens": 3, "calls": 1, "trajectory_file": "", "error": null}'
    full = item + b', "outcome": "scored", "rule": "json", "span": [11, 12], "slide": "a.svs", "options": ["A", "B"], "votes": [' + vote + b', ' + vote + b']}'
    whole = lambda results, schema=b"": b'{' + schema + b'"run_id": "r", "benchmark_name": "t", "model_name": "m", "config": {"mode": "giant", "x": [1]}, "results": [' + results + b'], "metrics": {"metric_type": "accuracy"}, "timestamp": "t"}'
    ours = b'"schema": "assay.qa/1", '
    yield "spec", whole(item + b"}")
    yield "ours", whole(full, ours)
    yield "twice", whole(item + b"}, " + item + b"}")
    yield "nothing", whole(b"")
    yield "long_span", whole(full.replace(b"[11, 12]", b"[11, 99]"), ours)
    yield "outcome", whole(full.replace(b'"scored"', b'"lost"'), ours)
    yield "no_label", whole(full.replace(b'"predicted_label": 1', b'"predicted_label": null'), ours)
    yield "large", whole(item.replace(b'"truth_label": 1', b'"truth_label": 1e300') + b"}")
    yield "other_schema", whole(b"", b'"schema": "assay.folds/1", ')
    yield "metric", whole(item + b"}").replace(b'"accuracy"', b'"kappa"')
    yield "authors", b'{"benchmark": "t", "conv_id": "1", "status": "ok", "prediction": "B", "model_name": "m"}\n{"benchmark": "t", "file_name": "a.svs", "status": "timeout", "error": "late"}\n'
    yield "authors_unknown", b'{"benchmark": "t", "conv_id": "9", "status": "ok"}\n'
    yield "authors_status", b'{"benchmark": "t", "conv_id": "1", "status": "odd"}\n'
    yield "cut", whole(full, ours)[:200]


def floats(count):
    return struct.pack(f"<{count}f", *((i % 7 - 3) / 8 for i in range(count)))


# One hidden layer of one channel, and a classifier of two classes.
SHAPES = {"0.weight": (1, 1, 3, 3, 3), "0.bias": (1,), "2.weight": (2, 1, 1, 1, 1), "2.bias": (2,)}


def size(shape):
    return 1 if not shape else shape[0] * size(shape[1:])


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def numbers(values):
    return b"(" + b"".join(b"J" + struct.pack("<i", v % 2 ** 31) for v in values) + b"t"


def pickled_tensor(key, shape, storage=b"FloatStorage", offset=0, strides=None):
    if strides is None:
        strides = [size(shape[i + 1:]) for i in range(len(shape))]
    stored = b"(" + text("storage") + b"ctorch\n" + storage + b"\n" + text(key) + text("cpu") + numbers([size(shape)])[1:-1] + b"tQ"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + stored + numbers([offset])[1:-1] + numbers(shape) + numbers(strides)
            + b"\x89ccollections\nOrderedDict\n)RtR")


def state(shapes=SHAPES, **options):
    return b"}(" + b"".join(text(k) + pickled_tensor(str(i), s, **options) for i, (k, s) in enumerate(shapes.items())) + b"u"


def checkpoint(pickle, shapes=SHAPES, method=zipfile.ZIP_STORED, extra=()):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        entries = [("a/data.pkl", b"\x80\x02" + pickle + b"."), *((f"a/data/{i}", floats(size(s))) for i, s in enumerate(shapes.values())), *extra]
        for name, data in entries:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


def checkpoint_seeds():
    whole = checkpoint(state())
    yield "bare", whole
    yield "model_state_dict", checkpoint(b"}(" + text("epoch") + b"K\x03" + text("model_state_dict") + state() + b"u")
    yield "global", checkpoint(b"cos\nsystem\n(" + text("true") + b"tR")
    yield "stack_global", checkpoint(b"\x8c\x02os\x8c\x06system\x93")
    yield "cut", whole[:-30]
    yield "damaged", whole.replace(floats(4), bytes(16), 1)
    yield "compressed", checkpoint(state(), method=zipfile.ZIP_DEFLATED)
    yield "script", checkpoint(state(), extra=[("a/constants.pkl", b"")])
    yield "big_endian", checkpoint(state(), extra=[("a/byteorder", b"big")])
    yield "none", checkpoint(b"N")
    yield "memo", checkpoint(b"]q\x00h\x00ah\x01a")
    yield "memo_bomb", checkpoint(b"]r\xff\xff\xff\xff")
    yield "offset", checkpoint(state(offset=1))
    yield "strides", checkpoint(state(strides=[0, 0, 0, 0, 0]))
    yield "integers", checkpoint(state(storage=b"LongStorage"))
    others = {"0.weight": (1, 1, 5, 5, 5), "2.weight": (2, 1, 1, 1, 1)}
    yield "other_shapes", checkpoint(state(others), others)
    yield "huge_shape", checkpoint(state({"0.weight": (2 ** 30, 1, 1, 1, 1)}), {"a": (1,)})
    yield "overflow", checkpoint(state({"0.weight": (2 ** 31 - 1,) * 5}), {"a": (1,)})
    normed = {**SHAPES, **{f"1.{k}": (1,) for k in ("weight", "bias", "running_mean", "running_var")}}
    yield "batch_norm", checkpoint(state(normed), normed)
    yield "no_pickle", checkpoint(b"N", extra=[("b/data.pkl", b"")])
    yield "empty", b"PK\x03\x04"


def safetensors(header, data=b""):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(header)) + header + data


def safetensors_seeds():
    at, header = 0, {"__metadata__": {"format": "pt"}}
    for name, shape in SHAPES.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * size(shape)]}
        at += 4 * size(shape)
    yield "whole", safetensors(header, floats(at // 4))
    yield "half", safetensors({k: {**v, "dtype": "F16"} for k, v in header.items()}, floats(at // 4))
    yield "cut", safetensors(header, floats(at // 4 - 1))
    yield "nan", safetensors(header, b"\xff" * at)
    yield "header_length", struct.pack("<Q", 2 ** 63) + b"{}"
    yield "header_cut", safetensors(header)[:40]
    yield "list", safetensors([])
    yield "shape_type", safetensors({"0.weight": {"dtype": "F32", "shape": [-1, "a"], "data_offsets": [0, 4]}}, floats(1))
    yield "offsets", safetensors({"0.weight": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, floats(1))
    yield "overflow", safetensors({"0.weight": {"dtype": "F32", "shape": [2 ** 62, 2 ** 62], "data_offsets": [0, 4]}}, floats(1))
    yield "other", safetensors({"attention.weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, floats(1))
    yield "null", safetensors({"0.weight": None})
    yield "empty", b""


def tfjs(layers, weights, data=None):
    model = {"modelTopology": {"model_config": {"config": {"layers": layers}}},
             "weightsManifest": [{"paths": ["a.bin"], "weights": [{"name": n, "shape": s, "dtype": "float32"} for n, s in weights.items()]}]}
    return json.dumps(model).encode() + b"\0" + (data if data is not None else floats(sum(map(size, weights.values()))))


def tfjs_seeds():
    layer = lambda kind, name, source, **config: {"class_name": kind, "config": {"name": name, **config}, "inbound_nodes": [[[source, 0, 0, {}]]] if source else []}
    weights = {"c/kernel": (3, 3, 3, 1, 1), "c/bias": (1,), "d/kernel": (1, 1, 1, 1, 2), "d/bias": (2,)}
    first, act, last = layer("Conv3D", "c", "i", padding="same", dilation_rate=[2, 2, 2]), layer("Activation", "a", "c", activation="elu"), layer("Conv3D", "d", "a")
    whole = [layer("InputLayer", "i", ""), first, act, last]
    yield "whole", tfjs(whole, weights)
    yield "cut", tfjs(whole, weights, floats(9))
    yield "more", tfjs(whole, weights, floats(99))
    yield "no_weight", tfjs(whole, {"c/kernel": (3, 3, 3, 1, 1)})
    yield "branch", tfjs([*whole, layer("Conv3D", "e", "c")], weights)
    yield "activation", tfjs([whole[0], first, layer("Activation", "a", "c", activation="swish"), last], weights)
    yield "softmax", tfjs([whole[0], first, layer("Activation", "a", "c", activation="softmax"), last], weights)
    yield "strides", tfjs([whole[0], layer("Conv3D", "c", "i", strides=[2, 2, 2]), act, last], weights)
    yield "pooling", tfjs([whole[0], layer("MaxPooling3D", "c", "i")], weights)
    yield "norm", tfjs([whole[0], first, layer("BatchNormalization", "n", "c"), last], {**weights, **{f"n/{k}": (1,) for k in ("gamma", "beta", "moving_mean", "moving_variance")}})
    yield "shape", tfjs(whole, {**weights, "c/kernel": (2 ** 40, 2 ** 40)}, b"")
    yield "types", b'{"weightsManifest": [{"weights": 3, "paths": [1]}], "modelTopology": []}\0'
    yield "paths", b'{"weightsManifest": [{"paths": ["../../etc/passwd"]}]}\0'
    yield "empty", b""


def field(number, value):
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx_tensor(name, shape, data=None):
    return field(5, b"".join(field(1, n) for n in shape) + field(2, 1) + field(8, name) + field(9, floats(size(shape)) if data is None else data))


def onnx_node(kind, inputs, output, **attributes):
    lists = b"".join(field(5, field(1, k) + b"".join(field(8, v) for v in values)) for k, values in attributes.items())
    return field(1, b"".join(field(1, i) for i in inputs) + field(2, output) + field(3, output) + field(4, kind) + lists)


def onnx(*parts, inputs=("x",), outputs=("y",)):
    ends = b"".join(field(11, field(1, n)) for n in inputs) + b"".join(field(12, field(1, n)) for n in outputs)
    return field(1, 7) + field(7, b"".join(parts) + ends)


def onnx_seeds():
    tensors = onnx_tensor("w", (1, 1, 3, 3, 3)) + onnx_tensor("v", (2, 1, 1, 1, 1)) + onnx_tensor("b", (1,))
    conv = onnx_node("Conv", "xwb", "c", dilations=[2] * 3, pads=[2] * 6)
    relu, last = onnx_node("Relu", "c", "r"), onnx_node("Conv", "rv", "y")
    whole = onnx(conv, relu, last, tensors)
    yield "whole", whole
    yield "cut", whole[:-9]
    yield "cut_tensor", onnx(conv, relu, last, tensors.replace(onnx_tensor("w", (1, 1, 3, 3, 3)), onnx_tensor("w", (1, 1, 3, 3, 3), b"abc")))
    yield "norm", onnx(conv, onnx_node("BatchNormalization", ["c", "b", "b", "b", "b"], "r"), last, tensors)
    yield "instance", onnx(conv, onnx_node("InstanceNormalization", "cbb", "r"), last, tensors)
    yield "branch", onnx(conv, onnx_node("Add", "cx", "r"), last, tensors)
    yield "gelu", onnx(conv, onnx_node("Div", "cb", "1"), onnx_node("Erf", "1", "2"), onnx_node("Add", "2b", "3"),
                       onnx_node("Mul", "c3", "4"), onnx_node("Mul", "4b", "r"), last, tensors)
    yield "pads", onnx(onnx_node("Conv", "xwb", "c", pads=[0, 1, 2]), relu, last, tensors)
    yield "two_inputs", onnx(conv, relu, last, tensors, inputs=("x", "z"))
    yield "no_tensor", onnx(conv, relu, last)
    yield "no_output", onnx(field(1, field(4, "Relu")))
    yield "dims", onnx(conv, relu, last, onnx_tensor("w", (-1, -1, 3, 3, 3), b""))
    yield "external", onnx(conv, field(5, field(8, "w") + field(13, b"")))
    yield "wire_type", field(1, 7) + b"\x3f\x01"
    yield "empty", b""


def recipe_seeds():
    yield "toml", b'extends = "arc-meshchop"\nshape = [8, 9, 10]\nmin_volume_ml = 0.1\n'
    yield "json", b'{"grid": "conform", "orientation": "LIA", "shape": [8, 8, 8], "to_bytes": true, "largest_component": true}'
    yield "view", b'grid = "field_of_view"\nspacing_mm = 0.3\nintensity = "quantile"\nquantiles = [0.02, 0.98]\nclip = true'
    yield "zoom", b'grid = "zoom"\nspacing_mm = 0.7\norientation = "PSL"\naxes = "zyx"'
    yield "coarse", b'grid = "zoom"\nspacing_mm = 1e300'
    yield "fine", b'grid = "conform"\nspacing_mm = 1e-300'
    yield "large", b"shape = [1024, 1024, 1024]"
    yield "too_large", b"shape = [9223372036854775807, 1, 1]"
    yield "nan", b"epsilon = nan"
    yield "date", b"name = 1979-05-27"
    yield "nested", b"shape = " + b"[" * 500
    yield "table", b"[post]\nclip = true"
    yield "odd_table", b"[.a]"
    yield "letter", b"[post]\xcc\x82ip = true"
    yield "no_value", b"clip = ]"
    yield "twice", b"clip = true\nclip = true"
    yield "hash", b'sha256 = "00"'
    yield "cut", b'{"grid": "zo'
    yield "bytes", b"\xff\xfe= 1"
    yield "empty", b""


SEEDS = {"fuzz_nifti": nifti_seeds, "fuzz_metaimage": metaimage_seeds, "fuzz_nrrd": nrrd_seeds, "fuzz_npy": npy_seeds, "fuzz_gzip": gzip_seeds,
         "fuzz_csv": csv_seeds, "fuzz_record": record_seeds,
         "fuzz_results": results_seeds, "fuzz_dataset": dataset_seeds, "fuzz_journal": journal_seeds,
         "fuzz_run": run_seeds, "fuzz_manifest": manifest_seeds,
         "fuzz_experiment": experiment_seeds, "fuzz_paper": paper_seeds,
         "fuzz_parity": parity_seeds, "fuzz_scored_files": scored_files_seeds,
         "fuzz_qa_table": qa_table_seeds, "fuzz_qa_results": qa_results_seeds,
         "fuzz_checkpoint": checkpoint_seeds, "fuzz_safetensors": safetensors_seeds, "fuzz_tfjs": tfjs_seeds,
         "fuzz_onnx": onnx_seeds, "fuzz_recipe": recipe_seeds}
for target, seeds in SEEDS.items():
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    for name, data in seeds():
        (CORPUS / target / name).write_bytes(data)
