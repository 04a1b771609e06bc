#!/usr/bin/env python3
"""Compares assay with its peers, writes the tables of docs/conventions.md and docs/peers, and ends
with 'N passed, N failed, N skipped'.

usage: run.py [--pairs N] [--only PEER,...] [--no-models] [--no-docs]
"""
import argparse, pathlib, sys, time

import agreement, array_peers, dicom_peers, inspect_answers, models, newer_numpy, nnunet_export
import paired_tests, peer_pages, sliding, tools, trackers

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/conventions.md"
BEGIN, END = "<!-- made by make test-peers -->\n", "<!-- end of what make test-peers makes -->\n"
SEED = 15


def number(x):
    return "0" if x == 0 else f"{x:.0e}".replace("e-0", "e-")


class Table:
    """Rows of Markdown, and how many of them are met."""

    def __init__(self, *columns):
        self.lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        self.passed = self.failed = self.skipped = 0

    def add(self, *cells):
        self.lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")

    def missing(self, title, columns, why):
        self.skipped += 1
        self.add(title, *[""] * (columns - 2), f"not measured: {why}")
        print(f"{title}: not measured, because {why}", flush=True)

    def met(self, is_met):
        if is_met:
            self.passed += 1
        else:
            self.failed += 1


def remarks(row):
    """What differs, how often and why."""
    parts = [f"{count} of them {'differs' if count == 1 else 'differ'}: {why}"
             for why, count in row.left_out.items()]
    if row.left_out and row.greatest_left_out:
        parts.append(f"by up to {row.greatest_left_out:.3g}")
    if row.wrong:
        parts.append(f"**{len(row.wrong)} of them differ for no known reason**")
    return "; ".join(parts)


def add_peer(table, peer, rows):
    """One line for all metrics that agree everywhere, one for each of the others."""
    version = peer.version()
    whole = {}
    for row in rows.values():
        table.met(row.is_met)
        if not row.left_out and not row.wrong:
            whole.setdefault(row.compared, []).append(row)
    for compared, same in whole.items():
        keys = ", ".join(f"`{row.key}`" for row in same)
        table.add(peer.title, version, f"`{peer.convention}`", keys, compared,
                  number(max(row.greatest for row in same)), "")
    for row in rows.values():
        if row.left_out or row.wrong:
            table.add(peer.title, version, f"`{peer.convention}`", f"`{row.key}`", row.compared,
                      number(row.greatest), remarks(row))


def compare_masks(arguments):
    table = Table("peer", "version", "convention", "metrics", "pairs", "largest difference",
                  "what differs, and why")
    for make in tools.PEERS:
        if arguments.only and make.title not in arguments.only:
            continue
        started = time.monotonic()
        try:
            peer = make()
        except tools.Missing as why:
            table.missing(make.title, 7, str(why))
            continue
        rows = agreement.agreement(peer, arguments.pairs, SEED)
        add_peer(table, peer, rows)
        wrong = [row for row in rows.values() if row.wrong]
        print(f"{peer.title} {peer.version()}: {len(rows) - len(wrong)} of {len(rows)} metrics "
              f"agree ({time.monotonic() - started:.0f} s)",
              flush=True)
        for row in wrong:
            print(*agreement.examples(row), sep="\n", flush=True)
    return table


def compare_statistics(arguments):
    table = Table("test", "peer", "policy", "samples", "largest relative difference")
    try:
        stats = tools.module("scipy.stats")
    except tools.Missing as why:
        table.missing("SciPy", 5, str(why))
        return table
    version = "SciPy " + tools.importlib.metadata.version("scipy")
    tests = {"wilcoxon": (paired_tests.wilcoxon_differences, f"`{paired_tests.POLICY}`"),
             "friedman": (paired_tests.friedman_differences, "")}
    for name, (differences, policy) in tests.items():
        found = list(differences(stats, arguments.pairs, SEED))
        table.met(max(found) < 1e-9)
        table.add(f"`{name}`", version, policy, len(found), number(max(found)))
        print(f"{version} {name}: largest relative difference {max(found):.3g} of {len(found)} "
              f"samples", flush=True)
    compare_power(table, min(arguments.pairs, 100))
    return table


def compare_power(table, count):
    try:
        power = tools.module("statsmodels.stats.power")
    except tools.Missing as why:
        table.missing("`power`", 5, str(why))
        return
    version = "statsmodels " + tools.importlib.metadata.version("statsmodels")
    found = list(paired_tests.power_differences(power, count, SEED))
    table.met(max(found) == 0)
    table.add("`power`", version, "", len(found), number(max(found)))
    print(f"{version} power: largest relative difference {max(found):.3g} of {len(found)} numbers "
          f"of pairs", flush=True)


