"""The wheel: packed from the tree that `make test` has built, installed offline by pip in a new
environment.

That pip can also compile it (`pip install .`) is the same backend without ASSAY_BUILD_DIR; it costs
a build of its own and is tried when ASSAY_TEST_WHEEL_BUILD is set.
"""
import base64
import csv
import hashlib
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

import assay

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")).resolve().parent
VERSION = assay.__version__
OURS = f"assay_imaging-{VERSION}"

specification = importlib.util.spec_from_file_location("backend", ROOT / "python/backend.py")
backend = importlib.util.module_from_spec(specification)
specification.loader.exec_module(backend)


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env={**{k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
                               **environment})
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return folder / backend.build_wheel(folder, {"build-dir": str(TREE)})


def test_a_wheel_lists_all_that_it_holds(wheel):
    assert wheel.name == f"{OURS}-{backend.tag()}.whl" and backend.tag().startswith("cp3")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert {"assay/__init__.py", "assay/py.typed", "assay/_core.pyi",
                f"{OURS}.data/scripts/assay",
                f"{OURS}.dist-info/LICENSE"} <= set(names)
        assert (len(names) == len(set(names))
                and not [n for n in names if "pycache" in n or n.endswith(".cpp")])
        rows = list(csv.reader(io.StringIO(archive.read(
            f"{OURS}.dist-info/RECORD").decode())))
        assert [row[0] for row in rows] == names
        for name, digest, size in rows[:-1]:
            content = archive.read(name)
            packed = base64.urlsafe_b64encode(hashlib.sha256(
                content).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={packed}", len(content))
        metadata = archive.read(f"{OURS}.dist-info/METADATA").decode()
        assert f"\nName: assay-imaging\nVersion: {VERSION}\n" in metadata
        assert "\nRequires-Dist: numpy\n" in metadata


def test_the_same_tree_gives_the_same_wheel(wheel, tmp_path):
    assert ((tmp_path / backend.build_wheel(tmp_path, {"build-dir": str(TREE)})).read_bytes()
            == wheel.read_bytes())


def environment(folder):
    """A new environment that sees the system's NumPy, and no network."""
    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    return folder / "bin/python"


USE = """
import assay, numpy, subprocess, sys, pathlib
assert assay.dice_coefficient(numpy.ones(3), numpy.ones(3)) == 1
program = pathlib.Path(sys.executable).parent / "assay"
print(assay.__file__, subprocess.run([program, "--version"], text=True, capture_output=True).stdout)
"""


@pytest.fixture
def pip():
    pytest.importorskip("pip", reason="pip is not installed (python3-pip)")
    pytest.importorskip("ensurepip", reason="environments cannot be made (python3-venv)")
    return ("-m", "pip", "--disable-pip-version-check", "install", "--no-index")


def test_pip_installs_the_sources_offline(pip, tmp_path):
    """pip calls the backend; what is compiled already is not compiled again."""
    python = environment(tmp_path / "env")
    said = run(python, *pip, ROOT, ASSAY_BUILD_DIR=str(TREE))
    assert f"Successfully installed assay-imaging-{VERSION}" in said
    where, name, number, *_ = run(python, "-c", USE).split()
    assert where.startswith(str(tmp_path / "env")) and (name, number) == ("assay", VERSION)
    run(python, "-m", "pip", "uninstall", "-y", "assay-imaging")
    assert not list((tmp_path / "env").rglob("assay*"))


def test_an_editable_installation_points_to_the_tree(pip, tmp_path):
    python = environment(tmp_path / "env")
    run(python, *pip, "--editable", ROOT, ASSAY_BUILD_DIR=str(TREE))
    assert (run(python, "-c", "import assay; print(assay.__file__)").strip()
            == str(TREE / "python/assay/__init__.py"))


def test_a_tree_without_the_module_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="build the package for this Python"):
        backend.build_wheel(tmp_path, {"build-dir": str(tmp_path)})


def test_the_source_distribution_is_what_is_under_version_control(tmp_path):
    path = tmp_path / backend.build_sdist(tmp_path)
    with tarfile.open(path) as archive:
        names = {name.removeprefix(f"{OURS}/") for name in archive.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "python/backend.py", "include/assay/error.hpp",
            "PKG-INFO"} <= names
    assert not [name for name in names if name.startswith(("build/", ".git/"))]


@pytest.mark.skipif("ASSAY_TEST_WHEEL_BUILD" not in os.environ,
                    reason="ASSAY_TEST_WHEEL_BUILD is not set: it compiles everything")
def test_pip_compiles_the_unpacked_source_distribution(pip, tmp_path):
    path = tmp_path / backend.build_sdist(tmp_path)
    python = environment(tmp_path / "env")
    run(python, *pip, path)
    assert run(python, "-c", USE).split()[1:3] == ["assay", VERSION]
