"""What `assay qa run` may cost: budgets, prices, and what it keeps when the disk is full."""
import json, re

import pytest

from qa_runs import Server, answered, journal, prices, results, run, slides, table  # noqa: F401


@pytest.mark.parametrize("concurrency", [1, 7])
def test_budget_is_never_exceeded(tmp_path, slides, concurrency):
    questions = table(tmp_path / "t.csv", 30)
    budget = 0.05
    options = ["--crops", 3, "--fault-rate", 0.2, "--fault-kinds", "cut,500", "--seed", 3]
    with Server(tmp_path, *options) as server:
        done = run(questions, slides, tmp_path / "run", server, "--prices", prices(tmp_path),
                   "--budget-usd", budget, "--max-output-tokens", 1000, "--concurrency",
                   concurrency, "--first-wait", 0.01, status=3)
    spent = sum(record["cost_usd"] for record in answered(tmp_path / "run"))
    possible = sum(record.get("possible_usd", 0) for record in journal(tmp_path / "run")
                   if record["kind"] == "call")
    assert "of the budget of $0.0500 is left" in done.stderr
    assert spent > 0 and 0.5 * budget < spent + possible <= budget


def test_unknown_cost_is_null_and_stops_a_budgeted_run(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path, "--no-usage") as server:
        options = ["--mode", "thumbnail", "--concurrency", 1]
        done = run(questions, slides, tmp_path / "run", server, *options, "--prices",
                   prices(tmp_path), "--budget-usd", 5, status=3)
        assert len(server.calls()) == 1 and "budget cannot be kept" in done.stderr
        run(questions, slides, tmp_path / "run", server, *options)
        assert "unknown" in run(questions, slides, tmp_path / "run", server, *options, "--prices",
                                prices(tmp_path), "--budget-usd", 5, status=2).stderr
    read = results(tmp_path / "run")
    assert read["total_cost_usd"] is None and read["total_tokens"] is None


def test_a_refusal_without_usage_does_not_stop_a_budgeted_run(tmp_path, slides):
    with Server(tmp_path, "--fault-on", "#1:=policy") as server:
        options = ["--mode", "thumbnail", "--prices", prices(tmp_path), "--budget-usd", 5]
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, *options, status=3)
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, *options, status=3)
        assert len(server.calls()) == 8
    ledger = results(tmp_path / "run")["ledger"]
    assert (ledger["scored"], ledger["refused"]) == (7, 1)


def test_calls_that_broke_off_count_in_every_later_start(tmp_path, slides):
    """Each start may have been charged for its broken calls: the journal stays, and the budget
    holds over all of them."""
    questions = table(tmp_path / "t.csv")
    options = ["--mode", "thumbnail", "--prices", prices(tmp_path), "--budget-usd", 0.02,
               "--max-output-tokens", 1000, "--first-wait", 0.01, "--concurrency", 2]
    with Server(tmp_path, "--always", "cut") as server:
        run(questions, slides, tmp_path / "run", server, *options, status=2)
        sent = len(server.calls())
        assert sent > 1 and (tmp_path / "run/run.journal").exists()
        done = run(questions, slides, tmp_path / "run", server, *options, status=2)
        assert len(server.calls()) == sent and "perhaps charged" in done.stderr


