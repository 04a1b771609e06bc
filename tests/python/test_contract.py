"""The package as a whole: names, signatures, stubs, documentation, dependencies, threads."""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import assay
from assay import _core

PACKAGE = pathlib.Path(assay.__file__).parent

SIGNATURES = """
dice_coefficient(pred, target, smooth=0.0)
average_volume_difference(pred, target)
matthews_correlation_coefficient(pred, target)
confusion_matrix(pred, target)
metrics(pred, ref, spacing=(1, 1, 1), label=None, metrics='all', \
convention='metrics-reloaded', nsd_tolerance=1.0)
binary_dice(outputs, labels, *, if_empty=1, reduction='mean', policy='assay')
dice_similarity_coefficient(outputs, labels, *, if_empty=1, reduction='mean', policy='assay')
soft_dice(outputs, labels, *, smooth=1, batch_dice=True, reduction='mean', policy='assay')
soft_dice_grad(outputs, labels, *, smooth=1, batch_dice=True, reduction='mean', policy='assay', \
grad_output=1.0)
do_reduction(x, method)
wilcoxon(x, y=None, zero_method='wilcox', correction=False, alternative='two-sided', \
method='auto', *, policy='exact')
holm(pvalues, alpha=0.05)
adjust(pvalues, method='holm', alpha=None)
hodges_lehmann(d, level=0.95)
rank_biserial(d)
tost_paired(x, y, margin)
mcnemar(b, c=None)
friedman(table)
bland_altman(x, y, level=0.95)
icc(ratings, kind='agreement', level=0.95)
delong(truths, scores_a, scores_b=None, level=0.95)
nemenyi(table)
compare_models_to_reference(reference, models, alpha=0.05, policy='exact')
default_rng_choice(seed, n, size)
bootstrap(values, statistic='mean', *, replicates=1000, seed=42, method='percentile', \
level=0.95, clusters=None)
bootstrap_metric(predictions, truths, metric='accuracy', n_replicates=1000, seed=42, clusters=None)
accuracy(predictions, truths)
balanced_accuracy(predictions, truths)
extract_label(prediction, *, benchmark_name, options, rules='assay')
majority_vote(labels, predictions=None)
validate_parity(results, variant='meshnet_26')
score(pred=None, ref=None, *, executor=None, shards=None)
evaluate(model, data=None, /)
predict(model, /)
report(results, out='report.html')
compare(results, baseline=None)
power(results, baseline=None)
qa_check(table, wsi_root)
qa_run(table, out=None)
qa_score(run)
qa_compare(a, b)
to_dataframe(result)
read_image(path)
read_nifti(path)
scores(*, tp, fp, fn, tn, metrics='overlap', convention='metrics-reloaded', beta=1.0, \
voxel_ml=0.001)
"""

FIELDS = {
    "WilcoxonResult": "statistic pvalue n zeros ties method policy warning",
    "McNemarResult": "statistic pvalue",
    "ComparisonResult": "model_name p_value corrected_p_value is_significant effect_size",
    "BootstrapResult": "mean std ci_lower ci_upper n_replicates point",
    "ExtractedAnswer": "label raw rule span",
    "VoteResult": "label prediction counts tied",
    "ParityResult": "model dice_mean dice_std avd_mean mcc_mean parity_level details",
}


def parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("line", SIGNATURES.split("\n")[1:-1])
def test_the_contract_s_signatures(line):
    """Ours may go on after the contract's, with defaults."""
    name = line.split("(")[0]
    scope = {}
    exec(f"def {line}: pass", scope)
    expected, found = parameters(scope[name]), parameters(getattr(assay, name))
    assert [p for p in found if p[0] in {e[0] for e in expected}] == expected
    extra = [p for p in found if p[0] not in {e[0] for e in expected}]
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    assert all(default is not inspect.Parameter.empty or kind in several
               for _, kind, default in extra)


SPEC_NAMES = """
BENCHMARK_TASKS BenchmarkItem BenchmarkResult BenchmarkRunner BootstrapEvaluator BootstrapResult
ComparisonResult EvaluationResult Evaluator ExtractedAnswer MULTIPATHQA_FILENAME MULTIPATHQA_REPO
MetricResult MetricsCalculator SegmentationMetrics bootstrap_metric compute_confusion_matrix
extract_label format_results_table generate_benchmark_table holm_bonferroni_correction
load_benchmark run_statistical_comparison validate_parity wilcoxon_test
"""


