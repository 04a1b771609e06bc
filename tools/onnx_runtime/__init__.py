# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime for tests and benchmarks: the npm package onnxruntime-node, as the lock file here
pins it.

It is installed once, under build/onnxruntime, by `npm ci --ignore-scripts`. `python3 -m
onnx_runtime` in tools/ prints where its library is.
"""
import fcntl
import functools
import pathlib
import platform
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "build/onnxruntime"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


class Missing(Exception):
    """Why it cannot be had."""


@functools.lru_cache(maxsize=None)
def modules():
    """The folder that has node_modules. Raises Missing. One process installs it, and others wait:
    a library must not be replaced while it is in use."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return installed()


def installed():
    """The same, without others."""
    wanted, stamp = (HERE / "package-lock.json").read_bytes(), FOLDER / "installed"
    if stamp.exists() and stamp.read_bytes() == wanted:
        return FOLDER
    if not shutil.which("npm"):
        raise Missing("there is no npm to install onnxruntime-node")
    stamp.unlink(missing_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, FOLDER / name)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    try:
        subprocess.run(command, cwd=FOLDER, capture_output=True, timeout=600, check=True)
    except subprocess.SubprocessError:
        raise Missing("npm could not install onnxruntime-node") from None
    stamp.write_bytes(wanted)
    return FOLDER


def library():
    """The path of libonnxruntime.so.1. Raises Missing."""
    machine = MACHINES.get(platform.machine(), platform.machine())
    found = sorted(
        modules().glob(
            f"node_modules/onnxruntime-node/bin/napi-v*/linux/{machine}/libonnxruntime.so.1"
        )
    )
    if not found:
        raise Missing(f"onnxruntime-node has no library for {platform.machine()}")
    return found[-1]
