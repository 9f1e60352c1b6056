"""In a guest: asks its storage by the tools of several Debians: `python -m tests.lab.tool_versions NAME=ROOT…`.

`NAME=ROOT:TOOL=PATH` takes another program of that root for a tool. Leaves RESULTS/NAME.json each: what each command
printed (`answers`) and the facts that the survey made of it (`facts`). `make matrix` holds them together.
"""

import contextlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

from fsadvisor.facts import Known
from fsadvisor.machine.live import LiveMachine
from fsadvisor.machine.packages import PACKAGES
from fsadvisor.machine.port import Reply
from fsadvisor.machine.runner import TOOL_FOLDERS
from fsadvisor.readers import (
    block_files,
    btrfs_tools,
    dmsetup,
    ext4_reports,
    nvme_identify,
    nvme_logs,
    nvme_output,
    volume_tools,
    zfs_tools,
)
from fsadvisor.survey.whole import survey
from tests.lab.scenario import RESULTS, Scenario, run, settle, wait_for
from tests.plain import plain

MULTIPATH = """defaults {
 user_friendly_names yes
 find_multipaths no
}
blacklist {
 wwid ".*"
}
blacklist_exceptions {
 wwid ".*5000c500fade0001"
}
"""
TIMEOUT_S = 300
"""A guest without KVM takes seconds to start a program, and a minute beside other work."""
SINCE_3 = {
    f"{reader}/{form}": argv
    for reader, argv in (
        ("nvme_id_ctrl", nvme_identify.id_ctrl_argv),
        ("nvme_id_ns", nvme_identify.id_ns_argv),
        ("nvme_smart_log", nvme_logs.smart_log_argv),
    )
    for form in ("json", "text")
}
"""What nvme-cli 3 may know by another name only."""


class Recorder(LiveMachine):
    """This machine by other tools; keeps each command's answer."""

    def __init__(self, folders):
        super().__init__(timeout=TIMEOUT_S, tool_folders=[*folders, *TOOL_FOLDERS])
        self.answers = {}

    def run(self, commands):
        found = super().run(commands)
        self.answers |= dict(zip(commands, found, strict=True))
        return found


def set_up(scenario):
    """Storage of each kind; the devices by their kind."""
    (nvme,) = scenario.attach("nvme")
    sata, _ = scenario.attach("sata-ssd")
    sas, _ = scenario.attach("sas-hdd")
    shelf = [f"/dev/{name}" for name in scenario.attach("shelf")]
    run("modprobe", "--all", "dm-mod", "dm-thin-pool", "raid1", "dm_multipath", "dm_service_time")
    run("vgcreate", "-qy", "vg-a", *shelf[:3])
    run("lvcreate", "-qy", "-n", "striped", "-L", "128M", "-i", "2", "vg-a")
    run("lvcreate", "-qy", "-n", "pool", "--type", "thin-pool", "-L", "64M", "vg-a")
    run("lvcreate", "-qy", "-n", "thin", "-V", "256M", "--thinpool", "pool", "vg-a")
    run("mdadm", "--create", "/dev/md/lab", "--run", "--quiet", "--assume-clean", "-l1", "-n2", *shelf[3:5])
    scenario.attach("path-a", "path-b")
    Path("/etc/multipath.conf").write_text(MULTIPATH)
    run("multipath", "-v0")
    wait_for("/dev/mapper/mpatha", Path("/dev/mapper/mpatha").exists)
    settle()
    scenario.format("xfs", f"/dev/{nvme}")
    scenario.format("ext4", "/dev/vg-a/striped")
    scenario.format("btrfs", f"/dev/{sata}")
    scenario.format("ext4", "/dev/md/lab")
    points = {
        "xfs": scenario.mount(f"/dev/{nvme}", "xfs"),
        "lvm": scenario.mount("/dev/vg-a/striped", "lvm"),
        "btrfs": scenario.mount(f"/dev/{sata}", "btrfs"),
        "md": scenario.mount("/dev/md/lab", "md"),
    }
    run("btrfs", "subvolume", "snapshot", "-r", points["btrfs"], f"{points['btrfs']}/snapshot")
    return {"nvme": f"/dev/{nvme}", "sata": f"/dev/{sata}", "sas": f"/dev/{sas}"} | points


def wanted(made):
    """Reader and case -> the command: those of the live survey, and those that archives hold."""
    nvme = made["nvme"]
    kinds = ("nvme", "sata", "sas")
    return {
        **{f"smartctl/{kind}": ("smartctl", "--json=o", "-q", "noserial", "-x", made[kind]) for kind in kinds},
        **{f"smartctl_text/{kind}": ("smartctl", "-x", made[kind]) for kind in kinds},
        "nvme_id_ctrl/json": nvme_identify.id_ctrl_argv(nvme),
        "nvme_id_ctrl/text": ("nvme", "id-ctrl", nvme),
        "nvme_id_ns/json": nvme_identify.id_ns_argv(nvme),
        "nvme_id_ns/text": ("nvme", "id-ns", nvme),
        "nvme_smart_log/json": nvme_logs.smart_log_argv(nvme),
        "nvme_smart_log/text": ("nvme", "smart-log", nvme),
        "nvme_get_feature/text": nvme_output.get_feature_argv(nvme),
        "nvme_ocp_smart_log/refused": ("nvme", "ocp", "smart-add-log", nvme, "--output-format=json"),
        "lsblk/labels": block_files.LSBLK_LABELS_ARGV,
        "lvs/thin": volume_tools.LVS_ARGV,
        "dmsetup_table/all": dmsetup.DMSETUP_TABLE_ARGV,
        "dmsetup_status/multipath": dmsetup.DMSETUP_STATUS_ARGV,
        "multipathd/maps": dmsetup.MULTIPATHD_ARGV,
        "dumpe2fs/ext4": ext4_reports.dumpe2fs_argv("/dev/vg-a/striped"),
        "xfs_info/nvme": ("xfs_info", made["xfs"]),
        "btrfs_usage/single": btrfs_tools.btrfs_usage_argv(made["btrfs"]),
        "btrfs_snapshots/one": btrfs_tools.btrfs_snapshots_argv(made["btrfs"]),
        "zpool_list/no-module": zfs_tools.ZPOOL_LIST_ARGV,
        "zpool_status/no-module": zfs_tools.ZPOOL_STATUS_ARGV,
        "zfs_get/no-module": zfs_tools.ZFS_GET_ARGV,
    }


