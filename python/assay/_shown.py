# SPDX-License-Identifier: Apache-2.0
"""Results that show themselves in notebooks: dicts, displayed as a table and a drawing."""
from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    import os
    from typing import Any

    _Dict = dict[str, Any]
else:
    _Dict = dict

_MOST_COLUMNS = 5  # metrics in a table; `report` shows all of them
_MOST_ROWS = 12  # labels or models
_CELL = "text-align:right;padding:.25em .6em;white-space:nowrap;vertical-align:top"
_NAME = "text-align:left;padding:.25em .9em .25em 0;vertical-align:top"
_SOFT = "opacity:.7;font-size:.85em"


class Result(_Dict):
    """The result of a command: a dict, which notebooks show as a table and a drawing.

    It compares, pickles and converts to JSON like any dict. `report` writes it as an HTML page.
    """

    def report(self, out: str | os.PathLike[str] = "report.html", **settings: Any) -> Result:
        """Writes the result as one self-contained HTML page. See `assay report --help`.

        >>> assay.score("predictions", "labelsTr").report("page.html")  # doctest: +SKIP
        """
        from ._commands import report

        return report(self, out, **settings)

    def _repr_html_(self) -> str | None:
        shown = _SHOWN.get(str(self.get("schema")))
        if shown is None:
            return None  # notebooks then print the dict
        try:
            return f'<div style="max-width:60em;overflow-x:auto">{shown(self)}</div>'
        except (KeyError, TypeError, AttributeError, ValueError, IndexError):
            return None  # a dict that was changed by hand


def _escaped(text):
    import html

    return html.escape(str(text))


def _number(value):
    """Three decimals, or two significant digits below 0.001, with a true minus sign."""
    if value is None:
        return "–"
    text = f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.2g}"
    return text.replace("-", "\N{MINUS SIGN}")


def _mean(summary):
    """A mean with its interval on the line below."""
    if not summary or summary.get("mean") is None:
        return "–"
    limits = summary.get("ci95")
    below = (f'<br><span style="{_SOFT}">{_number(limits[0])} to {_number(limits[1])}</span>'
             if limits else "")
    return _number(summary["mean"]) + below


def _heads(keys, directions, units):
    """The headings of columns: the metrics' keys and units, and which way they improve."""
    from ._masks import _ROWS

    arrows = {"higher": " ↑", "lower": " ↓"}
    found = []
    for key in keys:
        unit = units.get(key)
        found.append(f'<span title="{_escaped(_ROWS.get(key, {}).get("title", key))}">'
                     f'{_escaped(key)}{f" ({_escaped(unit)})" if unit else ""}'
                     f'{arrows.get(directions.get(key), "")}</span>')
    return found


