"""What `assay qa run` may cost: budgets, prices, and what it keeps when the disk is full."""
import pytest

from qa_runs import Server, answered, journal, prices, results, run, slides, table  # noqa: F401


@pytest.mark.parametrize("concurrency", [1, 7])
def test_budget_is_never_exceeded(tmp_path, slides, concurrency):
    questions = table(tmp_path / "t.csv", 30)
    budget = 0.05
    options = ["--crops", 3, "--fault-rate", 0.2, "--fault-kinds", "cut,500", "--seed", 3]
    with Server(tmp_path, *options) as server:
        done = run(questions, slides, tmp_path / "run", server, "--prices", prices(tmp_path), "--budget-usd", budget,
                   "--max-output-tokens", 1000, "--concurrency", concurrency, "--first-wait", 0.01, status=3)
    spent = sum(record["cost_usd"] for record in answered(tmp_path / "run"))
    possible = sum(record.get("possible_usd", 0) for record in journal(tmp_path / "run") if record["kind"] == "call")
    assert "of the budget of $0.0500 is left" in done.stderr
    assert spent > 0 and 0.5 * budget < spent + possible <= budget


def test_unknown_cost_is_null_and_stops_a_budgeted_run(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path, "--no-usage") as server:
        options = ["--mode", "thumbnail", "--concurrency", 1]
        done = run(questions, slides, tmp_path / "run", server, *options, "--prices", prices(tmp_path), "--budget-usd", 5, status=3)
        assert len(server.calls()) == 1 and "budget cannot be kept" in done.stderr
        run(questions, slides, tmp_path / "run", server, *options)
        assert "unknown" in run(questions, slides, tmp_path / "run", server, *options, "--prices", prices(tmp_path),
                                "--budget-usd", 5, status=2).stderr
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
    """Each start may have been charged for its broken calls: the journal stays, and the budget holds over all of them."""
    questions = table(tmp_path / "t.csv")
    options = ["--mode", "thumbnail", "--prices", prices(tmp_path), "--budget-usd", 0.02, "--max-output-tokens", 1000,
               "--first-wait", 0.01, "--concurrency", 2]
    with Server(tmp_path, "--always", "cut") as server:
        run(questions, slides, tmp_path / "run", server, *options, status=2)
        sent = len(server.calls())
        assert sent > 1 and (tmp_path / "run/run.journal").exists()
        done = run(questions, slides, tmp_path / "run", server, *options, status=2)
        assert len(server.calls()) == sent and "perhaps charged" in done.stderr


def test_a_budget_needs_a_bounded_answer(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        options = ["--mode", "thumbnail", "--prices", prices(tmp_path), "--budget-usd", 0.02, "--request-json"]
        for extra in ('{"max_completion_tokens": null}', '{"n": 4}', '{"messages": []}'):
            assert "--request-json" in run(questions, slides, tmp_path / "run", server, *options, extra, status=2).stderr
        dear = '{"max_completion_tokens": null, "max_tokens": 9000000}'
        assert "could cost $18" in run(questions, slides, tmp_path / "run", server, *options, dear, status=2).stderr
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
        run(table(tmp_path / "t.csv", 2), slides, tmp_path / "run", server, "--mode", "thumbnail", "--prices", prices(tmp_path))
    assert results(tmp_path / "run")["total_cost_usd"] == 0.25
