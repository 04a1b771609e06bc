"""Labels read from answers, votes, and the commands of question answering as functions."""
import http.server
import json
import sys
import threading
import warnings

import numpy as np
import pytest

import assay
from slide_files import write_slide
from spec_vectors import cases, reference
from support import PROGRAM, strict
from support import assay as program

ORGANS = ["Lung", "Breast", "Colon", "Liver"]


def label(text, options=ORGANS, benchmark="tcga", rules="assay"):
    return assay.extract_label(text, benchmark_name=benchmark, options=options, rules=rules).label


# Answer, then its label by each set of rules.
ANSWERS = [
    ('{"answer": 3}', 3, 3, 3),
    ("This is a high-grade lesion; answer 3.", 3, 1, 1),
    ("Vitamin D deficiency; option 2", 2, 4, 4),
    ("The answer is 3 or 4", None, 3, 3),
    ("I see liver", 4, 4, 4),
    ("At 15000: liver", 4, 4, 4),
    ("At 15000: nothing", None, 15000, None),
    ("", None, None, None),
]


@pytest.mark.parametrize("text, ours, spec, giant", ANSWERS)
def test_three_sets_of_rules(text, ours, spec, giant):
    assert [label(text, rules=rules) for rules in ("assay", "spec", "giant")] == [ours, spec, giant]


def test_the_rule_and_the_place():
    found = assay.extract_label('  Two of 5 fit. {"answer": 3}\n', benchmark_name="gtex",
                                options=ORGANS)
    assert found.raw == 'Two of 5 fit. {"answer": 3}' and (found.label, found.rule) == (3, "json")
    begin, end = found.span
    assert found.raw[begin:end] == "3"
    assert (assay.extract_label("1 or 2", benchmark_name="gtex", options=ORGANS).rule
            == "contradiction")


@pytest.mark.parametrize("before", ["", "é ", "日本 – ", "🙂🙂 ", "\u2028 𝔸 "])
def test_the_place_is_counted_in_characters(before):
    found = assay.extract_label(f"\u00a0{before}The answer is liver. ✓", benchmark_name="gtex",
                                options=ORGANS)
    begin, end = found.span
    assert found.label == 4 and found.raw[begin:end] == "liver"
    grade = assay.extract_label(before + '{"isup_grade": 5}', benchmark_name="panda", options=None)
    assert grade.label == 5 and grade.raw[slice(*grade.span)] == "5"


def test_half_a_character_is_no_obstacle():
    found = assay.extract_label('\ud83d {"answer": 2}', benchmark_name="gtex",
                                options=["\udc00", "x"])
    assert (found.label == 2 and found.raw == '\ufffd {"answer": 2}'
            and found.raw[slice(*found.span)] == "2")
    assert (assay.extract_label("\ud83d\ude42 2", benchmark_name="gtex", options=["a", "b"]).raw
            == "🙂 2")
    found.raw.encode()
    assert label('a\0b {"answer": 2}') == 2


def test_options_are_any_sequence_of_texts():
    assert label("C", options=tuple("abc")) == label("C", options=np.array(["a", "b", "c"])) == 3
    assert label("7", options=None) == label("7", options=[]) == 7


@pytest.mark.parametrize("arguments, error, words", [
    (dict(prediction=3), TypeError, "prediction must be text, not int"),
    (dict(prediction=None), TypeError, "prediction"),
    (dict(prediction=b"3"), TypeError, "not bytes"),
    (dict(options="Lung"), TypeError, "options must be a list of texts"),
    (dict(options=["Lung", 2]), TypeError, r"options\[1\] must be text, not int"),
    (dict(options=3), TypeError, "int"),
    (dict(benchmark_name=None), TypeError, "benchmark_name"),
    (dict(rules="giants"), ValueError, "did you mean 'giant'"),
    (dict(rules=None), TypeError, "rules"),
])
def test_wrong_arguments(arguments, error, words):
    given = {"prediction": "3", "benchmark_name": "tcga", "options": ORGANS, **arguments}
    with pytest.raises(error, match=words):
        assay.extract_label(given.pop("prediction"), **given)


def test_benchmark_and_options_must_be_said():
    with pytest.raises(TypeError):
        assay.extract_label("3", benchmark_name="tcga")
    with pytest.raises(TypeError):
        assay.extract_label("3", "tcga", ORGANS)


@pytest.mark.parametrize("case", cases("answer_extraction", "answer_extraction_traps"))
def test_vectors(case):
    given, expected = case["input"], case["expected"]
    arguments = {"benchmark_name": given["benchmark"], "options": given["options"]}
    found = assay.extract_label(given["prediction"], **arguments, rules="giant")
    assert found.label == expected["label"] and found.raw == expected.get("raw", found.raw)
    if case["category"] == "answer_extraction":
        assert assay.extract_label(given["prediction"], **arguments).label == expected["label"]