def compare_models(arguments):
    table = Table("network", "parameters", "voxels", "labels that differ from torch",
                  "largest difference to MONAI's scores", "what differs, and why")
    try:
        for each in models.outcomes():
            table.met(each.is_met)
            cells = ([f"{each.parameters:,}", f"{each.voxels:,}", each.differing,
                      number(each.greatest)] if each.voxels
                     else [""] * 4)
            table.add(each.name, *cells,
                      "; ".join(filter(None, [each.trouble, *sorted(each.remarks)])))
            print(f"{each.name}: "
                  f"{each.trouble or f'{each.differing} of {each.voxels} labels differ'}",
                  flush=True)
    except tools.Missing as why:
        table.missing("MONAI's networks", 6, str(why))
    return table


def compare_windows():
    table = Table("image", "window", "overlap", "weights",
                  "largest difference to MONAI, as a share of the largest score")
    sides = lambda shape: " × ".join(map(str, shape))
    try:
        for each in sliding.trials():
            table.met(each.is_met)
            table.add(sides(each.shape), sides(each.window), each.overlap, each.weights,
                      number(each.greatest))
            print(f"window {each.window} on {each.shape}: largest difference {each.greatest:.3g}",
                  flush=True)
    except tools.Missing as why:
        table.missing("MONAI's sliding window", 5, str(why))
    return table


def compare_exports():
    table = Table("exported network of nnU-Net", "")
    try:
        for each in nnunet_export.outcomes():
            table.met(each.is_met)
            print(f"{each.name} of nnU-Net, by one command: {each.differing} of {each.voxels} "
                  f"labels differ, {each.unexplained} of them where one class is clearly the best",
                  flush=True)
    except tools.Missing as why:
        table.missing("exported networks of nnU-Net", 2, str(why))
    return table


def try_newer_numpy():
    table = Table("the Python package with", "tests of the package that passed", "failed", "")
    try:
        version, passed, failed = newer_numpy.outcome()
    except tools.Missing as why:
        table.missing("NumPy 2", 4, str(why))
        return table
    table.met(passed > 0 and failed == 0)
    table.add(f"NumPy {version}", passed, failed, "")
    print(f"NumPy {version}: {passed} tests of the package passed, {failed} failed", flush=True)
    return table


def read_trackers():
    table = Table("tracker", "")
    try:
        troubles = trackers.troubles(ROOT / "build/release/bin/assay")
    except tools.Missing as why:
        table.missing("MLflow and TensorBoard", 2, str(why))
        return table
    table.met(not troubles)
    print(f"{' and '.join(trackers.WANTED)}: {'; '.join(troubles) or 'read back what was logged'}",
          flush=True)
    return table


def read_files(kind, peers):
    """Files that others wrote, or read as well."""
    table = Table(kind, "")
    try:
        for title, trouble, is_left_out in peers.outcomes(ROOT / "build/release/bin/assay"):
            if is_left_out:
                table.missing(title, 2, trouble)
                continue
            table.met(not trouble)
            print(f"{title}: {trouble or 'the same'}", flush=True)
        print(f"{kind}: written and read by {peers.versions()}", flush=True)
    except tools.Missing as why:
        table.missing(kind, 2, str(why))
    return table


def compare_pages(arguments):
    table = Table("page", "")
    for name, wrong, missing in peer_pages.compare_pages(arguments.only, not arguments.no_docs):
        if missing:
            table.missing(f"docs/peers/{name}.md", 2, missing)
            continue
        table.met(not wrong)
        print(f"docs/peers/{name}.md: {'; '.join(wrong) or 'the numbers agree'}", flush=True)
    if not arguments.only or "inspect_ai" in arguments.only:
        compare_answers(table)
    return table


def compare_answers(table):
    try:
        theirs, ours = inspect_answers.score_both()
    except tools.Missing as why:
        table.missing("inspect_ai", 2, str(why))
        return
    table.met(all(tools.near(ours[name], theirs[name], 1e-12) for name in theirs))
    print(f"{inspect_answers.WANTED[0]}: {theirs} there, {ours} here", flush=True)


def write_page(tables):
    page = PAGE.read_text()
    before, after = page[: page.index(BEGIN)] + BEGIN, page[page.index(END):]
    PAGE.write_text(before + "\n" + "\n\n".join("\n".join(table.lines) for table in tables) + "\n\n"
                    + after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--no-models", action="store_true")
    parser.add_argument("--no-docs", action="store_true")
    arguments = parser.parse_args()
    tables = [compare_masks(arguments)]
    if not arguments.only:
        tables.append(compare_statistics(arguments))
    if not arguments.only and not arguments.no_models:
        tables.append(compare_models(arguments))
        tables.append(compare_windows())
        tables.append(try_newer_numpy())
    if len(tables) == 5 and not arguments.no_docs:
        write_page(tables)
    if not arguments.only and not arguments.no_models:
        tables.append(compare_exports())
    if not arguments.only:
        tables.append(read_trackers())
        tables.append(read_files("DICOM", dicom_peers))
        tables.append(read_files("Zarr and TIFF", array_peers))
    tables.append(compare_pages(arguments))
    passed, failed, skipped = (sum(getattr(table, name) for table in tables)
                               for name in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
