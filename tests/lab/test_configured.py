"""Mounts as configured: fstab lines that would not boot, options that differ, units, a real NFS server's exports."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab import flushes
from tests.lab.marks import thorough
from tests.lab.scenario import ToolError, run, wait_for

pytestmark = pytest.mark.lab

POINT = "/srv/lab/data"


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive."""
    return f"/dev/{scenario.attach('nvme')[0]}"


def refused(scenario, disk, options):
    """Whether a mount with the options fails; afterwards it is mounted as before."""
    run("umount", POINT)
    try:
        scenario.second("mount", "-o", options, disk, POINT)
    except ToolError:
        run("mount", disk, POINT)
        return True
    return False


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("kind", "words", "rules"),
    [
        (
            "ext4",
            ("-O", "^has_journal"),
            {
                "commit=60": "ext4-journal-option-refused",
                "commit=5": None,
                "data=ordered": "ext4-journal-option-refused",
                "noatime": None,
            },
        ),
        thorough(
            "ext4",
            (),
            {
                "journal_async_commit": "ext4-async-commit-refused",
                "noacl": "ext4-removed-option",
                "nouser_xattr": "ext4-removed-option",
                "data=writeback": None,
                "nobh,oldalloc": None,
            },
        ),
    ],
)
def test_a_line_that_ext4_refuses_is_told_before_the_boot(scenario, disk, kind, words, rules):
    """ext4 that runs, with options in fstab that a mount may refuse, one after another"""
    scenario.format(kind, disk, *words)
    scenario.mount(disk, "data")
    known = {rule for rule in rules.values() if rule}
    for options, rule in rules.items():
        scenario.write("/etc/fstab", f"{disk} {POINT} {kind} {options} 0 0\n")
        assert refused(scenario, disk, options) is (rule is not None), options
        advised = {name for name, at in scenario.audit().advice() if at == f"mount:{POINT}"}
        assert advised & known == ({rule} if rule else set()), options


def test_an_fstab_of_mounts_that_are_not_there(scenario, disk):
    """fstab with an XFS nobarrier, a missing UUID, and options that differ from the running mount's"""
    scenario.format("ext4", disk)
    scenario.mount(disk, "data", "noatime,commit=30")
    uuid = run("blkid", "-o", "value", "-s", "UUID", disk).strip()
    lines = [
        f"UUID={uuid} {POINT} ext4 defaults,relatime,commit=60,barrier=1,nofail,x-systemd.device-timeout=5 0 2",
        "UUID=11111111-2222-3333-4444-555555555555 /srv/gone xfs nobarrier,logbsize=256k 0 0",
        "/dev/vdz1 /srv/odd f2fs background_gc=sometimes,nofail 0 0",
        f"{disk} none swap sw 0 0",
        "tmpfs /srv/lab/memory tmpfs size=64m 0 0",
    ]
    scenario.write("/etc/fstab", "\n".join(lines) + "\n")

    report = scenario.audit()

    wanted = scenario.second("findmnt", "--fstab", "--raw", "-no", "TARGET,FSTYPE,OPTIONS").splitlines()
    for line in wanted:
        target, kind, options = line.split(" ")
        if kind != "swap":
            facts = report.facts(f"mount:{target}")
            assert facts["mount.configured"] is True
            assert facts["mount.fs_type"] == kind
            assert facts["mount.configured_options"] == options.split(",")
    assert report.fact(f"mount:{POINT}", "mount.options_not_in_force") == ["relatime", "commit=60"]
    assert report.fact(f"mount:{POINT}", "mount.configured_in") == "/etc/fstab:1"
    assert report.fact("mount:/srv/gone", "mount.mounted") is False
    assert ("xfs-barrier-option", "mount:/srv/gone") in report.advice()
    verified = scenario.second("findmnt", "--verify", check=False)
    assert "unreachable" in verified
    scenario.keep("lab-fstab-that-would-not-boot")


def test_a_mount_unit_counts_where_there_is_no_line_in_fstab(scenario, disk):
    """A systemd mount unit with XFS options that a mount refuses, while the same XFS is mounted without"""
    scenario.format("xfs", disk)
    scenario.mount(disk, "data")
    unit = f"[Unit]\nDescription=data\n[Mount]\nWhat={disk}\nWhere={POINT}\nType=xfs\nOptions=nobarrier,noatime\n"
    scenario.write("/etc/systemd/system/srv-lab-data.mount", unit)

    report = scenario.audit()

    facts = report.facts(f"mount:{POINT}")
    assert facts["mount.configured_in"] == "/etc/systemd/system/srv-lab-data.mount"
    assert facts["mount.configured_options"] == ["nobarrier", "noatime"]
    assert facts["mount.options_not_in_force"] == ["nobarrier", "noatime"]
    shown = scenario.second("findmnt", "-no", "VFS-OPTIONS,FS-OPTIONS", "--mountpoint", POINT)
    assert "noatime" not in shown
    assert ("xfs-barrier-option", f"mount:{POINT}") in report.advice()
    scenario.second("systemd-analyze", "verify", "/etc/systemd/system/srv-lab-data.mount", check=False)


TOOLS = f"{os.environ['PATH']}:{sys.prefix}/tools/bin"
"""Where nfs-kernel-server was unpacked: its package would start servers where it is installed."""
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
@pytest.mark.skipif(shutil.which("exportfs", path=TOOLS) is None, reason="nfs-kernel-server is nowhere")
def test_exports_are_told_as_the_server_itself_tells_them_and_async_ends_by_the_remedy(scenario, monkeypatch):
    """NFS server of nfs-utils with a sync and an async export of SATA SSDs, mounted by a client: sync by the remedy"""
    monkeypatch.setenv("PATH", TOOLS)
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
