#!/usr/bin/env python3
"""Builds everything that can be handed to others: wheels, a tarball and a Debian package.

usage: build.py [PYTHON...]      such as 3.11 3.13; without one, all whose headers can be had

What is built runs on any Linux with glibc 2.28 or newer (Debian 10, Ubuntu 20.04, Rocky 8), with
no other library: see old_glibc.py, libraries.sh and cmake/portable.cmake. Nothing but Debian's
and Python's package registries is reached. Headers of Pythons that these do not have are taken from
this machine (pythons.py). Archives are sorted and have the time of the last commit, so the same
files give the same bytes; each is packed twice and compared.
"""
import concurrent.futures
import gzip
import hashlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE))
import pythons  # noqa: E402

TREE, PARTS, OUT = (ROOT / "build" / name for name in ("portable", "parts", "dist"))
GLIBC = "2.28"
PYBIND11 = "3.1.0"  # Debian's 2.10 does not know Python 3.12
# Where pip puts the package, seen from its folder of programs: environments and ~/.local, Debian's
# /usr/local, Fedora and its relatives, and pip install --target.
LIBRARY_FOLDERS = ["lib/python{}/site-packages", "lib/python{}/dist-packages",
                   "lib64/python{}/site-packages", ""]
# What is compiled into the program: the package that has its licence text.
LICENSES = {"openssl": "libssl3", "zlib": "zlib1g", "libdeflate": "libdeflate0",
            "libpng": "libpng16-16", "libtiff": "libtiff6", "zstd": "libzstd1",
            "xz-utils": "liblzma5", "bzip2": "libbz2-1.0", "blosc": "libblosc1",
            "libstdc++": "libstdc++6", "nlohmann-json": "nlohmann-json3-dev",
            "boost": "libboost1.74-dev", "cli11": "libcli11-dev",
            "tomlplusplus": "libtomlplusplus-dev", "pybind11": "pybind11-dev"}
# The libraries: ours, then Debian's, each before those that it needs.
DCMTK = [f"lib{part}.a" for part in (
    "dcmjpeg", "ijg8", "ijg12", "ijg16", "dcmjpls", "dcmtkcharls", "dcmimage", "dcmimgle",
    "dcmdata", "oflog", "ofstd")]
OURS = ["libcurl.a", "libfmt.a", "libjpeg.a", "libpng16.a", "libtiff.a", "libbz2.a",
        "libblosc.a", "liblz4.a", *DCMTK]
DEBIANS = ["libssl.a", "libcrypto.a", "libzstd.a", "liblzma.a", "libdeflate.a", "libz.a"]

specification = importlib.util.spec_from_file_location("backend", ROOT / "python/backend.py")
backend = importlib.util.module_from_spec(specification)
specification.loader.exec_module(backend)



def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True, **options)


def output(*command):
    return run(*command, stdout=subprocess.PIPE, cwd=ROOT).stdout


# Building.

def prepare():
    """The old glibc and the static libraries."""
    run(HERE / "debs.sh", PARTS / "sysroot", "bullseye", "amd64", "libc6-dev", "libgcc-10-dev")
    run(sys.executable, HERE / "old_glibc.py", PARTS / "sysroot", GLIBC, PARTS / "glibc")
    run(HERE / "libraries.sh", PARTS / "libraries")


def build_program():
    run("cmake", "-S", ROOT, "-B", TREE, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DASSAY_UNITY=ON", "-DASSAY_TESTS=OFF", "-DASSAY_BENCH=OFF", "-DASSAY_PYTHON=OFF",
        "-DASSAY_WERROR=ON", f"-DASSAY_PORTABLE={PARTS}", stdout=subprocess.DEVNULL)
    run("cmake", "--build", TREE, "--target", "assay_program")
    return stripped(TREE / "bin/assay")


def stripped(path):
    """A copy without what only debuggers need."""
    target = PARTS / "stripped" / path.relative_to(ROOT / "build")
    target.parent.mkdir(parents=True, exist_ok=True)
    run("strip", "--strip-unneeded", "-o", target, path)
    return target


def link(target, *words):
    """Links with the old glibc and without the compiler's own choice of libraries."""
    glibc = PARTS / "glibc"
    target.parent.mkdir(parents=True, exist_ok=True)
    run("g++", f"-B{glibc}/", f"-L{glibc}", "-nodefaultlibs", "-Wl,--as-needed", "-o", target,
        *words, "-lm", "-lgcc_s", "-lgcc", "-lc")
    return target


