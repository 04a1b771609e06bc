"""Text from file names, ids, headers and servers cannot drive a terminal, whichever command shows
it: not through messages, not through tables, not through a pipe that ends in a pager."""
import json, os, re, subprocess

import numpy
import pytest

from comparisons import write
from networks import safetensors
from qa_runs import Server, run, slides, table  # noqa: F401
from support import BOX, PROGRAM, assay, mask, on_a_terminal, save

# A title for the window, a colour, an erased line, CSI in eight bits, reversed reading order.
HOSTILE = "a\x1b]0;t\x07\x1b[31m\r\x1b[2K\x9b2J\u202eb\u2066\u200f\u061cc"
NAMES = {"escapes": HOSTILE, "lines": "a\nassay: all is well\nb", "bytes": b"a\x9b31m\xffb"}

# What may reach a reader: text and line ends.
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f"
                       "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def harmless(*texts):
    for data in texts:
        text = data.decode()  # strictly: a terminal may obey a byte that is no character
        assert not FORBIDDEN.search(text), ascii(text)
        assert "\nassay: all is well" not in text and not text.startswith("assay: all is well")


def file_name(name, ending):
    return os.fsdecode(name if isinstance(name, bytes) else name.encode()) + ending


def put_image(folder, name):
    """nibabel does not write files of every name."""
    plain = save(folder / "x.nii.gz", mask(BOX))
    os.rename(plain, folder / file_name(name, ".nii.gz"))


