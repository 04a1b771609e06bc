"""The code blocks of the documentation, and a small study on which they run."""
import json, pathlib, re

import numpy

from networks import paper_network, safetensors, threshold_network
from support import ROOT, assay, random_mask, save
from test_folds import write_run
from test_grand_challenge import submission
import slide_files

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / f"{name}.md" for name in (
    "README", "CONTRIBUTING", "SECURITY", "CHANGELOG"))])
SHAPE = (24, 24, 16)
CASES = [f"case_{i:02}" for i in range(12)]


class Block:
    """What a page shows between ``` and ```: its language, its text and the heading above it."""

    def __init__(self, page, number, language, heading, text):
        self.page, self.number, self.language = page, number, language
        self.heading, self.text = heading, text

    @property
    def first(self):
        return self.text.partition("\n")[0]

    @property
    def named_file(self):
        """`# name.toml` in the first line says which file the block is."""
        found = re.match(r"# ([\w.]+\.(?:toml|py))\b", self.text)
        return found and found[1]

    def __repr__(self):
        return f"{self.page} {self.number}: {self.first}"


def blocks(page):
    """All blocks of a page, by its path below the project."""
    heading, found = "", []
    for title, language, text in re.findall(r"^##+ ([^\n]*)$|^```(\w*)\n(.*?)^```$",
                                            (ROOT / page).read_text(), re.M | re.S):
        heading = title or heading
        if not title:
            found.append(Block(page, len(found) + 1, language, heading, text))
    return found


def every_block():
    return [block for page in PAGES for block in blocks(page.relative_to(ROOT).as_posix())]


def two_labels(number, shift):
    """Label 1 below label 2; some stray voxels where it is shifted."""
    voxels = numpy.zeros(SHAPE, numpy.uint8)
    voxels[4:18, 5:17, 3:10] = 1
    voxels[4:18, 5:17, 10:13] = 2
    voxels = numpy.roll(voxels, shift, axis=0)
    voxels[: number % 4 * (shift > 0), 0, 0] = 1
    return voxels


def make_masks(folder):
    """Twelve cases of two labels; two models, the second a bit worse; maps of probabilities."""
    rng = numpy.random.default_rng(5)
    for number, case in enumerate(CASES):
        reference = two_labels(number, 0)
        for name, shift in (("labelsTr", 0), ("references", 0), ("predictions", 1), ("others", 2)):
            save(folder / name / f"{case}.nii.gz", two_labels(number, shift))
        save(folder / f"labelsBinary/{case}.nii.gz", reference > 0)
        maps = numpy.clip((reference > 0) * 0.6 + 0.4 * rng.random(SHAPE), 0, 1)
        save(folder / f"probabilities/{case}.nii.gz", maps.astype("f4"))
        save(folder / f"imagesTr/{case}.nii.gz", maps.astype("f4"))
    for name, shift in (("prediction", 1), ("reference", 0)):
        save(folder / f"{name}.nii.gz", two_labels(0, shift))


def make_models(folder):
    """A network whose answer is known, a published architecture with random weights, and data."""
    for number in range(2):
        image = numpy.random.default_rng(number).random(SHAPE).astype("f4")
        save(folder / f"cohort/images/case_{number:02}.nii.gz", image)
        save(folder / f"cohort/labels/case_{number:02}.nii.gz", image > 0.6)
        save(folder / f"Dataset501_ARC/imagesTr/sub_{number}_0000.nii.gz", image)
        save(folder / f"Dataset501_ARC/labelsTr/sub_{number}.nii.gz", image > 0.6)
    save(folder / "t2w.nii.gz", image)
    save(folder / "lesion.nii.gz", image > 0.6)
    threshold_network(folder / "tiny.safetensors")
    safetensors(folder / "final.safetensors", paper_network(26))
    safetensors(folder / "meshnet5.safetensors", paper_network(5))
    (folder / "meshnet5.recipe.toml").write_text('intensity = "min_max"\n')  # on its own grid


def make_questions(folder):
    """Six questions, of which answers.csv has four right, and a slide for each."""
    columns = "benchmark_name,benchmark_id,image_path,answer,options,metric_type,prompt\n"
    rows = [f"mine,{i},{i}.svs,{1 + i % 3 // 2},Lung|Liver,accuracy,Which organ?\n"
            for i in range(6)]
    answers = [f"mine,{i},I see lung\n" for i in range(6)]
    (folder / "table.csv").write_text(columns + "".join(rows))
    (folder / "answers.csv").write_text("benchmark_name,benchmark_id,prediction\n"
                                        + "".join(answers))
    expert = "".join(rows).replace("mine", "tcga_expert_vqa").replace("svs", "tiff")
    (folder / "data").mkdir()
    for name in ("MultiPathQA.csv", "data/MultiPathQA.csv"):
        (folder / name).write_text(columns + expert)
    y, x = numpy.mgrid[0:256, 0:256]
    level = numpy.stack([x % 256, y % 256, (x + y) % 256], -1).astype(numpy.uint8)
    (folder / "slides").mkdir()
    for i in range(6):
        (folder / f"slides/{i}.tiff").write_bytes(slide_files.tiff(
            [level, level[::4, ::4].copy()], pixels_per_cm=40000))
    price = {"input": 1.25, "cache_read": 0.125, "output": 10, "image_tokens": 1100}
    (folder / "prices.json").write_text(json.dumps({"*": price}))


def make_results(folder):
    """Results of three models, with regions and with folds."""
    def score(pred, name, *options):
        assay("score", pred, "labelsTr", "--model", pathlib.Path(name).stem, "--out", name,
              *options, cwd=folder)
    for name, pred in (("meshnet", "predictions"), ("unet", "others"), ("vnet", "others"),
                       ("pilot", "predictions"), ("results", "predictions"),
                       ("v1", "others"), ("v2", "predictions")):
        score(pred, f"{name}.json")
    for name in ("meshnet_26", "unet"):
        score("predictions", f"results/{name}.json")
    for name, pred in (("base", "predictions"), ("new", "others")):
        score(pred, f"{name}.json", "--region", "WT=1,2", "--region", "TC=1", "--region", "ET=2",
              "--metrics", "dice,hd95")
    score("others", "other/summary.json", "--labels", "1,2", "--format", "nnunet")
    for seed, name in enumerate(("meshnet", "unet")):
        for outer in range(3):
            write_run(folder / name, outer, 0, [f"sub-{outer}{i}" for i in range(6)], seed=seed)
        assay("folds", name, "--out", f"{name}/experiment_results.json", cwd=folder)


def make_challenge(folder):
    """A submission to a platform, and a BIDS dataset with two derivatives."""
    submission(folder / "test", ["p1", "p2"])
    (folder / "test/truth").rename(folder / "ground_truth")
    for number in range(2):
        for name, seed in (("manual", number), ("lesionnet", number + 40)):
            save(folder / f"ds001/derivatives/{name}/sub-0{number}/anat/"
                          f"sub-0{number}_desc-{name}_mask.nii.gz", random_mask(seed))


def make_runs(folder):
    """Two runs of the same questions."""
    for name in ("run", "other_run"):
        answers = (folder / "answers.csv").read_text().replace("mine", "tcga_expert_vqa")
        (folder / f"{name}.csv").write_text(answers)
        assay("qa", "run", "MultiPathQA.csv", "--wsi-root", "slides", "--agent", "replay",
              "--predictions", f"{name}.csv", "--out", name, "--model", "gpt-5", cwd=folder)


def make_study(folder):
    for make in (make_masks, make_models, make_questions, make_results):
        make(folder)
    return folder
