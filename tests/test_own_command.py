"""Metrics of the user's own as programs (`--own-metric`): the same numbers as the built-in ones,
and a clear sentence for a program that fails, with no case lost."""
import json, re

import numpy
import pytest

from own_programs import DECLARED, PYTHON, WELL, write_metric
from support import ROOT, assay, mask, save, score, strict, without_provenance

@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two labels; case 0 has an empty prediction of label 2, case 1 an empty reference of 1, and
    case 2 lacks label 1 on both sides."""
    folder = tmp_path_factory.mktemp("own study")
    generator = numpy.random.default_rng(4)
    for i in range(6):
        reference = generator.integers(0, 3, (6, 5, 4)).astype("u1")
        other = generator.integers(0, 3, (6, 5, 4))
        prediction = numpy.where(generator.random((6, 5, 4)) < 0.3, other, reference).astype("u1")
        if i == 0:
            prediction[prediction == 2] = 0
        if i == 1:
            reference[reference == 1] = 0
        if i == 2:
            prediction[prediction == 1] = reference[reference == 1] = 0
        save(folder / f"pred/sub-{i}.nii.gz", prediction)
        save(folder / f"ref/sub-{i}.nii.gz", reference)
    return folder


def words(study, *options):
    return [study / "pred", study / "ref", "--labels", "1,2", *options]


def values(result, metric):
    return [label[metric] for case in result["cases"] for label in case["label"].values()]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_program_for_dice_gives_our_dice(study, tmp_path, jobs):
    file = write_metric(tmp_path / "a folder")
    found = score(*words(study, "--metrics", "my_dice,dice", "--own-metric", file, "--jobs", jobs))
    assert found["settings"]["metrics"] == ["my_dice", "dice"]
    assert values(found, "my_dice") == pytest.approx(values(found, "dice"), abs=1e-12)
    declared, = found["settings"]["own_metrics"]
    assert declared["kind"] == "command" and len(declared["sha256"]) == 64
    assert str(tmp_path) not in json.dumps(found["settings"])


def test_without_a_list_it_is_added_to_the_standard_metrics(study, tmp_path):
    found = score(*words(study, "--own-metric", write_metric(tmp_path)))
    assert found["settings"]["metrics"] == ["dice", "nsd", "hd95", "avd", "mcc", "my_dice"]


def test_the_table_shows_it_with_its_unit(study, tmp_path):
    file = write_metric(tmp_path, declared='better = "lower"\nunit = "mm"\n', name="gap")
    shown = assay("score", *words(study, "--metrics", "dice", "--own-metric", file)).stdout
    assert re.search(r"^gap \(mm\) +\d", shown, re.M)


def test_shards_merge_to_the_file_of_one_run(study, tmp_path):
    options = words(study, "--metrics", "dice", "--own-metric", write_metric(tmp_path))
    assay("score", *options, "--out", tmp_path / "whole.json")
    for shard in (1, 2):
        assay("score", *options, "--shard", f"{shard}/2", "--out", tmp_path / "parts/whole.json")
    assay("merge", tmp_path / "parts", "--out", tmp_path / "merged.json")
    assert without_provenance(tmp_path / "merged.json") == without_provenance(
        tmp_path / "whole.json")


def test_shards_with_another_declaration_do_not_fit(study, tmp_path):
    for shard, declared in ((1, DECLARED), (2, 'better = "lower"\nrange = [0, 1]\n')):
        file = write_metric(tmp_path, declared=declared)
        assay("score", *words(study, "--metrics", "dice", "--own-metric", file), "--shard",
              f"{shard}/2", "--out", tmp_path / "parts/whole.json")
    done = assay("merge", tmp_path / "parts", "--out", tmp_path / "merged.json", status=2)
    assert "was made with other settings: metrics is" in done.stderr


FAULTS = {
    "raises": ("raise ValueError('no luck')", "ended with status 1 instead of answering"),
    "says so": ('print(json.dumps({"error": "no luck"}), flush=True)',
                "the program reported: no luck"),
    "garbage": ('print("0.5 is the value", flush=True)', "is not a JSON object: 0.5 is the value"),
    "nothing": ('print("{}", flush=True)', "it answered with none of"),
    "text": ('print(json.dumps({"value": "0.5"}), flush=True)', "it answered with none of"),
    "not a number": ('print(\'{"value": NaN}\', flush=True)', "it gave nan, which is not finite"),
    "out of range": ('print(\'{"value": 1.5}\', flush=True)', "outside its range of 0 to 1"),
    "another id": ('print(\'{"id": 99, "value": 1}\', flush=True)',
                   "it answered for the id 99 when asked for"),
    "killed": ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
    "slow": ("time.sleep(60)", "did not answer within 8 s"),
}


@pytest.mark.parametrize("answer, sentence", FAULTS.values(), ids=FAULTS)
def test_a_program_that_fails_loses_no_case(study, tmp_path, answer, sentence):
    only_first = f"""
    if question["case"] == "sub-3" and question["label"] == "1":
        {answer}
    else:
        {WELL}
