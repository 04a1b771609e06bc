"""Runs one peer over all pairs, and says for every metric how many agree and what the others
are."""
import math, warnings

import assay

from pairs import pairs
from tools import PERCENT, TOLERANCE_MM, difference, near

assert PERCENT == 95  # the key hd95 says so


class Row:
    """One metric of one peer."""

    def __init__(self, key):
        self.key = key
        self.compared = self.equal = 0
        self.greatest = 0.0  # difference of the equal ones
        self.left_out = {}   # why -> how many differ for that reason
        self.greatest_left_out = 0.0
        self.wrong = []      # what nobody can explain

    @property
    def is_met(self):
        return not self.wrong and self.compared > 0


def reason(peer, key, pair, found, expected):
    return next((known.why for known in peer.known if known.explains(key, pair, found, expected)),
                None)


def judge(row, peer, pair, found, expected):
    row.compared += 1
    off = difference(found, expected)
    if near(found, expected, peer.relative):
        row.equal += 1
        row.greatest = max(row.greatest, off)
        return
    why = reason(peer, row.key, pair, found, expected)
    if why:
        row.left_out[why] = row.left_out.get(why, 0) + 1
        if math.isfinite(off):
            row.greatest_left_out = max(row.greatest_left_out, off)
    else:
        row.wrong.append((pair, found, expected))


def agreement(peer, count, seed):
    """Rows by metric."""
    rows = {key: Row(key) for key in peer.keys}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, pair in enumerate(pairs(count, seed)):
            if number % peer.share or not peer.takes(pair):
                continue
            theirs = peer.values(pair)
            ours = assay.metrics(pair.prediction, pair.reference, spacing=pair.spacing,
                                 metrics=peer.keys, convention=peer.convention,
                                 nsd_tolerance=TOLERANCE_MM, **peer.settings_for(pair))
            for key in theirs:
                judge(rows[key], peer, pair, ours[key], theirs[key])
    return rows


def examples(row, count=3):
    for pair, found, expected in row.wrong[:count]:
        yield (f"  {row.key} of a {pair.kind} of shape {pair.reference.shape}, spacing "
               f"{pair.spacing}, {pair.prediction.sum()} and "
               f"{pair.reference.sum()} voxels: {found} here, {expected} there")
