"""Bad input: the right exit status, one clear line that names file and remedy, nothing left
behind."""
import gzip, json, os, re, shutil, struct, subprocess

import nibabel
import numpy
import pytest

from support import BOX, PROGRAM, assay, cohort, listing, mask, random_mask, save, score, strict

NOISE = re.compile(r"terminate called|what\(\)|std::|Traceback|nlohmann|CLI::|TBB|should not have "
                   r"happened|exception", re.I)


def only_line(done):
    """The one line on standard error; nothing on standard output."""
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and not NOISE.search(done.stderr), done.stderr
    return lines[0]


# ---- Files that are no sound image --------------------------------------------------------------

def nifti(**fields):
    """An uncompressed image with fields of its header overwritten: name=(offset, format, value)."""
    data = bytearray(nibabel.Nifti1Image(mask(BOX), numpy.eye(4)).to_bytes())
    for offset, form, *values in fields.values():
        struct.pack_into("<" + form, data, offset, *values)
    return bytes(data)


def dims(*values):
    return nifti(dim=(40, "8h", *(values + (1,) * (8 - len(values)))))


def voxels(value):
    out = mask(BOX).astype(numpy.float32)
    out[1, 2, 3] = value
    return nibabel.Nifti1Image(out, numpy.eye(4)).to_bytes()


