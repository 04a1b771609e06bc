"""What came of the faults that tests tried, for the tables of docs/reliability.md.

With $ASSAY_RELIABILITY tests add their counts to that file, a line of JSON each.
usage: reliability.py FILE      writes the tables into docs/reliability.md (make reliability)
"""
import collections, json, os, pathlib, re, sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/reliability.md"


def note(table, command, fault, outcomes):
    """`outcomes`: how often each came about."""
    if place := os.environ.get("ASSAY_RELIABILITY"):
        with open(place, "a") as file:
            print(json.dumps([table, command, fault, dict(outcomes)]), file=file)


# The order of rows and columns: commands as one uses them, calls as a file lives.
ORDER = ["score", "score over old results", "score --shard", "merge", "evaluate", "compare",
         "report", "qa run", "qa salvage",
         "open", "read", "map", "write", "sync", "rename", "close", "lock", "thread", "alloc",
         "not noticed", "nothing lost", "results there", "old results whole", "whole or absent",
         "continued, equal", "made again", "a case recorded", "refused", "stopped, can go on"]


def place(word):
    return ORDER.index(word) if word in ORDER else len(ORDER), word


def row_place(row):
    (command, fault), _ = row
    return place(command), place(fault.split(":")[0]), fault


def tables(lines):
    """By name: a row per command and fault, a column per outcome, from good to bad."""
    rows = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for table, command, fault, outcomes in map(json.loads, lines):
        rows[table][command, fault].update(outcomes)
    out = {}
    for table, found in rows.items():
        columns = sorted({outcome for counts in found.values() for outcome in counts}, key=place)
        text = [f"| command | fault | tried | {' | '.join(columns)} |",
                "|---|---|" + "---:|" * (1 + len(columns))]
        text += [f"| `{command}` | {fault} | {sum(counts.values())} | " +
                 " | ".join(str(counts[column] or "") for column in columns) + " |"
                 for (command, fault), counts in sorted(found.items(), key=row_place)
                 if counts.total()]
        out[table] = "\n".join(text)
    return out


def main(place):
    page = PAGE.read_text()
    for name, text in tables(pathlib.Path(place).read_text().splitlines()).items():
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        if not marks.search(page):
            sys.exit(f"reliability.py: docs/reliability.md has no place for the table '{name}'")
        page = marks.sub(lambda found, text=text: found[1] + text + "\n" + found[2], page)
    PAGE.write_text(page)


if __name__ == "__main__":
    main(sys.argv[1])
