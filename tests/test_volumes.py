"""Files with several volumes, and names of labels."""
import numpy
import pytest

from support import BOX, assay, counts, evidence, mask, random_mask, save, score

SHAPE = (6, 7, 5)


def four_d(path, volumes, dtype="u1"):
    return save(path, numpy.stack(volumes, axis=-1).astype(dtype))


def masks(seed, count=3):
    return [random_mask(seed + k, SHAPE) for k in range(count)]


def test_one_mask_per_volume_may_overlap(tmp_path):
    p, r = masks(1), masks(10)
    four_d(tmp_path / "pred/a.nii.gz", p)
    four_d(tmp_path / "ref/a.nii.gz", r)
    found = score("pred", "ref", "--volumes", "labels", cwd=tmp_path)
    assert list(found["labels"]) == ["1", "2", "3"]
    for k in range(3):
        assert evidence(found, label=str(k + 1)) == counts(p[k], r[k])
    assert found["settings"]["volumes"] == "labels"
    said = assay("score", "pred", "ref", cwd=tmp_path, status=2).stderr
    assert "--volumes" in said


def test_numbers_of_volumes_are_in_their_own_order(tmp_path):
    four_d(tmp_path / "p.nii", masks(1, 11))
    four_d(tmp_path / "r.nii", masks(1, 11))
    found = score("p.nii", "r.nii", "--volumes", "labels", cwd=tmp_path)
    assert list(found["labels"]) == [str(k) for k in range(1, 12)]


def test_the_highest_score_is_the_class_also_in_references(tmp_path):
    rng = numpy.random.default_rng(0)
    p, r = (list(rng.normal(size=(3, *SHAPE))) for _ in range(2))
    four_d(tmp_path / "p.nii", p, "f4")
    one_hot = [(numpy.argmax(r, axis=0) == k) for k in range(3)]
    four_d(tmp_path / "r.nii", one_hot)
    found = score("p.nii", "r.nii", "--volumes", "classes", "--labels", "1,2", cwd=tmp_path)
    for label in (1, 2):
        assert evidence(found, label=str(label)) == counts(numpy.argmax(p, axis=0) == label,
                                                           numpy.argmax(r, axis=0) == label)


def test_points_in_time_are_cases(tmp_path):
    p, r = masks(1, 4), masks(10, 4)
    four_d(tmp_path / "pred/a.nii.gz", p)
    four_d(tmp_path / "ref/a.nii.gz", r)
    found = score("pred", "ref", "--volumes", "time", cwd=tmp_path)
    assert [c["id"] for c in found["cases"]] == [f"a/t00{k}" for k in (1, 2, 3, 4)]
    for k in range(4):
        assert evidence(found, k) == counts(p[k], r[k])


def test_a_prediction_with_fewer_volumes_fails(tmp_path):
    four_d(tmp_path / "p.nii", masks(1, 2))
    four_d(tmp_path / "r.nii", masks(1, 3))
    found = score("p.nii", "r.nii", "--volumes", "time", cwd=tmp_path, status=3)
    assert [c["status"] for c in found["cases"]] == ["ok", "ok", "failed"]
    assert found["cases"][2]["error"] == (
        "prediction p.nii: has 2 volumes, and volume 3 of the other file has no counterpart")


def test_without_the_option_a_note_says_what_volumes_are(tmp_path):
    chance = numpy.random.default_rng(0).dirichlet([1, 1], SHAPE)
    save(tmp_path / "p.nii", chance.astype("f4"))
    save(tmp_path / "r.nii", random_mask(1, SHAPE))
    said = assay("score", "p.nii", "r.nii", cwd=tmp_path).stderr
    assert ("predictions hold 2 volumes, one for each class, and the most likely class is the label"
            in said)
    said = assay("score", "p.nii", "r.nii", "--threshold", "0.3", cwd=tmp_path).stderr
    assert "one for each class, and the sum of all but the first is thresholded" in said


