"""Text that is nested deeper than any stack: refused with one sentence that names the file and the
limit, wherever it comes from."""
import json, struct, subprocess, sys, zlib

import pytest

from qa_runs import Server, prices, results, run, slides, table  # noqa: F401
from support import ROOT, assay, cohort

LISTS = "[" * 120_000
OBJECTS = '{"a":' * 120_000
CLOSED = LISTS + "]" * 120_000
LIMIT = "nested more than 200 levels deep, which is the most that assay reads"


def nested(depth):
    return "[" * depth + "]" * depth


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path, *arguments, column=None, line=1, name=None):
    """One line that names the file, the place and the limit."""
    (said,) = assay(*arguments, status=2).stderr.splitlines()
    assert said.startswith(f"assay: {name or path}: ") and said.endswith(LIMIT), said
    if column:
        assert f"line {line}, column {column}: {LIMIT}" in said, said


# ---- Files ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, column",
                         [(LISTS, 201), (CLOSED, 201), (OBJECTS, 1001), ('{"x": ' + LISTS, 206)],
                         ids=["open", "closed", "objects", "inside"])
def test_results(tmp_path, text, column):
    path = written(tmp_path / "d.json", text)
    refused(path, "parity", path, column=column)


def test_what_is_not_deeper_than_the_limit_is_read(tmp_path):
    summary = {"test_mean_dice": 0.876, "test_std_dice": 0.016, "test_mean_avd": 0.245,
               "test_mean_mcc": 0.760}
    for deep, sound in [(199, True), (200, False)]:
        path = written(tmp_path / "d.json",
                       f'{{"summary": {json.dumps(summary)}, "more": {nested(deep)}, "text": '
                       f'"{LISTS}"}}')
        if sound:
            assert "STRICT" in assay("parity", path).stdout
        else:
            refused(path, "parity", path)


def test_results_that_are_compared(tmp_path):
    path = written(tmp_path / "a.json", '{"results": ' + LISTS)
    for command in (["compare", path, path], ["qa", "score", path],
                    ["report", path, "--out", tmp_path / "r.html"]):
        refused(path, *command)


def test_a_safetensors_header(tmp_path):
    header = ('{"a": ' + LISTS).encode()
    path = written(tmp_path / "m.safetensors", struct.pack("<Q", len(header)) + header + bytes(8))
    refused(path, "model", "show", path)


def test_a_tfjs_model(tmp_path):
    path = written(tmp_path / "model.json", '{"modelTopology": ' + LISTS)
    refused(path, "model", "show", path)


def test_a_dataset_json_beside_predictions(tmp_path):
    predictions, references = cohort(tmp_path, ["a", "b"])
    path = written(predictions / "dataset.json", '{"labels": ' + LISTS)
    refused(path, "score", predictions, references)


def test_a_trajectory(tmp_path):
    path = written(tmp_path / "run/trajectories/demo_0_run0.json",
                   '{"schema": "assay.trajectory/1", "turns": ' + LISTS)
    refused(path, "qa", "show", tmp_path / "run", "0")


def test_prices_and_questions(tmp_path):
    questions = table(tmp_path / "t.csv")
    path = written(tmp_path / "prices.json", OBJECTS)
    refused(path, "qa", "run", questions, "--dry-run", "--model", "m", "--prices", path)
    path = written(tmp_path / "t.json", LISTS)
    refused(path, "qa", "check", path, "--wsi-root", tmp_path)


def test_files_of_other_commands(tmp_path):
    results = written(tmp_path / "r.json", json.dumps({"summary": {"test_mean_dice": 0.8}}))
    path = written(tmp_path / "d.json", '{"a": ' + LISTS)
    for command in (["parity", results, "--paper", path], ["parity", results, "--model-json", path],
                    ["power", path], ["report", path, "--out", tmp_path / "r.html"],
                    ["qa", "compare", path, path], ["recipe", "show", path]):
        refused(path, *command)


def test_the_questions_of_a_run(tmp_path, slides):
    with Server(tmp_path) as server:
        run(table(tmp_path / "t.csv", 1), slides, tmp_path / "run", server, "--mode", "thumbnail")
    path = written(tmp_path / "run/questions.json", '{"schema": ' + LISTS)
    (said,) = assay("qa", "status", tmp_path / "run", status=2).stderr.splitlines()
    assert said.startswith(f"assay: {path}: is not the list of a run's questions")