def link_library():
    """libassay.so: rooms, commands and C++'s own library, of which program and module then have one
    copy. The C libraries in it are hidden, because Python and other packages bring their own."""
    objects = [path for path in sorted(TREE.glob("CMakeFiles/assay_*.dir/**/*.o"))
               if "assay_program" not in str(path)]
    hidden = [name for name in OURS + DEBIANS if name != "libfmt.a"]
    return stripped(link(
        PARTS / "lib/libassay.so", "-shared", "-Wl,-z,defs", "-Wl,-soname,libassay.so",
        f"-Wl,--exclude-libs,{':'.join(hidden)}", *objects, "-Wl,--whole-archive", "-l:libstdc++.a",
        "-Wl,--no-whole-archive", *(PARTS / "libraries/lib" / name for name in OURS),
        *(f"-l:{name}" for name in DEBIANS)))


def headers_of(python):
    """Folders with the headers of a Python, from the release that has it, and no others: those of
    its C library are newer."""
    folder = PARTS / "headers"
    if not (folder / f"python{python}").exists():
        package = PARTS / f"python{python}"
        run(HERE / "debs.sh", package, pythons.RELEASES[python], "amd64", f"libpython{python}-dev")
        for name in (f"x86_64-linux-gnu/python{python}", f"python{python}"):
            shutil.copytree(package / "usr/include" / name, folder / name, dirs_exist_ok=True)
        shutil.rmtree(package)
    return [folder / f"python{python}", folder]


def pybind11():
    folder = PARTS / "pybind11"
    if not folder.exists():
        run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", PARTS,
            f"pybind11=={PYBIND11}")
        zipfile.ZipFile(PARTS / f"pybind11-{PYBIND11}-py3-none-any.whl").extractall(folder)
    return folder / "pybind11/include"


def module_object(python, headers, number, sources):
    """Some files of the module, compiled as one."""
    source = PARTS / f"module/{python}-{number}.cpp"
    source.parent.mkdir(exist_ok=True)
    source.write_text("".join(f'#include "{path}"\n' for path in sources))
    folders = [ROOT, ROOT / "include", TREE / "generated"]
    system = [pybind11(), *headers]
    run("ccache", "g++", "-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden",
        "-ffp-contract=off", *(f"-I{folder}" for folder in folders),
        *(word for folder in system for word in ("-isystem", folder)), "-c", source, "-o",
        source.with_suffix(".o"))
    return source.with_suffix(".o")


def build_module(python, headers, library):
    """The native module for one Python, and the program that uses the same library."""
    # resampling.cpp is last: its own span_of would hide another one from those after it.
    sources = sorted((ROOT / "python/module").glob("*.cpp"),
                     key=lambda path: (path.stem == "resampling", path.stem))
    halves = [sources[:len(sources) // 2], sources[len(sources) // 2:]]
    pybind11()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda half: module_object(python, headers, *half),
                                enumerate(halves)))
    module = link(PARTS / f"module/{python}/_core.so", "-shared", "-Wl,-rpath,$ORIGIN", *objects,
                  library, PARTS / "libraries/lib/libfmt.a")
    folders = [f"$ORIGIN/../{folder.format(python)}/assay".replace("//", "/")
               for folder in LIBRARY_FOLDERS]
    (main,) = TREE.glob("CMakeFiles/assay_program.dir/**/main.cpp.o")
    program = link(PARTS / f"module/{python}/assay", "-Wl,--disable-new-dtags",
                   f"-Wl,-rpath,{':'.join(folders)}", main, library)
    return stripped(module), stripped(program)


# Packing: pure functions of files, so that the same files give the same archives.

def licenses():
    """{name: text} of everything that is compiled in."""
    found = {name: pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
             for name, package in LICENSES.items()}
    for path in (PARTS / "libraries").glob("LICENSE.*"):
        found[path.suffix[1:]] = path.read_bytes()
    viewer = ROOT / "web/node_modules/@niivue/niivue/package.json"
    if viewer.exists():
        found["niivue"] = viewer.read_bytes()
    return dict(sorted(found.items()))


def pack_wheel(folder, python, library, module, program):
    package = ROOT / "python/assay"
    files = {f"assay/{path.relative_to(package)}": path.read_bytes()
             for path in sorted(package.rglob("*")) if path.suffix in backend.PACKED}
    number = python.replace(".", "")
    top = backend.name_and_version()
    files |= {f"assay/_core{pythons.ending(python)}": module.read_bytes(),
              "assay/libassay.so": library.read_bytes(),
              f"{top}.data/scripts/assay": program.read_bytes(),
              **{f"{top}.dist-info/licenses/{name}.txt": text for name, text in licenses().items()}}
    tag = f"cp{number}-cp{number}-manylinux_{GLIBC.replace('.', '_')}_x86_64"
    return backend.write_wheel(folder, files, tag)


def commit_time():
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))


