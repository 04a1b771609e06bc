"""score --grand-challenge: a submission of grand-challenge.org to metrics.json."""
import json

import numpy
import pytest

from support import BOX, assay, dice, mask, random_mask, save, strict

OTHER = numpy.s_[3:7, 2:6, 2:6]


def header(dialect, path):
    """How each version of the platform describes an image."""
    slug = path.split("/")[-1]
    if dialect == "socket":
        return {"slug": slug, "relative_path": path, "is_image_kind": True, "is_json_kind": False}
    return {"pk": 103, "slug": slug, "kind": "Image", "super_kind": "Image", "relative_path": path}


def job(dialect, pk, image):
    def value(path, name):
        return {"file": None, "value": None, "image": {"pk": "1f", "name": name},
                dialect: header(dialect, path)}
    return {"pk": pk, "inputs": [value("images/ct", image)],
            "outputs": [value("images/lesion", "output.mha")], "status": "Succeeded"}


def submission(folder, images, dialect="socket"):
    """Jobs over images, with a prediction each; references beside them."""
    jobs = []
    for number, image in enumerate(images):
        pk = f"{number:04x}-pk"
        jobs.append(job(dialect, pk, f"{image}.mha"))
        save(folder / f"input/{pk}/output/images/lesion/{number}f.nii.gz", random_mask(number + 50))
        save(folder / f"truth/{image}.nii.gz", random_mask(number))
    (folder / "input/predictions.json").write_text(json.dumps(jobs))
    return folder


def metrics(folder, *options, status=0, err="", pred="input", ref="truth"):
    done = assay("score", "--grand-challenge", "--pred", pred, "--ref", ref, "--out", "out/",
                 *options, cwd=folder, status=status)
    assert err in done.stderr
    return strict((folder / "out/metrics.json").read_text()) if status == 0 else done.stderr


@pytest.mark.parametrize("dialect", ["interface", "socket"])
def test_both_dialects_give_the_numbers_of_score(tmp_path, dialect):
    found = metrics(submission(tmp_path, ["p1", "p2", "p3"], dialect), "--metrics", "dice,hd95")
    expected = [dice(random_mask(i + 50), random_mask(i)) for i in range(3)]
    assert [one["case"] for one in found["results"]] == ["p1", "p2", "p3"]
    assert [one["metrics"]["dice"] for one in found["results"]] == pytest.approx(expected)
    assert found["aggregates"]["dice"]["mean"] == pytest.approx(numpy.mean(expected))
    assert found["ledger"]["scored"] == 3
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["metrics.json"]


def test_jobs_are_paired_by_the_name_of_their_image_not_by_their_order(tmp_path):
    folder = submission(tmp_path, ["p1", "p2"])
    jobs = json.loads((folder / "input/predictions.json").read_text())
    (folder / "input/predictions.json").write_text(json.dumps(jobs[::-1]))
    expected = [dice(random_mask(i + 50), random_mask(i)) for i in range(2)]
    found = metrics(folder, "--metrics", "dice")
    assert [one["metrics"]["dice"] for one in found["results"]] == pytest.approx(expected)


def test_channels_in_the_names_of_images(tmp_path):
    folder = submission(tmp_path, ["p1", "p2"])
    for name in ("p1", "p2"):
        text = (folder / "input/predictions.json").read_text()
        (folder / "input/predictions.json").write_text(text.replace(f"{name}.mha",
                                                                    f"{name}_0000.nii.gz"))
    assert [one["case"] for one in metrics(folder)["results"]] == ["p1", "p2"]