def enter(root):
    """Give a root this guest's devices, processes, kernel files and mounts."""
    for path in ("/dev", "/proc", "/sys", "/run", "/srv/lab"):
        (root / path[1:]).mkdir(parents=True, exist_ok=True)
        run("mount", "--rbind", path, str(root / path[1:]))
    (root / "etc/multipath.conf").write_text(MULTIPATH)


def wrapped(name, root, others):
    """A directory with a program for each tool of the root, which changes to it."""
    folder = Path("/run/lab/tools") / name
    folder.mkdir(parents=True)
    path = f"{TOOL_FOLDERS[2]}:/usr/bin:/sbin:/bin"
    for tool in {*PACKAGES, "multipath"}:
        places = [root / where / tool for where in ("usr/sbin", "usr/bin", "sbin", "bin")]
        if tool in others or any(os.path.lexists(place) for place in places):
            text = f'#!/bin/sh\nPATH={path} exec chroot {root} {others.get(tool, tool)} "$@"\n'
            (folder / tool).write_text(text)
            (folder / tool).chmod(0o755)
    return folder


@contextlib.contextmanager
def daemon(root, folder):
    """The root's own multipathd at work."""
    started = subprocess.Popen(
        [folder / "multipathd", "-d", "-v0"], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )

    def answers():
        said = subprocess.run([folder / "multipathd", "show", "maps"], capture_output=True, text=True, check=False)
        return "mpatha" in said.stdout

    try:
        with contextlib.suppress(AssertionError):  # what it says then is in its answer
            wait_for(f"multipathd of {root}", answers)
        yield
    finally:
        started.terminate()
        started.wait(60)


def facts(found):
    """Subject -> fact -> its value, or why there is none."""
    return {
        subject.id: {
            name: plain(fact.value) if isinstance(fact, Known) else f"unknown: {fact.cause.value}, {fact.learn}"
            for name, fact in ((name, getattr(own, name)) for name in own.__struct_fields__)
            if hasattr(fact, "source")
        }
        for subject in found.subjects
        if "/var/tmp/" not in subject.id  # the roots' own
        for own in [subject.scope[subject.kind]]
    }


def answered(machine, commands, made):
    """What each of these commands answers; nvme-cli 3 by its own names where it knows no other."""
    answers = dict(zip(commands, machine.run([*commands.values()]), strict=True))
    for case, argv in SINCE_3.items():
        answer = answers.get(case)
        if isinstance(answer, Reply) and nvme_output.refused(answer.text, "").learn == nvme_output.TOOL_TOO_OLD:
            json_argv = argv(made["nvme"], since_3=True)
            commands[case] = json_argv if case.endswith("/json") else json_argv[:-1]
            (answers[case],) = machine.run([commands[case]])
    return answers


def look(name, place, made):
    """All answers and facts by one root's tools; of another program in that root its own answers alone."""
    root, *others = place.split(":")
    programs = dict(other.split("=", 1) for other in others)
    folder = wrapped(name, Path(root), programs)
    machine = Recorder([str(folder)])
    commands = {case: argv for case, argv in wanted(made).items() if not programs or argv[0] in programs}
    if programs:
        seen, answers = {}, answered(machine, commands, made)
    else:
        with daemon(Path(root), folder):
            seen = facts(survey(machine, {}))
            answers = answered(machine, commands, made)
    told = {
        case: {"argv": commands[case], "status": one.status, "text": one.text}
        for case, one in answers.items()
        if isinstance(one, Reply)
    }
    silent = {case: str(one.learn) for case, one in answers.items() if not isinstance(one, Reply)}
    document = {"answers": told, "silent": silent, "facts": seen}
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1))


def main():
    """Set up once, look by each root's tools."""
    places = dict(word.split("=", 1) for word in sys.argv[1:])
    with contextlib.ExitStack() as stack:
        scenario = Scenario("versions", stack)
        made = set_up(scenario)
        for root in {place.split(":")[0] for place in places.values()}:
            enter(Path(root))
        for name, place in places.items():
            print(f"{name}: {place}", flush=True)
            try:
                look(name, place, made)
            except Exception:  # noqa: BLE001 - the others are to be looked at, too
                traceback.print_exc()
        sys.stdout.flush()
        stack.pop_all()  # the guest ends with all of it
    return 0


if __name__ == "__main__":
    sys.exit(main())
