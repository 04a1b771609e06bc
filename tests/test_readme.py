"""The commands of the README, pasted as they are into a shell after `make demo`."""
import re, subprocess

import pytest

from support import PROGRAM, ROOT, assay

TEXT = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```\n(.*?)^```", TEXT, flags=re.M | re.S)
COMMANDS = re.findall(r"^(?:\$ )?(build/release/bin/assay .*)", "\n".join(BLOCKS), flags=re.M)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder as `make demo` leaves it."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "build/release/bin").mkdir(parents=True)
    (folder / "build/release/bin/assay").symlink_to(PROGRAM.resolve())
    assay("demo", "--side", "32", cwd=folder)
    return folder


def test_every_command_of_a_block_is_one_that_can_be_pasted():
    assert len(COMMANDS) > 10
    assert not re.findall(r"^(?:\$ )?assay .*", "\n".join(BLOCKS), flags=re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_pasted(place, command):
    done = subprocess.run(command, shell=True, cwd=place, text=True, capture_output=True,
                          timeout=120)
    assert done.returncode in (0, 3), done.stderr  # the demo breaks two files on purpose
