"""Large inputs: memory grows slowly with the number of cases, whatever is asked for."""
import os, sys

import pytest

import support

sys.path.insert(0, str(support.ROOT / "bench"))
from load_cohort import make_cohort, measured  # noqa: E402

# Bytes for each case: its plan, its record, its scores. What is written is not kept.
MOST_PER_CASE = 2500
# Records wait up to 200 ms for the disk; thousands of these small cases are scored in that time, so
# the smaller cohort takes longer than that.
COHORTS = (8_000, 18_000)


@pytest.fixture(scope="module")
def cohorts(tmp_path_factory):
    """Folders, as paths from where the tests run: memory depends on how long paths are."""
    folder, before = tmp_path_factory.mktemp("load"), os.getcwd()
    os.chdir(folder)
    yield {cases: [side.relative_to(folder) for side in make_cohort(folder / str(cases), cases)]
           for cases in COHORTS}
    os.chdir(before)


def growth(cohorts, *options):
    """Bytes of memory for each further case. The least of three runs: while the disk is busy with
    something else, records wait for it."""
    options = ["--metrics", "paper", "--quiet", "--jobs", 2, *options]
    (few, small), (many, large) = [
        (cases, min(measured("score", *sides, *options)[1] for _ in range(3)))
        for cases, sides in cohorts.items()]
    return (large - small) / (many - few)


@pytest.mark.parametrize("options", [["--json"], ["--json", "--format", "nnunet"],
                                     ["--out", "r.json"], ["--out", "r.json", "--csv", "r.csv"]])
def test_results_of_many_cases_are_written_in_little_memory(cohorts, tmp_path, options):
    options = [tmp_path / word if "." in word else word for word in options]
    assert growth(cohorts, *options) < MOST_PER_CASE


def test_a_run_of_many_cases_resumes_in_little_memory(cohorts, tmp_path):
    def resumed(cases):
        sides = cohorts[cases]
        out = tmp_path / f"{cases}.json"
        arguments = ["score", *sides, "--metrics", "paper", "--quiet", "--out", out]
        measured(*arguments, "--keep-journal")
        whole = out.read_text()
        out.unlink()
        peak = measured(*arguments, "--resume")[1]
        assert out.read_text().split('"ledger"')[0] == whole.split('"ledger"')[0]
        return peak

    few, many = COHORTS
    assert (resumed(many) - resumed(few)) / (many - few) < 2 * MOST_PER_CASE
