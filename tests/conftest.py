"""Puts this folder on the path of every test below it, for support.py; keeps each test's cache
apart, and the user's configuration out."""
import itertools

import pytest

numbers = itertools.count()


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Predictions that a test makes are kept for that test, and never in the user's home."""
    monkeypatch.setenv("ASSAY_CACHE",
                       str(tmp_path_factory.getbasetemp() / f"cache-{next(numbers)}"))


@pytest.fixture(autouse=True)
def no_configuration(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))
    monkeypatch.delenv("ASSAY_CONFIG", raising=False)
