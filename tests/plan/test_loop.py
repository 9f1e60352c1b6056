"""Plans run on real filesystems: the kernel takes each step, and undo brings back state and fstab."""

import os
import subprocess
from pathlib import Path

import pytest

from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.port import Reply
from fsadvisor.plan.planning import plan
from fsadvisor.plan.script import plan_script, undo_script
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.version import Version
from tests.cases import few
from tests.loops import loops, mounts, needs_loop_devices, run, unmount
from tests.plan.composed import ATIME, BARRIERS, COMMIT, mounted, remounts, rule, writes
from tests.report.composed import disk, host, machine

pytestmark = [pytest.mark.loop, needs_loop_devices]

DISCARD = remounts(
    "discards", "filesystem", "filesystem.online_discard == 'sync'", "nodiscard", "discard", remove=["discard"]
)
SYNC = remounts("sync", "mount", "mount.sync", "async", "sync", remove=["sync"])
COMPRESS = remounts(
    "plain", "filesystem", "filesystem.type == 'btrfs'", "compress=zstd", "compress=no", add=["compress=zstd"]
)
OF_OLD_MOUNT = rule(
    "sync-by-an-old-mount",
    "mount",
    "mount.sync",
    now=["mount --options-source=mtab -o remount,async {mount.point}"],
    undo=["mount --options-source=mtab -o remount,sync {mount.point}"],
    verify=["findmnt -no OPTIONS --mountpoint {mount.point}"],
    keep=[{"mount": "{mount.point}", "add": [], "remove": ["sync"]}],
)
READ_AHEAD = writes("read-ahead", "disk.read_ahead_kib > 64", "64", "disk.read_ahead_kib", "read_ahead_kb")
QUEUE = writes("queue", "disk.scheduler == 'none'", "mq-deadline", "disk.scheduler", "scheduler")


class Tried:
    """One mounted filesystem, its fstab, and the plan of some rules for it."""

    def __init__(
        self, loop, rules, fs_type="ext4", options="defaults", name="srv", in_fstab=None, util_linux=None, **facts
    ):
        self.folder = loop.folder
        self.device = loop.device(f"image-{name}".replace("/", "_")[:20], 320)
        run(f"mkfs.{fs_type}", "-q", self.device)
        self.point = loop.mount(self.device, name, options)
        self.fstab = loop.folder / "fstab"
        written = "".join(f"\\{ord(it):03o}" if it in " \t\n\\#" else it for it in self.point)
        self.fstab.write_text(f"# ours\n{self.device}\t{written}  {fs_type}  {in_fstab or options}  0 2\n")
        on = host(**({"util_linux": util_linux} if util_linux else {}))
        name = self.device.removeprefix("/dev/")
        storage = machine(
            "this host",
            on,
            disk(name, on, scheduler="none", read_ahead_kib=self.read_ahead_kib()),
            *mounted(name, self.point, on, fs_type, configured_in="/etc/fstab:2", **facts),
        )
        live = LiveMachine()
        texts = {"/etc/fstab": Reply(self.fstab.read_text(), "/etc/fstab")}
        verdicts = [it for it in advise(storage, rules) if it.outcome is Outcome.ADVISE]
        self.plan = plan(storage, verdicts, lambda path: texts.get(path) or live.read(path))
        assert self.plan.manual == self.plan.refused == ()

    def queue(self):
        return f"/sys/block/{self.device.removeprefix('/dev/')}/queue"

    def read_ahead_kib(self):
        return int(Path(f"{self.queue()}/read_ahead_kb").read_text())

    def sh(self, text, *options):
        (self.folder / "script").write_text(text)
        places = {"FSTAB": str(self.fstab), "FILES_IN": str(self.folder), "STATE": str(self.folder / "state")}
        return subprocess.run(
            ["sh", str(self.folder / "script"), *options], capture_output=True, text=True, env=os.environ | places
        )

    def options(self):
        return run("findmnt", "-rno", "OPTIONS", "--mountpoint", self.point).strip().split(",")


@pytest.fixture
def loop(tmp_path):
    with loops(tmp_path) as made:
        yield made


CASES = {
    "barriers": (BARRIERS, "nobarrier", {"barriers": False}, set(), {"nobarrier"}),
    "access times": (ATIME, "relatime", {"atime": "relatime"}, {"noatime"}, {"relatime"}),
    "commit": (COMMIT, "commit=30", {"commit": 30}, set(), {"commit=30"}),
    "sync": (SYNC, "sync", {"sync": True}, set(), {"sync"}),
    "sync by an old mount": (
        OF_OLD_MOUNT,
        "sync,noexec",
        {"sync": True, "util_linux": Version(2, 32, 1)},
        set(),
        {"sync"},
    ),
    "btrfs compression": (COMPRESS, "defaults", {"fs_type": "btrfs"}, {"compress=zstd:3"}, set()),
    "access times of XFS": (ATIME, "relatime", {"atime": "relatime", "fs_type": "xfs"}, {"noatime"}, {"relatime"}),
    "access times of Btrfs": (ATIME, "relatime", {"atime": "relatime", "fs_type": "btrfs"}, {"noatime"}, {"relatime"}),
}


