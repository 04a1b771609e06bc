"""A run of hours in seconds: see soak.py. `make soak` runs the long one."""
from qa_runs import slides  # noqa: F401
from soak import SPEED, Soak


def test_a_long_run_with_every_fault_loses_nothing_and_pays_nothing_twice(tmp_path, slides):
    soak = Soak(tmp_path, slides, 400, 0.2, ["--rpm", 60])
    soak.go()
    numbers = soak.check()
    assert numbers["calls"] > 450 and len(numbers["faults"]) == 10, "not every fault was met"
    assert soak.shown_hours() * 3600 > SPEED, "the clock did not run fast"
