"""Every n-th system call and allocation of a command fails, one after the other: the command ends
with a sentence and a documented status, damages nothing, and can be continued. ASSAY_FAULTS=all
tries every n (of allocations: 400, spread evenly); without it a few are tried."""
import collections, os

import pytest

import failing_calls
import reliability
from failing_calls import COMMANDS, FAULTS, Fault

ALL = os.environ.get("ASSAY_FAULTS") == "all"
MOST = {"alloc": 400 if ALL else 3}
OUTCOMES = {0: "not noticed", 2: "refused", 3: "a case recorded", 130: "stopped, can go on"}

pytestmark = pytest.mark.skipif(not failing_calls.SHIM.exists(),
                                reason="built without tests/faults (under sanitizers)")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Commands with their inputs and what an undisturbed run of theirs calls, made when asked."""
    made = {}

    def prepare(name):
        if name not in made:
            command = COMMANDS[name](tmp_path_factory.mktemp("faults").resolve())
            made[name] = command, failing_calls.counted(command)
        return made[name]

    yield prepare
    for command, _ in made.values():
        command.close()


def spread(count, most):
    """Up to `most` numbers from 1 to `count`, the first and the last among them."""
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


@pytest.mark.parametrize("kind, how, error", FAULTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_failing_call(prepared, name, kind, how, error):
    command, counts = prepared(name)
    outcomes = collections.Counter()
    for onward in (False, True) if how in ("error", "torn") else (False,):
        for nth in spread(counts[kind], MOST.get(kind, 10**6 if ALL else 2)):
            fault = Fault(kind, how, error, nth, onward)
            done, failed = failing_calls.disturbed(command, fault)
            if not failed:  # threads did not meet in the same way
                continue
            wrong = failing_calls.complaints(command, done, fault)
            if kind != "alloc" or nth % 5 == 0:
                wrong += failing_calls.complaints_of_resumption(command, fault)
            assert not wrong, f"{fault}: {wrong}\n{done.stderr}"
            outcomes[OUTCOMES[done.returncode]] += 1
    reliability.note("failing calls", name, f"{kind}: {error or how}", outcomes)


@pytest.mark.parametrize("others", [0, 1, 3])
@pytest.mark.parametrize("name", ["score", "evaluate", "compare", "report", "qa run"])
def test_with_fewer_threads_the_results_are_the_same(prepared, name, others):
    command, _ = prepared(name)
    refused = Fault("thread", "limit", "", others + 1, False)
    done, failed = failing_calls.disturbed(command, refused)
    assert done.returncode == 0, done.stderr
    assert not failing_calls.complaints(command, done, refused)
    assert not failed or others > 0 or "threads could be started" in done.stderr
    quiet, _ = failing_calls.disturbed(command, refused, "--quiet")
    assert quiet.returncode == 0 and "threads" not in quiet.stderr
