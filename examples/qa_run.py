#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions about a slide: a run against a model server on this machine, its scores, a picture.

The server below answers every question by rule, so the run is free and needs no network. Replace
`base_url` and `model` to ask a real one. This script needs NumPy, assay and OpenSlide.

usage: qa_run.py [FOLDER]      (default: build/examples/qa)
"""
import csv
import http.server
import json
import pathlib
import re
import struct
import sys
import threading

import assay
import numpy as np

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/qa")

# %% [markdown]
# ## A slide and twelve questions
# The slide is a TIFF file of one tile, written by hand. The table has the columns of MultiPathQA.


# %%
def write_slide(path, side=256):
    """Purple dots on a pink ground."""
    y, x = np.mgrid[:side, :side]
    dots = (x % 32 - 16) ** 2 + (y % 32 - 16) ** 2 < 40
    pixels = np.where(dots[..., None], (110, 60, 140), (235, 190, 210)).astype(np.uint8).tobytes()
    long, short = 4, 3
    tags = [(256, long, side), (257, long, side), (258, short, 8), (259, short, 1), (262, short, 2),
            (277, short, 3), (284, short, 1), (322, long, side), (323, long, side), (324, long, 8),
            (325, long, len(pixels))]
    rows = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<2sHI", b"II", 42, 8 + len(pixels)) + pixels
                     + struct.pack("<H", len(tags)) + rows + bytes(4))


write_slide(FOLDER / "slides/dots.tiff")
TABLE = FOLDER / "questions.csv"
with open(TABLE, "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["benchmark_name", "benchmark_id", "image_path", "answer", "options",
                   "metric_type", "prompt"])
    for number in range(12):
        rows.writerow(["dots", number, "dots.tiff", number % 4 + 1, "Low|Medium|High|Very high",
                       "accuracy", f"Question {number}: how dense are the dots?"])


# %% [markdown]
# ## A model server
# It speaks OpenAI's chat protocol. It is right in three questions of four, and does not answer
# the last one.


# %%
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = int(re.search(r"Question (\d+)", json.dumps(request))[1])
        answer = (number + (number % 4 == 3)) % 4 + 1
        text = f"The answer is {answer}." if number < 11 else "I cannot tell."
        reply = {"model": "by-rule", "choices": [{"finish_reason": "stop", "message": {
            "role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 6}}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

# %% [markdown]
# ## The run
# Interrupt it and call it again: nothing that was answered is asked twice.

# %%
done = assay.qa_run(TABLE, FOLDER / "run", wsi_root=FOLDER / "slides", mode="thumbnail",
                    model="by-rule", base_url=f"http://127.0.0.1:{server.server_port}/v1")
server.shutdown()
print(done["calls"], "calls")

# %% [markdown]
# ## Scores
# The ledger accounts for every question, and the interval says how sure the accuracy is.

# %%
(scored,) = assay.qa_score(FOLDER / "run")["benchmarks"]
numbers = scored["metrics"]
print(f"accuracy {numbers['point_estimate']:.3f} of {numbers['n_total']} questions")

# %% [markdown]
# ## The picture

# %%
assay.report([FOLDER / "run"], FOLDER / "report.html", figures=FOLDER / "figures")
print(*sorted(path.name for path in (FOLDER / "figures").glob("qa-*.svg")))
