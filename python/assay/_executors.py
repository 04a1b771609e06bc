# SPDX-License-Identifier: Apache-2.0
"""Spreads a cohort over the workers of an executor: one shard per call, merged here.

A worker returns the bytes of its shard file, so that results need no shared folder. It must see
the images under the same paths and have this package installed.
"""
from __future__ import annotations

import os
import tempfile

from . import _commands, _core, _own

_USUAL_SHARDS = 16  # if an executor does not say how many workers it has
# settings that name inputs
_PATHS = ("pred", "ref", "manifest", "dataset_json", "groups", "own_metric")
_OF_MERGE = ("out", "csv")  # settings of the merged result, not of a shard
_NOT_HERE = ("shard", "plan", "resume", "keep_journal", "grand_challenge")


def score(arguments, executor, shards, settings):
    """The result of `assay.score` with these arguments and settings."""
    for name in _NOT_HERE:
        if settings.get(name):
            raise TypeError(f"{name} does not go with executor, which makes and joins the shards "
                            f"itself")
    _own.split(settings)  # refuses wrong metrics here, not only on every worker
    of_merge = {name: settings.pop(name) for name in _OF_MERGE if name in settings}
    count = _shard_count(executor, shards)
    jobs = [{"shard": number, "shards": count, "arguments": [os.fspath(a) for a in arguments],
             "settings": {"jobs": 1, **settings}, "folder": os.getcwd(),
             "call": os.urandom(8).hex()}  # some executors remember what equal calls returned
            for number in range(1, count + 1)]
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        for name, content in _results(executor, jobs):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        return _commands.run("merge", folder, **of_merge)


def _shard_count(executor, shards):
    if shards is None:
        workers = getattr(executor, "_max_workers", None)
        return workers if isinstance(workers, int) and workers > 0 else _USUAL_SHARDS
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        raise ValueError(f"shards must be a whole number from 1 on, not {shards!r}")
    return shards


def _results(executor, jobs):
    """What the workers return, in the order of the shards."""
    if hasattr(executor, "submit"):
        return _awaited([executor.submit(score_shard, job) for job in jobs], jobs)
    if hasattr(executor, "map"):
        return _awaited(executor.map(score_shard, jobs), jobs)
    raise TypeError(f"executor has neither submit nor map: {type(executor).__name__}; give an "
                    f"executor of concurrent.futures, Dask's client or the like")


def _awaited(promised, jobs):
    """Yields the results one by one, from futures or from what a map yields. The first failure
    cancels the other futures and names its shard."""
    found, waiting = iter(promised), list(promised) if isinstance(promised, list) else []
    for job in jobs:
        try:
            one = next(found)
            yield one.result() if hasattr(one, "result") else one
        except Exception as error:
            for future in waiting:
                if hasattr(future, "cancel"):
                    future.cancel()
            if str(error).startswith(f"{_name(job)}: "):
                raise  # score_shard has named the shard
            raise RuntimeError(f"{_name(job)} was not scored: {type(error).__name__}: "
                               f"{error}") from error


def _name(job):
    return f"shard {job['shard']} of {job['shards']}"


def score_shard(job):
    """Runs on a worker and returns the name and the bytes of a shard file."""
    def path(value):
        if isinstance(value, (list, tuple)):
            return [path(each) for each in value]
        return os.fspath(value) if os.getcwd() == job["folder"] else os.path.join(job["folder"],
                                                                                  value)
    settings, own = _own.split({name: path(value) if name in _PATHS and value is not None else value
                                for name, value in job["settings"].items()})
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        words = ["assay", "score", *map(path, job["arguments"]), *_commands._options(settings),
                 f"--shard={job['shard']}/{job['shards']}", f"--out={folder}/", "--json"]
        try:
            status, _, err = _core.run(words, [(each.declaration(), each.measure) for each in own])
        except OSError as error:
            raise OSError(f"{_name(job)}: {error}") from None
        if status not in (0, 3):
            raise ValueError(f"{_name(job)}: {_commands._failure('score', err)}")
        (name,) = [name for name in os.listdir(folder) if name.endswith(".jsonl")]
        with open(os.path.join(folder, name), "rb") as file:
            return name, file.read()