def test_a_budget_needs_a_bounded_answer(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        options = ["--mode", "thumbnail", "--prices", prices(tmp_path), "--budget-usd", 0.02,
                   "--request-json"]
        for extra in ('{"max_completion_tokens": null}', '{"n": 4}', '{"messages": []}'):
            assert "--request-json" in run(questions, slides, tmp_path / "run", server, *options,
                                           extra, status=2).stderr
        dear = '{"max_completion_tokens": null, "max_tokens": 9000000}'
        assert "could cost $18" in run(questions, slides, tmp_path / "run", server, *options, dear,
                                       status=2).stderr
        assert not server.calls()


def test_a_full_disk_stops_the_run_and_spoils_nothing(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        (tmp_path / "run").mkdir()
        (tmp_path / "run/crops").write_text("in the way")
        done = run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", status=2)
        assert "crops" in done.stderr and not server.calls()
        (tmp_path / "run/crops").unlink()
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail")


def test_reported_cost_wins_over_the_price_table(tmp_path, slides):
    with Server(tmp_path, "--cost", 0.125) as server:
        run(table(tmp_path / "t.csv", 2), slides, tmp_path / "run", server, "--mode", "thumbnail",
            "--prices", prices(tmp_path))
    assert results(tmp_path / "run")["total_cost_usd"] == 0.25


# ---- Usage that is reported in other ways --------------------------------------------------------

THINKING = {"prompt_tokens": 2000, "completion_tokens": 50, "total_tokens": 8050,
            "completion_tokens_details": {"reasoning_tokens": 6000}}
OWN_KEY = {"prompt_tokens": 2000, "completion_tokens": 300, "total_tokens": 2300, "cost": 0,
           "is_byok": True, "cost_details": {"upstream_inference_cost": 0.05}}


def spend(folder, slides, usage, bill, *options, status=3, count=240, budget=0.50, **row):
    """A run with a budget against a server that bills `bill` for every reply; what it billed in
    all, and what was said."""
    with Server(folder, "--usage", json.dumps(usage)) as server:
        table_of_prices = prices(folder, input=1.25, output=10, image_tokens=100, **row)
        done = run(table(folder / "t.csv", count), slides, folder / "run", server, "--mode",
                   "thumbnail", "--prices", table_of_prices, "--budget-usd", budget, *options,
                   status=status)
        return bill * len(server.calls()), done.stderr


def shown(said):
    return float(re.search(r"cost so far: \$([0-9.]+)", said)[1])


@pytest.mark.parametrize("usage, bill, before",
                         [(THINKING, 0.063, "$8.76"), (OWN_KEY, 0.05, "$12.00")],
                         ids=["thinking", "own key"])
def test_reasoning_and_ones_own_key_count(tmp_path, slides, usage, bill, before):
    """240 questions, a budget of $0.50: `before` is what version 0.1.0 let the server bill."""
    billed, said = spend(tmp_path, slides, usage, bill, "--concurrency", 1)
    assert 0.35 < billed <= 0.50, f"{billed}; it was {before}"
    assert abs(shown(said) - billed) < 0.006 and "of $0.50" in said and "warning" not in said


def test_a_cost_of_zero_does_not_replace_a_price(tmp_path, slides):
    billed, said = spend(tmp_path, slides, {**THINKING, "cost": 0}, 0.063)
    assert 0.35 < billed <= 0.50 and abs(shown(said) - billed) < 0.006


def test_replies_above_their_reserve_are_told_and_learned_from(tmp_path, slides):
    """Each costs $0.063 where $0.0107 can be foreseen: eight of them may be under way once, then
    none leaves unforeseen."""
    options = ["--max-output-tokens", 1000, "--concurrency", 8]
    billed, said = spend(tmp_path, slides, THINKING, 0.063, *options, budget=0.30)
    sent = [record for record in journal(tmp_path / "run") if record["kind"] == "sent"]
    reserve = sent[0]["worst_usd"]
    assert reserve < 0.02 and billed <= 0.30 + 8 * (0.063 - reserve)
    warnings = [line for line in said.splitlines() if line.startswith("warning: ")]
    assert warnings[0].startswith(f"warning: a reply cost $0.0630, but ${reserve:.4f} was the most "
                                  f"that it should cost")
    assert ("it had 6050 output tokens" in warnings[0] and "--max-output-tokens 6050" in warnings[0]
            and len(warnings) == 1 + (billed > 0.30))
    above = sum(record["worst_usd"] < 0.0629 for record in sent)
    assert 1 <= above <= 8
    if billed > 0.30:
        assert (f"more than the budget of $0.30: {above} repl" in warnings[1]
                and "cost more than was set aside" in warnings[1]), warnings
    # The next start knows it from the journal: what would fit by the table does not leave.
    larger = billed + 0.04
    with Server(tmp_path, "--usage", json.dumps(THINKING)) as server:
        done = run(table(tmp_path / "t.csv", 240), slides, tmp_path / "run", server, "--mode",
                   "thumbnail", "--prices",
                   prices(tmp_path, input=1.25, output=10, image_tokens=100), "--budget-usd",
                   larger, *options, status=3)
        assert (done.stderr.count("the next call could cost $0.063") == 1
                and "because a reply cost that much more" in done.stderr)
        done = run(table(tmp_path / "t.csv", 240), slides, tmp_path / "run", server, "--mode",
                   "thumbnail", "--prices",
                   prices(tmp_path, input=1.25, output=10, image_tokens=100), "--budget-usd",
                   larger + 0.2, *options, status=3)
    again = [record for record in journal(tmp_path / "run") if record["kind"] == "sent"][len(sent):]
    assert len(again) == 3 and all(abs(record["worst_usd"] - 0.063) < 1e-5
                                   for record in again), again
    assert ("a reply cost" not in done.stderr.split("stopped")[0]
            and sum(r["cost_usd"] for r in answered(tmp_path / "run")) <= larger + 0.2)


def test_an_image_that_counts_more_than_the_table_says_names_image_tokens(tmp_path, slides):
    usage = {"prompt_tokens": 9000, "completion_tokens": 10, "total_tokens": 9010}
    _, said = spend(tmp_path, slides, usage, 9000 * 1.25e-6 + 1e-4, "--max-output-tokens", 10,
                    count=3, budget=5, status=0)
    assert said.count("warning") == 1 and "it had 9000 input tokens" in said
    assert "set image_tokens of this model in --prices to 9000" in said
    (tmp_path / "again").mkdir()
    with Server(tmp_path / "again", "--usage", json.dumps(usage)) as server:
        done = run(tmp_path / "t.csv", slides, tmp_path / "again/run", server, "--mode",
                   "thumbnail", "--max-output-tokens", 10, "--prices",
                   prices(tmp_path, input=1.25, output=10, image_tokens=9000), "--budget-usd", 5)
    assert "warning" not in done.stderr, "the remedy is one"


def test_each_protocol_counts_alike(tmp_path, slides):
    usage = {"input_tokens": 2000, "output_tokens": 50, "total_tokens": 8050,
             "output_tokens_details": {"reasoning_tokens": 6000}}
    for name, api in (("responses", ["--api", "responses"]),
                      ("messages", ["--agent", "anthropic"])):
        (tmp_path / name).mkdir()
        spend(tmp_path / name, slides, usage, 0.063, *api, status=0, count=2, budget=5)
        assert ([record["usage"]["output"] for record in answered(tmp_path / name / "run")]
                == [6050, 6050])
        assert results(tmp_path / name / "run")["total_cost_usd"] == pytest.approx(0.126)
