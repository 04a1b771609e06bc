#!/usr/bin/env python3
"""Tries what `make dist` has built in bare systems, which have no compiler and no library of ours.

usage: verify.py [SUITE...]   such as bullseye bookworm trixie forky jammy noble here (default: all)

Ubuntu's suites need a mirror of Ubuntu's archive in UBUNTU_MIRROR, and are skipped without one.
"here" is this machine itself, for the wheels of its own Pythons (tools/dist/pythons.py).

In each root, made by debootstrap (as root): the tarball's program makes its demo and scores
pictures, Zarr arrays and DICOM segmentations, the Debian package is installed and removed, and each
wheel for a Python of that root is installed offline by pip in a new environment, scores two files
and runs the Python tests. Here, only such wheels are tried, in the same way: this machine has a
compiler and libraries, so it says less. Prints one row per root and Python. Ends with status 1 if a
Python test failed.
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import numpy
import PIL.Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tools/dist")]
import pythons  # noqa: E402

DIST, ROOTS, WHEELS = (ROOT / "build" / name for name in ("dist", "roots", "wheelhouse"))
SUITES = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13",
          "forky": "Debian 14 (testing)", "jammy": "Ubuntu 22.04", "noble": "Ubuntu 24.04",
          "here": "this machine"}
# Packages for a second Python, where a suite has one.
MORE = {"forky": ["python3.14-venv", "python3.15-venv"]}
# What the tests need beyond the package itself. Guides and wheels need the sources around them.
PEERS = ["pytest", "nibabel", "scipy", "exceptiongroup", "tomli"]
LEFT_OUT = ["test_guides.py", "test_wheel.py"]
# Pictures by how they are compressed: each needs code of a static library.
PICTURES = {"png": "png", "lzw": "tif", "deflate": "tif", "packbits": "tif", "group4": "tif",
            "lzma": "tif", "zstd": "tif"}
FIRST_PAIR = "models/good/sub-001.nii.gz references/sub-001.nii.gz"
NAMES_OF_PIL = {"lzw": "tiff_lzw", "deflate": "tiff_adobe_deflate"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, check=True,
                          stdout=subprocess.PIPE, **options).stdout


def debian_options():
    """What debootstrap is told before and after the suite and the folder."""
    mirror = run(ROOT / "tools/dist/mirror.sh").strip()
    return (["--keyring=/usr/share/keyrings/debian-archive-keyring.gpg"],
            [mirror, "/usr/share/debootstrap/scripts/sid"])  # also for suites newer than this tool


def ubuntu_options():
    folder = ROOTS / "ubuntu-keys"
    run(ROOT / "tools/dist/debs.sh", folder, "trixie", "amd64", "ubuntu-archive-keyring")
    keys = folder / "usr/share/keyrings/ubuntu-archive-keyring.gpg"
    return ([f"--keyring={keys}", "--components=main,universe"],
            [os.environ["UBUNTU_MIRROR"], "/usr/share/debootstrap/scripts/jammy"])


SYSTEMS = {"Debian": debian_options, "Ubuntu": ubuntu_options}


def make_root(suite):
    root = ROOTS / suite
    if not (root / "etc/os-release").exists():
        before, after = SYSTEMS[SUITES[suite].split()[0]]()
        more = MORE.get(suite, [])
        run("debootstrap", "--variant=minbase", "--force-check-gpg", *before,
            f"--include={','.join(['python3', 'python3-venv', 'ca-certificates', *more])}", suite,
            root, *after)
    return root


def top(root):
    """The folder of a root, as commands in it see it."""
    return root if root.name == "here" else pathlib.Path("/")


def enter(root, command, **options):
    """Runs a shell's words in the root, with /proc, by which a program finds its own folder."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "LC_ALL": "C.UTF-8",
                   "HOME": str(top(root) / "root")}
    if root.name == "here":
        return run("/bin/sh", "-ec", command, env=environment, **options)
    inside = 'mount --bind /proc "$0/proc" && exec chroot "$0" /bin/sh -ec "$1"'
    return run("unshare", "--mount", "/bin/sh", "-ec", inside, root, command, env=environment,
               **options)


def processor_time():
    spent = os.times()
    return spent.children_user + spent.children_system