PACKED = gzip.compress(nibabel.Nifti1Image(random_mask(0), numpy.eye(4)).to_bytes())
BAD_FILES = {  # name: (bytes, file ending, what is said)
    "empty file": (b"", ".nii.gz", r"is empty \(0 bytes\); copy it again"),
    "cut gzip, little left": (gzip.compress(nifti())[:40], ".nii.gz",
                              r"its NIfTI-1 header is cut short: \d+ of 348 bytes; copy or "
                              r"download it again"),
    "cut gzip": (PACKED[: len(PACKED) * 3 // 4], ".nii.gz",
                 r"the compressed data are cut short; copy or download the file again"),
    "cut gzip header": (PACKED[:6], ".nii.gz",
                        r"the compressed data are damaged or cut short; copy or download the file "
                        r"again"),
    "damaged gzip": (PACKED[:-8] + bytes(4) + PACKED[-4:], ".nii.gz",
                     r"the compressed data are damaged: their checksum does not match; copy or "
                     r"download the file again"),
    "cut header": (nifti()[:200], ".nii",
                   r"its NIfTI-1 header is cut short: 200 of 348 bytes; copy or download it "
                   r"again"),
    "cut voxels": (nifti()[:-7], ".nii",
                   r"is cut short: its header states \d+ bytes, but the file has \d+; copy or "
                   r"download it again"),
    "text": (b"not an image at all\n" * 50, ".nii.gz",
             r"is not a supported image format \(judged by its content\); assay reads NIfTI.*"),
    "web page": (b"<!DOCTYPE html><html>404</html>" * 20, ".nii.gz",
                 r"is not a supported image format \(judged by its content\); assay reads "
                 r"NIfTI.*"),
    "no axes": (dims(0, 0, 0, 0), ".nii", r"its header counts 0 axes; an image has 2 to 7"),
    "zero dim": (dims(3, 10, 0, 8), ".nii",
                 r"its size is 10x0x8: every axis needs at least one voxel"),
    "negative dim": (dims(3, 10, -9, 8), ".nii",
                     r"its size is 10x-9x8: every axis needs at least one voxel"),
    "enormous dims": (dims(3, 32767, 32767, 32767), ".nii",
                      r"is cut short: its header states 35181150962015 bytes, but the file has "
                      r"1072; copy or download it again"),
    "enormous dims, gzip": (gzip.compress(dims(3, 32767, 32767, 32767)), ".nii.gz",
                            r"its header states \d+ bytes, more than \d+ compressed bytes can "
                            r"hold.*"),
    "more than memory": (dims(7, 32767, 32767, 32767, 32767, 32767, 2, 2), ".nii",
                         r"holds \d+ volumes \([0-9x]+\); assay takes one volume per file, so "
                         r"split it"),
    "four-dimensional": (nibabel.Nifti1Image(
        numpy.zeros((4, 4, 4, 3), numpy.uint8), numpy.eye(4)).to_bytes(), ".nii",
                         r"holds \d+ volumes \([0-9x]+\); assay takes one volume per file, so "
                         r"split it"),
    "unknown type": (nifti(type=(70, "h", 99)), ".nii",
                     r"its data type has the code 99, which NIfTI does not define"),
    "complex": (nifti(type=(70, "h", 32)), ".nii",
                r"its data type is complex64; assay reads scalar voxels only, so convert it"),
    "no affine": (nifti(code=(254, "h", 1), rows=(280, "12f", *[0] * 12)), ".nii",
                  r"its sform is singular: voxels would coincide in space; repair it, or set "
                  r"sform_code to 0 to use the qform"),
    "NaN voxel": (voxels(numpy.nan), ".nii",
                  r"1 voxel is NaN or infinite, the first at \(1, 2, 3\); replace it \(by 0 for "
                  r"background\) and score again"),
    "infinite voxel": (voxels(numpy.inf), ".nii",
                       r"1 voxel is NaN or infinite, the first at \(1, 2, 3\); replace it \(by 0 "
                       r"for background\) and score again"),
}


@pytest.fixture
def three(tmp_path):
    return cohort(tmp_path, ["a", "b", "c"])


@pytest.mark.parametrize("side", ["prediction", "reference"])
@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_in_a_cohort(tmp_path, three, name, side):
    data, ending, said = BAD_FILES[name]
    folder = three[side == "reference"]
    (folder / "b.nii.gz").unlink()
    (folder / f"b{ending}").write_bytes(data)
    done = assay("score", *three, "--json", "--out", tmp_path / "r.json", status=3)
    (line,) = [x for x in done.stderr.splitlines() if not x.startswith("results: ")]
    assert re.fullmatch(rf"not scored: b: {side} b{re.escape(ending)}: ({said})", line), line
    assert not NOISE.search(done.stderr)
    result = strict(done.stdout)
    assert [case["status"] for case in result["cases"]] == ["ok", "failed", "ok"]
    assert result["cases"][1]["error"] == line.removeprefix("not scored: b: ")
    assert result["ledger"]["failed"] == 1 and result["num_samples"] == 2
    assert listing(tmp_path) == sorted([*(f"{s}/{i}.nii.gz" for s in ("pred", "ref") for i in "ac"),
                                        "pred", "ref", f"{folder.name}/b{ending}",
                                        f"{three[side != 'reference'].name}/b.nii.gz", "r.json",
                                        "r.json.journal"])


@pytest.mark.parametrize("name", ["empty file", "text", "cut header"])
def test_a_bad_file_alone(tmp_path, name):
    data, ending, said = BAD_FILES[name]
    (tmp_path / f"b{ending}").write_bytes(data)
    save(tmp_path / "r.nii", mask(BOX))
    before = listing(tmp_path)
    done = assay("score", tmp_path / f"b{ending}", tmp_path / "r.nii", "--out",
                 tmp_path / "out.json", status=2)
    first, last = done.stderr.splitlines()
    assert re.fullmatch(rf"not scored: r: prediction b{re.escape(ending)}: ({said})", first), first
    assert last == "assay: no case could be scored; nothing was written"
    assert done.stdout == "" and listing(tmp_path) == before


def test_no_truncation_goes_unnoticed(tmp_path):
    """Cut after any byte, a compressed image is refused: there is no length at which it looks
    whole."""
    for cut in range(len(PACKED) + 1):
        save(tmp_path / f"ref/{cut:03}.nii", random_mask(0))
        (tmp_path / "pred").mkdir(exist_ok=True)
        (tmp_path / f"pred/{cut:03}.nii.gz").write_bytes(PACKED[:cut])
    result = score(tmp_path / "pred", tmp_path / "ref", status=3)
    assert ([case["id"] for case in result["cases"] if case["status"] == "ok"]
            == [f"{len(PACKED):03}"])


def failed_case(three, change, *options):
    """What is said of case b when its prediction is `change`d."""
    change(three[0] / "b.nii.gz")
    done = assay("score", *three, *options, "--json", status=3)
    result = strict(done.stdout)
    assert [case["status"] for case in result["cases"]] == ["ok", "failed", "ok"]
    return only_line(subprocess.CompletedProcess([], 3, "", done.stderr))


GRIDS = [
    (lambda path: save(path, random_mask(0, (10, 9, 7))),
     "the images have different shapes; give --resample prediction"),
    (lambda path: save(path, random_mask(0), numpy.diag([1, 1, 2, 1.0])),
     "--allow-affine-mismatch if a header is wrong"),
    (lambda path: save(path, random_mask(0),
                       numpy.array([[.9, -.43, 0, 0], [.43, .9, 0, 0], [0, 0, 1, 0],
                                    [0, 0, 0, 1]])), "mm apart"),
    (lambda path: save(path, random_mask(0), numpy.diag([-1, 1, 1, 1.0])), "mm apart"),
]


@pytest.mark.parametrize("change, said", GRIDS,
                         ids=["shape", "spacing", "rotation", "flip without shift"])
def test_other_grids(three, change, said):
    line = failed_case(three, change)
    assert line.startswith("not scored: b: ") and said in line
    assert "prediction: " in line and "reference: " in line and line.count("voxels of") == 2


def test_labels_need_whole_numbers(three):
    line = failed_case(three, lambda path: save(path, random_mask(0).astype(numpy.float32) * 0.5),
                       "--labels", "1")
    assert re.search(r"prediction b\.nii\.gz: voxel .* is 0\.5, which is not a whole "
                     r"number.*threshold", line), line


def unprivileged():
    """A command that drops root's right to read everything."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("running as root, and there is no setpriv")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def as_nobody(tmp_path, *arguments):
    command = unprivileged()
    program = PROGRAM
    if command:  # neither the build tree nor pytest's folders need be open to others
        program = tmp_path / "assay"
        shutil.copy(PROGRAM, program)
        for folder in [tmp_path, *tmp_path.parents]:
            if not folder.stat().st_mode & 0o001:
                if not str(folder).startswith("/tmp/pytest-of-"):
                    pytest.skip(f"{folder} is closed to other users")
                folder.chmod(folder.stat().st_mode | 0o011)
    return subprocess.run([*command, program, *map(str, arguments)], text=True, capture_output=True,
                          timeout=60)


def test_an_unreadable_file(tmp_path, three):
    (three[0] / "b.nii.gz").chmod(0)
    done = as_nobody(tmp_path, "score", *three, "--json")
    assert done.returncode == 3, done.stderr
    assert done.stderr == ("not scored: b: prediction b.nii.gz: may not be accessed; check the "
                           "permissions of the file "
                           "and its folder\n")


def test_an_unreadable_folder(tmp_path, three):
    three[0].chmod(0)
    try:
        done = as_nobody(tmp_path, "score", *three)
    finally:
        three[0].chmod(0o755)
    assert done.returncode == 2
    assert re.search(r"/pred: the folder cannot be read; check the path and its permissions",
                     only_line(done))


def test_an_unwritable_folder(tmp_path, three):
    (tmp_path / "closed").mkdir(mode=0o555)
    for option in ("--out", "--csv"):
        done = as_nobody(tmp_path, "score", *three, option, tmp_path / "closed/r")
        assert done.returncode == 2
        assert ("/closed/r: may not be accessed; check the permissions of the file and its folder"
                in only_line(done))
        assert listing(tmp_path / "closed") == []


# ---- Requests that cannot be met ----------------------------------------------------------------

def test_a_full_disk(tmp_path, three):
    if (os.geteuid() != 0 or not shutil.which("unshare")
        or subprocess.run(["unshare", "-m", "true"]).returncode):
        pytest.skip("mounting a small disk needs root and unshare")
    disk = tmp_path / "disk"
    disk.mkdir()
    script = ('mount -t tmpfs -o size=64k none "$1" || exit 77; head -c 60000 /dev/zero > '
              '"$1/old"; '
              'head -c 60000 /dev/zero >> "$1/old" 2>/dev/null; "$2" score "$3" "$4" --out '
              '"$1/r.json"; echo $?; ls -A "$1"')
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", disk, PROGRAM, *three],
                          text=True, capture_output=True)
    if done.returncode == 77:
        pytest.skip("a tmpfs may not be mounted here")
    assert done.stdout.split() == ["2", "old"]
    assert re.fullmatch(r"assay: .*/r\.json\.journal: .*is the disk full\?.*\n",
                        done.stderr), done.stderr


def test_full_standard_output(three):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "score", *three, "--json"], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "assay: the output cannot be written; is the disk full?\n"


@pytest.mark.parametrize("option", ["--out", "--csv"])
def test_results_never_replace_a_device(tmp_path, three, option):
    os.mkfifo(tmp_path / "pipe")
    line = only_line(assay("score", *three, option, tmp_path / "pipe", status=2))
    assert (line
            == f"assay: {tmp_path}/pipe: is a pipe or a device; results are written to files only")
    assert listing(tmp_path)[0] == "pipe" and (tmp_path / "pipe").is_fifo()
    assert "pipe.journal" not in listing(tmp_path)


REQUESTS = {  # name: (arguments, what is said); {} is the folder
    "no such prediction": (["{}/nowhere", "{}/ref"],
                           r"{}/nowhere: no such file or folder; it was given as the prediction"),
    "no such reference": (["{}/pred", "{}/nowhere"],
                          r"{}/nowhere: no such file or folder; it was given as the reference"),
    "name too long": (["x" * 5000, "{}/ref"],
                      r"x+: cannot be looked at; check the path \(File name too long\)"),
    "file and folder": (["{}/pred/a.nii.gz", "{}/ref"],
                        r"the prediction is a file and the reference a folder; give two files, two "
                        r"folders, or --manifest"),
    "empty folder": (["{}/empty", "{}/ref"],
                     r"{}/empty: contains no image; assay reads files ending in .*\.nii\.gz.*"),
    "no match": (["{}/other", "{}/ref"],
                 r"no prediction matches a reference by name \(.*\); say how with --pred-pattern "
                 r"and --ref-pattern.*"),
    "two files": (["{}/twice", "{}/ref"], r".*a\.nii and a\.nii\.gz.*|.*a\.nii\.gz and a\.nii.*"),
    "several fit": (["{}/several", "{}/single"],
                    r"case a: several predictions fit, such as a_1\.nii\.gz and a_2\.nii\.gz; "
                    r"choose with --pred-pattern '.*'"),
    "swapped": (["{}/ref", "{}/nnunet"],
                r"{}/nnunet: given as the reference, but it holds nnU-Net's "
                r"predict_from_raw_data_args.json; the prediction comes first, so swap the two"),
    "nothing given": ([],
                      r"give predictions and references: assay score PRED REF, or --manifest "
                      r"cases.csv"),
    "given twice": (["{}/pred", "{}/ref", "--pred", "{}/pred"], r"the prediction is given twice"),
    "pattern without id": (["{}/pred", "{}/ref", "--pred-pattern", "*.nii.gz"],
                           r"the pattern '\*\.nii\.gz' has no \{{id\}}; write, for example, "
                           r"'\{{id\}}_mask.nii.gz'"),
    "pattern without match": (["{}/pred", "{}/ref", "--ref-pattern", "{{id}}_x.nii.gz"],
                              r"the pattern '\{{id\}}_x\.nii\.gz' matches no file; there is, for "
                              r"example, a\.nii\.gz"),
    "label in one pattern": (["{}/pred", "{}/ref", "--ref-pattern", "{{label}}{{id}}.nii.gz"],
                             r"\{{label\}} is in only one pattern.*|.*matches no file.*"),
    "labels, twice": (["{}/pred", "{}/ref", "--labels", "1,2,1"],
                      r"label or region '1' is asked for twice"),
    "labels and all": (["{}/pred", "{}/ref", "--labels", "all", "--region", "a=1"],
                       r"--labels all and --region exclude each other.*"),
    "labels, ignored": (["{}/pred", "{}/ref", "--labels", "1,3", "--ignore-label", "3"],
                        r"label 3 is ignored, so it cannot be scored; drop it, or drop "
                        r"--ignore-label"),
    "labels and threshold": (["{}/pred", "{}/ref", "--labels", "1", "--threshold", "0.5"],
                             r"--threshold turns the prediction into one foreground mask.*"),
    "threshold NaN": (["{}/pred", "{}/ref", "--threshold", "nan"],
                      r"--threshold must be a finite number, such as 0.5"),
    "metric": (["{}/pred", "{}/ref", "--metrics", "dise"],
               r"there is no metric 'dise'; did you mean 'dice'\? \('assay metrics' lists them\)"),
    "convention": (["{}/pred", "{}/ref", "--convention", "mona"],
                   r"there is no convention 'mona'; did you mean 'monai'\? \(known: .*\)"),
    "compat and convention": (["{}/pred", "{}/ref", "--compat", "spec", "--convention", "monai"],
                              r"--compat spec sets the convention; drop --convention"),
    "resume without out": (["{}/pred", "{}/ref", "--resume"],
                           r"--resume needs --out: the file of the run to continue"),
    "csv is a folder": (["{}/pred", "{}/ref", "--csv", "{}/empty"],
                        r"{}/empty: is a folder; give a file"),
    "out below a file": (["{}/pred", "{}/ref", "--out", "{}/cases.csv/r.json"],
                         r"{}/cases\.csv/r\.json: does not exist: a part of its path is a file, "
                         r"not a folder"),
    "no manifest": (["--manifest", "{}/none.csv"],
                    r"{}/none\.csv: does not exist; check the spelling"),
    "empty manifest": (["--manifest", "{}/nothing.csv"],
                       r"{}/nothing\.csv: line 1: the table is empty; its first line names the "
                       r"columns"),
    "manifest without cases": (["--manifest", "{}/header.csv"],
                               r"{}/header\.csv: the manifest lists no case"),
    "manifest without columns": (["--manifest", "{}/columns.csv"],
                                 r"{}/columns\.csv: has no column 'reference'; a manifest has id, "
                                 r"prediction, reference, and any others as groups"),
    "manifest, ragged": (["--manifest", "{}/ragged.csv"],
                         r"{}/ragged\.csv: line 2: has 2 fields where the header has 3"),
    "manifest, repeated": (["--manifest", "{}/repeated.csv"],
                           r"{}/repeated\.csv: case a is listed twice; ids must be unique"),
    "manifest, no id": (["--manifest", "{}/unnamed.csv"],
                        r"{}/unnamed\.csv: a case has no id; give every line one"),
    "dataset.json, none": (["{}/pred", "{}/ref", "--dataset-json", "{}/none.json"],
                           r"{}/none\.json: (.*: )?does not exist; check the spelling"),
    "dataset.json, broken": (["{}/pred", "{}/ref", "--dataset-json", "{}/cases.csv"],
                             r"{}/cases\.csv: .*not valid JSON.*"),
    "dataset.json, other": (["{}/pred", "{}/ref", "--dataset-json", "{}/other.json"],
                            r'{}/other\.json: has no "labels"; is it nnU-Net\'s dataset.json\?'),
}

CSV = {"cases": "id,prediction,reference\na,pred/a.nii.gz,ref/a.nii.gz\n", "nothing": "",
       "header": "id,prediction,reference\n", "columns": "id,prediction,truth\na,b,c\n",
       "ragged": "id,prediction,reference\na,b\n",
       "repeated": "id,prediction,reference\na,pred/a.nii.gz,ref/a.nii.gz\nb,x,y\n"
                   "a,pred/b.nii.gz,ref/b.nii.gz\n",
       "unnamed": "id,prediction,reference\n,pred/a.nii.gz,ref/a.nii.gz\n"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    cohort(folder, ["a", "b", "c"])
    for name in ("other/x1", "other/y2", "twice/a", "several/a_1", "several/a_2", "single/a",
                 "nnunet/a", "nnunet/b"):
        save(folder / f"{name}.nii.gz", mask(BOX))
    save(folder / "twice/a.nii", mask(BOX))
    (folder / "nnunet/predict_from_raw_data_args.json").write_text("{}")
    (folder / "other.json").write_text('{"name": "something"}')
    (folder / "empty").mkdir()
    for name, text in CSV.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_that_cannot_be_met(place, name):
    arguments, said = REQUESTS[name]
    before = listing(place)
    done = assay("score", *(a.format(place) for a in arguments), status=2)
    assert re.fullmatch("assay: " + said.format(*[re.escape(str(place))] * 3),
                        only_line(done)), done.stderr
    assert listing(place) == before


USAGE = {
    "command": (["scroe"], "assay: there is no command 'scroe'; did you mean 'score'?"),
    "no command of a family": (["qa"], "assay qa: give a command"),
    "an option twice": (["score", "p", "r", "--beta", "1", "--beta", "2"],
                        "assay score: --beta: is given more than once"),
    "list": (["score", "p", "r", "--nsd-tolerance", "1,,2"],
             "assay score: --nsd-tolerance: an entry of the list is empty"),
    "option of none": (["--jsn"], "assay: there is no option '--jsn'"),
    "option": (["score", "p", "r", "--thresold", "1"],
               "assay score: there is no option '--thresold'; did you mean '--threshold'?"),
    "option with value": (["score", "p", "r", "--lables=1"],
                          "assay score: there is no option '--lables'; did you mean '--labels'?"),
    "word": (["score", "p", "r", "--missing", "wrost"],
             "assay score: --missing: 'wrost' is not one of exclude|worst|error; did you mean "
             "'worst'?"),
    "number": (["score", "p", "r", "--threshold", "half"],
               "assay score: --threshold: 'half' is not a number"),
    "jobs": (["score", "p", "r", "--jobs", "-1"],
             "assay score: --jobs: '-1' is not a whole number of 0 or more"),
    "many jobs": (["score", "p", "r", "--jobs", "9" * 12],
                  "assay score: --jobs: '999999999999' is not a whole number of 0 or more"),
    "label": (["score", "p", "r", "--ignore-label", "1.5"],
              "assay score: --ignore-label: '1.5' is not a whole number"),
    "labels, a word": (["score", "p", "r", "--labels", "1,x"],
                       "assay score: --labels: 'x' is not a label; write whole numbers, such as "
                       "1,2,3"),
    "labels, a gap": (["score", "p", "r", "--labels", "1,,2"],
                      "assay score: --labels: '' is not a label; write whole numbers, such as "
                      "1,2,3"),
    "labels, too large": (["score", "p", "r", "--labels", "9" * 20],
                          "assay score: --labels: '" + "9" * 20
                          + "' is not a label; write whole numbers, such as 1,2,3"),
    "region without labels": (["score", "p", "r", "--region", "whole"],
                              "assay score: --region: 'whole' is not NAME=LABELS; write, for "
                              "example, whole=1,2,4"),
    "region, a word": (["score", "p", "r", "--region", "a=1", "--region", "b=1,c"],
                       "assay score: --region: 'c' is not a label; write whole numbers, such as "
                       "1,2,3"),
    "no value": (["score", "p", "r", "--labels"], "assay score: --labels: needs a value"),
    "empty value": (["score", "p", "r", "--out", ""], "assay score: --out: needs a value"),
    "third file": (["score", "p", "r", "s"], "assay score: unexpected argument 's'"),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(tmp_path, name):
    arguments, said = USAGE[name]
    done = assay(*arguments, status=2, cwd=tmp_path)
    first, second = done.stderr.splitlines()
    assert (first, done.stdout, listing(tmp_path)) == (said, "", [])
    assert re.fullmatch(r"'assay( score| qa)? --help' lists the commands and options\.", second)


@pytest.mark.parametrize("jobs", ["0", "300", "4000000000"])
def test_any_number_of_jobs_works(three, jobs):
    done = assay("score", *three, "--jobs", jobs, "--quiet")
    assert done.stderr == ""


def test_files_that_a_manifest_names_in_vain(place, tmp_path):
    manifest = tmp_path / "cases.csv"
    manifest.write_text("id,prediction,reference\na,a.nii.gz,a.nii.gz\nb,none.nii.gz,b.nii.gz\n"
                        "c,c.nii.gz,\n")
    done = assay("score", "--manifest", manifest, "--pred", place / "pred", "--ref", place / "ref",
                 "--json", status=3)
    assert done.stderr.splitlines() == [
        "not scored: b: the prediction 'none.nii.gz' of the manifest does not exist",
        "not scored: c: the reference '' of the manifest does not exist"]
    assert strict(done.stdout)["ledger"] == {
        "expected": 3, "scored": 1, "failed": 0, "missing_prediction": 1, "missing_reference": 1}


def test_nothing_scored_is_a_failure(tmp_path):
    (tmp_path / "cases.csv").write_text("id,prediction,reference\na,x.nii.gz,y.nii.gz\n")
    done = assay("score", "--manifest", "cases.csv", "--out", "r.json", "--csv", "r.csv", status=2,
                 cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == "assay: no case could be scored; nothing was written"
    assert done.stdout == "" and listing(tmp_path) == ["cases.csv"]


def test_text_that_is_not_utf8(tmp_path):
    """Names in Latin-1, of files and of columns, still give valid JSON."""
    cohort(tmp_path, ["a"])
    for side in (b"pred", b"ref"):
        os.rename(os.fsencode(tmp_path) + b"/" + side + b"/a.nii.gz",
                  os.fsencode(tmp_path) + b"/" + side + b"/\xe4.nii.gz")
    (tmp_path / "cases.csv").write_bytes(b"id,prediction,reference,gr\xf6\xdfe\n"
                                         b"\xe4,pred/\xe4.nii.gz,ref/\xe4.nii.gz,1\n")
    assert score("pred", "ref", cwd=tmp_path)["num_samples"] == 1
    (case,) = score("--manifest", "cases.csv", cwd=tmp_path)["cases"]
    assert list(case["groups"].values()) == ["1"]


def test_an_old_result_survives_a_failure(tmp_path, three):
    assay("score", *three, "--out", tmp_path / "r.json")
    before = (tmp_path / "r.json").read_bytes()
    (three[0] / "b.nii.gz").unlink()
    assay("score", *three, "--out", tmp_path / "r.json", "--missing", "error", status=2)
    assert (tmp_path / "r.json").read_bytes() == before


def test_a_result_never_replaces_an_input_or_another_result(tmp_path):
    save(tmp_path / "p/a.nii.gz", mask(BOX))
    save(tmp_path / "r/a.nii.gz", mask(BOX))
    before = (tmp_path / "p/a.nii.gz").read_bytes()
    done = assay("score", "p", "r", "--out", "p/a.nii.gz", cwd=tmp_path, status=2)
    assert "is an input of this run" in done.stderr
    assert (tmp_path / "p/a.nii.gz").read_bytes() == before
    done = assay("score", "p", "r", "--out", "x.json", "--csv", "./x.json", cwd=tmp_path, status=2)
    assert done.stderr == ("assay: --out and --csv name the same file; choose another for one of "
                           "them\n")
    done = assay("score", "p", "r", "--out", "x.json", "--csv", "x.json.journal", cwd=tmp_path,
                 status=2)
    assert "x.json.journal: is where the journal of this run is kept" in done.stderr
    done = assay("score", "p", "r", "--make-plan", 2, "--plan", "p/a.nii.gz", cwd=tmp_path,
                 status=2)
    assert "is an input of this run" in done.stderr
    assert (tmp_path / "p/a.nii.gz").read_bytes() == before


@pytest.mark.parametrize("option", ["--groups", "--dataset-json", "--label-names", "--manifest"])
@pytest.mark.parametrize("output", ["--out", "--csv"])
def test_a_result_never_replaces_a_file_that_another_option_names(tmp_path, option, output):
    save(tmp_path / "p/a.nii.gz", mask(BOX))
    save(tmp_path / "r/a.nii.gz", mask(BOX))
    (tmp_path / "table").write_text("id,prediction,reference\na,p/a.nii.gz,r/a.nii.gz\n")
    before = (tmp_path / "table").read_bytes()
    sides = () if option == "--manifest" else ("p", "r")
    done = assay("score", *sides, option, "table", output, "./table", cwd=tmp_path, status=2)
    assert "./table: is an input of this run; choose another file" in done.stderr
    assert (tmp_path / "table").read_bytes() == before


def test_arguments_that_cannot_be_names_of_files_are_no_obstacle(tmp_path):
    save(tmp_path / "p/a.nii.gz", mask(BOX))
    save(tmp_path / "r/a.nii.gz", mask(BOX))
    (tmp_path / "x.json").write_text("{}")
    regions = "whole=" + ",".join(str(label) for label in range(1, 200))
    assay("score", "p", "r", "--out", "x.json", "--region", regions, cwd=tmp_path)
    assert "whole" in json.loads((tmp_path / "x.json").read_text())["labels"]


def test_a_result_never_replaces_a_journal(tmp_path):
    save(tmp_path / "p/a.nii.gz", mask(BOX))
    save(tmp_path / "r/a.nii.gz", mask(BOX))
    assay("score", "p", "r", "--out", "x.json", "--keep-journal", cwd=tmp_path)
    before = (tmp_path / "x.json.journal").read_bytes()
    for command in (["score", "p", "r"], ["compare", "x.json", "x.json"], ["parity", "x.json"],
                    ["report", "x.json"]):
        done = assay(*command, "--out", "x.json.journal", cwd=tmp_path, status=2)
        assert "x.json.journal: is a journal or a shard, the record of a run" in done.stderr
    assert (tmp_path / "x.json.journal").read_bytes() == before


def test_a_structure_without_reference_is_never_scored_as_perfect(tmp_path):
    for side, structures in {"p": ["liver", "spleen", "kidney"], "r": ["liver", "spleen"]}.items():
        for name in structures:
            save(tmp_path / side / "a" / f"{name}.nii.gz", mask(BOX))
    for path in ("p/b/liver", "p/b/spleen", "r/b/liver"):
        save(tmp_path / f"{path}.nii.gz", mask(BOX))
    pattern = "{id}/{label}.nii.gz"
    done = assay("score", "p", "r", "--pred-pattern", pattern, "--ref-pattern", pattern, "--json",
                 cwd=tmp_path, status=3)
    assert "note: structure kidney has no reference in any case and is not scored" in done.stderr
    assert "not scored: b: there is no reference of spleen\n" in done.stderr
    result = json.loads(done.stdout)
    assert (result["ledger"]["missing_reference_structures"] == 1
            and result["cases"][1]["label"]["spleen"]["dice"] is None)


def test_masks_that_are_empty_everywhere_are_pointed_out(tmp_path):
    save(tmp_path / "p/a.nii.gz", mask())
    save(tmp_path / "r/a.nii.gz", mask())
    done = assay("score", "p", "r", cwd=tmp_path)
    assert (done.stderr
            == "warning: the foreground is empty in every prediction and every reference\n")
