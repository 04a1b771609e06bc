"""Results files and cohorts for the tests of the report, made by hand."""
import json

import numpy

from support import assay, save

HOSTILE = "<script>alert(1)</script>"


def results(model, values, metrics=("dice", "avd", "mcc"), groups=None, failed=()):
    """A results file as `assay score` writes it; `values` has a row per case."""
    cases = []
    for i, row in enumerate(values):
        label = {m: (None if v is None else float(v)) for m, v in zip(metrics, row)}
        cases.append({"id": f"sub-{i:03}", "status": "ok",
                      "groups": {k: v[i] for k, v in (groups or {}).items()},
                      "label": {"foreground": {**label, "status": "ok", "undefined": {}}}})
    for name, reason in failed:
        cases.append({"id": name, "status": "failed", "reason": "failed", "error": reason,
                      "groups": {}, "label": {}})
    return {"schema": "assay.segmentation/1", "model_name": model,
            "metrics": {m: {} for m in metrics},
            "labels": {"foreground": {"name": "foreground", "members": []}}, "cases": cases,
            "settings": {"convention": "metrics-reloaded"},
            "provenance": {"assay": "0.1.0", "command": ["assay", "score"]}}


def write(folder, name, content):
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def two_models(folder, cases=12, seed=1):
    """Two results files on the same cases; the second model is a little worse."""
    rng = numpy.random.default_rng(seed)
    good = numpy.clip(rng.normal(0.85, 0.05, (cases, 3)), 0, 1)
    bad = numpy.clip(good - rng.uniform(0.02, 0.08, (cases, 3)), 0, 1)
    sites = {"site": ["north" if i % 2 else "south" for i in range(cases)]}
    return (write(folder, "good.json", results("good", good, groups=sites)),
            write(folder, "bad.json",
                  results("bad", bad, groups=sites,
                          failed=[("sub-900", "prediction is damaged")])))


SHAPE = (24, 20, 16)


def volumes(folder, ids=("sub-a", "sub-b", "sub-c")):
    """Scored images whose every voxel is known: boxes, moved by one voxel, over a ramp."""
    for i, name in enumerate(ids):
        reference, prediction = numpy.zeros(SHAPE, numpy.uint8), numpy.zeros(SHAPE, numpy.uint8)
        reference[8:16, 6:14, 5:11] = 1
        prediction[8 + i + 1:16 + i + 1, 6:14, 5:11] = 1
        save(folder / f"ref/{name}.nii.gz", reference)
        save(folder / f"pred/{name}.nii.gz", prediction)
        ramp = numpy.add.outer(numpy.arange(SHAPE[0]) * 4,
                               numpy.zeros(SHAPE[1:])).astype(numpy.int16)
        save(folder / f"images/{name}_0000.nii.gz", ramp)
    assay("score", "pred", "ref", "--out", "scores.json", cwd=folder)
    return folder / "scores.json"


def questions(folder):
    """The folder of a question-answering run with one hostile question that was not answered."""
    item = {"item_id": "7", "prediction": HOSTILE, "predicted_label": None, "truth_label": 2,
            "correct": False, "cost_usd": 0.01, "total_tokens": 10,
            "trajectory_file": "trajectories/t.json", "error": None, "outcome": "unparsed",
            "rule": "none", "span": [0, 0], "options": ["a", HOSTILE],
            "votes": [{"run": 0, "outcome": "unparsed", "prediction": HOSTILE,
                       "predicted_label": None, "rule": "none", "span": [0, 0], "cost_usd": 0.01,
                       "total_tokens": 10, "calls": 1, "trajectory_file": "trajectories/t.json",
                       "error": None}]}
    content = {"schema": "assay.qa/1", "run_id": "r", "benchmark_name": "bench",
               "model_name": "agent", "config": {}, "results": [item], "metrics": {},
               "timestamp": "2026-01-01T00:00:00Z"}
    run = folder / "run"
    (run / "trajectories").mkdir(parents=True)
    write(run, "bench_results.json", content)
    write(run / "trajectories", "t.json",
          {"schema": "assay.trajectory/1", "benchmark_name": "bench", "item_id": "7", "run": 0,
           "question": HOSTILE, "wsi_path": "s.svs", "slide_width": 10, "slide_height": 10,
           "final_answer": HOSTILE, "outcome": "unparsed", "error": "", "turns": []})
    return run
