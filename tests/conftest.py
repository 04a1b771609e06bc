"""Puts this folder on the path of every test below it, for support.py; and keeps each test's cache
apart."""
import itertools

import pytest

numbers = itertools.count()


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Predictions that a test makes are kept for that test, and never in the user's home."""
    monkeypatch.setenv("ASSAY_CACHE",
                       str(tmp_path_factory.getbasetemp() / f"cache-{next(numbers)}"))