def test_a_request_leaves_room_for_the_records_that_hold_it(tmp_path, slides):
    with Server(tmp_path) as server:
        for deep in (99, 98):
            text = '{"a": ' + nested(deep) + "}"
            run(table(tmp_path / "t.csv", 1), slides, tmp_path / f"run{deep}", server, "--mode",
                "thumbnail", "--request-json", text)
        again = run(table(tmp_path / "t.csv", 1), slides, tmp_path / "run99", server, "--mode",
                    "thumbnail", "--request-json", '{"a": ' + nested(99) + "}")
        assert "0 made now" in again.stderr
        done = run(table(tmp_path / "t.csv", 1), slides, tmp_path / "new", server, "--mode",
                   "thumbnail", "--request-json", '{"a": ' + nested(100) + "}", status=2)
        assert "--request-json: line 1, column 106: nested more than 100 levels deep" in done.stderr


def test_a_record_of_a_journal(tmp_path, slides):
    with Server(tmp_path) as server:
        questions = table(tmp_path / "t.csv", 1)
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail")
        journal = tmp_path / "run/run.journal"
        record = '{"kind": "call", "more": ' + CLOSED + "}"
        with open(journal, "a") as file:
            file.write(
                f'{{"crc32": "{zlib.crc32(record.encode()):08x}", "record": {record}}}\n' * 2
            )
        done = run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", status=2)
    assert (str(journal) in done.stderr
            and "holds a record that no question-answering run writes" in done.stderr)


# ---- TOML ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, line, column",
                         [
                             (".".join(["a"] * 60_000) + " = 1", 1, 400),
                             ("[" + ".".join(["a"] * 60_000) + "]\nb = 1", 1, 399),
                             ("a" + ' . "a"' * 60_000 + " = 1", 1, 1197), ("a = " + LISTS, 1, 204),
                             ("a = " + "{b = " * 60_000, 1, 1000),
                             ("[[" + ".".join(["a"] * 60_000) + "]]", 1, 398),
                             ("a = [\n" + "[\n" * 60_000, 200, 1)],
                         ids=["dotted", "header", "quoted", "arrays", "tables", "header of a list",
                              "lines"])
def test_keys_and_values_of_a_recipe(tmp_path, text, line, column):
    path = written(tmp_path / "r.toml", text)
    refused(path, "recipe", "show", path, line=line, column=column)


def test_parts_of_a_recipe_add_up(tmp_path):
    keys = ".".join(["a"] * 150)
    path = written(tmp_path / "r.toml", f"[{keys}]\n{keys} = 1\n")
    refused(path, "recipe", "show", path)
    path = written(tmp_path / "r.toml",
                   "grid = 'native' # " + "." * 300 + "\nname = '" + "[" * 300 + "'\n")
    assert "[" * 300 in assay("recipe", "show", path).stdout


# ---- Programs and servers ------------------------------------------------------------------------

ANSWERS_DEEPLY = "import sys\nfor line in sys.stdin: print('[' * 120_000, flush=True)\n"


def test_the_handshake_of_a_predictor(tmp_path):
    predictions, references = cohort(tmp_path, ["a"])
    worker = written(tmp_path / "worker.py", ANSWERS_DEEPLY)
    manifest = written(tmp_path / "cases.csv",
                       f"id,image,reference\na,{predictions}/a.nii.gz,{references}/a.nii.gz\n")
    command = f"/usr/bin/python3 {worker}"
    (said,) = assay("evaluate", manifest, "--command", command, "--no-cache",
                    status=2).stderr.splitlines()
    assert said == f"assay: the command '{command}': its answer: line 1, column 201: {LIMIT}"


