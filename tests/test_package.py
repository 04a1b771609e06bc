"""`cmake --install` gives a package that another project can find, link and use as docs/library.md
says. What README.md, docs/models.md and docs/recipes.md show compiles, too."""
import os, pathlib, re, subprocess

import pytest

from blocks import blocks

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")).parent
PUBLIC = sorted(p.name for p in (ROOT / "include/assay").iterdir())
PAGE = (ROOT / "docs/library.md").read_text()
EXAMPLES = re.findall(r"^```cpp\n(.*?)^```\n\n```text\n(.*?)^```", PAGE, flags=re.M | re.S)
STANDARD = ["algorithm", "filesystem", "fstream", "iostream", "numeric"]  # what the page leaves out

#: What the examples of other pages take for granted.
GIVEN = ", ".join(f"[[maybe_unused]] const assay::Volume<{voxel}>& {name}" for name, voxel in (
    ("volume", "float"), ("image", "float"), ("labels", "std::uint8_t")))

#: A model that answers every image with the image itself (docs/formats/predictor.md).
MODEL = r"""while read -r question; do
  case $question in
  *hello*) echo '{"protocol":1,"name":"copy","classes":2}' ;;
  *) image=$(echo "$question" | sed 's/.*"image":"\([^"]*\)".*/\1/')
     cp "$image" "$(echo "$question" | sed 's/.*"output":"\([^"]*\)".*/\1/')"
     echo '{"ok":true}' ;;
  esac
done
"""


def run(*command, cwd=None):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=cwd)
    assert done.returncode == 0, done.stdout
    return done.stdout


def without_includes(code):
    return re.sub(r"^#include .*\n", "", code, flags=re.M)


def not_run():
    """Examples of other pages, which take files or volumes for granted: compiled only."""
    return [block.text for page in ("README.md", "docs/models.md", "docs/recipes.md")
            for block in blocks(page) if block.language == "cpp"]


def example_program():
    """The examples of the page as one program, each in a function of its own; a line between
    them."""
    includes = sorted({line for code in [*(code for code, _ in EXAMPLES), *not_run()]
                       for line in re.findall(r"^#include .*", code, flags=re.M)})
    bodies = [without_includes(code) for code, _ in EXAMPLES]
    lines = [*includes, *(f"#include <{name}>" for name in STANDARD)]
    for number, body in enumerate(bodies):
        lines.append(f"static void example_{number}() {{\n{body}}}")
    for number, block in enumerate(not_run()):
        lines.append(f"[[maybe_unused]] static void shown_{number}({GIVEN}) {{\n"
                     f"{without_includes(block)}}}")
    calls = ' std::cout << "--\\n"; '.join(f"example_{number}();" for number in range(len(bodies)))
    return "\n".join([*lines, f"int main() {{ {calls} }}\n"])


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def consumer(prefix, tmp_path_factory):
    """Each installed header compiled alone, and the examples, linked with the installed library."""
    folder = tmp_path_factory.mktemp("consumer")
    for header in PUBLIC:
        (folder / f"header_{header}.cpp").write_text(
            f"#include <assay/{header}>\n#include <assay/{header}>\n")
    (folder / "examples.cpp").write_text(example_program())
    (folder / "model.sh").write_text(MODEL)
    run("cmake", "-S", ROOT / "tests/package", "-B", folder / "build", "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSOURCES={folder}")
    run("cmake", "--build", folder / "build")
    return folder


def test_the_public_headers_are_installed_and_no_others(prefix):
    installed = sorted(p.relative_to(prefix / "include").as_posix()
                       for p in (prefix / "include").rglob("*") if p.is_file())
    assert installed == [f"assay/{name}" for name in PUBLIC]


def test_the_page_has_an_example_of_every_header():
    code = "".join(code for code, _ in EXAMPLES)
    assert sorted(set(re.findall(r"^#include <assay/(.*)>", code, flags=re.M))) == PUBLIC
    assert sorted(set(re.findall(r"`assay/(\w+\.hpp)`", PAGE))) == PUBLIC


def test_every_example_prints_what_the_page_shows(consumer):
    printed = run(consumer / "build/consumer", cwd=consumer).split("--\n")
    assert printed == [shown for _, shown in EXAMPLES]
    assert (consumer / "report.html").read_text().startswith("<!doctype html>")


def test_the_program_is_installed(prefix):
    assert run(prefix / "bin/assay", "--version").startswith("assay ")
