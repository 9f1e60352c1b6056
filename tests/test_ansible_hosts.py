"""contrib/ansible over ssh: several hosts, each with a root, a name and an sshd of its own on loopback; then DuckDB."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.addresses import own_address
from tests.paths import ANSIBLE, ROOT
from tests.waiting import END_S, comes_to
from tools.dist import one_file, packing

SSHD = Path("/usr/sbin/sshd")
HOSTS = ("web1", "web2", "db1")
OF_ITS_OWN = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/sshd {place}
mount --bind {folder} {place}
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /root
mount -t proc proc /proc
hostname {host}
mount --bind {place}/{host}/hostname /etc/hostname
[ ! -e /etc/machine-id ] || mount --bind {place}/{host}/machine-id /etc/machine-id
exec {sshd} -D -e -f {place}/{host}/config
"""
PLACE = "/run/hosts"
"""Where each host sees the test's own directory, which its empty /tmp hides."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.namespaces,
    pytest.mark.skipif(ANSIBLE is None, reason="Ansible is not installed"),
    pytest.mark.skipif(not SSHD.exists() or os.geteuid() != 0, reason="needs root and Debian's openssh-server"),
]


def configured(folder, host, number):
    """The files of a host, whose sshd lets root in by one key alone; its address and port."""
    address, _, port = own_address().partition(":")
    (folder / host).mkdir()
    (folder / host / "config").write_text(
        f"ListenAddress {address}:{port}\nHostKey {PLACE}/{host}/key\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {PLACE}/key.pub\nStrictModes no\nPermitRootLogin prohibit-password\n"
        "PasswordAuthentication no\n"
    )
    (folder / host / "hostname").write_text(f"{host}\n")
    (folder / host / "machine-id").write_text(f"{number}" * 32 + "\n")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / host / "key"], check=True)
    return address, port


@pytest.fixture
def hosts(tmp_path):
    """The inventory of hosts that answer, whose /tmp is their own; the processes whose namespaces these are."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    started, lines = {}, []
    for number, host in enumerate(HOSTS):
        address, port = configured(tmp_path, host, number)
        script = OF_ITS_OWN.format(host=host, folder=tmp_path, place=PLACE, sshd=SSHD)
        with (tmp_path / host / "log").open("wb") as log:
            spaces = ["--mount", "--uts", "--pid", "--fork", "--kill-child", "--propagation", "private"]
            own = ["unshare", *spaces, "sh", "-c", script]
            started[host] = subprocess.Popen(own, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        lines.append(f"{host} ansible_host={address} ansible_port={port}")
    try:
        for host in HOSTS:
            log = tmp_path / host / "log"
            assert comes_to(lambda log=log, host=host: b"listening" in log.read_bytes() or started[host].poll())
            assert started[host].poll() is None, log.read_text()
        (tmp_path / "hosts").write_text("\n".join([*lines, ""]))
        yield started
    finally:
        for process in started.values():
            for first in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                os.kill(int(first), signal.SIGKILL)  # and with it all of its namespace: Ansible keeps its logins
            process.wait(END_S)


def played(folder, program, *more):
    """What the play said, by ssh as root."""
    keys = f"-i {folder}/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes"
    argv = [
        *(ANSIBLE, "-i", folder / "hosts", "-u", "root", f"--ssh-common-args={keys}"),
        *("-e", "ansible_python_interpreter=/usr/bin/python3", "-e", "ansible_become=false"),
        *("-e", f"fsadvisor_program={program}", "-e", f"fsadvisor_reports={folder}/reports", *more),
        ROOT / "contrib/ansible/report.yml",
    ]
    environment = {**os.environ, "ANSIBLE_HOME": f"{folder}/home", "LC_ALL": "C.UTF-8"}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


def left_behind(process):
    """What stands in a host's /tmp and home, apart from what Ansible keeps for itself."""
    places = [Path(f"/proc/{process.pid}/root", place) for place in ("tmp", "root")]
    return [path.name for place in places for path in place.iterdir() if path.name != ".ansible"]


def test_several_hosts_are_asked_at_once_nothing_is_left_and_a_second_time_changes_nothing(hosts, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    program = tmp_path / "fsadvisor.pyz"
    one_file.one_file(packing.wheel(tmp_path / "wheel"), program)
    checked = played(tmp_path, program, "--check")
    assert (checked.returncode, (tmp_path / "reports").exists()) == (0, False), checked.stdout
    for _ in range(2):
        ran = played(tmp_path, program)
        assert ran.returncode == 0, ran.stdout
        for host in HOSTS:
            assert re.search(rf"{host} .*ok=\d+ +changed=0 +unreachable=0 +failed=0", ran.stdout)
    assert {host: left_behind(process) for host, process in hosts.items()} == {host: [] for host in HOSTS}
    database = duckdb.connect()
    database.execute(f"SET VARIABLE reports = '{tmp_path}/reports/**/*.jsonl'")
    database.execute((ROOT / "contrib/fleet.sql").read_text())
    assert database.execute("SELECT host FROM reports WHERE number = 1 ORDER BY host").fetchall() == [
        (host,) for host in sorted(HOSTS)
    ]
    assert database.execute("SELECT count(DISTINCT machine_id) FROM latest WHERE what = 'machine'").fetchall() == [(3,)]
