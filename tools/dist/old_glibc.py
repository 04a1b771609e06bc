#!/usr/bin/env python3
"""Makes a folder to link against, so that a program needs no symbol of glibc newer than a limit.

usage: old_glibc.py SYSROOT LIMIT FOLDER       SYSROOT: libc6-dev and libgcc of an old Debian

Programs take the newest version of each symbol that the linker sees. Here it sees libraries without
code that have, for each symbol, only the newest version up to LIMIT (such as 2.28). The start files
and the unwinder are those of the old Debian, because newer ones count on what newer systems have.
shims.c has the few functions that are needed and missing.
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# How the linker asks for each library, and which file has its symbols.
LIBRARIES = {"libm.so": "libm.so.6", "libpthread.so": "libpthread.so.0", "libdl.so": "libdl.so.2",
             "librt.so": "librt.so.1", "libc.so.6": "libc.so.6",
             "ld-linux-x86-64.so.2": "ld-linux-x86-64.so.2"}
START = ["crt1.o", "Scrt1.o", "crti.o", "crtn.o", "libc_nonshared.a"]
SYMBOL = re.compile(r"^\s*\d+:\s+[0-9a-f]+\s+(\d+|0x[0-9a-f]+)\s+(FUNC|OBJECT|IFUNC)\s+\w+\s+"
                    r"DEFAULT\s+\d+\s+([\w.]+)(@@?)GLIBC_([0-9.]+)$", re.M)


def numbers(version):
    return tuple(map(int, version.split(".")))


def symbols(library, limit):
    """{version: [(name, kind, size)]}: the version to take of each symbol that can be linked."""
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", library], text=True, check=True,
                           capture_output=True).stdout
    versions, linkable = collections.defaultdict(dict), set()
    for size, kind, name, at, version in SYMBOL.findall(table):
        versions[name][numbers(version)] = (version, kind, int(size, 0))
        if at == "@@":
            linkable.add(name)
    found = collections.defaultdict(list)
    for name in sorted(linkable):
        if old := [version for version in versions[name] if version <= numbers(limit)]:
            version, kind, size = versions[name][max(old)]
            found[version].append((name, kind, size))
    return found


def assembly(name, kind, size):
    if kind == "OBJECT":
        return (f".bss\n.globl {name}\n.type {name},%object\n.size {name},{size}\n"
                f"{name}: .zero {size}\n")
    return f".text\n.globl {name}\n.type {name},%function\n{name}: ret\n"


def write_library(name, found, target, work):
    source, script = work / f"{name}.s", work / f"{name}.map"
    source.write_text("".join(assembly(*each) for group in found.values() for each in group))
    script.write_text("".join(
        f"GLIBC_{version} {{ {' '.join(f'{each[0]};' for each in found[version])} }};\n"
        for version in sorted(found, key=numbers)))
    subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{name}",
                    f"-Wl,--version-script={script}", "-o", target, source], check=True)


def main(sysroot, limit, folder):
    sysroot, folder = pathlib.Path(sysroot), pathlib.Path(folder)
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    for asked, name in LIBRARIES.items():
        (real,) = sysroot.glob(f"lib/x86_64-linux-gnu/{name}")
        write_library(name, symbols(real, limit), folder / asked, work)
    for name in START:
        shutil.copy(sysroot / "usr/lib/x86_64-linux-gnu" / name, folder)
    (unwinder,) = sysroot.glob("usr/lib/gcc/x86_64-linux-gnu/*/libgcc_eh.a")
    shutil.copy(unwinder, folder)
    shutil.copy(sysroot / "lib/x86_64-linux-gnu/libgcc_s.so.1", folder / "libgcc_s.so")
    subprocess.run(["gcc", "-O2", "-fPIC", "-Wall", "-Wextra", "-c", HERE / "shims.c", "-o",
                    folder / "shims.o"], check=True)
    (folder / "libshims.a").unlink(missing_ok=True)
    subprocess.run(["ar", "rcsD", folder / "libshims.a", folder / "shims.o"], check=True)
    here = folder.resolve()
    others = " ".join(f"{here}/{name}" for name in LIBRARIES if name != "libc.so.6")
    (folder / "libc.so").write_text(f"GROUP({here}/libc.so.6 {here}/libc_nonshared.a "
                                    f"{here}/libshims.a AS_NEEDED({others}))\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