@pytest.mark.parametrize("case", few(CASES))
def test_a_remount_is_taken_by_the_kernel_and_undone(loop, case):
    rule, options, facts, new, old = CASES[case]
    tried = Tried(loop, (rule,), options=options, **facts)
    before, fstab = tried.options(), tried.fstab.read_bytes()
    assert old <= set(before)

    script = plan_script(tried.plan)
    assert ("--options-source" in script) is ("util_linux" not in facts)
    done = tried.sh(script)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(tried.options()) == set(before) - old | new
    assert tried.fstab.read_text() == tried.plan.fstab.after
    said = subprocess.run(["findmnt", "--verify", "--tab-file", str(tried.fstab)], capture_output=True, text=True)
    assert (said.returncode, "[E]" in said.stdout) == (0, False)

    undone = tried.sh(undo_script(tried.plan))
    assert (undone.returncode, undone.stderr) == (0, "")
    assert tried.options() == before
    assert tried.fstab.read_bytes() == fstab


def test_all_at_one_mount_with_a_hostile_name_keeps_flags_that_fstab_does_not_have(loop):
    """A plain remount would drop nosuid, which fstab lacks, and bring in what fstab has and is not in force."""
    tried = Tried(
        loop,
        (BARRIERS, ATIME, COMMIT),
        name="a $(touch x) 'b' \"c\" ;d",
        options="nosuid,relatime,nobarrier,commit=30",
        in_fstab="nobarrier,commit=30,nodev",
        barriers=False,
        commit=30,
        atime="relatime",
    )
    before = tried.options()
    done = tried.sh(plan_script(tried.plan))
    assert (done.returncode, done.stderr) == (0, "")
    assert tried.options() == ["rw", "nosuid", "noatime"]
    assert tried.fstab.read_text().split()[5] == "nodev,noatime"
    assert tried.sh(undo_script(tried.plan)).returncode == 0
    assert tried.options() == before
    assert not list(tried.folder.glob("**/x"))


def test_settings_of_a_block_device_are_taken_by_the_kernel_and_undone(loop):
    tried = Tried(loop, (READ_AHEAD, QUEUE))

    def state():
        return run("cat", f"{tried.queue()}/read_ahead_kb", f"{tried.queue()}/scheduler").split()

    before = state()
    done = tried.sh(plan_script(tried.plan))
    assert (done.returncode, done.stderr) == (0, "")
    assert state()[0] == "64"
    assert "[mq-deadline]" in state()
    assert tried.sh(undo_script(tried.plan)).returncode == 0
    assert state() == before


@pytest.mark.usefixtures("own_mounts")
@pytest.mark.parametrize("surprise", ["option", "gone", "over", "fstab"])
def test_a_change_in_between_stops_the_plan_and_nothing_is_touched(loop, surprise):
    tried = Tried(loop, (BARRIERS, ATIME), options="nobarrier,relatime", barriers=False, atime="relatime")
    if surprise == "option":
        run("mount", "-o", "remount,barrier", tried.point)
    if surprise == "fstab":
        tried.fstab.write_text(tried.fstab.read_text().replace("0 2", "0 0"))
    if surprise == "over":
        run("mount", "-t", "tmpfs", "tmpfs", tried.point)
    if surprise == "gone":
        unmount(tried.point)
    try:
        fstab = tried.fstab.read_bytes()
        table = mounts()
        done = tried.sh(plan_script(tried.plan))
        assert done.returncode == 1
        assert "Nothing was changed." in done.stderr
        assert mounts() == table
        assert tried.fstab.read_bytes() == fstab
        assert not (tried.folder / "state").exists()
    finally:
        if surprise == "over":
            unmount(tried.point)
        if surprise == "gone":
            run("mount", tried.device, tried.point)


def test_a_remount_that_the_kernel_ignores_is_found_out_and_undone(loop):
    """XFS takes a remount with logbsize, and goes on with the old one."""
    ignored = remounts("ignored", "mount", "mount.fs_type == 'xfs'", "logbsize=256k", "logbsize=32k", add=["noatime"])
    device = loop.device("x", 320)
    run("mkfs.xfs", "-q", device)
    point = loop.mount(device, "x", "logbsize=32k")
    on = host()
    storage = machine("this host", on, *mounted(device.removeprefix("/dev/"), point, on, "xfs"))
    live = LiveMachine()
    verdicts = [it for it in advise(storage, (ignored,)) if it.outcome is Outcome.ADVISE]
    made = plan(storage, verdicts, live.read)
    (loop.folder / "plan.sh").write_text(plan_script(made))
    done = subprocess.run(["sh", str(loop.folder / "plan.sh")], capture_output=True, text=True)
    assert done.returncode == 2
    assert "is 'logbsize=32k', not 'logbsize=256k|-'" in done.stderr
    (loop.folder / "undo.sh").write_text(undo_script(made))
    assert subprocess.run(["sh", str(loop.folder / "undo.sh")], capture_output=True).returncode == 0
