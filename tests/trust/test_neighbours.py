"""What another user of the machine lays in the way of root's audit: filesystems that never answer, settings that lead
elsewhere, and programs that call themselves databases."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cases import few
from tests.command import ARGV
from tests.paths import ROOT
from tests.probe.filesystems import needs_root
from tests.waiting import END_S

pytestmark = [needs_root, pytest.mark.namespaces]
EVE = 12345
INSIDE = """
import ctypes, os, subprocess, sys
place, eve, *argv = sys.argv[1:]
os.mkdir(f"{place}/dead")
said = f"fd={os.open('/dev/fuse', os.O_RDWR)},rootmode=40000,user_id={eve},group_id={eve},allow_other"
assert not ctypes.CDLL(None).mount(b"dead", f"{place}/dead".encode(), b"fuse.dead", 0, said.encode())
os.symlink("/bin/sh", f"{place}/postgres")
became = {"user": int(eve), "group": int(eve), "extra_groups": [], "cwd": "/"}
program = [f"{place}/postgres", "-c", "sleep 300 & wait", "-D", f"{place}/DATA"]
theirs = subprocess.Popen(program, start_new_session=True, **became)
try:
    sys.exit(subprocess.run(argv).returncode)
finally:
    os.killpg(theirs.pid, 9)
"""


def audited(place, data, *more):
    """The audit as root sees it, with a PostgreSQL of eve's that says where its data are."""
    place.chmod(0o755)
    inside = INSIDE.replace("DATA", data)
    argv = ["unshare", "-m", sys.executable, "-c", inside, str(place), str(EVE), *ARGV, "--json", *more]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=END_S, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout), done.stdout + done.stderr


@pytest.fixture
def place():
    """A directory that an ordinary user can reach."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="neighbours-") as made:
        yield Path(made)


@pytest.mark.skipif(not os.access("/dev/fuse", os.W_OK), reason="there is no FUSE here")
def test_a_filesystem_that_never_answers_is_given_up(place):
    report, _ = audited(place, "dead/pg", "--timeout", "0.5")
    assert report["verdicts"]


@pytest.mark.skipif(not os.access("/dev/fuse", os.W_OK), reason="there is no FUSE here")
@pytest.mark.parametrize("leads", few(["secret", "/proc/kmsg", "/dev/zero", "in a circle", "included"], 5))
def test_settings_of_another_user_lead_root_to_nothing_that_is_told(place, leads):
    data = place / "pg"
    data.mkdir()
    secret = place / "secret"
    secret.write_text("root:$6$Hunter2Shadow:19000:0:99999:7:::\nrequirepass Hunter2Redis\n")
    secret.chmod(0o600)
    settings = data / "postgresql.conf"
    if leads == "included":
        settings.write_text(f"include '{secret}'\ninclude '/dev/zero'\ninclude_dir '/proc/self'\n")
    else:
        settings.symlink_to({"secret": secret, "in a circle": settings}.get(leads, leads))
    os.chown(data, EVE, EVE)
    report, said = audited(place, "pg")
    assert [one["id"] for one in report["subjects"] if one["id"].startswith("service:")], "no database was seen"
    assert "Hunter2" not in said
