"""Rules on filesystems and mounts advise where a composed machine says so through the real readers."""

import pytest

from fsadvisor.readers import btrfs_tools, xfs_reports, zfs_tools
from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine, partition, stacked

RULES = own_rulebook().rules
PLACE = "/srv"
BTRFS = "/sys/fs/btrfs/1b671a64"
POSTGRES = [{"pid": 1, "name": "postgres", "user": "x", "cwd": "/srv/pg", "paths": [], "denied": False}]
MYSQL = [{"pid": 1, "name": "mysqld", "user": "x", "cwd": "/srv/my", "paths": [], "denied": False}]
DOCKER = [{"pid": 1, "name": "dockerd", "user": "x", "cwd": "/", "paths": ["/srv/docker"], "denied": False}]


def fired(made, workload=None):
    """Ids of the rules that advise, withhold or are blocked somewhere."""
    verdicts = advise(survey(made, {PLACE: workload} if workload else {}), RULES)
    return {it.rule.id for it in verdicts if it.outcome in (Outcome.ADVISE, Outcome.WITHHELD, Outcome.BLOCKED)}


def line(kind, options="rw", source="/dev/sda", number="8:0", own="rw,relatime"):
    return f"1 0 {number} / {PLACE} {own} - {kind} {source} {options}"


def on(kind, options="rw", *, parts=(), kernel="6.12.0", fstab="", **more):
    files = dict(more.pop("files", ())) | {"/proc/sys/kernel/osrelease": kernel}
    fstab = f"/dev/sda {PLACE} {kind} {fstab} 0 0\n" if fstab else ""
    return machine(disk("sda"), *parts, mounts=[line(kind, options)], fstab=fstab, files=files, **more)


