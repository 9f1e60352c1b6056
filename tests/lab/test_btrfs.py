"""Btrfs on one device and on two: against `btrfs filesystem usage`, `btrfs device stats` and findmnt."""

import re

import pytest

from tests.lab import remedies
from tests.lab.report import Unknown
from tests.lab.scenario import ToolError, run, settle, wait_for

pytestmark = pytest.mark.lab


@pytest.fixture
def disk(scenario):
    """The device of an NVMe drive with a volatile cache."""
    return f"/dev/{scenario.attach('nvme')[0]}"


@pytest.fixture
def two(scenario):
    """Two SAS disks."""
    return [f"/dev/{name}" for name in scenario.attach("shelf")[:2]]


def same_as_tools(scenario, report, first, point):
    """What `btrfs` and findmnt say by themselves."""
    facts = report.facts(f"filesystem:{first}")
    usage = scenario.second("btrfs", "filesystem", "usage", "-b", point)

    def figure(name):
        return int(re.search(rf"{name}:\s+(\d+)", usage).group(1))

    assert facts["filesystem.data_profile"] == re.search(r"^Data,(\w+):", usage, re.MULTILINE).group(1).lower()
    assert facts["filesystem.metadata_profile"] == re.search(r"^Metadata,(\w+):", usage, re.MULTILINE).group(1).lower()
    assert facts["filesystem.missing_bytes"] == figure("Device missing")
    assert facts["filesystem.unallocated_percent"] == 100 * figure("Device unallocated") // figure("Device size")
    stats = scenario.second("btrfs", "device", "stats", point, check=False).split()[1::2]
    assert facts["filesystem.errors"] == sum(map(int, stats))
    shown = scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", point).strip().split(",")
    assert list(facts["filesystem.options"]) == shown
    assert facts["filesystem.barriers"] is ("nobarrier" not in shown)
    told = {"discard=async": "async", "discard": "sync"}
    assert facts["filesystem.online_discard"] == next((told[it] for it in shown if it in told), "none")
    return facts


@pytest.mark.kernels
def test_a_btrfs_as_it_comes(scenario, disk):
    """Btrfs as mkfs and mount make it, on NVMe"""
    scenario.format("btrfs", disk)
    point = scenario.mount(disk, "data")

    report = scenario.audit()

    facts = same_as_tools(scenario, report, disk, point)
    assert facts["filesystem.space_cache"] == "v2"
    assert facts["filesystem.commit_seconds"] == 30
    assert facts["filesystem.quota"] == "off"
    assert facts["filesystem.snapshots"] is False
    assert facts["filesystem.shut_down"] is False
    newer = tuple(map(int, scenario.second("uname", "-r").split(".")[:2])) >= (6, 2)
    assert facts["filesystem.online_discard"] == ("async" if newer else "none")
    assert not {rule for rule, at in report.advice() if at == f"filesystem:{disk}"}


@pytest.mark.thorough
def test_a_btrfs_tuned_against_its_safety_and_speed(scenario, disk):
    """Btrfs of one copy of metadata, nobarrier, autodefrag, discard=sync, commit=300, with snapshot and quota groups"""
    scenario.format("btrfs", disk, "-m", "single")
    options = "nobarrier,autodefrag,compress=zstd:3,flushoncommit,commit=300,discard=sync"
    point = scenario.mount(disk, "data", options)
    run("btrfs", "subvolume", "create", f"{point}/v")
    run("chattr", "+C", f"{point}/v")
    run("btrfs", "subvolume", "snapshot", "-r", f"{point}/v", f"{point}/s")
    run("btrfs", "quota", "enable", point)
    wait_for("quota groups counted", lambda: "no rescan" in run("btrfs", "quota", "rescan", "-s", point))

    report = scenario.audit()

    at = f"filesystem:{disk}"
    facts = same_as_tools(scenario, report, disk, point)
    assert facts["filesystem.commit_seconds"] == 300
    assert facts["filesystem.snapshots"] is True
    assert (facts["filesystem.quota"], facts["filesystem.quota_limits"]) == ("qgroup", False)
    assert "flushoncommit" in facts["filesystem.options"]
    rules = {rule for rule, subject in report.advice() if subject in (at, f"mount:{point}")}
    assert {
        "nobarrier-unproven",
        "btrfs-long-commit",
        "btrfs-discard-at-commit",
        "btrfs-single-metadata",
        "btrfs-autodefrag",
    } <= rules
    assert report.outcome("btrfs-quota-without-limits", at) == "withheld"
    scenario.keep("lab-btrfs-tuned")
    verdicts = [
        report.verdict(rule, at) for rule in ("nobarrier-unproven", "btrfs-long-commit", "btrfs-discard-at-commit")
    ]
    verdicts += [report.verdict("btrfs-autodefrag", f"mount:{point}")]
    for verdict in verdicts:
        remedies.apply(verdict)
    after = scenario.audit()
    assert not {verdict["rule"] for verdict in verdicts} & {rule for rule, _ in after.advice()}
    same_as_tools(scenario, after, disk, point)
    for verdict in reversed(verdicts):
        remedies.undo(verdict)
    again = scenario.audit()
    assert {verdict["rule"] for verdict in verdicts} <= {rule for rule, _ in again.advice()}
    assert not again.verdict("btrfs-single-metadata", at)["remedy"]["now"], "whether the drive is well is not known"
    remedies.apply(remedies.rewriting("btrfs-single-metadata", at, at))
    assert scenario.audit().fact(at, "filesystem.metadata_profile") == "dup"


