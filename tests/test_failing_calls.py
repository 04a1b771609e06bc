"""Every n-th system call and allocation of a command fails, one after the other: the command ends
with a sentence and a documented status, damages nothing, and can be continued. ASSAY_FAULTS=all
tries every n (of allocations: 400, of which 350 after the command line was read, spread evenly);
without it a few are tried."""
import collections, os

import pytest

import failing_calls
import reliability
from failing_calls import COMMANDS, FAULTS, Fault

ALL = os.environ.get("ASSAY_FAULTS") == "all"
ALLOCATIONS = (50, 350) if ALL else (2, 4)  # before the work begins, and after
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


def numbers(command, counts, kind):
    """Which calls fail."""
    if kind != "alloc":
        return spread(counts[kind], 10**6 if ALL else 2)
    before = failing_calls.allocations_before_work(command)
    return [*spread(before, ALLOCATIONS[0]),
            *(before + nth for nth in spread(counts[kind] - before, ALLOCATIONS[1]))]


@pytest.mark.parametrize("kind, how, error", FAULTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_failing_call(prepared, name, kind, how, error):
    command, counts = prepared(name)
    outcomes = collections.Counter()
    for onward in (False, True) if how in ("error", "torn") else (False,):
        for nth in numbers(command, counts, kind):
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


@pytest.mark.parametrize("library", ["libjpeg", "libcurl"])
def test_memory_that_a_library_lacks_fails_a_question_or_the_run(prepared, library):
    command, _ = prepared("qa run")
    count = failing_calls.counted(command, only=library)["alloc"]
    assert count > 30
    outcomes = collections.Counter()
    for nth in range(1, min(count, 300 if ALL else 30) + 1):  # the first picture, the first call
        fault = Fault("alloc", "error", "ENOMEM", nth, False)
        done, failed = failing_calls.disturbed(command, fault, only=library)
        if not failed:
            continue
        wrong = failing_calls.complaints(command, done, fault)
        assert not wrong, f"{fault}: {wrong}\n{done.stderr}"
        outcomes[OUTCOMES[done.returncode]] += 1
    reliability.note("failing calls", "qa run", f"alloc: ENOMEM in {library}", outcomes)


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
