"""`cmake --install` gives a package that another project can find and link."""
import os, pathlib, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")).parent


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_another_project_finds_and_links_the_installed_package(tmp_path):
    run("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix")
    run("cmake", "-S", ROOT / "tests/package", "-B", tmp_path / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/consumer").splitlines() == [
        "0.5", "absent: no such file or folder; it was given as the prediction"]
    assert run(tmp_path / "prefix/bin/assay", "--version").startswith("assay ")
