"""assay power: sizes against published numbers and against simulated studies that are tested by
assay itself."""
import re

import numpy
import pytest
import scipy.stats

import comparisons
from support import assay, strict

IDS = [f"sub-{i:03}" for i in range(40)]


def power(*arguments, status=0, cwd=None):
    return strict(assay("power", *arguments, "--json", status=status, cwd=cwd).stdout)


def pilot(folder, n=40, mean=0.0, sd=0.1):
    """Two files whose differences have exactly this mean and SD, and a normal shape."""
    rng = numpy.random.default_rng(5)
    base, d = rng.uniform(0.4, 0.6, n), rng.normal(0, 1, n)
    d = mean + sd * (d - d.mean()) / d.std(ddof=1)
    for name, values in (("a", base), ("b", base + d)):
        comparisons.write(folder / f"{name}.csv", IDS[:n], {"dice": values},
                          {"subject": [i // 4 for i in range(n)]})
    return folder / "a.csv", folder / "b.csv"


@pytest.mark.parametrize("dz, power_wanted, pairs",
                         [(0.5, 0.8, 34), (0.2, 0.8, 199), (0.5, 0.9, 44), (0.8, 0.8, 15)])
def test_sizes_are_those_of_gpower(tmp_path, dz, power_wanted, pairs):
    found = power(*pilot(tmp_path), "--difference", dz * 0.1, "--power", power_wanted)
    (plan,) = found["plans"]
    assert plan["std_difference"] == pytest.approx(0.1)
    assert [size["pairs"] for size in plan["sizes"]] == [pairs]
    assert abs(plan["sizes"][0]["pairs_signed_rank"] - pairs) <= 0.2 * pairs + 2


def test_a_planned_study_has_the_power(tmp_path):
    """Studies of the planned size, drawn anew and tested by the same rule as `compare`."""
    stats = pytest.importorskip("scipy.stats")
    plan = power(*pilot(tmp_path), "--difference", 0.05, "--power", 0.8)["plans"][0]
    n = plan["sizes"][0]["pairs"]
    rng = numpy.random.default_rng(8)
    found = numpy.mean([stats.ttest_1samp(rng.normal(0.05, 0.1, n), 0).pvalue <= 0.05
                        for _ in range(2000)])
    assert found == pytest.approx(0.81, abs=0.05)


def test_equivalence_has_the_power(tmp_path):
    stats = pytest.importorskip("scipy.stats")
    plan = power(*pilot(tmp_path), "--margin", 0.05, "--difference", 0.01, "--power",
                 0.8)["plans"][0]
    assert plan["goal"] == "equivalence" and plan["sizes"][0]["pairs_signed_rank"] is None
    n = plan["sizes"][0]["pairs"]
    d = numpy.random.default_rng(9).normal(0.01, 0.1, (4000, n))
    mean, reach = d.mean(1), stats.t.ppf(0.95, n - 1) * d.std(1, ddof=1) / n**0.5
    assert numpy.mean(abs(mean) < 0.05 - reach) == pytest.approx(0.8, abs=0.04)


def test_the_pilot_s_own_difference(tmp_path):
    found = power(*pilot(tmp_path, mean=-0.06))
    (plan,) = found["plans"]
    assert plan["difference"] == pytest.approx(-0.06) and plan["difference_from_pilot"]
    nearer, further = plan["sizes"][0]["pairs_at_ci95"]
    assert nearer > plan["sizes"][0]["pairs"] > further
    assert any("too large if it was the reason" in text for text in found["assumptions"])
    assert "The difference is the pilot's own" in plan["sentence"]


def test_clusters_and_models(tmp_path):
    a, b = pilot(tmp_path)
    plain, clustered = (power(a, b, "--difference", 0.03, *more)["plans"][0]
                        for more in ((), ("--cluster", "subject")))
    assert (clustered["pilot"]["n"] == 10 and clustered["pilot"]["cases"] == 40
            and clustered["pilot"]["design_effect"] > 0)
    for size in clustered["sizes"]:
        assert size["cases"] == 4 * size["pairs"]
    many = power(a, b, "--difference", 0.03, "--models", 10)
    assert many["alpha_per_test"] == pytest.approx(0.005) and many["models"] == 10
    assert many["plans"][0]["sizes"][0]["pairs"] > plain["sizes"][0]["pairs"]


def test_the_same_bytes_for_any_number_of_jobs(tmp_path):
    files = pilot(tmp_path)
    one, three = (power(*files, "--difference", 0.04, "--jobs", jobs) for jobs in (1, 3))
    assert one["plans"] == three["plans"]


def test_one_model(tmp_path):
    a, _ = pilot(tmp_path)
    plans = power(a, "--difference", 0.02)["plans"]
    assert [plan["assumed_correlation"] for plan in plans] == [0.5, 0.7, 0.9]
    assert all(plan["model_name"] is None for plan in plans)
    for plan in plans:
        expected = plan["pilot"]["std"] * (2 * (1 - plan["assumed_correlation"])) ** 0.5
        assert plan["std_difference"] == pytest.approx(expected)


def test_failures_count_as_in_compare(tmp_path):
    """A CSV without a value of a case is nobody's fault; an infinite distance is the model's."""
    rng = numpy.random.default_rng(1)
    base = rng.uniform(2, 9, 20)
    worse = base + rng.normal(1, 1, 20)
    worse[4] = numpy.inf
    for name, values in (("a", base), ("b", worse)):
        comparisons.write(tmp_path / f"{name}.csv", IDS[:20], {"hd95": values})
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    counted, excluded = (power(*files, "--difference", 1, "--undefined",
                               policy)["plans"][0]["pilot"]["n"]
                         for policy in ("worst", "exclude"))
    assert (counted, excluded) == (20, 19)
    note = "; 1 failure counted as worst (--undefined exclude leaves it out)"
    assert note in assay("power", *files, "--difference", 1).stdout
    assert note not in assay("power", *files, "--difference", 1, "--undefined", "exclude").stdout


def test_what_is_refused(tmp_path):
    a, b = pilot(tmp_path, n=5)
    said = assay("power", a, b, "--difference", 0.1, status=2).stderr
    assert (
        "dice, b against a: the pilot has 5 pairs; planning needs the spread of at least 6" in said
    )
    a, b = pilot(tmp_path)
    for options, text in ((("--difference", "0"), "a difference of 0 cannot be detected"),
                          (("--margin", "0"), "--margin must be above 0"),
                          (("--margin", "0.1", "--difference", "0.1"), "not within the margin"),
                          (("--correlation", "0.5"),
                           "--correlation is for the results of one model"),
                          (("--alpha", "1"), "--alpha must lie between 0 and 1"),
                          (("--simulations", "1"), "--simulations must be from 100 to 100000")):
        assert text in assay("power", a, b, *options, status=2).stderr
    assert "is an input of this run" in assay("power", a, b, "--out", a, status=2).stderr


def test_it_is_written(tmp_path):
    files = pilot(tmp_path)
    done = assay("power", *files, "--difference=-0.05", "--out", tmp_path / "plan.json", "--quiet")
    assert (done.stdout == ""
            and strict((tmp_path / "plan.json").read_text())["schema"] == "assay.power/1")


def test_each_limit_of_the_pilot_s_difference_has_its_own_number(tmp_path):
    """A loss: the limit further from 0, which needs fewer pairs, is the lower one."""
    a = numpy.random.default_rng(5).uniform(0.6, 0.9, 30)
    d = -0.02 + numpy.linspace(-0.03, 0.03, 30)
    files = [comparisons.write(tmp_path / f"{name}.csv", [f"c{i:02}" for i in range(30)],
                               {"dice": x})
             for name, x in (("a", a), ("b", a + d))]
    low, high = scipy.stats.t.interval(0.95, 29, d.mean(), scipy.stats.sem(d))
    found = re.search(r"need (\d+) pairs \(if it is (-0\.\d+)\) and (\d+) pairs \(if it is "
                      r"(-0\.\d+)\)", assay("power", *files).stdout)
    assert (float(found[2]), float(found[4])) == pytest.approx((low, high), abs=6e-4)
    assert int(found[1]) < int(found[3])
