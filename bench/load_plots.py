"""Plain SVG of what load_cohort.py and tests/soak.py measured. Readable on light and dark pages."""
import math

STYLE = """<style>
text { font: 12px sans-serif; fill: #57606a } .axis { stroke: #8c959f } .grid { stroke: #8c959f33 }
.line { fill: none; stroke-width: 1.8 } .a { stroke: #2b6cb0 } .b { stroke: #2f855a }
.c { stroke: #b7791f } .d { stroke: #805ad5 } .title { font-weight: 600; fill: #24292f }
@media (prefers-color-scheme: dark) { text { fill: #9aa4ae } .title { fill: #dfe4ea }
.a { stroke: #63a4e8 } .b { stroke: #56b98a } .c { stroke: #d9a441 } .d { stroke: #a78bfa } }
</style>"""
WIDTH, HEIGHT, LEFT, TOP = 640, 220, 56, 34
RIGHT = 150  # room for the names of lines


class Panel:
    """Axes with lines; ticks are (value, text)."""

    def __init__(self, title, x_ticks, y_ticks, log=False, top=0, x_end=0):
        self.log, self.top = log, top
        self.x_range = self.at(x_ticks[0][0]), self.at(max(x_ticks[-1][0], x_end))
        self.y_range = self.at(y_ticks[0][0]), self.at(y_ticks[-1][0])
        self.parts = [f'<text class="title" x="{LEFT}" y="{top + 18}">{title}</text>']
        for value, text in y_ticks:
            y = self.y(value)
            self.parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" '
                              f'y2="{y:.1f}"/><text x="{LEFT - 8}" y="{y + 4:.1f}" '
                              f'text-anchor="end">{text}</text>')
        bottom = self.y(y_ticks[0][0])
        self.parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom:.1f}" '
                          f'y2="{bottom:.1f}"/>')
        for value, text in x_ticks:
            self.parts.append(f'<text x="{self.x(value):.1f}" y="{bottom + 18:.1f}" '
                              f'text-anchor="middle">{text}</text>')

    def at(self, value):
        return math.log10(value) if self.log else value

    def x(self, value):
        low, high = self.x_range
        return LEFT + 12 + (self.at(value) - low) / (high - low) * (WIDTH - RIGHT - LEFT - 24)

    def y(self, value):
        low, high = self.y_range
        return self.top + HEIGHT - 30 - (self.at(value) - low) / (high - low) * (HEIGHT - 30 - TOP)

    def line(self, points, kind, name="", name_y=None):
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.parts.append(f'<polyline class="line {kind}" points="{path}"/>')
        if name:
            y = self.y(points[-1][1]) if name_y is None else name_y
            self.parts.append(f'<text x="{self.x(points[-1][0]) + 8:.1f}" y="{y + 4:.1f}">{name}'
                              '</text>')


def svg(panels, description):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT * len(panels)}" '
            f'role="img" aria-label="{description}">\n{STYLE}\n'
            + "\n".join(part for panel in panels for part in panel.parts) + "\n</svg>\n")


def memory_plot(found):
    """`found`: by command, [[cases, bytes], ...]."""
    cases = sorted({n for points in found.values() for n, _ in points})
    panel = Panel("Peak memory by number of cases (MB, both axes logarithmic)",
                  [(n, f"{n:,}") for n in cases], [(10, "10"), (100, "100"), (1000, "1,000")], True)
    order = sorted(found, key=lambda name: found[name][-1][1])
    below = None
    for name in order:  # names that would touch move up
        kind = "abcd"[list(found).index(name) % 4]
        points = [(n, peak / 1e6) for n, peak in found[name]]
        name_y = panel.y(points[-1][1])
        below = name_y if below is None else min(name_y, below - 14)
        panel.line(points, kind, f"{name} {points[-1][1]:.0f}", below)
    return svg([panel], "Peak memory of the commands by number of cases")


def rounded_up(value):
    step = 10 ** math.floor(math.log10(value))
    return math.ceil(value / step) * step


def soak_plot(samples):
    """`samples`: (seconds of the fast clock, bytes, open files)."""
    every = max(1, len(samples) // 300)
    samples = samples[::every]
    hours = samples[-1][0] / 3600
    step = max(1, round(hours / 4)) if hours > 1 else hours / 4
    x_ticks = [(i * step, f"{i * step:.3g} h") for i in range(int(hours / step) + 1)]
    panels = []
    for title, kind, values in [
            ("Resident memory of the run (MB)", "a", [each[1] / 1e6 for each in samples]),
            ("Open files of the run", "b", [each[2] for each in samples])]:
        most = rounded_up(max(values))
        panel = Panel(title, x_ticks, [(most * i / 4, f"{most * i / 4:g}") for i in range(5)],
                      top=HEIGHT * len(panels), x_end=hours)
        panel.line([(each[0] / 3600, value) for each, value in zip(samples, values)], kind)
        panels.append(panel)
    return svg(panels, "Memory and open files of a long run")
