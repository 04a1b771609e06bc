"""How packages are made: the parts that need no build."""
import importlib.util
import pathlib
import subprocess
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def loaded(name, folder="tools/dist"):
    specification = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


build, old_glibc = loaded("build"), loaded("old_glibc")


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
        "bullseye", "bookworm", "trixie", "forky"]
    named = {"UBUNTU_MIRROR": "http://mirror.example/ubuntu"}
    assert all(verify.has_mirror(suite, named) for suite in verify.SUITES)


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
