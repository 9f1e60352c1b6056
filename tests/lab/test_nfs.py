"""A real NFS server: the kernel's nfsd, told by nfs-utils, and a client on the same machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab import flushes
from tests.lab.scenario import run, wait_for

TOOLS = Path(sys.prefix) / "tools" / "bin"
pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not (TOOLS / "exportfs").exists(), reason="no source of this machine has nfs-kernel-server"),
]
NFSD, EXPORTS, ETAB = Path("/proc/fs/nfsd"), "/etc/exports", Path("/var/lib/nfs/etab")
ROOT, CLIENT = Path("/run/lab-exports"), Path("/run/lab-client")
"""In memory: nfsd exports no overlay, which the guest's own root is."""
WRITES = 5


def exports(sync, other):
    """Lines of /etc/exports: the root that clients of version 4 need, a sync export, and another."""
    options = "rw,no_subtree_check,no_root_squash,insecure"
    lines = [f"{ROOT} 127.0.0.1(ro,fsid=0,no_subtree_check,insecure)"]
    return "\n".join([*lines, f"{sync} 127.0.0.1({options},sync)", f"{other} 127.0.0.1({options},async)", ""])


def serve(scenario):
    """Start the server of version 4 alone, as nfs-server.service does; it and its tables are gone at the end."""
    run("modprobe", "--all", "nfsd", "nfsv4")
    if not (NFSD / "threads").exists():
        run("mount", "-t", "nfsd", "nfsd", str(NFSD))
        scenario.undo(run, "umount", str(NFSD))
    (ETAB.parent / "v4recovery").mkdir(parents=True, exist_ok=True)
    for name in ("etab", "rmtab"):
        scenario.write(ETAB.parent / name, "")
    run("exportfs", "-ra")
    scenario.undo(run, "exportfs", "-au")
    answering = subprocess.Popen(["rpc.mountd", "--foreground", "--no-nfs-version", "3"])
    scenario.undo(answering.wait)
    scenario.undo(answering.terminate)
    run("rpc.nfsd", "--no-nfs-version", "3", "--no-udp", "2")
    scenario.undo((NFSD / "threads").write_text, "0\n")
    (NFSD / "v4_end_grace").write_text("Y\n")  # no client has state from before


def told(scenario):
    """sync or async of each directory that is exported for writing, by exportfs."""
    said = scenario.second("exportfs", "-v")
    found = re.findall(r"^(/\S+)\s+\S+?\(([^)]*)\)", said, re.MULTILINE)
    return {
        path: "sync" if "sync" in words.split(",") else "async" for path, words in found if "rw" in words.split(",")
    }


def in_force(scenario):
    """The same by the kernel, of what clients have used."""
    found = re.findall(r"^(/\S+)\s+\S+?\(([^)]*)\)", scenario.second_file(NFSD / "exports"), re.MULTILINE)
    return {
        path: "async" if "async" in words.split(",") else "sync" for path, words in found if "rw" in words.split(",")
    }


def flushed(name, folder):
    """How often the server's disk is flushed while a client writes and syncs."""
    file = f"{folder}/seen"
    flushes.prepare(file, WRITES)
    before = flushes.sent(name)
    flushes.by_fsync(file, WRITES)
    return flushes.sent(name) - before


@pytest.mark.kernels
def test_exports_are_told_as_the_server_itself_tells_them_and_async_ends_by_the_remedy(scenario, monkeypatch):
    """NFS server of nfs-utils with a sync and an async export of SATA SSDs, mounted by a client: sync by the remedy"""
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{TOOLS}")
    disks = dict(zip(("sync", "other"), scenario.attach("sata-ssd"), strict=True))
    scenario.folder = ROOT
    points = {}
    for place, name in disks.items():
        scenario.format("ext4", f"/dev/{name}", "-E", "lazy_itable_init=0,lazy_journal_init=0")
        points[place] = scenario.mount(f"/dev/{name}", place)
    scenario.write(EXPORTS, exports(points["sync"], points["other"]))
    serve(scenario)
    CLIENT.mkdir(exist_ok=True)
    options = "vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1,proto=tcp,soft,timeo=300"
    run("mount", "-i", "-t", "nfs4", "-o", options, "127.0.0.1:/", str(CLIENT))
    scenario.undo(run, "umount", "--recursive", str(CLIENT))
    for place in points:
        wait_for("the client to get there", lambda place=place: os.path.ismount(f"{CLIENT}/{place}/."))
    counted = {place: flushed(name, CLIENT / place) for place, name in disks.items()}

    report = scenario.audit()

    facts = {place: report.fact(f"mount:{point}", "mount.nfs_exported") for place, point in points.items()}
    assert facts == {place: told(scenario)[point] for place, point in points.items()}
    assert facts == {place: in_force(scenario)[point] for place, point in points.items()}
    assert facts == {"sync": "sync", "other": "async"}
    assert int(scenario.second_file(NFSD / "threads")) == 2
    seen = f"{counted['sync']} with sync, {counted['other']} with async"
    scenario.tell(claim=f"flushes of the server's disk by {WRITES} fsyncs of an NFS client", seen=seen)
    assert counted["sync"] >= WRITES > counted["other"]
    waits = report.facts(f"filesystem:/dev/{disks['sync']}")
    assert waits["below.plp"] == "absent"
    slow = report.outcome("nfs-commits-wait-for-drive", f"mount:{points['sync']}")
    assert slow == ("advise" if waits["below.flush_ms_avg"] > 1 else "ok")
    assert report.outcome("nfs-export-async", f"mount:{points['other']}") == "advise"
    assert report.outcome("nfs-export-async", f"mount:{points['sync']}") == "ok"
    mounted = scenario.second("findmnt", "-no", "FSTYPE", f"{CLIENT}/sync").strip()
    types = {it.get("filesystem.mount_point"): it.get("filesystem.type") for it in map(report.facts, report.subjects)}
    assert types[f"{CLIENT}/sync"] == mounted == "nfs4"

    scenario.write(EXPORTS, Path(EXPORTS).read_text().replace("async", "sync"))
    run("exportfs", "-ra")
    after = scenario.audit()
    assert after.fact(f"mount:{points['other']}", "mount.nfs_exported") == told(scenario)[points["other"]] == "sync"
    assert after.outcome("nfs-export-async", f"mount:{points['other']}") == "ok"
    assert flushed(disks["other"], CLIENT / "other") >= WRITES, (
        "the client's mount goes on, and its commits are flushed"
    )
    assert in_force(scenario)[points["other"]] == "sync"