def test_a_later_answer_of_a_predictor_costs_its_case(tmp_path):
    predictions, references = cohort(tmp_path, ["a", "b"])
    worker = written(tmp_path / "worker.py", """import json, sys, shutil
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("hello"):
        hello = {"protocol": 1, "name": "n", "version": "1", "classes": 2, "device": "cpu"}
        print(json.dumps(hello), flush=True)
    elif "/a.nii" in asked["image"]:
        print("[" * 120_000, flush=True)
    else:
        shutil.copy(asked["image"], asked["output"])
        print(json.dumps({"ok": True}), flush=True)
""")
    manifest = written(tmp_path / "cases.csv", "id,image,reference\n" + "".join(
        f"{id},{predictions}/{id}.nii.gz,{references}/{id}.nii.gz\n" for id in "ab"))
    done = assay("evaluate", manifest, "--command", f"/usr/bin/python3 {worker}", "--no-cache",
                 "--json", status=3)
    cases = json.loads(done.stdout)["cases"]
    assert [case["status"] for case in cases] == ["failed", "ok"] and LIMIT in cases[0]["error"]


def test_an_agents_line(tmp_path, slides):
    worker = written(tmp_path / "agent.py", ANSWERS_DEEPLY)
    assay("qa", "run", table(tmp_path / "t.csv", 2), "--wsi-root", slides, "--out",
          tmp_path / "run", "--agent", "command", "--command", f"/usr/bin/python3 {worker}",
          "--retries", 1, "--first-wait", 0.01, status=3)
    for item in results(tmp_path / "run")["results"]:
        assert item["error"] == f"the agent's answer: {LIMIT} (tried 2 times)"


@pytest.mark.parametrize("api",
                         [["--api", "chat"], ["--api", "responses"], ["--agent", "anthropic"]])
def test_a_reply_in_a_paid_run_is_asked_again_and_the_run_goes_on(tmp_path, slides, api):
    with Server(tmp_path, "--faults", "3=nested,5=nested") as server:
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, "--mode", "thumbnail",
            *api, "--first-wait", 0.01, "--prices", prices(tmp_path), "--budget-usd", 5)
        assert len(server.calls()) == 10
    assert results(tmp_path / "run")["ledger"]["scored"] == 8


def test_a_server_that_only_nests_costs_its_items_only(tmp_path, slides):
    with Server(tmp_path, "--fault-on", "#1:=nested") as server:
        run(table(tmp_path / "t.csv", 4), slides, tmp_path / "run", server, "--mode", "thumbnail",
            "--retries", 1, "--first-wait", 0.01, status=3)
    read = results(tmp_path / "run")
    assert read["ledger"]["scored"] == 3 and read["ledger"]["errored"] == 1
    assert read["results"][1]["error"].startswith(
        f"the server's response cannot be read: {LIMIT}: \"[[[[")


def test_an_answer_of_brackets_is_an_answer_without_a_label(tmp_path, slides):
    worker = written(tmp_path / "agent.py",
                     "import json, sys\nfor line in sys.stdin:\n"
                     "  print(json.dumps({'prediction': '[' * 120_000 + '{\"a\":' * 50_000}), "
                     "flush=True)\n")
    assay("qa", "run", table(tmp_path / "t.csv", 1), "--wsi-root", slides, "--out",
          tmp_path / "run", "--agent", "command", "--command", f"/usr/bin/python3 {worker}",
          status=3)
    assert results(tmp_path / "run")["ledger"]["unparsed"] == 1


# ---- The one door --------------------------------------------------------------------------------

def doors(root):
    return subprocess.run([sys.executable, ROOT / "tools/doors.py", root], text=True,
                          capture_output=True)


def test_no_parser_is_called_past_its_door(tmp_path):
    done = doors(ROOT)
    assert done.returncode == 0, done.stdout
    written(tmp_path / "assay/base/x.cpp",
            "// Json::parse(a)\nauto b = nlohmann::json::parse(text);\n")
    written(tmp_path / "cli/y.cpp", "auto c = toml::parse(text);\n")
    written(tmp_path / "assay/base/x_test.cpp", "Json::parse(a);\n")
    written(tmp_path / "cli/z.cpp", "double x = std::strtod(text, nullptr);\nstd::isalpha(c);\n")
    done = doors(tmp_path)
    assert done.returncode == 1 and len(done.stdout.splitlines()) == 4
    assert done.stdout.startswith("assay/base/x.cpp:2: json::parse( is called past the one door to "
                                  "JSON; call parse_json")
