"""The pages of docs/peers: each peer's numbers for the same cases, beside assay's."""
import warnings

import tools
from agreement import reason
from examples import PAGES, columns, replace_table, rows, shown


def makers():
    return {make.title: make for make in tools.PEERS}


def compare(page, peer):
    """(lines of the table, what differs for no known reason)."""
    heads = columns(page)
    heads[2] += f" {peer.version()}"
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    wrong, theirs = [], {}
    for example, key, ours in rows(page):
        if example.name not in theirs:
            theirs[example.name] = peer.values(example)
        expected = theirs[example.name][key]
        if not tools.near(ours[0], expected, peer.relative) and not reason(
                peer, key, example, ours[0], expected):
            wrong.append(f"{page.title}: {key}, {example.name}: {ours[0]} here, {expected} there")
        cells = [example.name, f"`{key}`", shown(expected), *map(shown, ours)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines, wrong


def compare_pages(only, write):
    """(page, what is wrong, why it was not measured) of every page."""
    for name, page in PAGES.items():
        if only and page.title not in only:
            continue
        try:
            peer = makers()[page.title]()
        except tools.Missing as why:
            yield name, [], str(why)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines, wrong = compare(page, peer)
        if write and not wrong:
            replace_table(name, lines)
        yield name, wrong, None
