"""--log: every message also goes to a file, with the time."""
import re

from support import assay, cohort, on_a_terminal

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ")


def lines(path):
    """The messages of a log without their times, which every line has."""
    found = path.read_text().splitlines()
    assert all(STAMP.match(line) for line in found)
    return [STAMP.sub("", line, count=1) for line in found]


def test_a_log_has_the_command_its_messages_and_the_end(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (pred / "b.nii.gz").unlink()
    done = assay("score", pred, ref, "--log", tmp_path / "l/run.log", status=3)
    log = lines(tmp_path / "l/run.log")
    assert log[0].startswith("assay ") or log[0].split()[0].endswith("assay")
    assert log[-1] == "exit status 3"
    assert log[1:-1] == done.stderr.splitlines() and any("b" in line for line in log[1:-1])


def test_quiet_silences_the_terminal_and_not_the_log(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    options = ["score", pred, ref, "--out", tmp_path / "r.json", "--log", tmp_path / "run.log"]
    assert assay(*options, "--quiet").stderr == ""
    assert any(line.startswith("results: ") for line in lines(tmp_path / "run.log"))
    before = len(lines(tmp_path / "run.log"))
    assay(*options)
    assert len(lines(tmp_path / "run.log")) == 2 * before  # appended


def test_what_ends_a_command_is_in_its_log(tmp_path):
    err = assay("score", "absent", "absent", "--log", tmp_path / "run.log", status=2).stderr
    assert lines(tmp_path / "run.log")[-1] == err.strip()


def test_a_log_has_no_bars_of_progress_and_no_control_characters(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b\x1b[2J"])
    (pred / "b\x1b[2J.nii.gz").write_bytes(b"nothing")
    status, seen = on_a_terminal("score", pred, ref, "--log", tmp_path / "run.log")
    assert status == 3 and b"\r" in seen
    text = (tmp_path / "run.log").read_bytes()
    assert b"\x1b" not in text and b"\r" not in text and rb"b\x1b[2J" in text
    assert not any("[#" in line for line in lines(tmp_path / "run.log"))


def test_text_is_not_appended_to_what_is_not_a_log(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    before = (ref / "a.nii.gz").read_bytes()
    assert "is not a log" in assay("score", pred, ref, "--log", ref / "a.nii.gz", status=2).stderr
    assert (ref / "a.nii.gz").read_bytes() == before
    assert "/proc/no: " in assay("score", pred, ref, "--log", "/proc/no/l", status=2).stderr


def test_the_value_of_a_header_stays_out_of_the_log(tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    assay("qa", "run", tmp_path / "t.csv", "--header", "key=secret", "--model", "m", "--out",
          tmp_path / "run", "--log", tmp_path / "run.log", status=2)
    assert "secret" not in (tmp_path / "run.log").read_text()
