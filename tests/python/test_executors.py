"""score with an executor: the same result, whoever runs the shards."""
import concurrent.futures
import multiprocessing
import os

import pytest

import assay
from support import cohort, without_provenance

IDS = [f"sub-{number:02}" for number in range(7)]


def facts(result):
    return {key: value for key, value in result.items() if key != "provenance"}


@pytest.fixture
def study(tmp_path):
    return cohort(tmp_path, IDS)


@pytest.fixture
def pool():
    spawn = multiprocessing.get_context("spawn")  # this process has threads: forks are unsafe
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as workers:
        yield workers


class OnlyMap:
    def map(self, function, jobs):
        return map(function, jobs)


class OnlySubmit:
    def submit(self, function, *arguments):
        future = concurrent.futures.Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


class Lost:
    """A worker that dies on its second call."""
    calls = 0

    def submit(self, function, job):
        self.calls += 1
        if self.calls == 2:
            future = concurrent.futures.Future()
            future.set_exception(MemoryError("killed"))
            return future
        return OnlySubmit().submit(function, job)


def test_a_pool_of_processes_gives_the_file_of_one(study, tmp_path, pool):
    alone = assay.score(*study, metrics="dice,hd95", out=tmp_path / "alone.json")
    spread = assay.score(*study, metrics="dice,hd95", executor=pool, shards=3,
                         out=tmp_path / "spread.json", csv=tmp_path / "spread.csv")
    assert facts(spread) == facts(alone)
    assert without_provenance(tmp_path / "spread.json") == without_provenance(
        tmp_path / "alone.json")
    assert (tmp_path / "spread.csv").read_text().count(",dice,") == len(IDS)


@pytest.mark.parametrize("executor", [OnlyMap(), OnlySubmit()], ids=["map", "submit"])
@pytest.mark.parametrize("shards", [1, 4, 20])
def test_map_or_submit_is_enough(study, executor, shards):
    assert facts(assay.score(*study, executor=executor, shards=shards)) == facts(
        assay.score(*study))


def test_without_shards_there_is_one_for_each_worker(study):
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        assert facts(assay.score(*study, executor=threads)) == facts(assay.score(*study))


def test_relative_paths_are_those_of_the_caller(study, monkeypatch, tmp_path, pool):
    assert assay.score(*study, executor=pool, shards=2)["num_samples"] == len(IDS)
    monkeypatch.chdir(tmp_path)  # the workers stay where they were started
    found = assay.score("pred", "ref", executor=pool, shards=2)
    assert facts(found) == facts(assay.score("pred", "ref"))


def test_failed_cases_are_told_once(study):
    os.remove(study[0] / "sub-03.nii.gz")
    with pytest.warns(UserWarning, match="not scored: sub-03") as told:
        found = assay.score(*study, executor=OnlyMap(), shards=4)
    assert len([one for one in told if "sub-03" in str(one.message)]) == 1
    assert found["ledger"]["missing_prediction"] == 1


def test_a_failure_names_its_shard(study):
    with pytest.raises(RuntimeError, match=r"shard 2 of 3 was not scored: MemoryError: killed"):
        assay.score(*study, executor=Lost(), shards=3)
    with pytest.raises(OSError, match=r"shard 1 of 3: .*no such file or folder"):
        assay.score("nowhere", study[1], executor=OnlyMap(), shards=3)
    with pytest.raises(ValueError, match=r"shard 1 of 3: .*--labels"):
        assay.score(*study, executor=OnlyMap(), shards=3, labels="one")


def test_what_cannot_be_meant_is_refused(study):
    with pytest.raises(TypeError, match="neither submit nor map"):
        assay.score(*study, executor=object())
    with pytest.raises(TypeError, match="shards goes with executor"):
        assay.score(*study, shards=3)
    with pytest.raises(TypeError, match="resume does not go with executor"):
        assay.score(*study, executor=OnlyMap(), resume=True)
    for wrong in (0, -1, 1.5, True, "3"):
        with pytest.raises(ValueError, match="shards must be a whole number"):
            assay.score(*study, executor=OnlyMap(), shards=wrong)