def test_the_specifications_names():
    assert set(SPEC_NAMES.split()) <= set(assay.spec.__all__)
    for name in assay.spec.__all__:
        thing = getattr(assay.spec, name)
        assert not inspect.isroutine(thing) and not inspect.isclass(thing) or thing.__doc__, name


@pytest.mark.parametrize("name", FIELDS)
def test_the_contract_s_fields(name):
    assert getattr(assay, name)._names[: len(FIELDS[name].split())] == tuple(FIELDS[name].split())


def test_the_torch_function_has_the_same_signature():
    pytest.importorskip("torch")
    assert parameters(assay.torch.soft_dice) == parameters(assay.soft_dice)


def test_everything_is_documented_and_annotated():
    for name in assay.__all__:
        thing = getattr(assay, name)
        if name == "__version__" or not callable(thing):
            continue
        assert thing.__doc__, name
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(p.annotation is not inspect.Parameter.empty
                       for p in signature.parameters.values()), name


def test_metrics_are_documented_from_the_table():
    for row in assay.metric_table():
        assert re.search(rf"^ *{row['key']} "
                         rf"+{re.escape(row['title'])}.*{re.escape(row['formula'])}$",
                         assay.metrics.__doc__, re.M)
    for function, name in ((assay.dice_coefficient, "dice"),
                           (assay.average_volume_difference, "avd"),
                           (assay.matthews_correlation_coefficient, "mcc")):
        row = next(row for row in assay.metric_table() if row["key"] == name)
        for key in ("title", "formula", "note", "reference"):
            assert row[key] in function.__doc__


def stub(name):
    return ast.parse((PACKAGE / name).read_text())


def test_the_native_module_is_what_its_stub_says():
    declared = {node.name: [a.arg for a in node.args.args] for node in stub("_core.pyi").body
                if isinstance(node, ast.FunctionDef)}
    found = {}
    for name in dir(_core):
        thing = getattr(_core, name)
        if callable(thing) and not isinstance(thing, type) and not name.startswith("_"):
            found[name] = re.findall(r"(\w+): ", thing.__doc__.split("\n")[0].split(" -> ")[0])
    assert found == declared
    assert (PACKAGE / "py.typed").exists()


def test_the_results_are_what_their_stub_says():
    classes = {node.name: node for node in stub("_results.pyi").body
               if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    for name, node in classes.items():
        fields = [(f.target.id, f.value is not None) for f in node.body
                  if isinstance(f, ast.AnnAssign)]
        ours = getattr(assay, name)
        assert fields == [(field, field in ours._defaults) for field in ours._names]
        assert issubclass(ours, tuple) == any("tuple[" in ast.unparse(base) for base in node.bases)
    others = {"Interval", "ConfidenceInterval", "ExtractedAnswer"}
    assert set(classes) | {"Result"} == {name for name in assay.__all__  # a dict without fields
                                         if name.endswith("Result") or name in others}


def python(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment})
    return done


def test_the_import_needs_numpy_only():
    heavy = ("torch", "pandas", "scipy", "nibabel", "dataclasses", "typing", "tempfile")
    code = (f"import numpy, sys; before = set(sys.modules); import assay; "
            f"print(sorted((set(sys.modules) - before) & {set(heavy)!r}))")
    assert python(code).stdout.strip() == "[]"
    third_party = ("import sys, assay; print({m.split('.')[0] for m in sys.modules} & {'numpy', "
                   "'torch', 'pandas', 'scipy'})")
    assert python(third_party).stdout.strip() == "{'numpy'}"


def test_parts_are_there_when_what_they_need_is():
    hidden = ("import sys; sys.modules['torch'] = None; import assay; print(hasattr(assay, "
              "'torch'), hasattr(assay, 'nonsense'))")
    assert python(hidden).stdout.split() == ["False", "False"]
    if pytest.importorskip("torch"):
        assert (python("import assay; print(assay.torch.soft_dice.__name__)").stdout.strip()
                == "soft_dice")
    assert "torch" in dir(assay)


def test_threads():
    assert python("import assay; print(assay.threads())", ASSAY_THREADS="3").stdout.strip() == "3"
    done = python("import assay", ASSAY_THREADS="many")
    assert done.returncode == 1 and "ASSAY_THREADS must be a whole number" in done.stderr
    with pytest.raises(ValueError, match="0 \\(all cores\\) or more"):
        assay.set_threads(-1)
    with pytest.raises(TypeError):
        assay.set_threads(1.5)
    assert assay.threads() == 0


def test_the_version_is_the_program_s():
    from support import PROGRAM

    assert subprocess.run([PROGRAM, "--version"], text=True,
                          capture_output=True).stdout.split()[1] == assay.__version__
