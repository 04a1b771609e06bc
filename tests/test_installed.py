"""What an installed program says about the package next to it."""
import pathlib, shutil, sys

import pytest

from support import PROGRAM, assay, strict

OURS = '# SPDX-License-Identifier: Apache-2.0\n"""assay measures medical-imaging AI, honestly."""\n'
OTHERS = '"""Assertions, by another author."""\n'


def copied_program(folder):
    (folder / "bin").mkdir()
    return pathlib.Path(shutil.copy(PROGRAM, folder / "bin"))


@pytest.fixture(params=["site-packages", "dist-packages"])
def installed(tmp_path, request):
    """The program and the package's folder, as pip puts them."""
    package = tmp_path / "lib/python3.11" / request.param / "assay"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(OURS)
    (package / "_core.pyi").touch()
    return copied_program(tmp_path), package


def test_an_overwritten_package_is_told_by_every_command(installed):
    program, package = installed
    assert assay("--version", executable=program).stderr == ""
    (package / "__init__.py").write_text(OTHERS)
    said = assay("--version", executable=program)
    assert said.stderr.startswith(f"warning: the Python package {package} belongs to another ")
    assert "pip install --force-reinstall assay-imaging" in said.stderr
    assert said.stdout.startswith("assay ")


def look(folder, program):
    """What doctor says when Python searches `folder` first."""
    python = program.parent / "python3"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    return strict(assay("doctor", "--json", executable=program).stdout)["parts"]["python"]


def test_doctor_tells_our_package_from_others(tmp_path):
    program = copied_program(tmp_path)
    folder = tmp_path / "elsewhere"
    missing = look(folder, program)
    assert not missing["found"] and "install the wheel that" in missing["detail"]
    (folder / "assay").mkdir(parents=True)
    (folder / "assay/__init__.py").write_text(OTHERS)
    other = look(folder, program)
    assert not other["found"] and "another distribution named 'assay'" in other["detail"]
    (folder / "assay/__init__.py").write_text(OURS)
    assert look(folder, program) == {"found": True, "use": "import assay",
                                     "detail": str(folder / "assay")}
