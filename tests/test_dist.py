"""How packages are made: the parts that need no build."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def loaded(name, folder="tools/dist"):
    specification = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


build, old_glibc, pythons = loaded("build"), loaded("old_glibc"), loaded("pythons")


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """A program that prints one manual page, and what was compiled into it."""
    monkeypatch.setattr(build, "PARTS", tmp_path / "parts")
    monkeypatch.setattr(build, "OUT", tmp_path / "out")
    monkeypatch.setattr(build, "LICENSES", {})
    libraries = tmp_path / "parts/libraries"
    libraries.mkdir(parents=True)
    (libraries / "LICENSE.fmt").write_text("the licence of fmt")
    program = tmp_path / "assay"
    program.write_text('#!/bin/sh\nmkdir -p $4/share/man/man1\n'
                       'echo page >$4/share/man/man1/assay.1\n')
    program.chmod(0o755)
    return program


def test_a_tarball_is_the_same_twice_and_has_the_licences(parts):
    build.pack_twice(build.pack_tarball, parts)
    (path,) = build.OUT.iterdir()
    with tarfile.open(path) as archive:
        names = [entry.name.partition("/")[2] for entry in archive]
        assert {entry.mode for entry in archive if entry.name.endswith("bin/assay")} == {0o755}
        assert {entry.mtime for entry in archive} == {build.commit_time()}
    assert names == sorted(names)
    assert {"LICENSE", "licenses/fmt.txt", "share/man/man1/assay.1"} <= set(names)


def test_a_debian_package_depends_on_the_oldest_glibc_that_will_do(parts):
    build.pack_twice(build.pack_deb, parts)
    (path,) = build.OUT.iterdir()
    fields = subprocess.run(["dpkg-deb", "--field", path], text=True, capture_output=True).stdout
    assert "Package: assay-imaging\n" in fields and f"Depends: libc6 (>= {build.GLIBC})\n" in fields
    listed = subprocess.run(["dpkg-deb", "--contents", path], text=True, capture_output=True).stdout
    assert "-rwxr-xr-x root/root" in listed and "./usr/share/man/man1/assay.1.gz" in listed


def test_ubuntu_is_tried_only_where_a_mirror_is_named():
    pytest.importorskip("PIL")
    verify = loaded("verify", "tests/dist")
    assert [suite for suite in verify.SUITES if verify.has_mirror(suite, {})] == [
        "bullseye", "bookworm", "trixie", "forky", "here"]
    named = {"UBUNTU_MIRROR": "http://mirror.example/ubuntu"}
    assert all(verify.has_mirror(suite, named) for suite in verify.SUITES)


@pytest.mark.parametrize("summary, passed", [
    ("1543 passed, 150 skipped, 7 warnings in 34.46s", True), ("no tests ran in 0.01s", False),
    ("2 failed, 1542 passed, 149 skipped in 49.90s", False), ("3 passed, 1 error in 1s", False)])
def test_failed_tests_in_a_bare_system_are_noticed(summary, passed):
    pytest.importorskip("PIL")
    assert loaded("verify", "tests/dist").have_passed(summary) == passed


def write_python(folder, number, headers, **said):
    """A program that answers as a Python of that number would."""
    answer = {"ending": f".cpython-{number.replace('.', '')}-x86_64-linux-gnu.so", "final": True,
              "program": str(folder), "headers": [str(headers)], **said}
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"python{number}"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
    program.chmod(0o755)


def found_in(tmp_path):
    found = pythons.found_here({"PATH": f"{tmp_path}/first:{tmp_path}/second", "HOME": tmp_path})
    return {python: known["program"] for python, known in found.items()}


def test_pythons_of_this_machine_add_to_those_of_the_registries(tmp_path, monkeypatch):
    monkeypatch.setattr(pythons, "FOLDERS", [".pyenv/versions/*/bin"])
    (tmp_path / "Python.h").touch()
    managed = tmp_path / ".pyenv/versions/3.10.13/bin"
    for folder, number in [(tmp_path / "first", "3.16"), (tmp_path / "second", "3.16"),
                           (managed, "3.10"), (managed, "3.11"), (managed, "3.9")]:
        write_python(folder, number, tmp_path)
    assert "3.11" in pythons.RELEASES
    assert found_in(tmp_path) == {"3.10": str(managed), "3.16": str(tmp_path / "first")}


@pytest.mark.parametrize("said", [
    {"headers": "/absent"}, {"final": False}, {"ending": ".pypy310-pp73-x86_64-linux-gnu.so"},
    {"ending": ".cpython-312t-x86_64-linux-gnu.so"},
    {"ending": ".cpython-312-aarch64-linux-gnu.so"}])
def test_a_python_is_not_taken_without_headers_or_of_another_kind(tmp_path, monkeypatch, said):
    monkeypatch.setattr(pythons, "FOLDERS", [])
    (tmp_path / "Python.h").touch()
    write_python(tmp_path / "first", "3.12", tmp_path)
    assert list(found_in(tmp_path)) == ["3.12"]
    write_python(tmp_path / "first", "3.12", **{"headers": tmp_path, **said})
    assert found_in(tmp_path) == {}


def test_a_python_that_cannot_be_started_is_not_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(pythons, "FOLDERS", [])
    (tmp_path / "first").mkdir()
    program = tmp_path / "first/python3.12"
    program.write_text("#!/bin/sh\necho 'pyenv: python3.12: command not found' >&2\nexit 127\n")
    program.chmod(0o755)
    assert found_in(tmp_path) == {}


def test_this_python_answers_for_itself():
    number = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert pythons.described(sys.executable)["ending"] == pythons.ending(number)


def test_the_oldest_python_is_that_of_the_package():
    oldest = ".".join(map(str, pythons.OLDEST))
    assert build.backend.project()["requires-python"] == f">={oldest}"


def test_only_symbols_up_to_the_limit_can_be_linked(tmp_path):
    """A library with two versions of one symbol and one that is too new."""
    (tmp_path / "a.s").write_text(
        ".globl old_f, new_f, late\n.symver old_f, f@GLIBC_2.2.5\n.symver new_f, f@@GLIBC_2.29\n"
        ".type old_f,%function\n.type new_f,%function\n.type late,%function\n"
        "old_f: ret\nnew_f: ret\nlate: ret\n")
    (tmp_path / "a.map").write_text("GLIBC_2.2.5 {};\nGLIBC_2.29 { late; };\n")
    library = tmp_path / "liba.so"
    subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,--version-script={tmp_path}/a.map", "-o",
                    library, tmp_path / "a.s"], check=True)
    assert old_glibc.symbols(library, "2.28") == {"2.2.5": [("f", "FUNC", 0)]}
    newer = old_glibc.symbols(library, "2.29")
    assert newer == {"2.29": [("f", "FUNC", 0), ("late", "FUNC", 0)]}
