"""A file that hangs, as those of a network file system do: see tests/faults/hanging_file.c."""
import contextlib, pathlib, tempfile

from support import PROGRAM

SHIM = PROGRAM.parent / "hanging_file.so"


class HangingFile:
    """Programs that are started with `environment` wait when they open a path that ends with
    `name`, for as long as it is held."""

    def __init__(self, name, folder):
        assert SHIM.exists(), f"{SHIM} is not built"
        self.hold = pathlib.Path(folder) / "hold"
        self.environment = {"LD_PRELOAD": str(SHIM), "HANGING_FILE": name,
                            "HANGING_HOLD": str(self.hold)}

    def is_waited_for(self):
        return pathlib.Path(f"{self.hold}.waits").exists()

    @contextlib.contextmanager
    def held(self):
        self.hold.touch()
        try:
            yield
        finally:
            self.hold.unlink()


@contextlib.contextmanager
def hanging_file(name):
    with tempfile.TemporaryDirectory(prefix="hanging-") as folder:
        yield HangingFile(name, folder)