def test_failures_are_worst_and_the_platform_gets_status_0(tmp_path):
    folder = submission(tmp_path, ["p1", "p2", "p3", "p4"])
    (folder / "input/0001-pk/output/images/lesion/1f.nii.gz").write_bytes(b"no image")
    (folder / "input/0002-pk/output/images/lesion/2f.nii.gz").unlink()
    save(folder / "input/0003-pk/output/images/lesion/second.nii.gz", random_mask(1))
    save(folder / "truth/p5.nii.gz", mask(BOX))
    found = metrics(folder, "--metrics", "dice,hd95", err="not scored: p5: there is no prediction")
    states = {one["case"]: one["status"] for one in found["results"]}
    assert states == {"p1": "ok"} | dict.fromkeys(["p2", "p3", "p4", "p5"], "counted_as_worst")
    assert found["results"][4]["metrics"]["dice"] == 0
    assert found["results"][4]["metrics"]["hd95"] > 10  # the diagonal
    assert found["aggregates"]["dice"]["n"] == 5
    assert "has 2 images" in found["results"][3]["error"]
    assert [path.name for path in (folder / "out").iterdir()] == ["metrics.json"]
    scored = metrics(folder, "--metrics", "dice", "--missing", "exclude")
    assert scored["aggregates"]["dice"]["n"] == 1


def test_what_no_case_defines_is_left_out(tmp_path):
    folder = submission(tmp_path, ["p1", "p2"])
    for number in range(2):
        save(folder / f"truth/p{number + 1}.nii.gz", mask())
        save(folder / f"input/000{number}-pk/output/images/lesion/{number}f.nii.gz", mask())
    found = metrics(folder, "--metrics", "dice,mcc")
    assert list(found["aggregates"]) == ["dice"]
    assert found["undefined"] == {"mcc": {"zero_denominator": 2}}
    assert "null" not in (folder / "out/metrics.json").read_text()


def test_labels_have_aggregates_of_their_own(tmp_path):
    folder = submission(tmp_path, ["p1"])
    save(folder / "truth/p1.nii.gz", mask(BOX, numpy.s_[7:9, 1:3, 1:3]))
    save(folder / "input/0000-pk/output/images/lesion/0f.nii.gz",
         mask(OTHER, numpy.s_[7:9, 1:3, 1:3]))
    found = metrics(folder, "--labels", "1,2", "--metrics", "dice")
    assert found["labels"]["2"]["aggregates"]["dice"]["mean"] == 1
    assert found["labels"]["1"]["aggregates"]["dice"]["mean"] == pytest.approx(0.75)
    assert found["results"][0]["labels"]["1"]["metrics"]["dice"] == pytest.approx(0.75)
    assert found["aggregates"]["dice"]["mean"] == pytest.approx(0.875)


@pytest.mark.parametrize("folders, options, sentence", [
    ({}, ["--pred-pattern", "{id}.mha"], "drop --manifest and --pred-pattern"),
    ({}, ["--compat", "spec"], "holds no infinities"),
    ({}, ["--output-socket", "organ"], "job 0000-pk has no output 'organ'; it has lesion"),
    ({"ref": "nowhere"}, [], "nowhere: no such file or folder"),
    ({"pred": "truth"}, [], "truth/predictions.json: no such file"),
    ({}, ["--ref-pattern", "p{id}.nii.gz"],
     "no reference is named after the input image of a job"),
])
def test_what_cannot_be_is_refused(tmp_path, folders, options, sentence):
    folder = submission(tmp_path, ["pX", "pY"])
    assert sentence in metrics(folder, *options, status=2, **folders)
    assert not (folder / "out").exists()


def test_references_that_fit_several_jobs_are_refused_with_what_helps(tmp_path):
    folder = submission(tmp_path, ["p1_a", "p1_b"])
    for name in ("p1_a", "p1_b"):
        (folder / f"truth/{name}.nii.gz").unlink()
    save(folder / "truth/p1.nii.gz", random_mask(0))
    save(folder / "truth/p2.nii.gz", random_mask(1))
    said = metrics(folder, status=2)
    assert "case p1: several jobs fit, such as 0000-pk/output/images/lesion and 0001-pk/" in said
    assert "give every reference the name of its image" in said and "--pred-pattern" not in said
    twice = submission(tmp_path / "twice", ["p1", "p1"])
    said = metrics(twice, status=2)
    assert "case p1 has two jobs, " in said and "need different names" in said


def test_without_options_the_folders_of_the_platform_are_meant():
    done = assay("score", "--grand-challenge", status=2)
    assert "/input/predictions.json" in done.stderr
    assert "--grand-challenge" in assay("score", "a", "b", "--input-socket", "ct", status=2).stderr
