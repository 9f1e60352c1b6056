"""Mounts in force and as configured, and what they are used for."""

import pytest

from fsadvisor.facts import Cause, Unknown
from fsadvisor.survey import configured
from fsadvisor.survey.read_fact import value
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel.build import lvs
from tests.panel.servers import drive_gone_from_volume_group
from tests.told import disk, machine

ROOT_MOUNT = "1 0 8:0 / / rw,relatime - ext4 /dev/sda rw"


def subjects(made, declared=None):
    return {subject.id: subject.scope for subject in survey(made, declared or {}).subjects}


def mount(made, place, declared=None):
    return subjects(made, declared)[f"mount:{place}"]["mount"]


def process(name, cwd=None, paths=(), denied=False):
    return {"pid": 1, "name": name, "user": "x", "cwd": cwd, "paths": list(paths), "denied": denied}


def test_a_mount_that_fstab_asks_for_but_is_not_there_is_a_subject():
    found = mount(machine(disk("sda"), mounts=[ROOT_MOUNT], fstab="/dev/sdb /srv xfs nobarrier 0 0\n"), "/srv")

    assert found.mounted.value is False
    assert found.configured_options.value == ("nobarrier",)
    assert found.configured_in.value == "/etc/fstab:1"
    assert isinstance(found.options, Unknown)


def test_options_that_fstab_asks_for_and_the_mount_lacks_are_named():
    fstab = "/dev/sda / ext4 defaults,noatime,errors=remount-ro,nofail,x-systemd.automount 0 1\n"
    found = mount(machine(disk("sda"), mounts=[ROOT_MOUNT], fstab=fstab), "/")

    assert found.options_not_in_force.value == ("noatime", "errors=remount-ro")


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("vg0-home", False),
        ("vg1-data", True),
        (None, None),
    ],
)
def test_a_mapped_device_of_fstab_is_missing_where_none_has_its_name(name, missing):
    made = drive_gone_from_volume_group.server(f"/dev/mapper/{name or 'vg1-data'} /srv xfs defaults 0 2")
    if name is None:
        del made.files["/sys/block/dm-0/dm/name"]
    assert value(mount(made, "/srv").device_missing) is missing


@each(
    ("listed", "udev", "missing"),
    [
        ([{}], "", True),
        ([{}, {"lv_name": "data", "vg_name": "vg1", "lv_dm_path": "/dev/mapper/vg1-data"}], "", None),
        (
            [
                {
                    "lv_name": "data",
                    "vg_name": "vg1",
                    "lv_dm_path": "/dev/mapper/vg1-data",
                    "lv_health_status": "partial",
                }
            ],
            "",
            True,
        ),
        (None, "", None),
        ([{}], "P: /devices/x/sdb\nN: sdb\nE: SUBSYSTEM=block\nE: ID_FS_TYPE=crypto_LUKS\n\n", None),
        ([{}], "P: /devices/x/sda3\nN: sda3\nE: SUBSYSTEM=block\nE: ID_FS_TYPE=LVM2_member\n\n", True),
    ],
)
def test_a_mapped_device_that_the_next_boot_may_make_is_not_known_to_be_missing(listed, udev, missing):
    made = drive_gone_from_volume_group.server()
    made.commands = {command: text for command, text in made.commands.items() if not command.startswith("lvs ")}
    made.commands |= lvs(*listed) if listed else {}
    made.udev_text = udev
    assert value(mount(made, "/srv").device_missing) is missing


