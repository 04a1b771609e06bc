"""Every code block of the documentation runs, or is listed here with the reason why it cannot.

A block begins with ``` and a word that says what is done with it:

  sh        each command runs; its exit status is 0
  console   '$ command' runs, and prints what follows ('…' stands for any text or lines)
  pycon     a Python session; each answer is compared
  python    runs, or is a file for the blocks after it (`# name.py`)
  cpp, cmake          compiled against the installed library by tests/test_package.py
  json, jsonl, toml, csv   parsed
  r         not run: there is no R among the tools of the tests
  text      not code: a layout, a formula, an excerpt

The blocks of a page share a folder with a small study (blocks.py), and run in order.
"""
import csv, doctest, json, os, re, shutil, subprocess, sys

import numpy
import pytest

from blocks import blocks, every_block, make_challenge, make_runs, make_study
from support import PROGRAM, ROOT, assay
from test_transcripts import pattern

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

PROVIDER = "asks a provider that has to be paid; run with --dry-run"
CLUSTER = "submits to a cluster; run with --dry-run (make test-cluster runs it on a Slurm)"
MACHINE = "compiles, or installs on this machine"
NETWORK = "needs a network"
OTHER = "a program that is not part of assay"
WEIGHTS = "needs a published model's weights, and minutes"

#: What turns a command into its rehearsal.
REHEARSALS = {PROVIDER: ("assay qa run", "assay qa run --dry-run"),
              CLUSTER: ("assay submit slurm", "assay submit slurm --dry-run")}

#: Blocks that do not run as they are, by page and a piece of their first line.
EXCEPTIONS = {
    ("README.md", "make demo"): MACHINE,
    ("README.md", "pip install"): MACHINE,
    ("docs/python.md", "pip install ."): MACHINE,
    ("docs/challenges.md", "buildah"): OTHER,
    ("docs/peers/nnunet.md", "nnUNetv2_evaluate_folder"): OTHER,
    ("docs/peers/challenger.md", "data <- rbind"): OTHER,
    ("docs/exporting-models.md", "# nnunet_model.py"): OTHER,
    ("docs/exporting-models.md", "$ assay evaluate brats/model.onnx"): WEIGHTS,
    ("docs/evaluate.md", "$ assay predict model.json"): WEIGHTS,
    ("docs/evaluate.md", "assay evaluate unet.onnx"): WEIGHTS,
    ("docs/formats/dicom.md", "assay predict model.onnx study/ct"): WEIGHTS,
    ("docs/qa.md", "assay qa fetch"): NETWORK,
    ("docs/qa.md", "assay qa run"): PROVIDER,
    ("docs/qa-agents.md", "--base-url"): PROVIDER,
    ("docs/qa-agents.md", "--request-json"): PROVIDER,
    ("docs/scale.md", "assay submit slurm"): CLUSTER,
}

#: Blocks that another test runs, by page and language: its file, which names the page.
ELSEWHERE = {
    ("docs/library.md", "cpp"): "tests/test_package.py",
    ("docs/library.md", "cmake"): "tests/test_package.py",
    ("docs/library.md", "text"): "tests/test_package.py",
    ("docs/models.md", "cpp"): "tests/test_package.py",
    ("docs/recipes.md", "cpp"): "tests/test_package.py",
    ("README.md", "cpp"): "tests/test_package.py",
    ("README.md", "cmake"): "tests/test_package.py",
    ("docs/migration.md", "python"): "tests/python/test_guides.py",
    **{(f"docs/peers/{name}.md", "python"): "tests/python/test_guides.py"
       for name in ("monai", "nnunet", "metrics-reloaded", "panoptica", "seg-metrics")},
    ("docs/examples.md", "console"): "tests/test_examples.py",
    ("docs/exporting-models.md", "python"): "tests/oracle/test_doc_snippets.py",
    ("docs/exporting-models.md", "sh"): "tests/oracle/test_command_model.py",
    ("docs/formats/predictor.md", "sh"): "tests/oracle/test_doc_snippets.py",
}
PROVIDERS = "tests/test_qa_providers.py"  # the examples by provider of docs/qa-agents.md

#: What a block of options is appended to.
BASE = "assay qa run MultiPathQA.csv --wsi-root slides --model gpt-5 --prices prices.json"
STATUSES = {"README.md": (0, 3)}  # the demo breaks two files on purpose
SETUPS = {"docs/challenges.md": make_challenge, "docs/qa.md": make_runs,
          "docs/report.md": make_runs, "README.md": make_runs}
DATA = {"json": json.loads, "toml": tomllib.loads,
        "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
        "csv": lambda text: list(csv.reader(text.splitlines(), strict=True))}
CODE = {"sh", "console", "pycon", "python", "cpp", "cmake", "r"}


def exception(block):
    return next((why for (page, piece), why in EXCEPTIONS.items()
                 if block.page == page and piece in block.first), None)


def elsewhere(block):
    if block.page == "docs/qa-agents.md" and block.first.startswith("assay qa run"):
        return PROVIDERS
    return ELSEWHERE.get((block.page, block.language))


def test_every_block_says_what_it_is():
    unknown = [block for block in every_block() if block.language not in CODE | {*DATA, "text"}]
    assert not unknown
    bare = [page for page in {block.page for block in every_block()}
            if re.search(r"^\n {4}(\$ |assay |make |pip |python)", (ROOT / page).read_text(), re.M)]
    assert not bare, "commands are indented there, not between ``` and ```"


