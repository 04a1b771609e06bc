"""The package with a newer NumPy than the one it was compiled against: its own tests, in an
environment of their own."""
import pathlib, re, subprocess, sys

from tools import Missing

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build/peers/newer-numpy"
WANTED = ["numpy==2.4.6", "pytest==9.2.0", "nibabel==5.4.2", "scipy==1.17.1", "pandas==3.1.1"]


def environment(home, wanted):
    """Its Python; made once."""
    python, done = home / "bin/python", home / "installed.txt"
    if done.exists() and done.read_text() == "\n".join(wanted):
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, capture_output=True)
    install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet",
               "--retries", "1", "--timeout", "30", *wanted]
    made = subprocess.run(install, text=True, capture_output=True)
    if made.returncode != 0:
        raise Missing(f"the Python package index does not give {wanted[0]}: "
                      f"{made.stderr.strip().splitlines()[-1]}")
    done.write_text("\n".join(wanted))
    return python


def outcome():
    """(version of NumPy, how many tests passed, how many failed)."""
    command = [environment(HOME, WANTED), "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "--ignore", ROOT / "tests/python/test_wheel.py", ROOT / "tests/python"]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    counts = {word: int(number)
              for number, word in re.findall(r"(\d+) (passed|failed|error)", last)}
    if not counts:
        raise RuntimeError(f"the tests could not be run: {done.stdout[-400:]}{done.stderr[-400:]}")
    return (WANTED[0].split("==")[1], counts.get("passed", 0),
            counts.get("failed", 0) + counts.get("error", 0))