@pytest.mark.parametrize("entry", reference("answer_extraction", "cases"))
def test_reference(entry):
    arguments = entry["prediction"], entry["options"], entry["benchmark"]
    assert label(*arguments, rules="spec") == entry["spec_label"]
    assert label(*arguments, rules="giant") == entry["giant_label"]


# Labels, winner, tied.
VOTES = [
    ([1], 1, False),
    ([None, 2, 1, 1], 1, False),
    ([2, 1, 1, 2], 2, True),
    ([None, None], None, False),
    ([0, 0, 5], 0, False),
    (np.array([3, 4, 4]), 4, False),
    ((-1, True, 1), 1, False),
]


@pytest.mark.parametrize("labels, winner, tied", VOTES)
def test_votes(labels, winner, tied):
    texts = [f"text {i % 3}" for i in range(len(labels))]
    found = assay.majority_vote(labels, texts)
    assert (found.label, found.tied) == (winner, tied)
    counted = [x for x in labels if x is not None]
    assert (found.counts == {x: counted.count(x) for x in counted}
            and list(found.counts) == list(dict.fromkeys(counted)))
    assert found.prediction == texts[list(labels).index(winner)]
    assert assay.majority_vote(labels).as_dict() == {**found.as_dict(), "prediction": None}


@pytest.mark.parametrize("case", cases("majority_vote"))
def test_vectors_of_votes(case):
    if "raises" in case["expected"]:
        with pytest.raises(ValueError, match=case["expected"]["message_contains"]):
            assay.majority_vote(**case["input"])
        return
    found = assay.majority_vote(**case["input"])
    assert [found.prediction, found.label] == case["expected"]


@pytest.mark.parametrize("case", cases("executor"))
def test_vectors_of_items(case):
    given, expected = case["input"], case["expected"]
    found = assay.majority_vote(given["labels"], given["predictions"])
    assert (found.label == expected["predicted_label"]
            and found.prediction == expected.get("prediction", found.prediction))
    assert (found.label == given["truth"]) is expected["correct"]


@pytest.mark.parametrize("arguments, error, words", [
    (([],), ValueError, "must not be empty"),
    (([1.5],), TypeError, r"labels\[0\] must be a whole number or None, not 1.5"),
    ((["1"],), TypeError, "'1'"),
    (([1 << 63],), ValueError, "below 2\\*\\*63"),
    (([1], ["a", "b"]), ValueError, "same length, not 2 and 1"),
    (([1], "a"), TypeError, "predictions must be a list of texts"),
    (([1], [None]), TypeError, r"predictions\[0\]"),
    ((3,), TypeError, "int"),
])
def test_wrong_votes(arguments, error, words):
    with pytest.raises(error, match=words):
        assay.majority_vote(*arguments)


# A table of four questions with answers: two right, one wrong, one that cannot be read.
HEADER = ("benchmark_name,benchmark_id,image_path,answer,options,is_valid,metric_type,file_id,"
          "prompt\n")
QUESTIONS = HEADER + "".join(f"mine,{i},{i // 2}.svs,{1 + i % 2},Lung|Liver,True,accuracy,,Which "
                             f"organ? {{options}}\n"
                             for i in range(4))
ANSWERED = "benchmark_name,benchmark_id,prediction\nmine,0,Lung\nmine,1,Lung\nmine,2,1\nmine,3,?\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(QUESTIONS)
    (tmp_path / "answers.csv").write_text(ANSWERED)
    (tmp_path / "others.csv").write_text(ANSWERED.replace("mine,1,Lung", "mine,1,Liver"))
    return tmp_path


def replayed(out, answers="answers.csv"):
    return assay.qa_run("table.csv", out, agent="replay", predictions=answers)


def without_provenance(result):
    return {key: value for key, value in result.items() if key != "provenance"}


def test_run_score_compare(study):
    done = replayed(study / "run")
    assert (done["files"] == [str(study / "run/mine_results.json")] and done["calls"] == 4
            and done["stopped"] is None)
    assert replayed("run")["calls"] == 0  # resumed
    with pytest.warns(UserWarning, match="not scored: mine: 1 unparsed .item 3.") as caught:
        numbers = assay.qa_score("run")["benchmarks"][0]
    assert caught[0].filename == __file__
    assert (numbers["metrics"]["point_estimate"] == 0.5
            and numbers["metrics"]["n_extraction_failures"] == 1)
    replayed("other", "others.csv")
    test = assay.qa_compare("run", study / "other")["benchmarks"][0]["all"]
    assert (test["n"], test["only_first_right"], test["only_second_right"]) == (4, 0, 1)


