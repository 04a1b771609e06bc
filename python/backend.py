# SPDX-License-Identifier: Apache-2.0
"""Builds wheels: a PEP 517 backend that needs only the standard library and CMake, and therefore no
package index (except under Python 3.10, which cannot read TOML).

A wheel contains the package, its native module and the program `assay`. The build tree is
build/wheel and is kept, so that the next wheel is quick. The setting `build-dir` (`pip install . -C
build-dir=build/release`) or the variable ASSAY_BUILD_DIR names a tree that is already built and is
packed as it is.
"""
import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# the oldest time that zip files can store, so that the same tree gives the same wheel
EPOCH = (1980, 1, 1, 0, 0, 0)
PACKED = {".py", ".pyi", ".so", ".typed"}
NOT_SOURCE = {"PKG-INFO", ".git", "build", "__pycache__", ".cache", "node_modules", "dist"}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def version():
    return re.search(r"project\(assay VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def name_and_version():
    """As used in file names: assay_imaging-0.1.0."""
    return f"{project()['name'].replace('-', '_')}-{version()}"


def tag():
    platform = re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{platform}"


def metadata():
    ours = project()
    lines = ["Metadata-Version: 2.1", f"Name: {ours['name']}", f"Version: {version()}",
             f"Summary: {ours['description']}", f"License: {ours['license']['text']}",
             f"Requires-Python: {ours['requires-python']}",
             *(f"Classifier: {each}" for each in ours["classifiers"]),
             *(f"Requires-Dist: {each}" for each in ours["dependencies"])]
    for extra, needed in ours["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}",
                  *(f'Requires-Dist: {each}; extra == "{extra}"' for each in needed)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / ours["readme"]).read_text()]
    return "\n".join(lines)


def dist_info(wheel_tag):
    """The files that describe a wheel, without RECORD."""
    folder = f"{name_and_version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n"
    return {f"{folder}/METADATA": metadata().encode(), f"{folder}/WHEEL": wheel.encode(),
            f"{folder}/LICENSE": (ROOT / "LICENSE").read_bytes()}


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed with status {done.returncode}; "
                           f"see its messages above")


def build_tree(settings):
    """The folder with the built package and program; builds them unless a tree is given."""
    given = (settings or {}).get("build-dir") or os.environ.get("ASSAY_BUILD_DIR")
    if given:
        return ROOT / given
    tree = ROOT / "build/wheel"
    run("cmake", "-S", ROOT, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DASSAY_TESTS=OFF", "-DASSAY_BENCH=OFF", "-DASSAY_PYTHON=ON",
        f"-DPython_EXECUTABLE={sys.executable}")
    run("cmake", "--build", tree, "--target", "assay_python", "assay_program")
    return tree


def package_of(tree):
    package = tree / "python/assay"
    module = package / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():
        raise RuntimeError(f"{module}: is not there; build the package for this Python "
                           f"({sys.executable}) first")
    return package


def package_files(tree):
    package = package_of(tree)
    found = {
        f"assay/{path.relative_to(package)}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.suffix in PACKED and path.exists()
    }  # path.exists() is false for the broken link to a removed file
    return {**found, f"{name_and_version()}.data/scripts/assay": (tree / "bin/assay").read_bytes()}


def write_wheel(folder, files, wheel_tag):
    """A wheel of {name: bytes} and its description. RECORD, which lists all others, is last."""
    files = {**files, **dist_info(wheel_tag)}
    record = f"{name_and_version()}.dist-info/RECORD"
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    files = {**files, record: "".join([*lines, f"{record},,\n"]).encode()}
    path = pathlib.Path(folder) / f"{name_and_version()}-{wheel_tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            executable = name.endswith(".so") or "/scripts/" in name
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path.name


def sources():
    """What is under version control; in an unpacked source distribution, every file."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode == 0 and (ROOT / ".git").exists():
        return sorted(name for name in listed.stdout.decode().split("\0")
                      if name and (ROOT / name).is_file())
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if not NOT_SOURCE & set(path.parts))


# The functions that pip calls, with the names from PEP 517 and PEP 660.

def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    for name, content in dist_info(tag()).items():
        path = pathlib.Path(metadata_directory) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return f"{name_and_version()}.dist-info"


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, package_files(build_tree(config_settings)), tag())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Points to the build tree, whose Python files are links to the sources: edits need no new
    installation."""
    tree = build_tree(config_settings)
    link = {"assay.pth": f"{package_of(tree).parent}\n".encode()}
    return write_wheel(wheel_directory, link, tag())


def build_sdist(sdist_directory, config_settings=None):
    top = name_and_version()
    path = pathlib.Path(sdist_directory) / f"{top}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def add(name, content, mode):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
        for name in sources():
            source = ROOT / name
            add(name, source.read_bytes(), 0o755 if os.access(source, os.X_OK) else 0o644)
        add("PKG-INFO", metadata().encode(), 0o644)
    return path.name
