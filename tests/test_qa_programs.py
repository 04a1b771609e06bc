"""A program as the agent of `assay qa run`, and what misbehaving ones cost."""

import pytest

from qa_runs import results, slides, table  # noqa: F401
from support import assay


AGENT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    number = int(asked["item_id"])
    if number == 3 and asked["run"] == 0:
        print(json.dumps({"item_id": asked["item_id"], "error": "no idea"}), flush=True)
    else:
        answer = f"The answer is {number % 4 + 1}."
        print(json.dumps({"item_id": asked["item_id"], "prediction": answer, "cost_usd": 0.5}),
              flush=True)
"""


def test_a_program_can_be_the_agent(tmp_path, slides):
    (tmp_path / "agent.py").write_text(AGENT)
    assay("qa", "run", table(tmp_path / "t.csv"), "--wsi-root", slides, "--out", tmp_path / "run",
          "--agent", "command", "--command", f"/usr/bin/python3 {tmp_path}/agent.py",
          "--concurrency", 2, status=3)
    read = results(tmp_path / "run")
    assert read["ledger"]["scored"] == 7 and read["results"][3]["error"].endswith("no idea")
    assert read["results"][0]["cost_usd"] == 0.5


@pytest.mark.parametrize("command", ["sh -c 'exit 3'", "sleep 30", "echo nonsense", "yes"])
def test_programs_that_misbehave_cost_their_items_only(tmp_path, slides, command):
    done = assay("qa", "run", table(tmp_path / "t.csv", 2), "--wsi-root", slides, "--out",
                 tmp_path / "run", "--agent", "command", "--command", command, "--timeout", 0.5,
                 "--retries", 1, "--first-wait", 0.01, status=3)
    assert results(tmp_path / "run")["ledger"]["errored"] == 2, done.stderr


def test_a_program_that_cannot_start_fails_fast(tmp_path, slides):
    command = ("sh -c 'for i in $(seq 50); do echo some line $i >&2; done; "
               "echo \"ImportError: no module\" >&2; exit 9'")
    done = assay("qa", "run", table(tmp_path / "t.csv", 2), "--wsi-root", slides, "--out",
                 tmp_path / "run", "--agent", "command", "--command", command, status=3)
    error = results(tmp_path / "run")["results"][0]["error"]
    assert (error.startswith("the program 'sh -c 'for i in $(seq 50)")
            and "ended with status 9 instead of answering" in error)
    assert "ImportError: no module" in assay("qa", "show", tmp_path / "run", "0", "--json").stdout
    assert ("some line 50 ImportError: no module (tried 2 times)" in error
            and "some line 9 " not in error), done.stderr


@pytest.mark.parametrize("command, said",
                         [
                             ("no-such-agent --x",
                              "the program 'no-such-agent' cannot be started: it is not in any "
                              "folder of PATH"),
                             ("python3 'agent.py", "--command has a ' that is not closed"),
                             ("cat agent.json | tee log",
                              "--command has a '|' outside of quotes, which only a shell "
                              "understands; quote it, or start a shell: sh -c '…'")])
def test_a_command_that_cannot_be_run_stops_the_run_at_once(tmp_path, slides, command, said):
    done = assay("qa", "run", table(tmp_path / "t.csv"), "--wsi-root", slides, "--out",
                 tmp_path / "run", "--agent", "command", "--command", command, status=2)
    assert said in done.stderr and not (tmp_path / "run").exists(), done.stderr


def test_a_program_is_started_without_a_shell(tmp_path, slides):
    agent = tmp_path / "my agent; touch PWNED.py"
    agent.write_text(AGENT.replace("import json, sys",
                                   "import json, sys; assert sys.argv[1:] == ['a b', '$HOME', "
                                   "'*']"))
    assay("qa", "run", table(tmp_path / "t.csv", 3), "--wsi-root", slides, "--out",
          tmp_path / "run", "--agent", "command", "--command",
          f"""/usr/bin/python3 "{agent}" 'a b' "\\$HOME" *""", cwd=tmp_path)
    assert (results(tmp_path / "run")["ledger"]["scored"] == 3
            and not (tmp_path / "PWNED.py").exists())


DIES_LATER = """
import json, os, sys
for line in sys.stdin:
    if os.path.exists(sys.argv[1]):
        os.remove(sys.argv[1])
        sys.exit(1)
    asked = json.loads(line)
    if asked["item_id"] == "1" and not os.path.exists(sys.argv[2]):
        for name in sys.argv[1:]:
            open(name, "w").close()
        sys.exit(1)
    print(json.dumps({"prediction": "1"}), flush=True)
"""


def test_a_program_that_has_answered_is_tried_more_often(tmp_path, slides):
    (tmp_path / "agent.py").write_text(DIES_LATER)
    assay("qa", "run", table(tmp_path / "t.csv", 3), "--wsi-root", slides, "--out",
          tmp_path / "run", "--agent", "command", "--command",
          f"/usr/bin/python3 {tmp_path}/agent.py {tmp_path}/again {tmp_path}/once", "--concurrency",
          1, "--first-wait", 0.01)
    assert results(tmp_path / "run")["ledger"]["scored"] == 3
