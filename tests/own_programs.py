"""Metrics of the user's own as programs, written by tests (`--own-metric`)."""
import sys

PYTHON = sys.executable
DECLARED = 'better = "higher"\nrange = [0, 1]\n'

ANSWERS = '''
import json, os, sys, time
import numpy

def dice(question):
    p, r = (numpy.load(question[side]).astype(bool) for side in ("prediction", "reference"))
    assert list(p.shape) == question["shape"] and p.dtype == bool
    return {"value": 2 * (p & r).sum() / (p.sum() + r.sum())}

for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        print(json.dumps({"protocol": 1, "name": "mine", "version": "1"}), flush=True)
        continue
    ANSWER
'''
WELL = 'print(json.dumps({"id": question["id"], **dice(question)}), flush=True)'


def write_metric(folder, answer=WELL, declared=DECLARED, name="my_dice", empty="both = 1"):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(ANSWERS.replace("ANSWER", answer))
    file = folder / f"{name}.toml"
    file.write_text(f'name = "{name}"\n{declared}'
                    f'command = "{PYTHON} \'{{folder}}/{name}.py\'"\n[empty]\n{empty}\n')
    return file
