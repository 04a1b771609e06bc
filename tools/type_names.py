#!/usr/bin/env python3
"""Types that two headers define under one name. Exits 1 when there is one: such a program has
undefined behaviour.

usage: type_names.py ROOT
"""
import collections, pathlib, re, sys

NAMESPACE = re.compile(r"^namespace ([a-z_:]+) \{")
TYPE = re.compile(r"^\s*(?:struct|class|enum class) ([A-Z]\w*)(?: final)?(?: : .*)? \{")


def types(path):
    """(qualified name, line) of each type that is defined at the level of a namespace."""
    open_namespaces = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if found := NAMESPACE.match(line):
            open_namespaces.append(found[1])
        elif line.startswith("}  // namespace") and open_namespaces:
            open_namespaces.pop()
        elif (found := TYPE.match(line)) and not line[0].isspace():
            yield "::".join([*open_namespaces, found[1]]), number


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    places = collections.defaultdict(list)
    for path in sorted(root.rglob("*.hpp")):
        if "build" not in path.relative_to(root).parts:
            for name, line in types(path):
                places[name].append(f"{path}:{line}")
    repeated = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(repeated.items()):
        print(f"{name} is defined in {len(where)} headers: {', '.join(where)}; rename all but one")
    return int(bool(repeated))


if __name__ == "__main__":
    sys.exit(main())