def said(*arguments, **options):
    """Runs the program, and checks everything it printed."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=60, **options)
    harmless(done.stdout, done.stderr)
    return done


@pytest.fixture(params=NAMES)
def name(request):
    return NAMES[request.param]


def test_scores(tmp_path, name):
    for side in ("pred", "ref"):
        save(tmp_path / side / "0.nii.gz", mask(BOX))
        for label in (name, HOSTILE):
            put_image(tmp_path / side, label)
    pair = [tmp_path / "pred", tmp_path / "ref"]
    out = said("score", *pair, "--verbose")
    assert out.returncode == 0 and b"scored" in out.stderr, out
    said("score", *pair, "--verbose", "--out", tmp_path / file_name(name, ".json"))
    (tmp_path / "pred" / file_name(name, ".nii.gz")).write_bytes(b"broken")
    out = said("score", *pair)
    assert out.returncode == 3 and b"not scored" in out.stderr
    said("score", *pair, "--model", HOSTILE, "--region", HOSTILE + "=1")
    said("score", *pair, "--labels", HOSTILE)
    said("score", *pair, "--metrics", HOSTILE)


def test_files_that_are_not_there(tmp_path, name):
    missing = tmp_path / file_name(name, "")
    for command in (["score", missing, missing], ["score", "--manifest", missing],
                    ["compare", missing, missing],
                    ["report", missing, "--out", tmp_path / "r.html"], ["parity", missing],
                    ["parity", "--list", "--paper", missing],
                    ["folds", missing], ["split", missing], ["power", missing],
                    ["evaluate", missing, missing], ["predict", missing, missing],
                    ["model", "show", missing], ["recipe", "show", missing],
                    ["recipe", "apply", missing, missing], ["qa", "run", missing],
                    ["qa", "check", missing, "--wsi-root", missing], ["qa", "score", missing],
                    ["qa", "compare", missing, missing], ["qa", "show", missing, "1"],
                    ["qa", "status", missing], ["qa", "salvage", missing], [missing.name],
                    ["score", "--" + missing.name], ["score", "--jobs", missing.name],
                    ["qa", missing.name], ["docs", missing.name]):
        out = said(*command)
        assert out.returncode == 2 and out.stderr, command


def test_models_and_groups_that_are_compared(tmp_path):
    clean = HOSTILE.replace("\r", "")
    for model, shift in (("x", 0), ("y", 0.1)):
        value = 0.5 + shift
        rows = [f"{clean}{model},{clean}{i},{clean},{clean},{value + i / 50},ok,{clean}{i % 2}"
                for i in range(12)]
        (tmp_path / f"{model}.csv").write_text(
            "\n".join([f"model,case,label,metric,value,status,{clean}", *rows, ""]))
    files = [tmp_path / "x.csv", tmp_path / "y.csv"]
    out = said("compare", *files, "--metric", clean, "--label", clean, "--by", clean)
    assert out.returncode == 0 and b"\\x1b]0;t" in out.stdout, out
    said("compare", *files, "--baseline", HOSTILE)
    said("compare", *files, "--format", "table", "--verbose")


def test_what_goes_into_a_file_or_a_program_is_as_it_was(tmp_path):
    """JSON and CSV escape what their formats ask for, and nothing else."""
    for model in "xy":
        write(tmp_path / f"{model}.csv", [f"{i}\u202e" for i in range(12)],
              {"dice": [i / 20 for i in range(12)]})
    files = [tmp_path / "x.csv", tmp_path / "y.csv"]
    out = subprocess.run([PROGRAM, "compare", *files, "--json"], capture_output=True, check=True)
    printed = json.loads(out.stdout)
    assay("compare", *files, "--out", tmp_path / "c.json")
    written = json.loads((tmp_path / "c.json").read_text())
    assert printed["metrics"] == written["metrics"]
    paper = tmp_path / "p.json"
    paper.write_text(json.dumps({"m\u202e\x9b\x1b": {"dice_mean": 0.7}}))
    out = subprocess.run([PROGRAM, "parity", "--list", "--paper", paper, "--format", "csv"],
                         capture_output=True, check=True)
    assert "m\u202e\x9b\x1b" in out.stdout.decode()
    assay("parity", "--list", "--paper", paper, "--format", "csv", "--out", tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_bytes() == out.stdout


def test_models_recipes_and_questions(tmp_path, slides):
    network = tmp_path / "m.safetensors"
    safetensors(network, {HOSTILE: numpy.zeros((3, 3), numpy.float32)})
    said("model", "show", network)
    recipe = tmp_path / "r.toml"
    recipe.write_text("grid = 'native'\nname = " + json.dumps(HOSTILE) + "\n")
    assert said("recipe", "show", recipe).returncode == 0
    recipe.write_text(json.dumps(HOSTILE) + " = 1\n")
    assert said("recipe", "show", recipe).returncode == 2
    questions = table(tmp_path / "q.csv", 2, benchmark=HOSTILE.replace("\r", ""),
                      benchmark_id=lambda i: HOSTILE.replace("\r", "") + str(i),
                      slide=HOSTILE.replace("\r", "") + ".tiff")
    said("qa", "check", questions, "--wsi-root", slides, "--verbose")
    said("qa", "run", questions, "--wsi-root", slides, "--model", HOSTILE, "--dry-run", "--verbose")


def test_a_servers_words(tmp_path, slides):
    with Server(tmp_path, "--fault-on", "#1:=escapes") as server:
        done = run(table(tmp_path / "t.csv", 3), slides, tmp_path / "run", server, "--mode",
                   "thumbnail", "--retries", 1, "--first-wait", 0.01, status=3, text=False)
    harmless(done.stdout, done.stderr)
    assert b"\\u009b2J\\u202e" in done.stderr
    for command in (["status", tmp_path / "run"], ["score", tmp_path / "run", "--verbose"],
                    ["status", tmp_path / "run", "--watch"]):
        said("qa", *command)


# ---- On a terminal -------------------------------------------------------------------------------

OURS = re.compile(rb"\r\x1b\[K|\x1b\[1m|\x1b\[0m|\x1b\[H\x1b\[J")


def test_on_a_terminal_only_our_own_commands_come_through(tmp_path):
    for side in ("pred", "ref"):
        put_image(tmp_path / side, HOSTILE)
    status, seen = on_a_terminal("score", tmp_path / "pred", tmp_path / "ref", "--verbose",
                                 "--model", HOSTILE)
    assert status == 0 and OURS.search(seen) and b"\x1b[1m" in seen
    harmless(OURS.sub(b"", seen))
    status, seen = on_a_terminal("score", tmp_path / "pred", tmp_path / "ref", "--json", "--quiet")
    assert status == 0
    harmless(OURS.sub(b"", seen))
    assert b"\\u202e" in seen and json.loads(OURS.sub(b"", seen))["num_samples"] == 1


def test_plain_text_on_a_terminal_is_not_touched(tmp_path):
    status, seen = on_a_terminal("metrics")
    assert status == 0 and seen.decode() == assay("metrics").stdout
