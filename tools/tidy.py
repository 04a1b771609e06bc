#!/usr/bin/env python3
"""clang-tidy on what is compiled into the library and the program, one file per core. Exits 1 when it finds anything.

A file that passed before is not looked at again while its text, what it includes from the project, its compile command and the
settings of clang-tidy stay the same. What passed is remembered in $ASSAY_TIDY_CACHE (default: ~/.cache/assay/tidy).

usage: tidy.py [FILE...]      default: every .cpp of assay/ and cli/ but the tests
"""
import concurrent.futures, functools, hashlib, json, os, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/lint"  # configured with the files one by one, as clang-tidy needs them
CACHE = pathlib.Path(os.environ.get("ASSAY_TIDY_CACHE") or pathlib.Path.home() / ".cache/assay/tidy")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


@functools.cache
def text(path):
    return path.read_bytes()


@functools.cache
def includes(path):
    """The project's files that a file names in its includes."""
    named = INCLUDE.findall(text(path).decode(errors="replace"))
    places = [path.parent, ROOT, BUILD / "generated"]
    return [next((p / name for p in places if (p / name).is_file()), None) for name in named]


def closure(path):
    """A file and all that it includes, directly or not."""
    seen, waiting = {path}, [path]
    while waiting:
        for found in includes(waiting.pop()):
            if found and found not in seen:
                seen.add(found)
                waiting.append(found)
    return sorted(seen)


def settings():
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True).stdout
    return version + text(ROOT / ".clang-tidy")


def commands():
    """How each file is compiled, without the place of this tree."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    return {e["file"]: e["command"].replace(str(ROOT), ".") for e in entries}


def key(path, command, common):
    digest = hashlib.sha256(common + command.encode())
    for each in closure(path):
        digest.update(hashlib.sha256(text(each)).digest())
    return digest.hexdigest()


def passes(path, mark):
    """Runs clang-tidy; remembers success."""
    command = ["clang-tidy", "--quiet", "-p", str(BUILD), "--extra-arg=-Wno-unknown-warning-option", str(path)]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        print(f"--- clang-tidy {path.relative_to(ROOT)}\n{done.stdout}", flush=True)
        return False
    mark.touch()
    return True


def sources():
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "assay/*.cpp", "cli/*.cpp"]
    found = subprocess.run(listed, cwd=ROOT, text=True, capture_output=True).stdout.split()
    return [f for f in sorted(set(found)) if not f.endswith("_test.cpp")]


def main():
    CACHE.mkdir(parents=True, exist_ok=True)
    common, compiled = settings(), commands()
    files = [ROOT / f for f in sys.argv[1:] or sources()]
    marks = {f: CACHE / key(f, compiled.get(str(f), ""), common) for f in files if f.is_file()}
    waiting = [f for f in marks if not marks[f].exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(lambda f: passes(f, marks[f]), waiting))
    print(f"clang-tidy: {len(marks)} files, {len(waiting)} of them looked at, {good.count(False)} with findings")
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