def shared_files(program):
    """{path under share/: bytes}: manual pages and completions, as the program prints them."""
    folder = PARTS / "printed"
    shutil.rmtree(folder, ignore_errors=True)
    run(program, "docs", "share", "--out", folder, stdout=subprocess.DEVNULL)
    return {str(path.relative_to(folder / "share")): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def pack_tarball(folder, program):
    top = f"assay-{backend.version()}"
    files = {"bin/assay": program.read_bytes(), "LICENSE": (ROOT / "LICENSE").read_bytes(),
             **{f"share/{name}": text for name, text in shared_files(program).items()},
             **{f"licenses/{name}.txt": text for name, text in licenses().items()}}
    path = pathlib.Path(folder) / f"{top}-linux-x86_64.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = len(content), commit_time()
            entry.mode = 0o755 if name.startswith("bin/") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return path.name


def copyright_text():
    return "\n\n".join([
        "assay is under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0.",
        *(f"Contains {name}:\n\n{text.decode()}" for name, text in licenses().items())])


def deb_files(program):
    """{path: bytes} of the Debian package."""
    doc = "usr/share/doc/assay-imaging"
    files = {"usr/bin/assay": program.read_bytes(), f"{doc}/copyright": copyright_text().encode(),
             f"{doc}/changelog.gz": gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0)}
    for name, text in shared_files(program).items():
        is_page = name.startswith("man/")
        name = name.replace("zsh/site-functions", "zsh/vendor-completions")
        files[f"usr/share/{name}{'.gz' if is_page else ''}"] = (
            gzip.compress(text, mtime=0) if is_page else text)
    return files


def control_text(files):
    size = sum(len(content) for content in files.values()) // 1024
    return (f"Package: assay-imaging\nVersion: {backend.version()}\nArchitecture: amd64\n"
            f"Maintainer: The assay maintainers\nInstalled-Size: {size}\n"
            f"Depends: libc6 (>= {GLIBC})\nRecommends: ca-certificates\n"
            "Suggests: libopenslide0, librsvg2-bin\nSection: science\nPriority: optional\n"
            "Description: measures medical-imaging AI\n"
            " Scores segmentations, compares models, checks published results, and runs agents on\n"
            " questions about whole-slide images. Every number comes with its definition.\n")


def pack_deb(folder, program):
    tree = PARTS / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    files = deb_files(program)
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  {name}\n"
                   for name, content in files.items())
    files |= {"DEBIAN/control": control_text(files).encode(), "DEBIAN/md5sums": sums.encode()}
    for name, content in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if name.startswith("usr/bin/") else 0o644)
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    name = f"assay-imaging_{backend.version()}_amd64.deb"
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, pathlib.Path(folder) / name,
        stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(commit_time())})
    return name


# Checking.

def newest_glibc(path):
    """The newest version of glibc's symbols that a file asks for."""
    found = re.findall(r"\(GLIBC_([0-9.]+)\)", output("objdump", "-T", path))
    return max(found, key=lambda version: tuple(map(int, version.split("."))))


def check_symbols(*paths):
    for path in paths:
        newest = newest_glibc(path)
        print(f"{path.relative_to(PARTS)}: {path.stat().st_size / 1e6:.1f} MB, GLIBC_{newest}")
        if tuple(map(int, newest.split("."))) > tuple(map(int, GLIBC.split("."))):
            sys.exit(f"{path}: needs glibc {newest}, more than {GLIBC}")


def pack_twice(pack, *arguments):
    """Packs into OUT, and again elsewhere: the bytes must be the same."""
    again = PARTS / "again"
    for folder in (OUT, again):
        folder.mkdir(parents=True, exist_ok=True)
        name = pack(folder, *arguments)
    if (OUT / name).read_bytes() != (again / name).read_bytes():
        sys.exit(f"{name}: packing it twice gave different bytes")
    digest = hashlib.sha256((OUT / name).read_bytes()).hexdigest()
    print(f"{digest}  {name}  {(OUT / name).stat().st_size / 1e6:.1f} MB", flush=True)
    return f"{digest}  {name}\n"


def main(chosen, here):
    """Wheels for the chosen Pythons; those in `here` are this machine's."""
    os.environ["SOURCE_DATE_EPOCH"] = str(commit_time())  # even if somebody commits meanwhile
    prepare()
    program = build_program()
    check_symbols(program)
    sums = [pack_twice(pack_tarball, program), pack_twice(pack_deb, program)]
    library = link_library()
    check_symbols(library)
    for python in chosen:
        headers = here[python]["headers"] if python in here else headers_of(python)
        print(f"Python {python}: headers in", *headers, flush=True)
        module, start = build_module(python, headers, library)
        check_symbols(module, start)
        sums.append(pack_twice(pack_wheel, python, library, module, start))
    (OUT / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    found = pythons.found_here()
    known = [*pythons.RELEASES, *found]
    if unknown := set(sys.argv[1:]) - set(known):
        sys.exit(f"build.py: there are no headers of Python {', '.join(sorted(unknown))}, only of "
                 f"{', '.join(known)}")
    main(sys.argv[1:] or known, found)
