"""Packages of dnf are unpacked only where rpmkeys accepts their signatures; stand-ins, as on Debian."""

import os

import pytest

from tools import fetch
from tools.fetch_dnf import DNF
from tools.package_managers import FetchError

WANTED = {"nvme": "nvme-cli"}
STAND_INS = {
    # Puts two packages where --destdir says, as root keeps them: with a set-user-ID bit.
    "dnf": """
while [ "$1" != --destdir ]; do shift; done
mkdir -p "$2/root/usr/sbin" "$2/root/usr/lib64"
printf '#!/bin/sh\\necho "$LD_LIBRARY_PATH"\\n' >"$2/root/usr/sbin/nvme"; chmod 4755 "$2/root/usr/sbin/nvme"
: >"$2/root/usr/lib64/libnvme.so.1"
tar -C "$2/root" -czf "$2/nvme-cli-2.11-1.fc43.x86_64.rpm" ./usr/sbin
tar -C "$2/root" -czf "$2/libnvme-1.11-1.fc43.x86_64.rpm" ./usr/lib64
tar -C "$2/root" -czf "$2/glibc-2.42-4.fc43.x86_64.rpm" ./usr/lib64
""",
    "rpm2archive": 'cp "$1" "$1.tgz"',
    "rpmkeys": """
case "$*" in *"_pkgverify_level all --checksig"*) echo "digests $SIGNED"; [ "$SIGNED" = OK ];; esac
""",
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "stand-ins").mkdir()
    for name, does in STAND_INS.items():
        (tmp_path / "stand-ins" / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "stand-ins" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'stand-ins'}:{os.environ['PATH']}")
    return tmp_path / "tools"


def test_checked_packages_are_unpacked_but_for_the_c_library(place, monkeypatch):
    monkeypatch.setenv("SIGNED", "OK")
    assert fetch.fetch(WANTED, place, DNF) == WANTED
    assert (place / "tree" / "usr" / "lib64" / "libnvme.so.1").exists()
    assert str(place / "tree" / "usr" / "lib64") in (place / "bin" / "nvme").read_text()
    assert not (place / "tree" / "usr" / "sbin" / "nvme").stat().st_mode & 0o6000
    assert not DNF.helps("glibc-common")


def test_a_package_whose_signature_is_not_accepted_is_refused(place, monkeypatch):
    monkeypatch.setenv("SIGNED", "SIGNATURES NOT OK")
    with pytest.raises(FetchError, match=r"rpmkeys: .*SIGNATURES NOT OK"):
        fetch.fetch(WANTED, place, DNF)
    assert not list(place.parent.glob("tools*"))
