"""`fsadvisor serve`: who is answered, what the page can do, and that nothing is written from it."""

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fsadvisor import cli
from tests.cases import few
from tests.command import ARGV
from tests.paths import ROOT
from tests.waiting import END_S
from tools.screens.emulated import Emulated

WORDS = "SMART health check failed"
BELOW = "zfs_nocacheflush=1: no cache flushes"
"""What the question about a file stands on."""
READ_ONLY = "This page is read-only"


@contextlib.contextmanager
def serving(*options, ended_by=signal.SIGINT):
    """The address that it prints."""
    with subprocess.Popen(
        [*ARGV, "serve", "--port", "0", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.send_signal(ended_by)
            _, told = server.communicate(timeout=END_S)
    assert server.returncode == 0, told
    assert "Traceback" not in told


@pytest.fixture(scope="module")
def address():
    with serving("--demo") as printed:
        yield printed


def asked(address, path, **headers):
    at = urlsplit(address)
    connection = HTTPConnection(at.netloc, timeout=END_S)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_an_address_that_can_not_be_printed_is_one_line():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*ARGV, "serve", "--port", "0", "--demo"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=END_S
        )
    assert (done.returncode, done.stderr) == (2, b"fsadvisor: standard output: No space left on device\n")


@pytest.mark.parametrize("path", ["/", "/ws", "/static/js/textual.js", "/wrong/", "/wrong/ws", "//", "/%2e%2e/"])
def test_without_the_token_nothing_is_answered(address, path):
    answer, body = asked(address, path)
    assert answer.status == 403
    assert "its token is not in this one" in body
    assert urlsplit(address).path.strip("/") not in body


def test_with_the_token_there_is_a_page_that_loads_nothing_from_elsewhere(address):
    token = urlsplit(address).path
    answer, body = asked(address, token)
    assert answer.status == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert f'"ws://{urlsplit(address).netloc}{token}ws"' in body
    assert "https:" not in body
    for part in ("static/js/textual.js", "static/css/xterm.css", "static/fonts/RobotoMono-VariableFont_wght.ttf"):
        assert part in body
        head = HTTPConnection(urlsplit(address).netloc, timeout=END_S)
        head.request("HEAD", f"{token}{part}")
        assert head.getresponse().status == 200
        head.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "rebound.example:8421"},
        {"Host": "127.0.0.1.example"},
        {"Host": "[::"},
        {"Host": 'x@localhost:"><b>'},
        {"Origin": "https://rebound.example"},
        {"Origin": "http://localhost:1"},
        {"Origin": "null"},
        {"Origin": "http://["},
    ],
    ids=str,
)
@pytest.mark.parametrize("what", ["", "ws"])
def test_with_the_token_another_sites_page_is_refused_and_so_is_another_name_of_this_machine(address, what, headers):
    answer, _ = asked(address, urlsplit(address).path + what, **headers)
    assert answer.status == 403


@pytest.mark.parametrize("start", [b"OPTIONS * HTTP/1.1", b"GET /\xff/ HTTP/1.1", b"GET  HTTP/1.1", b"\x16\x03\x01"])
def test_what_anybody_here_may_send_is_answered_and_prints_nothing(address, start):
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=END_S) as connection:
        connection.sendall(start + b"\r\nHost: localhost\r\n\r\n")
        assert connection.recv(12)[9:] in (b"400", b"403")


def test_it_listens_on_loopback_alone(address):
    port = f"{urlsplit(address).port:04X}"
    for family, loopback in (("tcp", "0100007F"), ("tcp6", None)):
        lines = [line.split() for line in Path(f"/proc/net/{family}").read_text().splitlines()[1:]]
        heard = {
            where.partition(":")[0] for _, where, _, state, *_ in lines if where.endswith(f":{port}") and state == "0A"
        }
        assert heard == ({loopback} if loopback else set())


async def _visited(address, *steps):
    """Each key once the words before it stand on the page; ends where the last words do, and the explorer too."""
    import aiohttp

    at = urlsplit(address)
    url = f"ws://{at.netloc}{at.path}ws?width=140&height=40"
    shown = Emulated(140, 40)
    async with aiohttp.ClientSession() as session, session.ws_connect(url, origin=f"http://{at.netloc}") as page:
        for key, words in steps:
            if key:
                await page.send_json(["stdin", key])
            while words not in "\n".join("".join(one.sign for one in line) for line in shown.cells):
                told = await page.receive()
                assert told.type is aiohttp.WSMsgType.BINARY, told
                shown.feed(told.data.decode())
        await page.send_json(["stdin", "q"])
        while (await page.receive()).type is aiohttp.WSMsgType.BINARY:
            pass


