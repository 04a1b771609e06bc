"""What the cluster tests share. They are run by `make test-cluster`, and not by `make test`."""
import pathlib, sys, tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from private_slurm import CannotStart, PrivateSlurm  # noqa: E402


@pytest.fixture(scope="session")
def cluster():
    """A private Slurm for all tests of the session; they are skipped where it cannot start."""
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        try:
            slurm = PrivateSlurm(folder).__enter__()
        except CannotStart as e:
            pytest.skip(str(e))
        with slurm:
            yield slurm