@pytest.mark.thorough
def test_a_btrfs_that_lost_one_of_two_devices(scenario, two):
    """Btrfs raid1 on two disks: whole, then mounted degraded with one of them wiped"""
    first, lost = two
    # With data of a single copy it may not mount even then: the kernel gives an empty block group up, and its successor
    # can be on the other disk.
    scenario.format("btrfs", first, "-d", "raid1", "-m", "raid1", lost)
    point = scenario.mount(first, "whole")
    whole = same_as_tools(scenario, scenario.audit(), first, point)
    assert whole["filesystem.devices"] == [name.removeprefix("/dev/") for name in two]
    assert whole["filesystem.device_count"] == 2
    assert whole["filesystem.data_profile"] == "raid1"
    run("umount", point)
    run("wipefs", "--all", lost)
    run("btrfs", "device", "scan", "--forget")
    settle()
    with pytest.raises(ToolError):
        run("mount", first, point)
    scenario.write("/etc/fstab", f"{first} {point} btrfs degraded 0 0\n")
    run("mount", point)

    report = scenario.audit()

    facts = same_as_tools(scenario, report, first, point)
    assert facts["filesystem.devices"] == [first.removeprefix("/dev/")]
    shown = scenario.second("btrfs", "filesystem", "show", point)
    assert facts["filesystem.device_count"] == int(re.search(r"Total devices (\d+)", shown).group(1)) == 2
    assert facts["filesystem.missing_bytes"] == 256 << 20
    assert ("btrfs-device-missing", f"filesystem:{first}") in report.advice()
    assert ("btrfs-degraded-configured", f"mount:{point}") in report.advice()
    verdict = report.verdict("btrfs-degraded-configured", f"mount:{point}")
    assert not verdict["remedy"]["keep"], "the next boot needs the option: a device is missing"
    scenario.keep("lab-btrfs-degraded")


@pytest.mark.thorough
def test_an_fstab_line_that_btrfs_refuses_is_told_before_the_boot(scenario, disk):
    """Btrfs that runs, with options in fstab that a mount may refuse, one after another"""
    scenario.format("btrfs", disk)
    point = scenario.mount(disk, "data")
    options = ["space_cache", "space_cache=v1", "nospace_cache", "recovery", "inode_cache", "space_cache=v2"]
    newer = tuple(map(int, scenario.second("uname", "-r").split(".")[:2])) >= (6, 12)
    # Before it was removed, check_int was taken only by kernels that were built for it.
    options += ["check_int"] if newer else []
    wrong = []
    for option in options:
        scenario.write("/etc/fstab", f"{disk} {point} btrfs {option} 0 0\n")
        run("umount", point)
        try:
            refused = scenario.second("mount", "-o", option, disk, point) != ""
        except ToolError:
            refused = True
            run("mount", disk, point)
        advised = {rule for rule, at in scenario.audit().advice() if at == f"mount:{point}"}
        told = bool(advised & {"btrfs-space-cache-refused", "btrfs-removed-option"})
        wrong += [(option, refused, advised)] if told is not refused else []
    assert not wrong


@pytest.mark.thorough
def test_a_btrfs_with_the_old_space_cache(scenario, disk):
    """Btrfs made without a free space tree, converted by what the finding says"""
    run("mkfs.btrfs", "-q", "-f", "-R", "^free-space-tree", disk)
    settle()
    point = scenario.mount(disk, "data")
    scenario.write("/etc/fstab", f"{disk} {point} btrfs noatime 0 0\n")

    report = scenario.audit()

    at = f"filesystem:{disk}"
    shown = scenario.second("findmnt", "-no", "FS-OPTIONS", "--mountpoint", point)
    assert "space_cache" in shown.strip().split(",")
    assert report.fact(at, "filesystem.space_cache") == "v1"
    verdict = remedies.rewriting("btrfs-old-space-cache", f"mount:{point}", at)
    remedies.apply(verdict)
    assert scenario.audit().fact(at, "filesystem.space_cache") == "v2"
    remedies.undo(verdict)
    assert scenario.audit().fact(at, "filesystem.space_cache") == "v1"
    assert not isinstance(report.fact(at, "filesystem.features"), Unknown)