async def _visit(address, *steps):
    async with asyncio.timeout(END_S):
        await _visited(address, *steps)


@pytest.mark.parametrize(
    "keys",
    few([[("W", READ_ONLY)], [("e", READ_ONLY)], [("6", ""), ("a", "plan.sh"), ("S", READ_ONLY)]]),
    ids=["waive", "export", "plan"],
)
def test_the_page_shows_the_machine_answers_keys_and_is_read_only(address, keys):
    asyncio.run(_visit(address, ("", WORDS), *keys))


@pytest.mark.long
def test_with_may_write_a_page_offers_to_save():
    with serving("--demo", "--may-write") as address:
        asyncio.run(_visit(address, ("", WORDS), ("e", "Save as a file"), ("\x1b", BELOW)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_in_order_where_it_is_told_to_or_its_connection_is_lost(number):
    with serving("--demo", ended_by=number) as printed:
        assert asked(printed, "/")[0].status == 403


def test_below_nohup_a_lost_connection_does_not_end_it():
    begin = ("env", "--ignore-signal=HUP", *ARGV, "serve", "--port", "0", "--demo")
    with subprocess.Popen(begin, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        server.send_signal(signal.SIGHUP)
        assert [asked(address, "/")[0].status for _ in range(9)] == [403] * 9
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=END_S)
    assert server.returncode == 0


def test_a_page_ends_with_its_server():
    with subprocess.Popen(
        [*ARGV, "serve", "--demo", "--page"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as page:
        assert page.stdout.readline() == b"__GANGLION__\n"
        page.stdin.close()
        page.stdout.read()
        assert page.wait(END_S) == 0


SEALED = """
import errno, os, subprocess, sys
from pathlib import Path
from fsadvisor.machine import safe_files
from fsadvisor.cli.exploring import seal
from fsadvisor.measure.child import Session
from fsadvisor.measure.messages import ProbeAsked
folder = Path(sys.argv[1])
seal("no writing here")
kept, new = folder / "kept", folder / "new"
for one in (
    lambda: new.write_text("x"),
    lambda: open(kept, "a"),
    lambda: open(kept, "r+"),
    lambda: os.open(new, os.O_CREAT),
    lambda: os.truncate(kept, 0),
    lambda: kept.rename(new),
    lambda: kept.unlink(),
    lambda: new.mkdir(),
    lambda: new.symlink_to(kept),
    lambda: kept.chmod(0),
    lambda: os.system(f"touch {new}"),
    lambda: subprocess.run([sys.executable, "-c", f"open({str(new)!r}, 'w')"]),
    lambda: os.fork(),
    lambda: safe_files.write_new(new, b"x"),
):
    try:
        one()
    except Exception as error:
        assert "no writing here" in str(error), error
    else:
        raise AssertionError("it was written")
ended = []
session = Session(ProbeAsked(jobs=("commit-fsync",), target=str(folder), seconds=1.0), ended.append)
assert session.wait(600)
assert "no writing here" in ended[-1].error, ended
assert kept.read_text() == "kept"
assert subprocess.run(["cat", kept], stdin=subprocess.DEVNULL, capture_output=True).stdout == b"kept"
print(sorted(os.listdir(folder)))
"""


def test_a_sealed_process_writes_nothing_and_measures_nothing_and_reads_on(tmp_path):
    (tmp_path / "kept").write_text("kept")
    done = subprocess.run([sys.executable, "-c", SEALED, tmp_path], cwd=ROOT, capture_output=True, timeout=END_S)
    assert (done.stdout, done.stderr) == (b"['kept']\n", b"")


@pytest.mark.parametrize(
    ("module", "words"),
    [("textual_serve", "pip install 'textual-serve>=1.1'"), ("textual", "which the one-file program has not")],
)
def test_without_what_serves_it_says_what_to_install(monkeypatch, capsys, module, words):
    monkeypatch.setitem(sys.modules, module, None)
    assert cli.run(["serve"]) == 2
    assert words in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(address, capsys):
    assert cli.run(["serve", "--demo", "--port", str(urlsplit(address).port)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Address already in use; name another one: --port N" in said
