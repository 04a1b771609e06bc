"""What the tests of `assay qa run` share: a server on loopback, slides, tables, and the run's
files."""
import csv, json, pathlib, subprocess, zlib

import numpy
import pytest

import slide_files
import support
from support import assay

SERVER = support.PROGRAM.parent / "model_server"
OPTIONS = '["Low", "Medium", "High", "Cannot determine"]'
COLUMNS = ["benchmark_name", "benchmark_id", "image_path", "answer", "options", "metric_type",
           "prompt"]


class Server:
    """A model server that answers by rule; ends with the test."""

    def __init__(self, folder, *options, env=None):
        self.log = pathlib.Path(folder) / "server.log"
        command = [SERVER, "--log", self.log, *map(str, options)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=env)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/v1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()

    def calls(self):
        """Every request that arrived, in order."""
        return ([json.loads(line) for line in self.log.read_text().splitlines()]
                if self.log.exists()
                else [])


def table(path, count=8, slide="slide.tiff", benchmark="demo", **columns):
    """Questions '#0', '#1' ...: the server answers each with its number modulo 4, plus 1, which is
    right."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for i in range(count):
            row = dict(benchmark_name=benchmark, benchmark_id=i, image_path=slide, answer=i % 4 + 1,
                       options=OPTIONS, metric_type="accuracy", prompt=f"Question #{i}: how many?")
            writer.writerow({**row,
                             **{key: value(i) if callable(value) else value
                                for key, value in columns.items()}})
    return path


def journal(run):
    """The records behind the header; every line must be sound."""
    lines = (pathlib.Path(run) / "run.journal").read_bytes().split(b"\n")[:-1]
    records = []
    for line in lines:
        parsed = json.loads(line)
        text = line[len(b'{"crc32": "00000000", "record": '):-1]
        assert int(parsed["crc32"], 16) == zlib.crc32(text)
        records.append(parsed["record"])
    assert records[0]["kind"] == "header"
    return records[1:]


def answered(run):
    return [record for record in journal(run) if record["kind"] == "call" and "reply" in record]


def results(run, benchmark="demo"):
    """A results file without what may differ between two runs."""
    read = support.strict((pathlib.Path(run) / f"{benchmark}_results.json").read_text())
    return {key: value for key, value in read.items() if key not in ("provenance", "timestamp")}


@pytest.fixture(scope="module")
def slides(tmp_path_factory):
    """One small slide with some structure in it."""
    folder = tmp_path_factory.mktemp("slides")
    y, x = numpy.mgrid[0:512, 0:768]
    level = numpy.stack([(x // 3) % 256, (y // 2) % 256, (x + y) % 256], -1).astype(numpy.uint8)
    (folder / "slide.tiff").write_bytes(slide_files.tiff(
        [level, level[::4, ::4].copy()], pixels_per_cm=40000))
    return folder


def run(questions, slides, out, server, *options, status=0, **settings):
    return assay("qa", "run", questions, "--wsi-root", slides, "--out", out, "--base-url",
                 server.url, "--model", "m", *options, status=status, **settings)


def prices(folder, **row):
    path = folder / "prices.json"
    path.write_text(json.dumps({"m": {"input": 1.0, "output": 2.0, "image_tokens": 500, **row}}))
    return path
