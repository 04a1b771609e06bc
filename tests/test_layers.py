"""tools/layers.py: public headers include only each other and the standard library, and have the
rank of their room."""
import pathlib, subprocess, sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

RANKS = """assay/base
assay/metrics
cli
public: assay/base error.hpp memory.hpp
public: assay/metrics metrics.hpp
pure: assay/metrics
doors: include/assay/memory.hpp
"""
FILES = {
    "include/assay/error.hpp": "#include <stdexcept>\n",
    "include/assay/memory.hpp": '#include <span>\n#include "assay/error.hpp"\n',
    "include/assay/metrics.hpp": '#include "assay/error.hpp"\n',
    "assay/base/file.cpp": '#include "assay/memory.hpp"\n',
    "assay/metrics/metric.cpp": '#include "assay/metrics.hpp"\n',
    "cli/score.cpp": '#include "assay/metrics.hpp"\n',
}


def check(folder, **changes):
    (folder / "ranks.txt").write_text(RANKS)
    for name, text in {**FILES, **changes}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    command = [sys.executable, ROOT / "tools/layers.py", folder, "--ranks", folder / "ranks.txt",
               "-q"]
    return subprocess.run(command, text=True, capture_output=True)


def test_a_tree_in_order_passes(tmp_path):
    done = check(tmp_path)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout


@pytest.mark.parametrize("changed, included, said",
                         [
                             ("include/assay/error.hpp", "<fmt/format.h>",
                              "includes fmt/format.h; public headers include each other"),
                             ("include/assay/error.hpp", "<stdint.h>",
                              "includes stdint.h; public headers include each other"),
                             ("include/assay/error.hpp", '"assay/base/text.hpp"',
                              "includes assay/base/text.hpp; public headers include each other"),
                             ("include/assay/error.hpp", '"assay/metrics.hpp"',
                              "which is not below it"),
                             ("assay/base/file.cpp", '"assay/metrics.hpp"',
                              "which is not below it"),
                             ("assay/metrics/metric.cpp", '"assay/memory.hpp"',
                              "which leads to a door"),
                             ("include/assay/metrics.hpp", '"assay/memory.hpp"',
                              "which leads to a door"),
                             ("include/assay/extra.hpp", "<span>",
                              "include/assay: folder has no rank"),
                         ])
def test_a_wrong_include_is_named(tmp_path, changed, included, said):
    done = check(tmp_path, **{changed: f"#include {included}\n", "assay/base/text.hpp": ""})
    assert done.returncode == 1 and said in done.stdout, done.stdout