def ext4(
    *lines, options=(), jbd2="", size=1 << 40, features="has_journal extent 64bit dir_index metadata_csum", **more
):
    text = "".join(
        f"{it}\n" for it in (f"Filesystem features:      {features}", "Block size:               4096", *lines)
    )
    files = {"/proc/fs/ext4/sda/options": "".join(f"{it}\n" for it in ("rw", "barrier", *options))}
    if jbd2:
        files["/proc/fs/jbd2/sda-8/info"] = jbd2
    room = {"size": size, "free": size // 2, "available": size // 2, "inodes": 1 << 24, "inodes_free": 1 << 20}
    return on(
        "ext4",
        files=files | dict(more.pop("files", ())),
        commands={"dumpe2fs -h /dev/sda": text},
        spaces={PLACE: room},
        **more,
    )


JBD2 = """9 transactions (9 requested), each up to 8192 blocks
average:
  30ms flushing data (in ordered mode)
  25000us average transaction commit time
"""


@each(
    ("made", "workload", "expected"),
    [
        (ext4("FS Error count:           2"), None, {"filesystem-errors"}),
        (on("ext4", "rw,emergency_ro"), None, {"filesystem-shut-down"}),
        (ext4(options=["data=writeback", "commit=60"]), None, {"ext4-stale-data-exposed", "ext4-long-commit"}),
        (
            ext4(options=["data=ordered", "nodelalloc", "noauto_da_alloc"]),
            None,
            {"ext4-delayed-allocation-off", "ext4-replaced-files-not-flushed"},
        ),
        (ext4(options=["data=writeback", "journal_async_commit"]), None, {"ext4-async-commit"}),
        (
            ext4("Total journal size:       32M", options=["data=ordered", "commit=5"], jbd2=JBD2),
            "oltp",
            {"ext4-small-journal", "ext4-ordered-data-slow", "timestamps-written-at-once"},
        ),
        (ext4(options=["data=journal"], processes=MYSQL), None, {"ext4-journalled-data-database"}),
        (
            ext4("Inode size:               128", features="filetype", size=14 << 40),
            "metadata-heavy",
            {
                "ext4-without-journal",
                "ext4-without-extents",
                "ext4-without-checksums",
                "ext4-without-folder-index",
                "ext4-timestamps-end-2038",
                "ext4-size-limit-near",
                "ext4-much-metadata",
            },
        ),
        (ext4(fstab="journal_async_commit", options=["data=ordered"]), None, {"ext4-async-commit-refused"}),
        (on("ext4", fstab="noatime,nodiratime"), None, {"redundant-nodiratime"}),
        (
            on("xfs", kernel="6.18.1", fstab="attr2,inode64"),
            None,
            {"xfs-defunct-options", "xfs-options-that-are-default"},
        ),
        (on("ext4", fstab="noacl"), None, {"ext4-removed-option"}),
        (on("xfs", fstab="delaylog"), None, {"xfs-removed-option"}),
        (on("btrfs", fstab="degraded,inode_cache"), None, {"btrfs-degraded-configured", "btrfs-removed-option"}),
        (on("f2fs", "rw,checkpoint=disable:0"), "oltp", {"f2fs-without-checkpoints", "f2fs-under-a-server"}),
        (on("nilfs2"), "mixed", {"nilfs2-under-a-server"}),
        (on("reiserfs"), None, {"filesystem-leaving-the-kernel"}),
        (
            machine(mounts=[line("overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w,volatile", "overlay", "0:40")]),
            None,
            {"overlay-volatile"},
        ),
    ],
)
def test_a_composed_machine_is_told_what_is_wrong_with_it(made, workload, expected):
    assert expected <= fired(made, workload)


XFS = """meta-data=/dev/sda              isize=256    agcount=1600, agsize=655360 blks
         =                       sectsz=512   attr=2, projid32bit=1
         =                       crc={crc}        finobt=0, sparse=0, rmapbt=0
         =                       reflink=0    bigtime=0 inobtcount=0 nrext64=0
data     =                       bsize=4096   blocks=1048576000, imaxpct=25
         =                       sunit=0      swidth=0 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype={crc}
log      =internal log           bsize=4096   blocks=2560, version=2
         =                       sectsz=512   sunit=0 blks, lazy-count=1
realtime =none                   extsz=4096   blocks=0, rtextents=0
"""
LARGE = {"size": 4 << 40, "free": 1 << 40, "available": 1 << 40, "inodes": 1 << 24, "inodes_free": 1 << 20}


def xfs(crc=0, options="rw", **more):
    return on(
        "xfs",
        options,
        commands={" ".join(xfs_reports.xfs_info_argv(PLACE)): XFS.format(crc=crc)},
        spaces={PLACE: LARGE},
        **more,
    )


def test_an_old_and_grown_xfs_is_told_what_is_wrong_with_it():
    found = fired(xfs(options="rw,inode32", processes=DOCKER), "metadata-heavy")
    assert found >= {
        "xfs-old-format",
        "xfs-inode32",
        "xfs-many-allocation-groups",
        "xfs-small-log",
        "xfs-without-file-types",
    }


def test_an_xfs_of_format_5_without_wide_dates_is_told_so():
    assert "xfs-timestamps-end-2038" in fired(xfs(crc=1))


def test_an_xfs_that_can_not_be_opened_is_told_to_be_shut_down():
    made = xfs()
    argv = " ".join(xfs_reports.xfs_info_argv(PLACE))
    made.commands[argv], made.statuses[argv] = f"{PLACE}: Input/output error\n", 1
    assert "filesystem-shut-down" in fired(made)


@pytest.mark.parametrize(
    ("kind", "argv", "text", "rule"),
    [
        (
            "xfs",
            " ".join(xfs_reports.xfs_info_argv(PLACE)),
            XFS.format(crc=1).replace("sda", "md0"),
            "xfs-stripe-mismatch",
        ),
        (
            "ext4",
            "dumpe2fs -h /dev/md0",
            "Filesystem features:      extent\nBlock size:  4096\n",
            "ext4-stripe-unknown",
        ),
    ],
)
def test_a_filesystem_on_stripes_that_it_does_not_know_is_told_so(kind, argv, text, rule):
    made = machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        partition("sda", "sda1", "8:1"),
        stacked("md0", "9:0", ["sda1", "sdb"], md__level="raid0", md__chunk_size="524288", md__raid_disks="2"),
        mounts=[line(kind, source="/dev/md0", number="9:0")],
        commands={argv: text},
    )
    assert rule in fired(made)