def test_no_command_hides_in_a_block_of_text():
    hidden = [block for block in every_block() if block.language == "text"
              and re.search(r"^(\$ |assay \w|import |>>> )", block.text, re.M)]
    assert not hidden


def test_every_command_of_the_readme_can_be_pasted_after_make_demo():
    lines = [line for block in blocks("README.md")
             if block.language in ("sh", "console") and not exception(block)
             for line in block.text.splitlines()]
    assert len([line for line in lines if "build/release/bin/assay " in line]) > 10
    assert not [line for line in lines if re.match(r"(\$ )?assay ", line)]


@pytest.mark.parametrize("piece", EXCEPTIONS, ids=" ".join)
def test_every_exception_is_a_block_of_its_page(piece):
    assert [block for block in blocks(piece[0]) if piece[1] in block.first]


@pytest.mark.parametrize("page, language", ELSEWHERE)
def test_the_other_test_names_the_page(page, language):
    text = (ROOT / ELSEWHERE[page, language]).read_text()
    assert page in text or page.removeprefix("docs/") in text or f"{page.split('/')[1]}/" in text
    assert [block for block in blocks(page) if block.language == language]


@pytest.mark.parametrize("block", [block for block in every_block() if block.language in DATA],
                         ids=repr)
def test_data_can_be_parsed(block):
    assert DATA[block.language](block.text)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return make_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder as `make demo` leaves it."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "build/release/bin").mkdir(parents=True)
    (folder / "build/release/bin/assay").symlink_to(PROGRAM.resolve())
    assay("demo", cwd=folder)
    return folder


@pytest.fixture
def place(request, study, tmp_path, monkeypatch):
    """A copy of the study for one page, with the program on the path."""
    folder = tmp_path / "work"
    shutil.copytree(study, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{PROGRAM.parent.resolve()}{os.pathsep}{os.environ['PATH']}")
    for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "GATEWAY_TOKEN"):
        monkeypatch.setenv(name, "sk-not-a-key")
    return folder


def run_shell(text, statuses):
    """Each command by itself, so that its status counts; a function plays srun."""
    for command in text.replace("\\\n", " ").splitlines():
        if not command.strip():
            continue
        done = subprocess.run(["bash", "-c", SRUN + command], text=True, capture_output=True,
                              timeout=120, stdin=subprocess.DEVNULL)
        assert done.returncode in statuses, f"{command}\n{done.stdout}{done.stderr}"


SRUN = """srun() {  # one task after the other
  for task in $(seq 0 $(($4 - 1))); do
    SLURM_STEP_ID=0 SLURM_PROCID=$task SLURM_NTASKS=$4 "${@:5}" || return
  done
}
"""


def compare_console(text, statuses):
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, *expected = part.splitlines()
        done = subprocess.run(["bash", "-c", command], text=True, capture_output=True, timeout=120)
        assert done.returncode in statuses, done.stderr
        wanted = pattern([line.replace("…", "...") if line.strip() != "…" else "..."
                          for line in expected])
        shown = done.stdout + done.stderr
        assert re.fullmatch(wanted, shown), f"$ {command}\n{shown}"


def rehearse(block, why):
    text = block.text
    if block.first.startswith("--"):
        text = "".join(f"{BASE} {line}\n" for line in text.splitlines())
    before, after = REHEARSALS[why]
    text = text.replace(before, after).replace("--dry-run --dry-run", "--dry-run")
    assert "--dry-run" in text
    run_shell(text, (0,))


def given():
    """The names that README's example in Python takes for granted."""
    torch = pytest.importorskip("torch")
    rng = numpy.random.default_rng(3)
    masks = {name: rng.integers(0, 2, (9, 8, 7)) for name in ("prediction", "reference")}
    scores = {name: rng.random(12) for name in ("ours", "theirs")}
    return {**masks, **scores, "organs": ["Lung", "Heart", "Liver"],
            "outputs": torch.rand(2, 3, 8, 8), "labels": torch.ones(2, 3, 8, 8)}


def run_session(text, page):
    pytest.importorskip("torch")
    pytest.importorskip("pandas")
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    said = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert result.attempted and not result.failed, "".join(said)


def run_block(block):
    why, statuses = exception(block), STATUSES.get(block.page, (0,))
    if why in REHEARSALS:
        rehearse(block, why)
    elif why or elsewhere(block):
        return
    elif block.named_file:
        with open(block.named_file, "w") as file:
            file.write(block.text)
    elif block.language == "sh":
        run_shell(block.text, statuses)
    elif block.language == "console":
        compare_console(block.text, statuses)
    elif block.language == "python":
        exec(compile(block.text, block.page, "exec"), given())


PAGES = sorted({block.page for block in every_block() if block.language in CODE and not (
    exception(block) in (MACHINE, NETWORK, OTHER, WEIGHTS) or elsewhere(block))})


@pytest.fixture
def package(monkeypatch):
    """The built Python package."""
    monkeypatch.syspath_prepend(str(PROGRAM.resolve().parent.parent / "python"))
    if "assay" not in sys.modules:
        pytest.importorskip("assay", reason="the Python package was not built")


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page, request, place, package, monkeypatch):
    if page == "README.md":
        shutil.copytree(request.getfixturevalue("demo"), place, symlinks=True, dirs_exist_ok=True)
    SETUPS.get(page, lambda folder: None)(place)
    sessions = [block.text for block in blocks(page) if block.language == "pycon"]
    for block in blocks(page):
        run_block(block)
    if sessions:
        run_session("\n".join(sessions), page)
