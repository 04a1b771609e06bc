#!/usr/bin/env python3
"""Names of tests: a sentence in snake_case, in C++ after a suite in PascalCase. Exits 1 otherwise.

usage: test_names.py ROOT
"""
import pathlib, re, sys

CPP = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+),\s*(\w+)\s*\)", re.M)
PYTHON = re.compile(r"^ *(?:async )?def (test\w*)\(", re.M)
SUITE, TEST = re.compile(r"[A-Z][A-Za-z0-9]*"), re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


def wrong_names(path):
    text = path.read_text(errors="replace")
    if path.suffix == ".cpp":
        return [f"{m[1]}.{m[2]}" for m in CPP.finditer(text)
                if not (SUITE.fullmatch(m[1]) and TEST.fullmatch(m[2]))]
    return [m[1] for m in PYTHON.finditer(text) if not TEST.fullmatch(m[1])]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    bad = 0
    for path in sorted([*root.rglob("*_test.cpp"), *root.rglob("test_*.py")]):
        if "build" in path.relative_to(root).parts:
            continue
        for name in wrong_names(path):
            print(f"{path}: {name}: write Suite.words_in_snake_case, or test_words_in_snake_case")
            bad += 1
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