def usage(data="single", metadata="DUP", missing=0):
    return (
        "Overall:\n    Device size:\t4000000000\n    Device allocated:\t1000000000\n"
        "    Device unallocated:\t3000000000\n"
        f"    Device missing:\t{missing}\n    Used:\t500000000\n\n"
        f"Data,{data}: Size:800000000, Used:400000000 (50.00%)\n   /dev/sda\t800000000\n\n"
        f"Metadata,{metadata}: Size:100000000, Used:50000000 (50.00%)\n   /dev/sda\t200000000\n\n"
        "Unallocated:\n   /dev/sda\t3000000000\n"
    )


def btrfs(options="rw,space_cache=v2", text=None, snapshots="", flags=(), files=(), **more):
    commands = {
        " ".join(btrfs_tools.btrfs_usage_argv(PLACE)): text or usage(),
        " ".join(btrfs_tools.btrfs_snapshots_argv(PLACE)): snapshots,
    }
    own = {f"{BTRFS}/devices/sda": "", **{f"{BTRFS}/{path}": value for path, value in dict(files).items()}}
    return on("btrfs", options, commands=commands, files=own, flags=flags, **more)


IN_PLACE = {"/srv/my": "0x800000", "/srv/my/ibdata1": "0x0"}


@each(
    ("made", "expected"),
    [
        (
            btrfs("rw,space_cache,discard,commit=600"),
            {"btrfs-old-space-cache", "btrfs-discard-at-commit", "btrfs-long-commit"},
        ),
        (btrfs(text=usage(metadata="single")), {"btrfs-single-metadata"}),
        (btrfs(text=usage("RAID5", "RAID6")), {"btrfs-parity-metadata", "btrfs-parity-data"}),
        (btrfs(text=usage(missing=4000000000)), {"btrfs-device-missing"}),
        (btrfs("rw,autodefrag,space_cache=v2", processes=POSTGRES), {"btrfs-autodefrag"}),
        (
            btrfs(files={"qgroups/enabled": "1", "qgroups/0_5/limit_flags": "0"}),
            {"btrfs-quota-without-limits"},
        ),
        (
            btrfs(text=usage("RAID1", "RAID1"), processes=MYSQL, flags=IN_PLACE),
            {"btrfs-nocow-mirrored", "btrfs-nocow-not-taken"},
        ),
        (btrfs(files={"devinfo/1/error_stats": "write_errs 0\nread_errs 3\n"}), {"filesystem-errors"}),
    ],
)
def test_a_btrfs_is_told_what_is_wrong_with_it(made, expected):
    assert expected <= fired(made)


def test_a_zfs_is_told_what_is_wrong_with_it():
    values = {"recordsize": "131072", "atime": "on", "relatime": "off", "sync": "disabled"}
    module = "/sys/module/zfs/parameters"
    made = machine(
        mounts=[line("zfs", source="tank/pg", number="0:40")],
        files={f"{module}/zfs_nocacheflush": "1", f"{module}/zil_nocacheflush": "1"},
        commands={
            " ".join(zfs_tools.ZPOOL_LIST_ARGV): "tank\t12\tDEGRADED\t42\t3\toff\n",
            " ".join(zfs_tools.ZFS_GET_ARGV): "".join(f"tank/pg\t{key}\t{value}\n" for key, value in values.items()),
        },
        processes=POSTGRES,
    )
    assert fired(made) >= {
        "zfs-pool-not-online",
        "zfs-sync-disabled",
        "zfs-flushes-off",
        "zfs-log-flushes-off",
        "zfs-access-times-written",
        "zfs-large-records",
    }


def test_filesystems_of_today_are_not_spoken_of():
    quiet = ext4(
        "Inode size:               256",
        "Total journal size:       1024M",
        options=["data=ordered", "commit=5", "delalloc"],
    )
    assert {it for it in fired(quiet) if it.startswith(("ext4-", "filesystem-", "btrfs-", "xfs-", "zfs-"))} == set()
