"""The examples in docs/python.md, docs/migration.md and docstrings are run."""
import contextlib
import doctest
import importlib
import io
import pathlib
import re

import numpy as np
import pytest

import assay
from networks import threshold_network
from support import save

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPE = (24, 24, 16)


def blocks(page, language):
    """(heading, block) of all blocks of a language."""
    heading, found = "", []
    for title, block in re.findall(rf"^## ([^\n]*)$|^```{language}\n(.*?)^```$",
                                   (ROOT / page).read_text(), re.M | re.S):
        heading = title or heading
        if block:
            found.append((heading, block))
    return found


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Twelve cases of two labels and two models, the second a bit worse; six questions, four of
    them answered right; a network."""
    monkeypatch.chdir(tmp_path)
    questions = [f"mine,{i},{i}.svs,{1 + i % 3 // 2},Lung|Liver,accuracy,Which organ?\n"
                 for i in range(6)]
    columns = "benchmark_name,benchmark_id,image_path,answer,options,metric_type,prompt\n"
    (tmp_path / "table.csv").write_text(columns + "".join(questions))
    answers = ("benchmark_name,benchmark_id,prediction\n"
               + "".join(f"mine,{i},I see lung\n" for i in range(6)))
    (tmp_path / "answers.csv").write_text(answers)
    for i in range(12):
        reference = np.zeros(SHAPE, np.uint8)
        reference[4:18, 5:17, 3:10] = 1
        reference[4:18, 5:17, 10:13] = 2
        for folder, shift in (("labelsTr", 0), ("predictions", 1), ("others", 2)):
            voxels = np.roll(reference, shift, axis=0)
            voxels[: i % 4 * (shift > 0), 0, 0] = 1
            save(tmp_path / folder / f"case_{i:02}.nii.gz", voxels)
    for i in range(2):
        x = np.random.default_rng(i).random(SHAPE).astype("f4")
        save(tmp_path / f"cohort/images/case_{i:02}.nii.gz", x)
        save(tmp_path / f"cohort/labels/case_{i:02}.nii.gz", x > 0.6)
    threshold_network(tmp_path / "tiny.safetensors")


def test_the_guide(study):
    pytest.importorskip("torch")
    pytest.importorskip("pandas")
    page = "\n".join(block for _, block in blocks("docs/python.md", "pycon"))
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(page, {}, "docs/python.md", "docs/python.md", 0)
    said = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert result.attempted > 25 and result.failed == 0, "".join(said)


@pytest.mark.parametrize("name", ["assay", "assay._answers", "assay._masks", "assay._stats"])
def test_the_examples_of_docstrings(name):
    module = importlib.import_module(name)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        result = doctest.testmod(module,
                                 optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0 and result.failed == 0, said.getvalue()


def given():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    torch.manual_seed(3)

    def one_hot():
        return torch.nn.functional.one_hot(torch.randint(3, (2, 9, 8)), 3).movedim(-1, 1).float()

    a = rng.random(20)
    return {"assay": assay, "pred": rng.integers(0, 2, (9, 8, 7)),
            "ref": rng.integers(0, 2, (9, 8, 7)), "a": a, "b": a + rng.normal(0.05, 0.1, 20),
            "c": a + rng.normal(0, 0.1, 20), "np": np, "pvalues": rng.random(6) ** 2,
            "truths": rng.integers(0, 3, 30), "predictions": rng.integers(0, 3, 30),
            "one_hot": one_hot(), "one_hot_prediction": one_hot(),
            "probabilities": torch.rand(2, 3, 9, 8).softmax(1)}


def pairs():
    """Their block (None for a shell command) and ours, in the order of the page."""
    waiting, found = None, []
    for heading, block in blocks("docs/migration.md", "python"):
        if "assay." in block:
            found.append((heading, waiting, block))
            waiting = None
        else:
            waiting = block
    return found


@pytest.mark.parametrize("number, heading", [(i, pair[0]) for i, pair in enumerate(pairs())])
def test_a_migration(study, number, heading):
    _, theirs, ours = pairs()[number]
    inputs = given()
    new, old = dict(inputs), dict(inputs)
    exec(ours, new)
    names = {name for name in new if name not in inputs and not name.startswith("__")}
    try:
        exec(theirs or "", old)
    except ImportError as error:
        pytest.skip(f"ours ran; theirs needs a package: {error.name}")
    compared = names & set(old)
    assert compared or theirs is None or "sg." in theirs
    for name in compared:
        # decisions, tuples and numbers alike
        np.testing.assert_allclose(new[name], old[name], rtol=1e-6, err_msg=name)
