"""The Pythons that wheels are built for.

Debian's releases have the headers of some. Others are taken from the Pythons of this machine, if
their headers are there: those on the PATH, of pyenv, and of containers that build wheels.
"""
import json
import os
import pathlib
import re
import subprocess

# Which release has the headers of which Python.
RELEASES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "forky", "3.15": "forky"}
OLDEST = (3, 10)  # as pyproject.toml says
FOLDERS = [".pyenv/versions/*/bin", "/opt/python/*/bin"]  # those without a slash are in HOME
# What a Python says about itself. The ending tells CPython from others, and from its variants for
# debugging and without the global lock.
QUESTION = """import json, sys, sysconfig
print(json.dumps({"ending": sysconfig.get_config_var("EXT_SUFFIX"), "program": sys.executable,
                  "final": sys.version_info.releaselevel == "final",
                  "headers": sorted({sysconfig.get_path(name)
                                     for name in ("include", "platinclude")})}))"""


def ending(python):
    """How the name of a native module ends, such as .cpython-311-x86_64-linux-gnu.so."""
    return f".cpython-{python.replace('.', '')}-x86_64-linux-gnu.so"


def folders(environment):
    """Where programs called python3.N may be: the PATH first."""
    yield from map(pathlib.Path, environment.get("PATH", "").split(os.pathsep))
    for pattern in FOLDERS:
        top = pathlib.Path("/" if pattern.startswith("/") else environment.get("HOME", "/root"))
        yield from sorted(top.glob(pattern.lstrip("/")))


def described(program):
    """What a Python says about itself, or nothing if it cannot be started."""
    try:
        said = subprocess.run([program, "-c", QUESTION], text=True, timeout=60,
                              capture_output=True, check=True).stdout
        return json.loads(said)
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}


def usable(python, known):
    return (known.get("ending") == ending(python) and known["final"]
            and any(pathlib.Path(folder, "Python.h").exists() for folder in known["headers"]))


def found_here(environment=os.environ):
    """{"3.12": what it says} of this machine's Pythons with headers that no release has. The first
    of a version is taken."""
    found = {}
    for folder in folders(environment):
        for program in sorted(folder.glob("python3.*")):
            python = re.fullmatch(r"python(3\.(\d+))", program.name)
            if not python or (3, int(python[2])) < OLDEST or python[1] in {*RELEASES, *found}:
                continue
            known = described(program)
            if usable(python[1], known):
                found[python[1]] = known
    return dict(sorted(found.items(), key=lambda each: int(each[0].split(".")[1])))
