"""assay qa fetch, against the test server on loopback."""
import hashlib, http.server, os, ssl, subprocess, threading

import pytest

from support import PROGRAM, assay, listing, strict

TABLE = "benchmark_name,image_path,file_id,is_valid\n" + "".join(
    f"tcga,S{n}.svs,00000000-0000-0000-0000-{n:012d},True\n" for n in range(5000)
) + "gtex,GTEX-1.tiff,GTEX-1,True\npanda,p1.tiff,p1.tiff,True\n"
SHA256 = hashlib.sha256(TABLE.encode()).hexdigest()


@pytest.fixture
def hub(tmp_path):
    """Starts servers of files; all end with the test."""
    files = tmp_path / "hub"
    files.mkdir()
    (files / "MultiPathQA.csv").write_text(TABLE)
    (files / "slide.svs").write_bytes(b"slide" * 1000)
    running = []

    def start(*options):
        server = subprocess.Popen([PROGRAM.parent / "model_server", "--files", files, *options],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.append(server)
        return f"http://127.0.0.1:{int(server.stdout.readline())}"

    yield start
    for server in running:
        server.stdin.close()
        server.wait(timeout=10)
        server.stdout.close()


def fetch(*arguments, token=None, status=0, **environment):
    names = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    if token:
        names["HF_TOKEN"] = token
    return assay("qa", "fetch", *arguments, status=status, env={**names, **environment})


def test_the_table_comes_checked_and_once(hub, tmp_path):
    out = tmp_path / "data"
    done = fetch("--out", out, "--json", HF_ENDPOINT=hub())
    assert (out / "MultiPathQA.csv").read_text() == TABLE
    (file,) = strict(done.stdout)["files"]
    assert file["sha256"] == SHA256 and file["checked_by"] == "sha256" and not file["already_there"]
    again = fetch("--out", out, "--endpoint", hub())
    assert "is already there" in again.stderr and SHA256 in again.stderr and again.stdout == ""
    assert listing(out) == ["MultiPathQA.csv"]


@pytest.mark.parametrize("option", [[], ["--ignore-range"]], ids=["ranges", "no ranges"])
def test_a_connection_that_breaks_costs_nothing(hub, tmp_path, option):
    done = fetch("--out", tmp_path / "data", "--endpoint", hub("--cut-first", "3", *option))
    assert (tmp_path / "data/MultiPathQA.csv").read_text() == TABLE
    assert ("(continued)" in done.stderr) == (not option)
    assert listing(tmp_path / "data") == ["MultiPathQA.csv"]


def test_a_token_is_sent_and_never_shown(hub, tmp_path):
    address = hub("--token", "hf_secret123")
    refused = fetch("--out", tmp_path, "--endpoint", address, status=2)
    assert "status 401); set HF_TOKEN" in refused.stderr
    wrong = fetch("--out", tmp_path, "--endpoint", address, token="hf_wrong456", status=2)
    assert "may read it" in wrong.stderr and "hf_wrong456" not in wrong.stderr
    done = fetch("--out", tmp_path, "--endpoint", address, "--json", "--verbose",
                 token="hf_secret123")
    assert "hf_secret123" not in done.stdout + done.stderr


def test_lists_for_the_archives(hub, tmp_path):
    done = fetch("--lists", "--out", tmp_path / "data", "--endpoint", hub(), "--json")
    assert listing(tmp_path / "data") == ["MultiPathQA.csv", "gdc_manifest.txt", "gtex_ids.txt",
                                          "panda_ids.txt"]
    ids = (tmp_path / "data/gdc_manifest.txt").read_text().splitlines()
    assert ids[0] == "id" and len(ids) == 5001 and ids[1] == "00000000-0000-0000-0000-000000000000"
    assert (tmp_path / "data/gtex_ids.txt").read_text() == "GTEX-1\n"
    assert "gdc-client download" in done.stderr
    assert ([file["what"] for file in strict(done.stdout)["files"]]
            == ["table", "list", "list", "list"])


def test_a_sample_slide(hub, tmp_path):
    fetch("--sample-slide", "--slide-url", hub() + "/slide.svs?secret=1", "--out",
          tmp_path / "data", token="hf_secret123")
    assert (tmp_path / "data/slide.svs").read_bytes() == b"slide" * 1000


def test_a_required_checksum(hub, tmp_path):
    address = hub()
    done = fetch("--out", tmp_path / "data", "--endpoint", address, "--sha256", "0" * 64, status=2)
    assert f"expected {'0' * 64}" in done.stderr and SHA256 in done.stderr
    assert listing(tmp_path / "data") == []
    fetch("--out", tmp_path / "data", "--endpoint", address, "--sha256", SHA256)
    fetch("--out", tmp_path / "data", "--endpoint", "http://127.0.0.1:9", "--sha256", SHA256)


def test_refusals_say_what_to_do(hub, tmp_path):
    address = hub()
    for arguments, sentence in [
            (["--out", tmp_path, "--endpoint", address, "--table-file", "no.csv", "--revision",
              "v9"],
             "there is no no.csv in tbuckley/MultiPathQA at v9; check --repo, --revision and "
             "--table-file"),
            ([], "give a folder for the files"),
            (["--out", tmp_path, "--endpoint", "huggingface.co"],
             "--endpoint is not a web address"),
            (["--out", tmp_path, "--sha256", "abc"], "--sha256 must be 64 hex digits"),
            (["--out", tmp_path, "--table", "--sample-slide", "--sha256", "0" * 64],
             "--sha256 is for one file"),
            (["--out", tmp_path, "--table-file", "a/.."], "does not name a file"),
            (["--out", tmp_path / "hub/slide.svs/x", "--endpoint", address], "slide.svs"),
    ]:
        done = fetch(*arguments, status=2)
        assert sentence in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_without_a_network_the_address_and_another_way_are_named(tmp_path):
    done = fetch("--out", tmp_path, "--endpoint", "http://127.0.0.1:9", status=2)
    assert "the connection was refused" in done.stderr
    assert (
        "http://127.0.0.1:9/datasets/tbuckley/MultiPathQA/resolve/main/MultiPathQA.csv by other"
        " means"
        in done.stderr
    )
    assert listing(tmp_path) == []


@pytest.fixture
def tls_hub(tmp_path):
    """A slide behind a certificate that only its maker trusts."""
    files, certificate, key = (tmp_path / name for name in ("hub", "certificate.pem", "key.pem"))
    files.mkdir()
    (files / "slide.svs").write_bytes(b"slide" * 1000)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)

    class Files(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=files)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_port}/slide.svs", certificate
    server.shutdown()
    server.server_close()


def test_the_certificates_that_are_named_are_trusted_and_no_others(tls_hub, tmp_path):
    url, certificate = tls_hub
    words = "--sample-slide", "--slide-url", url, "--out", tmp_path / "data"
    refused = fetch(*words, status=2, SSL_CERT_FILE="")
    assert "its certificate is not trusted" in refused.stderr
    fetch(*words, SSL_CERT_FILE=str(certificate))
    assert (tmp_path / "data/slide.svs").read_bytes() == b"slide" * 1000
