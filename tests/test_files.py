"""Files that change, are linked, or were left behind: nothing ends a run, and nothing that is not
ours is touched."""
import json, os, pathlib, re, stat, subprocess, time

import nibabel
import pytest

from support import PROGRAM, assay, cohort, strict

IDS = ["a", "b", "c"]


@pytest.fixture
def files(tmp_path):
    return cohort(tmp_path, IDS)


def has_open(process, name):
    """Whether a process has a file open or in its memory."""
    folder = pathlib.Path("/proc") / str(process.pid)
    try:
        links = [os.readlink(link) for link in (folder / "fd").iterdir()]
        return (any(link.endswith(name) for link in links)
                or name in (folder / "maps").read_text())
    except OSError:
        return False  # it has ended, or closed the file meanwhile


def test_a_file_that_becomes_shorter_fails_its_case_only(tmp_path, files):
    large = tmp_path / "pred/b.nii"
    (tmp_path / "pred/b.nii.gz").unlink()
    header = nibabel.Nifti1Header()
    header.set_data_shape((1024, 1024, 400))
    header.set_data_dtype("u1")
    header["vox_offset"], header["magic"] = 352, b"n+1"
    large.write_bytes(bytes(header.binaryblock) + bytes(4))
    os.truncate(large, 352 + 1024 * 1024 * 400)
    command = [PROGRAM, "score", *files, "--jobs", "1", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as running:
        while not has_open(running, "/pred/b.nii"):
            assert running.poll() is None, "the file was not read long enough"
            time.sleep(0.0005)
        os.truncate(large, 4096)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 3, err
    # Whether its header had been read by then is a matter of time.
    assert re.search("not scored: b: prediction b.nii: (became shorter while it was read; wait "
                     "until it is written, then run again|is cut short)", err), err
    result = strict(out)
    assert [case["status"] for case in result["cases"]] == ["ok", "failed", "ok"]


def test_a_linked_journal_is_refused_and_its_target_stays(tmp_path, files):
    notes = tmp_path / "notes.txt"
    notes.write_text("years of work\n")
    (tmp_path / "r.json.journal").symlink_to(notes)
    for options in ((), ("--resume",)):
        done = assay("score", *files, "--out", tmp_path / "r.json", *options, status=2)
        assert "r.json.journal: is " in done.stderr
    assert notes.read_text() == "years of work\n"
    assert (tmp_path / "r.json.journal").is_symlink()
    assert not (tmp_path / "r.json").exists()


def test_a_file_that_is_not_a_journal_is_never_emptied(tmp_path, files):
    journal = tmp_path / "r.json.journal"
    journal.write_text("Dear diary,\n")
    done = assay("score", *files, "--out", tmp_path / "r.json", status=2)
    assert "r.json.journal: is not a journal; move it away" in done.stderr
    assert journal.read_text() == "Dear diary,\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_results_keep_their_permissions(tmp_path, files, mode):
    out = tmp_path / "r.json"
    assay("score", *files, "--out", out)
    out.chmod(mode)
    before = out.stat()
    assay("score", *files, "--out", out, "--metrics", "mcc")
    after = out.stat()
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert "mcc" in json.loads(out.read_text())["metrics"]


def test_linked_results_are_written_where_the_link_points_to(tmp_path, files):
    (tmp_path / "large_disk").mkdir()
    (tmp_path / "r.json").symlink_to("large_disk/results.json")
    assay("score", *files, "--out", tmp_path / "r.json")
    assert (tmp_path / "r.json").is_symlink()
    assert json.loads((tmp_path / "large_disk/results.json").read_text())["num_samples"] == 3


def test_what_killed_runs_left_behind_is_removed(tmp_path, files):
    out = tmp_path / "out"
    out.mkdir()
    for name in (".assay-1-0.tmp", ".assay-999999-12.tmp", ".assay-77-0123456789abcdef.tmp"):
        (out / name).write_bytes(bytes(1000))
    for name in (".assay-notes.tmp", "mine.tmp"):
        (out / name).write_text("mine")
    assay("score", *files, "--out", out / "r.json")
    assert sorted(path.name for path in out.iterdir()) == [".assay-notes.tmp", "mine.tmp", "r.json"]
