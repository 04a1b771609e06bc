"""`--quiet` silences messages. It never swallows a result that is nowhere else."""
import pytest

from comparisons import models
from support import assay, cohort, real_data


def command(name, folder):
    """A command that has a result and something to remark."""
    if name == "compare":
        models(folder, n=5)
        return ["compare", folder / "a.csv", folder / "b.csv"]
    if name == "score":
        return ["score", *cohort(folder, ["a", "b"])]
    if name == "folds":
        return ["folds", real_data("arc-runs")]
    if name == "parity":
        return ["parity", real_data("arc-runs/fold_0_restart_0/results.json")]
    return ["recipe", "show", "brainchop"]


@pytest.mark.parametrize("name", ["compare", "score", "folds", "parity", "recipe"])
def test_the_result_is_printed_unless_a_file_has_it(tmp_path, name):
    arguments = command(name, tmp_path)
    loud, quiet = assay(*arguments), assay(*arguments, "--quiet")
    assert quiet.stdout == loud.stdout != "" and quiet.stderr == ""
    written = assay(*arguments, "--quiet", "--out", tmp_path / "result.json")
    assert ((written.stdout, written.stderr) == ("", "")
            and (tmp_path / "result.json").stat().st_size > 100)
    assert assay(*arguments, "--quiet", "--json").stdout.startswith("{")
