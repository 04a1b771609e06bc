#!/usr/bin/env python3
"""Adds to the committed corpus the few files that cover most of what it does not cover yet.

usage: minimise.py build/fuzz/bin/fuzz build/fuzz/grown [MOST]      MOST: files per target, 12

libFuzzer's own merge keeps a file for every new count of a loop, thousands in all. Here only edges
count.
"""
import hashlib, pathlib, subprocess, sys, tempfile

CORPUS = pathlib.Path(__file__).parent / "corpus"
LARGEST = 4000  # bytes


def edges(program, target, folders):
    """The edges that each file covers, by path. A feature is an edge and one of eight counts."""
    with tempfile.TemporaryDirectory() as work:
        control, empty = pathlib.Path(work) / "control", pathlib.Path(work) / "out"
        empty.mkdir()
        subprocess.run([program, f"--target={target}", "-merge=1", f"-merge_control_file={control}",
                        "-rss_limit_mb=3000", "-timeout=25", empty, *folders],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = control.read_text().splitlines()
    count = int(lines[0])
    paths = [pathlib.Path(line) for line in lines[2:2 + count]]
    found = {path: set() for path in paths}
    for line in lines[2 + count:]:
        kind, number, *features = line.split()
        if kind == "FT":
            found[paths[int(number)]].update(int(feature) // 8 for feature in features)
    return found


def chosen(found, covered, most):
    """Greedily: of the files, the one with most new edges, again and again."""
    for _ in range(most):
        best = max(found, key=lambda path: (len(found[path] - covered), -path.stat().st_size),
                   default=None)
        if best is None or not found[best] - covered:
            return
        covered |= found.pop(best)
        yield best


def main():
    program, grown = sys.argv[1], pathlib.Path(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    for folder in sorted(CORPUS.iterdir()):
        if not (grown / folder.name).is_dir():
            continue
        found = edges(program, folder.name, [folder, grown / folder.name])
        covered = set().union(*(found[path] for path in found if path.parent.name == folder.name
                                and path.parent.parent.name == "corpus"))
        before = len(covered)
        new = {path: some for path, some in found.items()
               if path.is_relative_to(grown) and path.stat().st_size <= LARGEST}
        added = 0
        for path in chosen(new, covered, most):
            data = path.read_bytes()
            (folder / f"grown_{hashlib.sha1(data).hexdigest()[:8]}").write_bytes(data)
            added += 1
        print(f"{folder.name}: {before} edges, {len(covered)} with {added} files more", flush=True)


if __name__ == "__main__":
    main()
