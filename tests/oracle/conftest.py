"""Puts this folder and tools/ on the path of the tests here, and finds ONNX Runtime for them."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import onnx_runtime


@pytest.fixture(scope="session")
def library():
    """The path of libonnxruntime; skips where npm or the network is missing."""
    try:
        return onnx_runtime.library()
    except onnx_runtime.Missing as why:
        pytest.skip(str(why))
