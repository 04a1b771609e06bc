"""The examples in docs/migration.md, docs/peers and docstrings are run."""
import contextlib
import doctest
import importlib
import io

import numpy as np
import pytest

import assay
from blocks import blocks, make_masks


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_masks(tmp_path)


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


def pairs(page):
    """Their block (None for a shell command) and ours, in the order of the page."""
    waiting, found = None, []
    for block in blocks(page):
        if block.language != "python":
            continue
        if "assay." in block.text:
            found.append((page, block.heading, waiting, block.text))
            waiting = None
        else:
            waiting = block.text
    return found


GUIDES = ["docs/migration.md", *(f"docs/peers/{name}.md" for name in (
    "monai", "nnunet", "metrics-reloaded", "panoptica", "seg-metrics"))]
PAIRS = [pair for page in GUIDES for pair in pairs(page)]


@pytest.mark.parametrize("number, page, heading",
                         [(i, *pair[:2]) for i, pair in enumerate(PAIRS)])
def test_a_migration(study, number, page, heading):
    _, _, theirs, ours = PAIRS[number]
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
