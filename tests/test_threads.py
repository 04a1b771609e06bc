"""Whole commands on several threads."""
import pytest

from failing_calls import COMMANDS


def on_one_thread(words):
    """The command line with 1 for each number of threads."""
    return [1 if before in ("--jobs", "--concurrency") else word
            for before, word in zip(["", *words], words)]


# A shard is scored by the threads of score, and its file has the words of the command.
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "score --shard"])
def test_several_threads_give_what_one_gives(tmp_path, name):
    command = COMMANDS[name](tmp_path.resolve())
    try:
        for words in (on_one_thread(command.words()), *[command.words()] * 3):
            command.clear()
            done = command.run(words)
            assert done.returncode == 0, done.stderr
            assert command.outputs() == command.whole
    finally:
        command.close()
