"""assay split: folds equal to scikit-learn's, files as documented, refusals by name."""
import csv

import numpy
import pytest

from support import assay, listing, strict, vectors


def manifest(folder, columns, name="cases.csv"):
    """Writes {column: values} as a table."""
    path = folder / name
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    return path


def split(path, *options):
    return strict(assay("split", path, *options).stdout)


def cohort(size=56, seed=0):
    """Ids, a site, a volume and a subject for each scan."""
    random = numpy.random.default_rng(seed)
    return {
        "id": [f"scan-{i:03}" for i in range(size)],
        "site": random.choice(["north", "south", "coast"], size, p=[0.5, 0.3, 0.2]).tolist(),
        "volume": random.lognormal(2, 1, size).round(3).tolist(),
        "subject": random.integers(1, size // 3 + 2, size).tolist(),
    }


def inner_of(fold):
    return [(inner["train"], inner["val"]) for inner in fold["inner"]]


def expected(splitter, inner_splitter, ids, labels, groups=None):
    """What nested loops over scikit-learn's splitters give."""
    ids, labels = numpy.array(ids), numpy.array(labels)
    groups = None if groups is None else numpy.array(groups)
    of = lambda where: None if groups is None else groups[where]
    found = []
    for train, test in splitter.split(ids, labels, groups):
        inner = [(ids[train][a].tolist(), ids[train][b].tolist())
                 for a, b in inner_splitter.split(ids[train], labels[train], of(train))]
        found.append((ids[test].tolist(), ids[train].tolist(), inner))
    return found


def same(result, wanted):
    return [(fold["test"], fold["train"], inner_of(fold)) for fold in result["folds"]] == wanted


def test_the_folds_of_the_specification(tmp_path):
    section = vectors("specification-reference")["stratified_kfold"]
    path = manifest(tmp_path,
                    {"id": list(range(len(section["labels"]))), "stratum": section["labels"]})
    result = split(path, "--stratify", "stratum", "--outer", section["n_splits"], "--seed",
                   section["seed"])
    assert [[int(i) for i in fold["test"]] for fold in result["folds"]] == section["test_folds"]


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("outer, inner, seed", [(3, 3, 42), (5, 2, 7), (2, 4, 0), (4, 3, None)])
def test_nested_stratified_folds_equal_scikit_learn(tmp_path, outer, inner, seed):
    selection = pytest.importorskip("sklearn.model_selection")
    data = cohort()
    quartiles = numpy.percentile(data["volume"], [25, 50, 75])
    labels = [f"Q{numpy.searchsorted(quartiles, v) + 1}_{s}"
              for v, s in zip(data["volume"], data["site"])]
    make = lambda k: selection.StratifiedKFold(k, shuffle=seed is not None, random_state=seed)
    flags = ["--no-shuffle"] if seed is None else ["--seed", seed]
    result = split(manifest(tmp_path, data), "--stratify", "volume:4,site", "--outer", outer,
                   "--inner", inner, *flags)
    assert same(result, expected(make(outer), make(inner), data["id"], labels))
    assert result["settings"]["equals_scikit_learn"] is True


@pytest.mark.parametrize("seed", [42, None])
def test_plain_folds_equal_scikit_learn(tmp_path, seed):
    selection = pytest.importorskip("sklearn.model_selection")
    data = cohort(23)
    make = lambda k: selection.KFold(k, shuffle=seed is not None, random_state=seed)
    flags = ["--no-shuffle"] if seed is None else ["--seed", seed]
    result = split(manifest(tmp_path, data), "--outer", 4, "--inner", 3, *flags)
    assert same(result, expected(make(4), make(3), data["id"], data["site"]))


def test_grouped_folds_equal_scikit_learn(tmp_path):
    selection = pytest.importorskip("sklearn.model_selection")
    data = cohort(120)  # subjects are numbers of one and two digits: their order matters
    result = split(manifest(tmp_path, data), "--group", "subject", "--outer", 4, "--inner", 3)
    wanted = expected(selection.GroupKFold(4), selection.GroupKFold(3), data["id"], data["site"],
                      data["subject"])
    assert same(result, wanted)
    assert result["settings"]["shuffle"] is False and result["settings"]["seed"] is None


def test_stratified_groups_equal_scikit_learn_without_shuffle(tmp_path):
    selection = pytest.importorskip("sklearn.model_selection")
    data = cohort(120)
    options = ["--group", "subject", "--stratify", "site", "--outer", 4, "--inner", 3]
    result = split(manifest(tmp_path, data), *options, "--no-shuffle")
    make = selection.StratifiedGroupKFold
    assert same(result, expected(make(4), make(3), data["id"], data["site"], data["subject"]))
    done = assay("split", manifest(tmp_path, data), *options)
    assert "differ from scikit-learn's" in done.stderr
    assert strict(done.stdout)["settings"]["equals_scikit_learn"] is False


def test_a_group_is_never_divided(tmp_path):
    data = cohort(90, seed=3)
    subject = dict(zip(data["id"], data["subject"]))
    for options in ([], ["--stratify", "site"]):
        for fold in split(manifest(tmp_path, data), "--group", "subject", *options)["folds"]:
            pairs = [(fold["test"], fold["train"]), *inner_of(fold)]
            for one, other in pairs:
                assert not {subject[i] for i in one} & {subject[i] for i in other}


def test_the_same_bytes_again_in_a_file_and_on_stdout(tmp_path):
    path = manifest(tmp_path, cohort())
    printed = assay("split", path, "--stratify", "site").stdout
    done = assay("split", path, "--stratify", "site", "--out", tmp_path / "s.json")
    assert done.stdout == "" and (tmp_path / "s.json").read_text() == printed
    assert assay("split", path, "--stratify", "site", "--out", tmp_path / "s.json",
                 "--json").stdout == printed
    assert assay("split", path, "--stratify", "site", "--seed", 43).stdout != printed
    assay("split", path, "--out", f"{tmp_path}/made/")
    assert listing(tmp_path / "made") == ["split.json"]


def test_nnunet_gets_its_list(tmp_path):
    path = manifest(tmp_path, cohort(20))
    ours = split(path, "--outer", 5)["folds"]
    theirs = split(path, "--outer", 5, "--format", "nnunet")
    assert theirs == [{"train": fold["train"], "val": fold["test"]} for fold in ours]
    # Two cases per training set cannot be split in three, but this file needs no inner folds.
    few = manifest(tmp_path, cohort(3), "few.csv")
    assert len(split(few, "--outer", 3, "--format", "nnunet")) == 3


def test_the_file_records_manifest_settings_and_balance(tmp_path):
    data = cohort()
    result = split(manifest(tmp_path, data), "--stratify", "site,volume:2", "--inner", 0)
    assert result["schema"] == "assay.split/1" and result["num_cases"] == 56
    assert result["manifest"]["file"] == "cases.csv" and len(result["manifest"]["sha256"]) == 64
    assert result["settings"]["bin_edges"] == {"volume:2": [numpy.median(data["volume"])]}
    assert all(fold["inner"] == [] for fold in result["folds"])
    for stratum in result["strata"]:
        assert sum(stratum["tested"]) == stratum["cases"] and numpy.ptp(stratum["tested"]) <= 1


def test_talk_goes_to_stderr_and_can_be_turned_off(tmp_path):
    path = manifest(tmp_path, {"scan": ["a", "b", "c", "d"], "site": ["x", "x", "x", "rare"]})
    done = assay("split", path, "--stratify", "site", "--inner", 0)
    assert "note: no column is named 'id', so the first, 'scan', is taken" in done.stderr
    assert "warning: stratum rare has 1 member, fewer than the 3 outer folds" in done.stderr
    assert "fold 2" in done.stderr
    assert assay("split", path, "--stratify", "site", "--inner", 0, "--quiet").stderr == ""


@pytest.mark.parametrize("text, options, says", [
    ("", [], "the table is empty"),
    ("id,site\n", [], "lists no case"),
    ("id,site\na,x\na,y\n", [], "case 'a' is listed twice"),
    ("id,site\na,x\n,y\n", [], "a case has no id"),
    ("id,site\na,x,y\n", [], "line 2: has 3 fields where the header has 2"),
    ("id,site\na,x\nb,x\n", ["--outer", 3], "outer folds: cannot make 3 folds of 2 items"),
    ("id,site\na,x\nb,x\nc,x\n", ["--inner", 3], "inner folds: cannot make 3 folds of 2 items"),
    ("id,site\na,x\nb,x\n", ["--stratify", "cite"], "did you mean 'site'?"),
    ("id,site\na,x\nb,x\n", ["--stratify", "site,"], "an entry of the list is empty"),
    ("id,site\na,x\nb,x\n", ["--group", "subject"], "has no column 'subject'"),
    ("id,v\n" + "".join(f"c{i},{i}.5\n" for i in range(30)), ["--stratify", "v"], "--stratify v:4"),
    ("id,v\na,1\nb,big\n", ["--stratify", "v:2"], "case 'b' has 'big' in column 'v'"),
    ("id\na\nb\n", ["--outer", 1], "--outer must be 2 or more"),
    ("id\na\nb\n", ["--inner", 1], "--inner must be 2 or more, or 0"),
    ("id\na\nb\n", ["--seed", -1], "--seed must be from 0 to 4294967295"),
    ("id\na\nb\n", ["--seed", 1, "--no-shuffle"], "--no-shuffle uses no seed"),
    ("id\na\nb\n", ["--format", "nnunett"], "did you mean 'nnunet'?"),
])
def test_bad_input_is_refused_and_nothing_is_written(tmp_path, text, options, says):
    (tmp_path / "m.csv").write_text(text)
    done = assay("split", tmp_path / "m.csv", *options, "--out", tmp_path / "s.json", status=2)
    assert says in done.stderr and done.stdout == ""
    assert listing(tmp_path) == ["m.csv"]


def test_the_manifest_is_not_overwritten(tmp_path):
    path = manifest(tmp_path, cohort(9))
    before = path.read_bytes()
    assert "is an input of this run" in assay("split", path, "--out", path, status=2).stderr
    assert path.read_bytes() == before
    assert "absent.csv: does not exist" in assay("split", tmp_path / "absent.csv", status=2).stderr


def test_columns_cannot_paint_the_terminal(tmp_path):
    path = manifest(tmp_path, {"id": list("abcdef"), "site": ["\x1b[31mx"] * 6})
    assert "\x1b" not in assay("split", path, "--stratify", "site", "--inner", 0).stderr