"""
    slow = "timeout_s = 8\n" if "sleep" in answer else ""
    file = write_metric(tmp_path, only_first.strip(), DECLARED + slow)
    done = assay("score", *words(study, "--metrics", "dice", "--own-metric", file, "--json"),
                 status=3)
    found = strict(done.stdout)
    label = found["cases"][3]["label"]["1"]
    assert label["undefined"] == {"my_dice": "own_metric_failed"}
    assert sentence in label["messages"]["my_dice"]
    assert ("warning: the metric my_dice failed 1 time; the first: case sub-3, 1: "
            in done.stderr) and sentence in done.stderr
    assert found["ledger"]["scored"] == 6 and found["ledger"]["own_metric_failures"] == 1
    assert found["metrics"]["dice"]["n"] == 6 and found["metrics"]["my_dice"]["n"] == 5
    others = [value for value in values(found, "my_dice") if value is not None]
    assert len(others) == 11


def test_undefined_answers_keep_their_reason(study, tmp_path):
    file = write_metric(tmp_path, 'print(json.dumps({"undefined": "no lesion"}), flush=True)')
    found = score(*words(study, "--metrics", "dice", "--own-metric", file))
    label = found["cases"][3]["label"]["1"]
    assert label["undefined"] == {"my_dice": "own_metric_undefined"}
    assert label["messages"] == {"my_dice": "no lesion"}
    assert found["cases"][0]["label"]["2"]["undefined"] == {"my_dice": "prediction_empty"}


REFUSED = {
    "no file": (None, "absent.toml"),
    "no command": ('name = "a"\nbetter = "lower"\n', "has no 'command'"),
    "no direction": ('name = "a"\ncommand = "true"\n', "does not say which way it improves"),
    "no name": ('better = "lower"\ncommand = "true"\n', "cannot be the name of a metric"),
    "ours": ('name = "dsc"\nbetter = "lower"\ncommand = "true"\n', "'dsc' is a metric of assay"),
    "unknown key": ('name = "a"\nbetter = "lower"\ncommand = "true"\ntitel = "A"\n',
                    "has a member 'titel'"),
    "a shell": ('name = "a"\nbetter = "lower"\ncommand = "true | cat"\n', "'command' in"),
    "no program": ('name = "a"\nbetter = "lower"\ncommand = "no-such-program-here"\n',
                   "no-such-program-here"),
    "no handshake": ('name = "a"\nbetter = "lower"\ncommand = "true"\n',
                     "ended with status 0 instead of answering"),
    "wrong handshake": ('name = "a"\nbetter = "lower"\ncommand = "echo {}"\n',
                        "its handshake must have"),
    "no time": ('name = "a"\nbetter = "lower"\ncommand = "true"\ntimeout_s = 0\n',
                "'timeout_s' must be above 0"),
    "not TOML": ("name", "a.toml"),
}


@pytest.mark.parametrize("text, sentence", REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_meant_is_refused_before_any_case(study, tmp_path, text, sentence):
    file = tmp_path / ("absent.toml" if text is None else "a.toml")
    if text is not None:
        file.write_text(text)
    done = assay("score", *words(study, "--own-metric", file, "--out", tmp_path / "r.json"),
                 status=2)
    assert sentence in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "r.json").exists()


def test_two_metrics_of_one_name_are_refused(study, tmp_path):
    file = write_metric(tmp_path)
    done = assay("score", *words(study, "--own-metric", file, "--own-metric", file), status=2)
    assert "there are two metrics called 'my_dice'" in done.stderr


def test_a_resumed_run_asks_only_for_what_failed(study, tmp_path):
    asked, broken = str(tmp_path / "asked"), str(tmp_path / "broken")
    counted = (f'open({asked!r}, "a").write(question["case"] + "\\n")\n'
               f'    if os.path.exists({broken!r}) and question["case"] == "sub-4":\n'
               f'        sys.exit("broken")\n    {WELL}')
    options = words(study, "--metrics", "dice", "--own-metric", write_metric(tmp_path, counted),
                    "--out", tmp_path / "r.json", "--jobs", "1")
    (tmp_path / "broken").touch()
    assay("score", *options, status=3)
    (tmp_path / "broken").unlink()
    (tmp_path / "asked").unlink()
    assay("score", *options, "--resume")
    assert set((tmp_path / "asked").read_text().split()) == {"sub-4"}
    found = strict((tmp_path / "r.json").read_text())
    assert values(found, "my_dice") == pytest.approx(values(found, "dice"), abs=1e-12)
    file = tmp_path / "my_dice.py"
    file.write_text(file.read_text().replace('"version": "1"', '"version": "2"'))
    done = assay("score", *options, "--resume", status=2)
    assert "with other settings" in done.stderr


def test_a_finished_shard_with_a_failed_value_is_scored_again(study, tmp_path):
    broken = 'sys.exit("broken") if question["case"] == "sub-4" else ' + WELL
    options = words(study, "--metrics", "dice", "--own-metric", tmp_path / "my_dice.toml",
                    "--shard", "1/1", "--out", tmp_path / "parts/r.json", "--resume")
    write_metric(tmp_path, broken)
    assert "1 failed" in assay("score", *options, status=3).stdout
    write_metric(tmp_path)
    assert "0 failed" in assay("score", *options).stdout
    assay("merge", tmp_path / "parts", "--out", tmp_path / "r.json")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$",
                      (ROOT / "docs/own-metrics.md").read_text(), re.M | re.S)


def test_the_program_of_the_guide_works(tmp_path, monkeypatch):
    for i in range(3):
        save(tmp_path / f"predictions/case_{i}.nii.gz", mask(numpy.s_[1:3, :, :]))
        save(tmp_path / f"labelsTr/case_{i}.nii.gz", mask(numpy.s_[1:5, :, :]))
    monkeypatch.chdir(tmp_path)
    toml, = blocks("toml")
    program, = [block for block in blocks("python") if "sys.stdin" in block]
    command, = blocks("sh")
    (tmp_path / "volume_ratio.toml").write_text(toml.replace("python3", PYTHON))
    (tmp_path / "volume_ratio.py").write_text(program)
    _, *options = command.split()
    found = strict(assay(*options, "--json").stdout)
    assert found["metrics"]["volume_ratio"]["mean"] == 0.5
