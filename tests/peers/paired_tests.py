"""Paired tests against the SciPy that is installed: the newest policy has to give its numbers."""
import math, pathlib, tempfile, warnings

import numpy

import assay

POLICY = "scipy-1.15"


def samples(count, seed):
    """Differences with and without ties and zeros, from 1 to 60 of them."""
    rng = numpy.random.default_rng(seed)
    for number in range(count):
        d = rng.normal(rng.choice([0, 0.3]), 1, int(rng.integers(1, 61)))
        yield numpy.round(d, number % 3) if number % 2 else d


def options(number):
    alternatives, zeros = ["two-sided", "less", "greater"], ["wilcox", "pratt", "zsplit"]
    return {"alternative": alternatives[number % 3], "zero_method": zeros[number // 3 % 3],
            "correction": number // 9 % 2 == 1, "method": ["auto", "approx"][number // 18 % 2]}


def wilcoxon_differences(stats, count, seed):
    """How far statistic and p-value are apart, for each sample."""
    for number, d in enumerate(samples(count, seed)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = attempt(stats.wilcoxon, d, **options(number))
            ours = attempt(assay.wilcoxon, d, policy=POLICY, **options(number))
        if theirs is None or ours is None:  # SciPy refuses a single zero, and so does its policy
            yield 0.0 if theirs is ours else math.inf
        else:
            yield apart(ours.statistic, theirs.statistic) + apart(ours.pvalue, theirs.pvalue)


def attempt(test, *arguments, **options):
    """None where it refuses."""
    try:
        return test(*arguments, **options)
    except ValueError:
        return None


def friedman_differences(stats, count, seed):
    rng = numpy.random.default_rng(seed)
    for number in range(count):
        table = numpy.round(rng.normal(0, 1, (int(rng.integers(3, 30)), int(rng.integers(3, 7)))),
                            1 + number % 4)
        theirs, ours = stats.friedmanchisquare(*table.T), assay.friedman(table)
        yield apart(ours.statistic, theirs.statistic) + apart(ours.pvalue, theirs.pvalue)


def power_differences(power, count, seed):
    """Whole numbers of pairs for one difference, by `assay power` and by statsmodels'
    TTestPower."""
    rng = numpy.random.default_rng(seed)
    pilot = {}
    with tempfile.TemporaryDirectory() as folder:
        # differences of SD 1
        for name, values in (("a", numpy.zeros(20)),
                             ("b", numpy.tile([-1.0, 1.0], 10) * (19 / 20) ** 0.5)):
            pilot[name] = pathlib.Path(folder, name + ".csv")
            pilot[name].write_text("id,score\n" + "".join(
                f"{i},{float(x)!r}\n" for i, x in enumerate(values)))
        for _ in range(count):
            effect, alpha = float(rng.uniform(0.1, 1.5)), float(rng.choice([0.01, 0.05, 0.1]))
            found = assay.power(pilot.values(), difference=effect, alpha=alpha, power=[0.8, 0.95],
                                simulations=100)["plans"][0]
            for size in found["sizes"]:
                theirs = power.TTestPower().solve_power(found["difference"] / found[
                    "std_difference"], power=size["power"], alpha=alpha)
                yield apart(size["pairs"], max(6, math.ceil(float(numpy.squeeze(theirs)))))


def apart(a, b):
    """Relative to the larger; nothing between two NaN."""
    a, b = float(a), float(b)
    return 0.0 if a == b or (a != a and b != b) else abs(a - b) / max(abs(a), abs(b), 1e-300)
