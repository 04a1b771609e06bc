#!/usr/bin/env python3
"""clang-tidy on what is compiled into the library and the program, as the build compiles it: by
batches of files (a fifth of the time of single files). Exits 1 when it finds anything.

What passed before is not looked at again while its text, what it includes from the project, its
compile command and the settings of clang-tidy stay the same. What passed is remembered in
$ASSAY_TIDY_CACHE (default: ~/.cache/assay/tidy).

usage: tidy.py
"""
import concurrent.futures, functools, hashlib, json, os, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/lint"
CACHE = pathlib.Path(os.environ.get("ASSAY_TIDY_CACHE")
                     or pathlib.Path.home() / ".cache/assay/tidy")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


@functools.cache
def text(path):
    return path.read_bytes()


@functools.cache
def includes(path):
    """The project's files that a file names in its includes."""
    named = INCLUDE.findall(text(path).decode(errors="replace"))
    places = [path.parent, ROOT, ROOT / "include", BUILD / "generated"]
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
    """How each file or batch of the library and the program is compiled."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    kept = (e for e in entries if re.search(r"/assay_\w+\.dir/Unity/|/(assay|cli)/", e["file"]))
    return {pathlib.Path(e["file"]): e["command"].replace(str(ROOT), ".") for e in kept}


def key(path, command, common):
    digest = hashlib.sha256(common + command.encode())
    for each in closure(path):
        digest.update(hashlib.sha256(text(each).replace(str(ROOT).encode(), b".")).digest())
    return digest.hexdigest()


def passes(path, mark):
    """Runs clang-tidy; remembers success."""
    command = ["clang-tidy", "--quiet", "-p", str(BUILD), "--extra-arg=-Wno-unknown-warning-option"]
    if BUILD in path.parents:  # a batch: it includes .cpp files, and shadows are looked for here
        command += ["--checks=-bugprone-suspicious-include", "--extra-arg=-Wshadow"]
    done = subprocess.run([*command, str(path)], cwd=ROOT, text=True, capture_output=True)
    if done.returncode:
        print(f"--- clang-tidy {path.relative_to(ROOT)}\n{done.stdout}", flush=True)
        return False
    mark.touch()
    return True


def main():
    CACHE.mkdir(parents=True, exist_ok=True)
    common = settings()
    marks = {f: CACHE / key(f, command, common) for f, command in commands().items()}
    waiting = [f for f in marks if not marks[f].exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(lambda f: passes(f, marks[f]), waiting))
    print(f"clang-tidy: {len(marks)} batches, {len(waiting)} of them looked at, "
          f"{good.count(False)} with findings")
    return int(not marks or not all(good))


if __name__ == "__main__":
    sys.exit(main())