@each(
    ("kind", "wanted", "shown", "lacking"),
    [
        ("xfs", "logbsize=262144,allocsize=1m,quota,noikeep", "rw,allocsize=1024k,logbsize=256k,usrquota", ()),
        ("xfs", "logbsize=64k,gquota", "rw,logbsize=32k,noquota", ("logbsize=64k", "gquota")),
        ("ext4", "barrier=0,noload,strictatime", "rw,nobarrier,norecovery", ("strictatime",)),
        ("ext4", "rw,async,relatime,barrier", "ro,sync,nobarrier", ("rw", "async", "barrier")),
        ("btrfs", "commit=30,datacow,nodiscard,clear_cache", "rw,discard=async,space_cache=v2", ("nodiscard",)),
        ("ext4", "rw,relatime", "rw,rootcontext=system_u:object_r:bin_t:s0", ()),
        ("f2fs", "checkpoint=enable", "rw,checkpoint=disable:0", ("checkpoint=enable",)),
        ("nilfs2", "order=relaxed,barrier", "rw,order=strict", ("order=relaxed",)),
        (
            "f2fs",
            "checkpoint=enable,nolazytime",
            "rw,lazytime,checkpoint=disable:0",
            ("checkpoint=enable", "nolazytime"),
        ),
        ("tmpfs", "size=1g", "rw,size=1048576k", ()),
        ("tmpfs", "mode=1777,size=50%,nr_inodes=5", "rw,size=16302048k", ("nr_inodes=5",)),
        ("vfat", "umask=0077,shortname=winnt", "rw,fmask=0077,dmask=0077,shortname=winnt", ()),
    ],
)
def test_an_option_that_the_kernel_spells_in_another_way_is_in_force(kind, wanted, shown, lacking):
    lines = [f"1 0 8:0 / /srv rw,relatime - {kind} /dev/sda {shown}"]
    found = mount(machine(disk("sda"), mounts=lines, fstab=f"/dev/sda /srv {kind} {wanted} 0 0\n"), "/srv")

    assert found.options_not_in_force.value == lacking


def test_a_mount_unit_in_etc_wins_over_fstab():
    unit = "[Mount]\nWhat=/dev/sda\nWhere=/srv\nType=xfs\nOptions=nobarrier,noatime\n"
    made = machine(disk("sda"), fstab="/dev/sda /srv xfs defaults 0 0\n", files={"/etc/systemd/system/srv.mount": unit})

    assert mount(made, "/srv").configured_options.value == ("nobarrier", "noatime")
    assert mount(made, "/srv").configured_in.value == "/etc/systemd/system/srv.mount"


def test_a_unit_that_systemd_made_from_fstab_does_not_hide_its_line():
    made = machine(disk("sda"), fstab="/dev/sda /srv xfs nobarrier 0 0\n")
    made.commands[" ".join(configured.MOUNT_UNITS)] = (
        "Id=srv.mount\nWhere=/srv\nWhat=/dev/sda\nType=xfs\nOptions=rw\nFragmentPath=/run/systemd/generator/srv.mount\n"
    )

    assert mount(made, "/srv").configured_in.value == "/etc/fstab:1"


def test_an_fstab_that_may_not_be_read_makes_being_configured_unknown():
    made = machine(disk("sda"), mounts=[ROOT_MOUNT])
    made.files["/etc/fstab"] = Unknown(Cause.DENIED, "run as root")

    assert mount(made, "/").configured.cause is Cause.DENIED


def test_a_machine_without_fstab_has_no_configured_mounts():
    made = machine(disk("sda"), mounts=[ROOT_MOUNT])
    del made.files["/etc/fstab"]

    assert mount(made, "/").configured.value is False


@pytest.mark.parametrize(
    ("options", "expected"), [("rw", "strictatime"), ("rw,relatime", "relatime"), ("rw,noatime", "noatime")]
)
def test_access_times_are_read_off_the_mounts_own_options(options, expected):
    line = ROOT_MOUNT.replace("rw,relatime", options)
    assert mount(machine(disk("sda"), mounts=[line]), "/").atime.value == expected


def test_a_declared_workload_wins_over_the_programs():
    made = machine(disk("sda"), mounts=[ROOT_MOUNT], processes=[process("postgres", "/var/lib/postgresql/15/main")])

    assert mount(made, "/", {"/": "streaming"}).workload.value == "streaming"


def test_a_database_makes_its_mount_oltp_and_says_why():
    lines = [ROOT_MOUNT, "2 1 8:0 /d /var/lib/postgresql rw - ext4 /dev/sda rw"]
    made = machine(disk("sda"), mounts=lines, processes=[process("postgres", "/var/lib/postgresql/15/main")])
    found = mount(made, "/var/lib/postgresql")

    assert found.workload.value == "oltp"
    assert found.workload_reasons.value == ("postgresql keeps its files here",)
    assert isinstance(mount(made, "/").workload, Unknown)


def test_a_database_and_a_mail_spool_make_a_mount_mixed_and_need_its_access_times():
    running = [process("mysqld", "/var/lib/mysql"), process("dovecot", "/", ["/var/mail"])]
    found = mount(machine(disk("sda"), mounts=[ROOT_MOUNT], processes=running), "/")

    assert found.workload.value == "mixed"
    assert found.atime_readers.value == ("mail delivery",)


