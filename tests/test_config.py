"""Configuration files: which are read, which wins, and what a project's file may not do."""
import json, re

import pytest

from support import assay, cohort, strict


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with two cases; the user's file is tmp_path/config/assay/assay.toml."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/assay").mkdir(parents=True)
    folder = tmp_path / "project"
    cohort(folder, ["a", "b"])
    return folder


def write(folder, text, name="assay.toml"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def of_user(project, text):
    write(project.parent / "config/assay", text)


def run(project, *arguments, **options):
    return assay("score", "pred", "ref", *arguments, cwd=project, **options)


def metrics(done):
    return list(strict(done.stdout)["metrics"])


def test_the_command_line_wins_over_the_project_and_the_project_over_the_user(project):
    of_user(project, '[score]\nmetrics = "mcc"\n')
    assert metrics(run(project, "--json")) == ["mcc"]
    write(project, '[score]\nmetrics = "iou"\n')
    assert metrics(run(project, "--json")) == ["iou"]
    assert metrics(run(project, "--json", "--metrics", "dice")) == ["dice"]
    assert "iou" not in metrics(run(project, "--json", "--no-config"))


def test_options_before_the_first_table_hold_for_every_command(project):
    write(project, 'json = true\n[metrics]\njson = false\n')
    assert strict(run(project).stdout)["num_samples"] == 2
    assert not assay("metrics", cwd=project).stdout.startswith("{")


def test_false_in_the_project_ends_what_the_user_switched_on(project):
    of_user(project, "quiet = true\n")
    assert run(project).stderr == ""
    write(project, "quiet = false\n[score]\nanonymous = true\n")
    assert "note: assay.toml sets --anonymous" in run(project).stderr


def test_lists_and_numbers_and_underscores(project):
    write(project, '[score]\nmetrics = ["dice", "nsd"]\nnsd_tolerance = [1, 2.5]\n'
                   'region = ["x=1", "y=1"]\n')
    result = strict(run(project, "--json").stdout)
    assert list(result["labels"]) == ["x", "y"]
    assert list(result["metrics"]) == ["dice", "nsd", "nsd@2.5mm"]


def test_a_result_names_the_settings_so_that_its_command_repeats_the_run(project):
    of_user(project, "[score]\nanonymous = true\n")
    write(project, '[score]\nmetrics = ["dice", "hd95"]\n')
    first = strict(run(project, "--json").stdout)
    command = first["provenance"]["command"][1:]
    assert {"--metrics=dice,hd95", "--anonymous"} <= set(command)
    again = strict(assay(*command, "--no-config", cwd=project).stdout)
    first.pop("provenance"), again.pop("provenance")
    assert again == first


def test_what_was_typed_as_an_argument_wins_over_the_option_of_its_name(project):
    write(project, '[score]\nref = "nowhere"\n')
    assert run(project).returncode == 0
    write(project, '[score]\nref = "ref"\n')
    assert assay("score", "pred", cwd=project).returncode == 0


@pytest.mark.parametrize("text, words", [
    ('[score]\nmetricz = "dice"', "in [score], 'metricz' is not an option; did you mean "
                                   "'metrics'?"),
    ('[scoer]\nmetrics = "dice"', "'scoer' is neither a command nor an option that all "
                                  "commands have; did you mean 'score'?"),
    ("[qa.ran]\nruns = 2", "in [qa], 'ran' is not an option; did you mean 'run'?"),
    ('[qa.run]\nconcurency = 4', "did you mean 'concurrency'?"),
    ("jobz = 2", "did you mean 'jobs'?"),
    ("no-config = true", "'no-config' is neither a command nor an option"),
    ("[score]\nmetrics = true", "metrics: needs a value, not true or false"),
    ("[score]\nanonymous = 1", "anonymous: is either true or false"),
    ("[score]\nnsd-tolerance = 1\nnsd_tolerance = 2", "nsd-tolerance: is set twice"),
    ("[score]\nmetrics = {}", "metrics: write text in quotes, a number, or a list of these"),
    ("[score\n", "not valid TOML"),
])
def test_a_key_that_means_nothing_is_one_error(project, text, words):
    write(project, text)
    done = run(project, status=2)
    assert done.stderr.startswith("assay: assay.toml: ") and done.stderr.count("\n") == 1
    assert words in done.stderr and done.stdout == ""


def test_a_value_that_an_option_refuses_is_traced_to_its_file(project):
    of_user(project, '[score]\nmissing = "sometimes"\n')
    err = run(project, "--quiet", status=2).stderr
    assert "--missing: 'sometimes' is not one of" in err
    assert "config/assay/assay.toml sets --missing=sometimes" in err


def test_the_project_ends_at_its_repository_and_is_one_folder_without(project):
    write(project, '[score]\nmetrics = "iou"\n')
    inner = project / "a/b"
    inner.mkdir(parents=True)
    both = ["score", project / "pred", project / "ref", "--json"]
    assert metrics(assay(*both, cwd=inner)) != ["iou"]  # no repository: only the folder itself
    (project / ".git").mkdir()
    assert metrics(assay(*both, cwd=inner)) == ["iou"]
    (project / "a/.git").write_text("gitdir: elsewhere")  # a submodule
    assert metrics(assay(*both, cwd=inner)) != ["iou"]


def test_a_file_that_is_named_takes_the_place_of_the_projects(project, monkeypatch):
    write(project, '[score]\nmetrics = "iou"\n')
    write(project, '[score]\nmetrics = "mcc"\n', "other.toml")
    monkeypatch.setenv("ASSAY_CONFIG", "other.toml")
    assert metrics(run(project, "--json")) == ["mcc"]
    monkeypatch.setenv("ASSAY_CONFIG", "absent.toml")
    assert "absent.toml" in run(project, status=2).stderr


GUARDED = {"evaluate": ["command", "onnxruntime"], "score": ["own-metric"],
           "qa.run": ["command", "agent", "base-url", "api-key-env", "header", "request-json"],
           "qa.fetch": ["endpoint", "slide-url"], "submit.slurm": ["sbatch"]}


@pytest.mark.parametrize("table, key", [(t, k) for t, keys in GUARDED.items() for k in keys])
def test_a_project_cannot_run_programs_or_send_data(project, table, key, monkeypatch):
    text = f'[{table}]\n{key} = "openai"\n'
    write(project, text)
    command = [*table.split("."), *(["--dry-run"] if table == "qa.run" else [])]
    err = assay(*command, cwd=project, status=2).stderr
    assert f"a project's file may not set --{key}, because" in err and err.count("\n") == 1
    monkeypatch.setenv("ASSAY_CONFIG", "assay.toml")  # whoever names it trusts it
    assert "may not set" not in assay(*command, cwd=project, status=2).stderr
    monkeypatch.delenv("ASSAY_CONFIG")
    (project / "assay.toml").unlink()
    of_user(project, text)
    assert "may not set" not in assay(*command, cwd=project, status=2).stderr


def test_a_command_of_a_project_is_not_started(project):
    write(project, '[predict]\ncommand = "touch started"\nout = "out"\n')
    assay("predict", "pred/a.nii.gz", cwd=project, status=2)
    assert not (project / "started").exists() and not (project / "out").exists()


def test_a_project_writes_only_in_the_current_folder(project):
    victim = project.parent / "victim.json"
    (project / "link").symlink_to(project.parent)
    for out in (victim, "../victim.json", "link/victim.json"):
        write(project, f'[score]\nout = "{out}"\n')
        assert "may not set --out" in run(project, status=2).stderr
        assert not victim.exists()
        assert run(project, "--out", "typed.json").returncode == 0  # what is typed wins
    write(project, '[score]\nout = "results/r.json"\n')
    run(project)
    assert (project / "results/r.json").exists()


READ_ONLY = {
    "--pred", "--ref", "--manifest", "--pred-pattern", "--ref-pattern", "--groups",
    "--groups,--manifest", "--dataset-json", "--plan", "--predictions", "--references", "--images",
    "--paper", "--check-against", "--table", "--wsi-root", "--items", "--prices", "--model-json",
    "--recipe", "--repo", "--table-file", "--colors", "--label-names", "--dicom-images", "--since"}


def test_every_option_that_names_a_file_or_a_server_is_known_to_be_harmless_or_guarded():
    """A new one belongs into a list of cli/config_files.cpp, or into the list above."""
    from support import ROOT
    source = (ROOT / "cli/config_files.cpp").read_text()
    guarded = set(re.findall(r'"(--[a-z-]+)"', source))
    found = re.findall(r"^\| `((?:-w,)?--[a-z_,-]+) ([^`]*)`", assay("docs", "cli").stdout, re.M)
    places = {names.removeprefix("-w,").split(",--work_dir")[0] for names, value in found
              if re.search(r"FILE|DIR|FOLDER|PATH|URL|CSV|COMMAND|ENV|VAR|OPTIONS|PATTERN", value)}
    assert places - guarded - READ_ONLY == set()
    assert {"--command", "--out", "--csv", "--base-url"} <= places


def test_config_shows_each_value_and_its_file(project):
    assert "There is no configuration file" in assay("config", cwd=project).stdout
    of_user(project, 'jobs = 2\n[score]\nmetrics = "mcc"\n')
    write(project, '[score]\nmetrics = "iou"\n[predict]\ncommand = "x"\n')
    shown = assay("config", cwd=project).stdout
    assert re.search(r"score +--metrics +iou +assay.toml \(project\) *\n", shown)
    assert re.search(r"score +--metrics +mcc +\S+ \(user\) +ignored: assay.toml wins\n", shown)
    assert re.search(r"predict +--command +x .* ignored: it runs a program", shown)
    read = strict(assay("config", "--json", cwd=project).stdout)
    assert read["schema"] == "assay.config/1" and len(read["files"]) == 2
    assert {"command": None, "option": "--jobs", "value": "2", "origin": "user",
            "not_taken": None}.items() <= read["settings"][-1].items()
    assert assay("config", "--no-config", "--json", cwd=project).stdout.count("--") == 0


def test_shards_and_submissions_have_the_settings_of_the_files(project):
    write(project, '[score]\nmetrics = "iou"\nout = "r.json"\n')
    shown = assay("submit", "slurm", "--dry-run", "--shards", "2", "--", "score", "pred", "ref",
                  cwd=project).stdout
    assert "--metrics=iou" in shown and "--resume --no-config" in shown
    assert "merge r.json.shards --no-config --out r.json" in shown
    run(project, "--shard", "1/2", "--out", "s/r.json")
    (project / "assay.toml").write_text('[score]\nmetrics = "dice"\n')
    run(project, "--shard", "2/2", "--out", "s/r.json")
    assert "settings" in assay("merge", "s", "--no-config", "--out", "m.json", cwd=project,
                               status=2).stderr


def test_a_run_is_not_resumed_with_other_settings(project):
    write(project, '[score]\nmetrics = "iou"\nkeep-journal = true\n')
    run(project, "--out", "r.json")
    first = json.loads((project / "r.json").read_text())
    run(project, "--out", "r.json", "--resume")
    again = json.loads((project / "r.json").read_text())
    assert again["settings"] == first["settings"]
    write(project, '[score]\nmetrics = "hd95"\nkeep-journal = true\n')
    err = run(project, "--out", "r.json", "--resume", status=2).stderr
    assert "settings" in err