TABLES = {
    "names.csv": "value,name,r,g,b\n1,edema,255,0,0\n2,core,0,255,0\n",
    "dseg.tsv": "index\tname\tcolor\n1\tedema\t#FF0000\n2\tcore\t#00FF00\n",
    "lut.txt": "#No. Label Name: R G B A\n1 edema 255 0 0 0\n2 core 0 255 0 0\n",
    "slicer.ctbl": "# Color table file slicer.ctbl\n# 2 values\n1 edema 255 0 0 255\n"
                   "2 core 0 255 0 255\n",
    "snap.txt": '# ITK-SnAP Label Description File\n1 255 0 0 1 1 1 "edema"\n'
                '2 0 255 0 1 1 1 "core"\n',
    "dataset.json": '{"labels": {"background": 0, "edema": 1, "core": 2}}',
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("labels", ["all", "1,2"])
def test_labels_get_their_names_from_a_table(tmp_path, name, labels):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / name).write_text(TABLES[name])
    for each in ("p.nii", "r.nii"):
        save(tmp_path / each, mask(BOX, numpy.s_[7:9, 2:4, 2:4]))
    options = ("--labels", labels, "--label-names", f"tables/{name}")
    found = score("p.nii", "r.nii", *options, cwd=tmp_path)
    assert {k: v["name"] for k, v in found["labels"].items()} == {"1": "edema", "2": "core"}
    colors = [v.get("color") for v in found["labels"].values()]
    assert colors == ([None, None] if name == "dataset.json" else ["#FF0000", "#00FF00"])
    table = assay("score", "p.nii", "r.nii", *options, cwd=tmp_path).stdout
    assert "label 1 (edema)" in table and "label 2 (core)" in table


def test_names_alone_do_not_choose_labels(tmp_path):
    (tmp_path / "names.csv").write_text(TABLES["names.csv"])
    for each in ("p.nii", "r.nii"):
        save(tmp_path / each, mask(BOX))
    said = assay("score", "p.nii", "r.nii", "--label-names", "names.csv", cwd=tmp_path,
                 status=2).stderr
    assert said == ("assay: --label-names names labels; say which to score with --labels, such as "
                    "--labels all\n")
    said = assay("score", "p.nii", "r.nii", "--labels", "1", "--label-names", "none.csv",
                 cwd=tmp_path, status=2).stderr
    assert "none.csv" in said


def seg_nrrd(path, voxels, names):
    """`names` by label; by label and layer if the first axis of the voxels is layers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = voxels.ndim == 4
    header = (f"NRRD0004\ntype: unsigned char\ndimension: {voxels.ndim}\n"
              "space: left-posterior-superior\n"
              f"sizes: {' '.join(map(str, voxels.shape))}\nencoding: raw\n"
              f"space directions: {'none ' if layers else ''}(1,0,0) (0,1,0) (0,0,1)\n"
              f"kinds: {'list ' if layers else ''}domain domain domain\nspace origin: (0,0,0)\n")
    for k, (value, name) in enumerate(names.items()):
        label, layer = value if layers else (value, 0)
        header += (f"Segment{k}_ID:=Segment_{k}\nSegment{k}_Name:={name}\n"
                   f"Segment{k}_LabelValue:={label}\nSegment{k}_Layer:={layer}\n"
                   f"Segment{k}_Color:=1 0.5 0\n")
    path.write_bytes(header.encode() + b"\n" + voxels.astype("u1").tobytes("F"))


def test_segments_of_3d_slicer_are_scored_under_their_names(tmp_path):
    voxels = mask(BOX, numpy.s_[7:9, 2:4, 2:4])
    for folder in ("pred", "ref"):
        seg_nrrd(tmp_path / folder / "a.seg.nrrd", voxels, {1: "Tumor core", 2: "Edema"})
    found = score("pred", "ref", cwd=tmp_path)
    assert [c["id"] for c in found["cases"]] == ["a"]
    assert {k: v["name"] for k, v in found["labels"].items()} == {"1": "Tumor core", "2": "Edema"}
    assert found["labels"]["1"]["color"] == "#FF8000"
    seg_nrrd(tmp_path / "pred/a.seg.nrrd", voxels, {1: "Edema", 2: "Tumor core"})
    said = assay("score", "pred", "ref", cwd=tmp_path, status=2).stderr
    assert "calls label 1 'Edema', and another file calls it 'Tumor core'" in said


def test_segments_that_overlap_are_scored_one_by_one(tmp_path):
    whole, core, node = (random_mask(k, SHAPE) for k in (1, 2, 3))
    seen, inner = random_mask(4, SHAPE), random_mask(5, SHAPE)
    seg_nrrd(tmp_path / "ref/a.seg.nrrd", numpy.stack([whole * (1 - node) + 2 * node, core]),
             {(1, 0): "whole", (2, 0): "node", (1, 1): "core"})
    seg_nrrd(tmp_path / "pred/a.seg.nrrd", numpy.stack([3 * inner, 7 * seen]),
             {(3, 0): "core", (7, 1): "whole"})
    found = score("pred", "ref", cwd=tmp_path, status=3)
    assert list(found["labels"]) == ["core", "node", "whole"]
    assert evidence(found, label="core") == counts(inner, core)
    assert evidence(found, label="whole") == counts(seen, whole * (1 - node))
    assert found["cases"][0]["label"]["node"]["status"] == "missing_prediction"
