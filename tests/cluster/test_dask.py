"""score with Dask's distributed client: the file of one machine."""
import os

import pytest

from support import PROGRAM, cohort, without_provenance

distributed = pytest.importorskip("distributed")

PACKAGE = PROGRAM.parent.parent / "python"


@pytest.fixture
def client(monkeypatch):
    """Two workers, each a process of its own."""
    paths = f"{PACKAGE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    monkeypatch.setenv("PYTHONPATH", paths)  # for the workers
    monkeypatch.syspath_prepend(str(PACKAGE))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1",
                                  dashboard_address=None) as local:
        with distributed.Client(local) as found:
            yield found


def test_a_client_gives_the_file_of_one_machine(client, tmp_path):
    import assay

    pred, ref = cohort(tmp_path, [f"sub-{number:02}" for number in range(12)])
    alone, spread = tmp_path / "alone.json", tmp_path / "spread.json"
    assay.score(pred, ref, metrics="dice,hd95", out=alone)
    assay.score(pred, ref, metrics="dice,hd95", out=spread, executor=client, shards=5)
    assert without_provenance(spread) == without_provenance(alone)


def test_equal_calls_are_made_again(client, tmp_path):
    """Dask remembers what pure functions returned; files may have changed since."""
    import assay

    pred, ref = cohort(tmp_path, ["sub-01", "sub-02"])
    before = assay.score(pred, ref, executor=client, shards=2)
    (pred / "sub-01.nii.gz").write_bytes((ref / "sub-01.nii.gz").read_bytes())
    after = assay.score(pred, ref, executor=client, shards=2)
    assert after["dice"]["values"][0] == 1 > before["dice"]["values"][0]


def test_a_failure_names_its_shard(client, tmp_path):
    import assay

    with pytest.raises(OSError, match=r"shard 1 of 2: .*no such file or folder"):
        assay.score(tmp_path / "nowhere", tmp_path, executor=client, shards=2)