def write_picture(path, compression, x):
    """A square of 8 pixels a side that begins at column x."""
    picture = PIL.Image.new("1" if compression == "group4" else "L", (32, 24))
    picture.paste(1, (x, 4, x + 8, 12))
    words = {} if path.suffix == ".png" else {
        "compression": NAMES_OF_PIL.get(compression, compression)}
    picture.save(path, **words)


def write_zarr(path, packing, x):
    """The same square as a Zarr array of one slice."""
    import zarr_files
    zarr_files.write_array(path, square(x)[None], (1, 8, 8), packing)


def write_dicom(path, _, x):
    """The same square as a DICOM segmentation of one frame."""
    import dicom_files
    dicom_files.write_segmentation(path, {"lesion": square(x)[None]})


def square(x):
    out = numpy.zeros((24, 32), numpy.uint8)
    out[4:12, x:x + 8] = 1
    return out


# What is scored: how it is compressed, the end of its name, who writes it. Each needs code of a
# static library.
FILES = [*((compression, suffix, write_picture) for compression, suffix in PICTURES.items()),
         ("blosc lz4", "zarr", write_zarr), ("blosc zstd", "zarr", write_zarr),
         ("zstd", "zarr", write_zarr), ("", "dcm", write_dicom)]


def try_files(root, program):
    """Squares that are two columns apart: three quarters of each are in the other."""
    for compression, suffix, write in FILES:
        names = [f"{side}.{compression.replace(' ', '-')}.{suffix}"
                 for side in ("prediction", "reference")]
        for x, name in zip((4, 6), names):
            write(root / "tmp" / name, compression, x)
        found = json.loads(enter(root, f"cd /tmp && {program} score {' '.join(names)} --json"))
        if found["dice"]["mean"] != 0.75:
            sys.exit(f"{compression}: Dice is {found['dice']['mean']}, not 0.75")
    try_refusal(root, program)
    return {"files": ", ".join(" ".join(each[:2]).strip() for each in FILES)}


def try_refusal(root, program):
    """What assay does not read is refused with a sentence that names it."""
    write_picture(root / "tmp/jpeg.tif", "jpeg", 4)
    said = enter(root, f"cd /tmp && {program} score jpeg.tif reference.png.png 2>&1 || true")
    if "is compressed with JPEG" not in said:
        sys.exit(f"jpeg.tif: expected a sentence about JPEG, not: {said}")


def make_demo(root):
    """Unpacks the tarball and makes the program's demo. The program, and the words that unpack."""
    (tarball,) = DIST.glob("assay-*.tar.gz")
    shutil.copy(tarball, root / "tmp/assay.tar.gz")
    folder = top(root) / "opt/assay"
    unpack = (f"rm -rf {folder} && mkdir {folder} && tar -xzf {top(root) / 'tmp/assay.tar.gz'} "
              f"-C {folder}")
    enter(root, unpack)
    (program,) = (root / "opt/assay").glob("*/bin/assay")
    program = top(root) / program.relative_to(root)
    demo = top(root) / "tmp/demo"
    enter(root, f"rm -rf {demo} && {program} demo --out {demo} --cases 6 --side 48")
    return program, unpack


def try_tarball(root):
    """The program's demo, scores of files, how long it takes to start, and how long it takes from
    the archive to the first number."""
    program, unpack = make_demo(root)
    began, spent = time.perf_counter(), processor_time()
    enter(root, f"{unpack} && cd /tmp/demo && {program} score {FIRST_PAIR} --json")
    first = {"tarball_number_s": round(time.perf_counter() - began, 1),
             "tarball_number_cpu_s": round(processor_time() - spent, 1)}
    return {**first, **start_times(root / program.relative_to("/")), **try_files(root, program)}


def start_times(program):
    walls, spent = [], processor_time()
    for _ in range(20):
        began = time.perf_counter()
        run(program, "--version")
        walls.append(time.perf_counter() - began)
    return {"start_ms": round(1000 * statistics.median(walls), 1),
            "start_cpu_ms": round(1000 * (processor_time() - spent) / len(walls), 1)}


def try_deb(root):
    (package,) = DIST.glob("*.deb")
    shutil.copy(package, root / "tmp/assay.deb")
    enter(root, "dpkg --install /tmp/assay.deb && /usr/bin/assay --version && "
                "test -s /usr/share/bash-completion/completions/assay && "
                "dpkg --remove assay-imaging && ! test -e /usr/bin/assay")
    return {"deb": "installed, removed"}