@each(
    ("running", "directory"),
    [
        (process("mongod", "/", ["/data/mongo", "/etc/mongod.conf"]), "/data/mongo"),
        (process("java", "/", ["/opt/kafka/bin", "/data/kafka-logs"]), "/data/kafka-logs"),
        (process("beam.smp", "/", ["/var/lib/rabbitmq/mnesia/rabbit@x"]), "/var/lib/rabbitmq/mnesia/rabbit@x"),
        (process("dockerd", "/", []), "/var/lib/docker"),
        (process("redis-server", "/srv/redis", ["/usr/bin/redis-server"]), "/srv/redis"),
    ],
)
def test_a_programs_folder_is_its_working_folder_an_argument_or_the_usual_place(running, directory):
    found = subjects(machine(disk("sda"), mounts=[ROOT_MOUNT], processes=[running]))
    (service,) = [scope["service"] for at, scope in found.items() if at.startswith("service:")]

    assert service.directory.value == directory
    assert service.mount_point.value == "/"


def test_a_program_whose_folder_may_not_be_seen_is_there_with_the_cure():
    running = [process("postgres", None, denied=True)]
    found = subjects(machine(disk("sda"), mounts=[ROOT_MOUNT], processes=running, root=False))
    (service,) = [scope["service"] for at, scope in found.items() if at.startswith("service:")]

    assert service.directory.cause is Cause.DENIED
    assert service.directory.learn == "run as root"


def stat(writes, write_bytes, flushes):
    sectors = write_bytes // 512
    return f"1 0 8 0 {writes} 0 {sectors} 0 0 0 0 0 0 0 0 {flushes} 0"


@each(
    ("counters", "expected"),
    [
        (stat(20_000, 20_000 * (1 << 20), 5), "streaming"),
        (stat(20_000, 20_000 * 8192, 5_000), "oltp"),
        (stat(20_000, 20_000 * 65536, 5), None),
        (stat(100, 100 << 20, 0), None),
    ],
)
def test_counters_since_boot_speak_only_where_they_are_clear(counters, expected):
    found = mount(machine(disk("sda", stat=counters), mounts=[ROOT_MOUNT]), "/")

    assert (found.workload.value if expected else found.workload.cause) == (expected or Cause.NOT_ATTESTED)


def test_counters_do_not_speak_for_two_filesystems_on_one_disk():
    busy = stat(20_000, 20_000 * 8192, 5_000)
    lines = [ROOT_MOUNT, "2 1 7:0 / /mnt rw - ext4 /dev/loop0 rw"]
    loop = {"/sys/block/loop0/dev": "7:0", "/sys/block/loop0/size": "9", "/sys/block/loop0/loop/backing_file": "/i"}
    made = machine(disk("sda", stat=busy), loop, mounts=lines)

    assert isinstance(mount(made, "/").workload, Unknown)


@each(
    ("line", "beside", "cwd", "there"),
    [
        ("/dev/sdb /srv xfs nofail 0 0", "", "/srv/my", ("mysql",)),
        ("/dev/gone1 /srv xfs nofail 0 0", "", "/srv/my", None),
        ("/dev/sdc /srv xfs nofail 0 0", "", "/srv/my", ("mysql",)),
        ("filer:/a /srv nfs4 nofail 0 0", "", "/srv/my", ("mysql",)),
        ("UUID=ab /srv xfs nofail 0 0", "", "/srv/my", None),
        ("/dev/sdb /srv xfs nofail 0 0", "2 1 8:16 / /export/srv rw - xfs /dev/sdb rw", "/srv/my", ()),
        ("filer:/a /srv nfs4 nofail 0 0", "2 1 0:50 / /export/srv rw - nfs4 filer:/a rw", "/srv/my", ()),
        ("/dev/sdb /srv xfs nofail 0 0", "2 1 0:60 / /srv/my rw - tmpfs tmpfs rw", "/srv/my", ()),
        ("/dev/sdb /srv xfs nofail 0 0", "2 1 0:40 / /srv rw - autofs systemd-1 rw", "/srv/my", None),
        ("/dev/sdb /srv xfs nofail 0 0", "", "/srv2/my", ()),
    ],
)
def test_whose_files_lie_where_nothing_is_mounted_is_told_unless_it_is_mounted_elsewhere(line, beside, cwd, there):
    made = machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        mounts=[ROOT_MOUNT, *([beside] if beside else [])],
        fstab=f"{line}\n",
        processes=[process("mysqld", cwd)],
    )
    assert value(mount(made, "/srv").programs_below) == there
