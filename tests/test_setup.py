"""tools/setup.sh where nothing can be installed."""
import os, pathlib, subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture
def machine(tmp_path):
    """A user without root, on a machine where the named packages are missing."""
    def make(*missing, packages=True):
        tools = {"id": "echo 1000", "sudo": "exit 1", "apt-get": "exit 99",
                 "npm": ":"}  # the programs that the script asks
        if packages:
            tools["dpkg-query"] = ('for name; do :; done\ncase $name in\n'
                                   f'{"|".join(missing) or "-"}) ;;\n*) printf installed ;;\nesac')
        for name, body in tools.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
            (tmp_path / name).chmod(0o755)
        (tmp_path / "bash").symlink_to("/bin/bash")

        def setup(*groups):
            return subprocess.run(["/bin/bash", ROOT / "tools/setup.sh", *groups], text=True,
                                  capture_output=True, env={**os.environ, "PATH": str(tmp_path)})
        return setup
    return make


def test_a_complete_machine_needs_no_root(machine):
    done = machine()("build", "test")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_the_program_does_not_need_is_named_and_left_out(machine):
    done = machine("pybind11-dev", "libopenslide0")("build")
    assert done.returncode == 0
    assert done.stderr == ("setup: missing packages, and no root to install them (going on "
                           "without, because the program can be built): apt-get install "
                           "libopenslide0 pybind11-dev\n")


@pytest.mark.parametrize("missing, group", [("libfmt-dev", "build"), ("libgtest-dev", "test")])
def test_what_the_build_needs_is_named_and_stops_it(machine, missing, group):
    done = machine(missing, "ccache")("build", group)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "ask an administrator" in done.stderr and missing in done.stderr


def test_a_system_without_debian_packages_is_told_what_they_hold(machine):
    done = machine(packages=False)("build")
    assert done.returncode == 0 and "has no Debian packages" in done.stderr