def collect_wheels(python):
    """The wheels that an offline pip needs for one Python."""
    folder = WHEELS / python
    if not folder.exists():
        run(sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder,
            "--only-binary=:all:", "--python-version", python, "--platform",
            "manylinux_2_28_x86_64", "--platform", "manylinux_2_27_x86_64", "--platform",
            "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64", "numpy", *PEERS)
    return folder


def pythons_of(root):
    """The Pythons of a root that can make environments, such as 3.13 and 3.14."""
    return sorted(re.fullmatch(r"python(3\.\d+)", path.name)[1]
                  for path in (root / "usr/bin").glob("python3.*") if path.name[-1].isdigit())


def try_wheel(root, python, interpreter):
    """From nothing to the first number, then the tests."""
    wheels = list(DIST.glob(f"*-cp{python.replace('.', '')}-*.whl"))
    if not wheels:
        return {"wheel": f"none for Python {python}"}
    shutil.rmtree(root / "wheels", ignore_errors=True)
    shutil.copytree(collect_wheels(python), root / "wheels")
    shutil.copy(wheels[0], root / "wheels")
    venv = top(root) / "venv"
    began, spent = time.perf_counter(), processor_time()
    score = enter(root, f"rm -rf {venv} && {interpreter} -m venv {venv} && "
                        f"{pip_install(root)} assay-imaging && cd {top(root) / 'tmp/demo'} && "
                        f"{venv}/bin/assay score {FIRST_PAIR} --json")
    seconds = time.perf_counter() - began
    return {"python": python, "first_number_s": round(seconds, 1),
            "first_number_cpu_s": round(processor_time() - spent, 1),
            "first_number": json.loads(score)["dice"]["mean"], **run_tests(root)}


def pip_install(root):
    """The offline command, without the names of the packages."""
    program, wheels = top(root) / "venv/bin/pip", top(root) / "wheels"
    return f"{program} install --quiet --no-index --find-links {wheels}"


def run_tests(root):
    enter(root, f"{pip_install(root)} {' '.join(PEERS)}")
    shutil.rmtree(root / "src", ignore_errors=True)
    shutil.copytree(ROOT / "tests", root / "src/tests", ignore=shutil.ignore_patterns(
        "__pycache__", *LEFT_OUT))
    shutil.copytree(ROOT / "docs", root / "src/docs")
    source, programs = top(root) / "src", top(root) / "venv/bin"
    said = enter(root, f"cd {top(root) / 'tmp'} && ASSAY_BIN_DIR={programs} {programs}/pytest -q "
                       f"-p no:cacheprovider --rootdir={source} --confcutdir={source} "
                       f"{source}/tests/python | tail -n 15 || true")
    print(said, file=sys.stderr)
    return {"tests": said.strip().splitlines()[-1]}


def has_mirror(suite, environment=os.environ):
    """Debian's mirror is the one of this machine's apt; Ubuntu's has to be named."""
    return not SUITES[suite].startswith("Ubuntu") or bool(environment.get("UBUNTU_MIRROR"))


def try_suite(suite):
    root = make_root(suite)
    tools = enter(root, "command -v gcc cc g++ clang || echo none").strip()
    row = {"system": SUITES[suite], "compiler": tools, **try_tarball(root), **try_deb(root)}
    print(json.dumps(row), flush=True)
    return try_wheels(root, {python: f"python{python}" for python in pythons_of(root)})


def try_here():
    """The wheels of this machine's own Pythons."""
    root = ROOTS / "here"
    for folder in ("tmp", "opt", "root"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    make_demo(root)
    return try_wheels(root, {python: known["program"]
                             for python, known in pythons.found_here().items()})


def try_wheels(root, interpreters):
    """Whether all their tests passed."""
    good = True
    for python, interpreter in interpreters.items():
        row = {"system": SUITES[root.name], **try_wheel(root, python, interpreter),
               "load": os.getloadavg()[0]}
        print(json.dumps(row), flush=True)
        good = good and have_passed(row.get("tests", "1 passed"))
    return good


def have_passed(summary):
    """What pytest's last line says."""
    return "passed" in summary and "failed" not in summary and "error" not in summary


def main(suites):
    good = True
    for suite in suites:
        if has_mirror(suite):
            good = (try_here() if suite == "here" else try_suite(suite)) and good
        else:
            print(f"{SUITES[suite]}: skipped, because UBUNTU_MIRROR names no mirror of Ubuntu's "
                  "archive", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(SUITES)))