def _table(head, rows, caption):
    """Cells are HTML already."""
    line = "border-bottom:1px solid rgba(128,128,128,.6)"
    cells = "".join(f'<th scope="col" style="{_NAME if i == 0 else _CELL};{line}">{cell}</th>'
                    for i, cell in enumerate(head))
    body = "".join(
        "<tr style='background:none'>"
        + "".join(f'<th scope="row" style="{_NAME}">{cell}</th>' if i == 0
                  else f'<td style="{_CELL}">{cell}</td>' for i, cell in enumerate(row))
        + "</tr>" for row in rows)
    style = "border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums"
    return (f'<table style="{style}">'
            f'<caption style="caption-side:top;text-align:left;padding:.2em 0">{caption}</caption>'
            f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>")


def _beyond(number, what):
    return f'<p style="{_SOFT}">and {number} more {what}</p>' if number > 0 else ""


def _account(ledger):
    """What became of the cases, in words: "24 cases expected, 22 scored, 1 failed"."""
    words = {"scored": "scored", "failed": "failed", "missing_prediction": "without a prediction",
             "missing_reference": "without a reference"}
    said = [f"{ledger[key]} {what}" for key, what in words.items()
            if ledger.get(key) or key == "scored"]
    return _escaped(f"{ledger['expected']} cases expected, {', '.join(said)}")


def _drawing(values, title):
    """One dot for each case over an axis, and a line at the median."""
    values = sorted(value for value in values if value is not None and abs(value) < float("inf"))
    if len(values) < 2:
        return ""
    low, high = values[0], values[-1]
    if low == high:
        low, high = low - 0.5, high + 0.5
    middle = len(values) // 2
    median = values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
    width, height, edge, radius = 480, 84, 24, 4

    def place(value):
        return edge + (width - 2 * edge) * (value - low) / (high - low)

    stacks, dots = {}, []
    for value in values[:: len(values) // 2000 + 1]:
        column = round(place(value) / (1.6 * radius))
        level = stacks[column] = stacks.get(column, -1) + 1
        dots.append(f'<circle cx="{place(value):.1f}" cy="{46 - min(level * 6, 36)}" '
                    f'r="{radius}"/>')
    words = f"{title} of {len(values)} cases, median {_number(median)}"
    return (f'<svg role="img" aria-label="{words}" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" style="display:block;max-width:100%;height:auto" '
            f'font-family="sans-serif" font-size="12" fill="currentColor">'
            f'<g fill="#4a90c4" fill-opacity=".65">{"".join(dots)}</g>'
            f'<path d="M{edge} 56H{width - edge}" stroke="currentColor" stroke-opacity=".5"/>'
            f'<path d="M{place(median):.1f} 4V60" stroke="currentColor" stroke-width="1.5"/>'
            f'<text x="{edge}" y="74">{_number(low)}</text>'
            f'<text x="{width - edge}" y="74" text-anchor="end">{_number(high)}</text>'
            f'<text x="{min(max(place(median), 140), width - 140):.1f}" y="74" '
            f'text-anchor="middle">{words}</text></svg>')


def _segmentation(result):
    """The means by label, and the cases in the first metric."""
    summaries = result["metrics"]
    order = [key for key in result.get("settings", {}).get("metrics", summaries)
             if key in summaries]
    keys = order[:_MOST_COLUMNS]
    directions = {key: summaries[key].get("direction") for key in keys}
    titles = _heads(keys, directions, _units(result, keys))
    labels = result["labels"]
    name = _escaped(result["model_name"])
    rows = [[f"mean of {len(labels)} labels" if len(labels) > 1 else name,
             *(_mean(summaries[key]) for key in keys)]]
    if len(labels) > 1:
        rows += [[_escaped(label.get("name") or key),
                  *(_mean(label["metrics"].get(metric)) for metric in keys)]
                 for key, label in list(labels.items())[:_MOST_ROWS]]
    more = _beyond(len(labels) - _MOST_ROWS, "labels") + _beyond(len(order) - len(keys), "metrics")
    caption = f"<b>{name}</b> · {_account(result['ledger'])} · mean, 95\N{NO-BREAK SPACE}% interval"
    drawing = _drawing(_averages(result, keys[0]), _escaped(keys[0])) if keys else ""
    return _table(["" if len(labels) > 1 else "model", *titles], rows, caption) + more + drawing


def _units(result, keys):
    """Distances may be in pixels."""
    from ._masks import _ROWS

    units = {key: _ROWS.get(key, {}).get("unit") for key in keys}
    distance = result.get("settings", {}).get("unit", "mm")
    return {key: distance if unit == "mm" else unit for key, unit in units.items()}


def _averages(result, metric):
    """The mean over the labels of each case. Cases with an undefined label are left out."""
    chosen = result.get("settings", {}).get("averaged") or list(result["labels"])
    found = []
    for case in result["cases"]:
        values = [case.get("label", {}).get(label, {}).get(metric) for label in chosen]
        if values and None not in values:
            found.append(sum(values) / len(values))
    return found


def _comparison(result):
    """Means by model, and the verdict on each against the baseline."""
    keys = list(result["metrics"])[:_MOST_COLUMNS]
    verdicts = {(pair["model_name"], key): pair.get("standing") or pair["verdict"]
                for key in keys for pair in result["metrics"][key]}
    titles = _heads(keys, result["directions"], result["units"])
    rows = []
    for model in result["models"][:_MOST_ROWS]:
        name = model["model_name"]
        is_baseline = name == result["baseline"]
        cells = []
        for key in keys:
            verdict = "" if is_baseline else _VERDICTS.get(verdicts.get((name, key)), "")
            cells.append((f"<b>{verdict}</b> " if verdict else "")
                         + _mean(model["metrics"].get(key)))
        rows.append([_escaped(name) + (f' <span style="{_SOFT}">baseline</span>'
                                       if is_baseline else ""), *cells])
    matched = result["cases"]["matched"]
    caption = (f"Compared with <b>{_escaped(result['baseline'])}</b> on {matched} cases · mean, "
               f"95\N{NO-BREAK SPACE}% interval")
    return (_table(["model", *titles], rows, caption)
            + _beyond(len(result["models"]) - _MOST_ROWS, "models")
            + _beyond(len(result["metrics"]) - len(keys), "metrics"))


_VERDICTS = {"better": "better", "worse": "worse", "different": "different",
             "equivalent": "equivalent", "non-inferior": "not inferior",
             "inconclusive": "undecided", "too_few_pairs": "too few pairs"}


def _answers(result):
    """The share of right answers of one benchmark."""
    counted = result["metrics"]["failures_are_wrong"]
    limits = counted.get("ci95")

    def percent(share):
        return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"

    ledger = result["ledger"]
    without = ledger["expected"] - ledger["scored"]
    cost = result.get("total_cost_usd")
    row = [_escaped(result["benchmark_name"]), percent(counted["point_estimate"]),
           f"{percent(limits[0])} to {percent(limits[1])}" if limits else "–",
           f"{counted['correct']} of {counted['n']}", str(without),
           "unknown" if cost is None else f"${cost:.4g}"]
    head = ["benchmark", result["metrics"]["metric_type"].replace("_", " "),
            "95\N{NO-BREAK SPACE}% interval", "right", "without a label", "cost"]
    return _table(head, [row], f"<b>{_escaped(result['model_name'])}</b>")


_SHOWN = {"assay.segmentation/1": _segmentation, "assay.comparison/1": _comparison,
          "assay.qa/1": _answers}