@pytest.mark.filterwarnings("ignore:not scored")
def test_scores_equal_the_program_s_and_take_dicts(study):
    replayed("run")
    found = assay.qa_score("run/mine_results.json", rules="giant", replicates=50)
    theirs = strict(program("qa", "score", "run/mine_results.json", "--rules", "giant",
                            "--replicates", "50", "--json", cwd=study, status=3).stdout)
    assert without_provenance(found) == without_provenance(theirs)
    assert (assay.qa_score(found)["metrics"]["n_total"] == 4
            == len(assay.qa_score([found])["results"]))
    assert assay.qa_compare(found, "run")["benchmarks"][0]["all"]["both_right"] == 2
    assert len(assay.qa_score([found, "run"])["benchmarks"]) == 2


@pytest.mark.filterwarnings("ignore:not scored")
def test_answers_as_a_table(study):
    pytest.importorskip("pandas")
    replayed("run")
    frame = assay.to_dataframe(assay.qa_score("run/mine_results.json"))
    assert (list(frame["correct"]) == [True, False, True, False]
            and set(frame["benchmark"]) == {"mine"})
    with pytest.raises(ValueError, match="rows"):
        assay.to_dataframe(assay.qa_score("run"))


def test_check(study):
    write_slide(study / "slides/0.svs")
    found = assay.qa_check("table.csv", study / "slides", benchmark=["mine"])
    assert found["complete"] is False and found["benchmarks"][0]["ledger"]["missing"] == 1


AGENT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = '{"answer": %d}' % (1 + int(asked["item_id"]) % 2)
    print(json.dumps({"prediction": answer}), flush=True)
"""


def test_an_agent_of_one_s_own(study):
    write_slide(study / "slides/0.svs")
    write_slide(study / "slides/1.svs")
    (study / "agent.py").write_text(AGENT)
    settings = {"wsi_root": "slides", "agent": "command", "command": f"{sys.executable} agent.py",
                "concurrency": 2}
    assert assay.qa_run("table.csv", dry_run=True, **settings)["attempts"] == 4
    assay.qa_run("table.csv", "run", **settings)
    assert assay.qa_score("run")["benchmarks"][0]["metrics"]["point_estimate"] == 1


def test_what_cannot_be_done(study):
    with pytest.raises(ValueError, match="--out RUN is needed"):
        assay.qa_run("table.csv", agent="replay", predictions="answers.csv")
    with pytest.raises(OSError, match="absent.csv"):
        assay.qa_run("absent.csv", "run", agent="replay", predictions="answers.csv")
    with pytest.raises(ValueError, match="no option '--rule'; did you mean '--rules'"):
        assay.qa_score("run", rule="spec")
    with pytest.raises(ValueError, match="no command 'scor'; did you mean 'score'"):
        assay.run("qa scor", "x")
    (study / "slides").mkdir()
    with pytest.raises(ValueError,
                       match=r"^no slide was found for any of the 4 items; .*0.svs: is not "
                             r"below") as caught:
        assay.qa_run("table.csv", "run", wsi_root="slides", agent="command", command="true")
    assert "calls" not in str(caught.value)


class Unfriendly(http.server.BaseHTTPRequestHandler):
    """Refuses every key and repeats it, as some servers do."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        body = json.dumps({"error": {"message": f"Incorrect API key provided: {given}",
                                     "code": "invalid_api_key"}}).encode()
        self.send_response(401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Unfriendly)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{found.server_port}/v1"
    found.shutdown()


KEY = "sk-this-is-secret-0123456789"


@pytest.mark.skipif(not assay.run("doctor")["parts"]["openslide"]["found"],
                    reason="slides need OpenSlide: apt-get install libopenslide0")
def test_a_key_is_never_repeated(study, server, monkeypatch):
    write_slide(study / "slides/0.svs")
    write_slide(study / "slides/1.svs")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match="check the key") as caught:
            assay.qa_run("table.csv", "run", wsi_root="slides", model="m", base_url=server,
                         mode="thumbnail")
    assert KEY not in str(caught.value) and not [w for w in said if KEY in str(w.message)]
    assert not [path for path in (study / "run").rglob("*")
                if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("settings, error", [
    ({"api_key": KEY}, TypeError),
    ({"OPENAI_API_KEY": KEY}, TypeError),
    ({"token": KEY}, TypeError),
    ({"api_key_env": KEY}, ValueError),
    ({"api_key_env": "sk_this_is_secret"}, ValueError),
    ({"base_url": f"http://user:{KEY}@127.0.0.1/v1"}, ValueError),
])
def test_a_key_is_no_setting(study, settings, error):
    with pytest.raises(error, match="environment") as caught:
        assay.qa_run("table.csv", "run", wsi_root=".", model="m", **settings)
    assert "secret" not in str(caught.value) and not (study / "run").exists()


def test_the_name_of_a_variable_is_a_setting(study):
    with pytest.raises(ValueError, match="the environment variable MY_KEY is not set"):
        assay.qa_run("table.csv", "run", wsi_root=".", model="m", api_key_env="MY_KEY")


def test_the_program_has_the_commands():
    assert PROGRAM.exists()
    for name in ("check", "run", "score", "compare"):
        assert callable(getattr(assay, f"qa_{name}")) and name in program("qa", "--help").stdout
