"""Files of a container are read by its own root; whatever its links say, none leads out of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.watching import _settings_of
from tests.cases import each

ROOTED = "import os, signal, sys; os.chroot(sys.argv[1]); os.write(1, b'there\\n'); signal.pause()"


@pytest.fixture
def root(tmp_path):
    """(The way to the root of a process that has one of its own, that root.)"""
    if os.geteuid() != 0:
        pytest.skip("chroot needs root")
    top = tmp_path / "root"
    (top / "etc").mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-Ic", ROOTED, top], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"there\n"
            yield f"/proc/{process.pid}/root", top
        finally:
            process.kill()


LINKS = {
    "absolute": "/etc/real.conf",
    "upwards": "../../../../../../etc/real.conf",
    "twice": "/etc/absolute",
}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_of_a_container_leads_to_its_own_file(root, name):
    way, top = root
    (top / "etc" / "real.conf").write_text("dir /data\nsecret hunter2\nappendonly yes\n")
    for link, target in LINKS.items():
        (top / "etc" / link).symlink_to(target)
    told = LiveMachine().settings(f"{way}/etc/{name}").text
    assert "dir /data\nappendonly yes\n" in told
    assert "hunter2" not in told


@pytest.mark.parametrize("target", ["/etc/passwd", "/proc/self/root/etc/passwd", "/proc/1/root/etc/passwd", "/nowhere"])
def test_a_link_to_a_file_of_the_host_leads_nowhere(root, target):
    way, top = root
    (top / "etc" / "link").symlink_to(target)
    assert Path("/etc/passwd").exists()
    assert LiveMachine().read(f"{way}/etc/link").cause is Cause.NOT_EXPOSED


def test_what_is_no_file_is_not_opened_and_what_is_large_not_read(root):
    way, top = root
    os.mkfifo(top / "etc" / "pipe")
    (top / "etc" / "large").write_bytes(b"a\n" * (3 << 20))
    for name in ("pipe", "large", ""):
        assert isinstance(LiveMachine().settings(f"{way}/etc/{name}"), Unknown)


def test_names_in_a_directory_are_the_containers(root):
    way, top = root
    (top / "etc" / "conf.d").mkdir()
    (top / "etc" / "conf.d" / "lab.cnf").write_text("")
    (top / "etc" / "more").symlink_to("/etc/conf.d")
    (top / "etc" / "out").symlink_to("/usr")
    assert LiveMachine().entries(f"{way}/etc/more") == ("lab.cnf",)
    assert LiveMachine().entries(f"{way}/etc/out").cause is Cause.NOT_EXPOSED


def test_when_a_file_of_a_container_was_changed_is_told_with_it(root):
    way, top = root
    file = top / "etc" / "redis.conf"
    file.write_text("appendonly yes\n")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert "# changed: 1700000000\n" in LiveMachine().settings(f"{way}/etc/redis.conf").text


@each(("words", "told"), [
        (["redis-server"], [["config_file", None]]),
        (["docker-entrypoint.sh", "redis-server", "--dir", "/d"], [["config_file", None], ["dir", "/d"]]),
        (["/usr/local/bin/docker-entrypoint.sh", "/c/redis.conf"], [["config_file", "/c/redis.conf"]]),
        (["docker-entrypoint.sh", "--requirepass", "hunter2", "--appendonly", "yes"],
         [["config_file", None], ["appendonly", "yes"]]),
        (["valkey-server", "/c/v.conf", "--dir", "/d"], [["config_file", "/c/v.conf"], ["dir", "/d"]]),
        (["sh", "-c", "redis-server --appendonly yes"], None),
        (["/opt/bitnami/scripts/redis/entrypoint.sh", "/run.sh"], None),
        (["docker-entrypoint.sh", "sh"], None),
        ([], None),
        ("redis-server", None),
    ])  # fmt: skip
def test_what_an_engine_started_redis_with_is_known_where_no_script_may_add_to_it(words, told):
    assert _settings_of(json.dumps({"process": {"args": words}})) == told
    assert _settings_of("[]") is _settings_of("") is None
