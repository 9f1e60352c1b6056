"""What tables and files in an archive say to questions that nobody put there."""

import json

import pytest

from fsadvisor.machine import archived_tools
from fsadvisor.machine.opening import open_machine
from fsadvisor.readers import dmsetup, systemd_units, volume_tools, zfs_tools
from fsadvisor.survey import arrays, host, raid, tenants
from tests.machine.test_archive_versions import known, mangled, seen, sos, write
from tests.paths import CAPTURES, needs_captures

LVS = """\
  WARNING: locking_type (0) is deprecated, using --nolocking.
  LV            VG     Attr       LSize   Pool  Origin Data%  Meta%  Move Log Cpy%Sync Convert LV Tags Devices        KRahead Rahead #Str Stripe
  mirror        vg-a   rwi-aor-p-  50.00g                                     100.00                   mirror_rimage_0(0)   128.00k auto    2     0
  one           vg-a   Vwi-aotz--   1.00t pool1        92.50                                                          128.00k   auto    0     0
  snap          vg-a   swi-a-s---  10.00g       root   81.02                                           /dev/sda2(9)   128.00k   auto    1     0
  two           vg-a   Vwi-aotz-- 600.00g pool1         0.05                                                          128.00k   auto    0     0
  pool1         vg-a   twi-aotz--  <1.00t              88.02  11.52                                    pool1_tdata(0) 128.00k   auto    1     0
  [pool1_tdata] vg-a   Twi-ao----  <1.00t                                                              /dev/sdb1(4)   128.00k   auto    1     0
"""  # noqa: E501 - as it is
TABLE = "vg--a-pool1-tpool: 0 2147000000 thin-pool 253:1 253:2 128 0\nvg--a-one: 0 2147483648 thin 253:3 1\n"
TABLE += "vg--a-two: 0 1258291200 thin 253:3 2\n"
PREFIXED = (
    "  LVM2_LV_NAME='pool1'|LVM2_LV_SIZE='<1.00t'|LVM2_LV_ATTR='twi-aotzD-'|LVM2_VG_NAME='vg-a'|"
    "LVM2_DATA_PERCENT='88.02'|LVM2_METADATA_PERCENT='11.52'\n"
)
OPTIONS = '--config="global{metadata_read_only=1}" --nolocking --foreign'


def archive(tmp_path, outputs, files=()):
    texts = {f"sos_commands/x/{mangled(it)}": text for it, text in outputs.items()}
    return open_machine(write(tmp_path, {"sos_commands/host/uptime": "up\n"} | texts | dict(files)))


def answered(machine, argv):
    (answer,) = machine.run([argv])
    return answer


@pytest.mark.parametrize("command", ["lvs", f"lvs -a -o +lv_tags,devices,stripes {OPTIONS}".replace('"', "_")])
def test_the_table_of_lvs_tells_fill_health_pool_and_sizes_by_the_kernels_table(tmp_path, command):
    answer = answered(archive(tmp_path, {command: LVS, "dmsetup table": TABLE}), volume_tools.LVS_ARGV)
    by_name = {it.lv_name: it for it in volume_tools.parse_lvs(answer.text).volumes}
    pool = by_name["pool1"]
    assert (pool.dm_path, pool.data_percent, pool.metadata_percent) == ("/dev/mapper/vg--a-pool1", 88.02, 11.52)
    assert (pool.size_bytes, by_name["two"].size_bytes) == (2147000000 * 512, 600 << 30)
    assert (by_name["one"].pool_lv, by_name["one"].data_percent, by_name["one"].metadata_percent) == (
        "pool1",
        92.5,
        None,
    )
    assert by_name["snap"].data_percent == 81.02
    assert ("snap", "root") in {(it["lv_name"], it.get("origin")) for it in json.loads(answer.text)["report"][0]["lv"]}
    assert (by_name["mirror"].health, pool.health) == ("partial", "")
    assert "pool1_tdata" in by_name


def test_insights_lvs_with_prefixes_tells_the_same(tmp_path):
    command = "lvs --nameprefixes --noheadings --separator='|' -a -o lv_name,lv_size".replace("'|'", "_")
    answer = answered(archive(tmp_path, {command: PREFIXED}), volume_tools.LVS_ARGV)
    (pool,) = volume_tools.parse_lvs(answer.text).volumes
    assert (pool.data_percent, pool.health, pool.size_bytes) == (88.02, "out_of_data", None)


@pytest.mark.parametrize("text", ["", "LV VG Attr\n", "  WARNING: x\n", "LV VG Attr LSize\n a b\n"])
def test_a_report_without_volumes_is_no_answer(tmp_path, text):
    assert not hasattr(answered(archive(tmp_path, {"lvs": text}), volume_tools.LVS_ARGV), "text")


@pytest.mark.parametrize(
    ("files", "percent"),
    [
        ({"lvm.conf": "activation {\n\t# thin_pool_autoextend_threshold = 70\n}\n"}, 100),
        ({"lvm.conf": "activation {\n\tthin_pool_autoextend_threshold = 70\n}\n"}, 70),
        (
            {"lvm.conf": "thin_pool_autoextend_threshold=70\n", "lvmlocal.conf": "thin_pool_autoextend_threshold=80\n"},
            80,
        ),
        ({"lvmlocal.conf": "thin_pool_autoextend_threshold=80\n"}, None),
    ],
)
def test_lvms_files_tell_when_a_thin_pool_is_extended(tmp_path, files, percent):
    answer = answered(archive(tmp_path, {}, {f"etc/lvm/{it}": text for it, text in files.items()}), raid.AUTOEXTEND)
    assert getattr(answer, "text", None) == (f"thin_pool_autoextend_threshold={percent}\n" if percent else None)


ZFS = """\
NAME           PROPERTY              VALUE                  SOURCE
tank           type                  filesystem             -
tank           recordsize            128K                   default
tank           quota                 none                   default
tank           sync                  disabled               local
tank           used                  1.50T                  -
tank           usedbysnapshots       512G                   -
tank/vol       type                  volume                 -
tank/vol       sync                  standard               default
tank@a         type                  snapshot               -
"""
POOL = """\
NAME  PROPERTY       VALUE          SOURCE
tank  capacity       91%            -
tank  health         DEGRADED       -
tank  ashift         12             local
tank  autotrim       off            default
tank  fragmentation  43%            -
"""
LIST = """\
NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
tank  3.62T  3.30T   328G        -         -    43%    91%  1.00x  DEGRADED  -
"""
STATUS = """\
  pool: tank
 state: DEGRADED
  scan: scrub repaired 0B in 02:13:45 with 0 errors on Sun Nov  8 02:37:46 2026
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        DEGRADED     0     0     0
\t  mirror-0  DEGRADED     0     0     0
\t    sdb1    ONLINE       0     0    12
\t    sdc1    FAULTED      3     0     0  too many errors

errors: No known data errors
"""


def test_zfs_get_all_tells_each_filesystem_and_no_volume_or_snapshot(tmp_path):
    answer = answered(archive(tmp_path, {"zfs get all": ZFS}), zfs_tools.ZFS_GET_ARGV)
    (tank,) = zfs_tools.parse_zfs_get(answer.text).datasets
    assert (tank.name, tank.recordsize_bytes, tank.sync, tank.quota_bytes) == ("tank", 131072, "disabled", 0)
    assert (tank.used_bytes, tank.used_by_snapshots_bytes) == (3 << 39, 1 << 39)


@pytest.mark.parametrize(
    ("output", "rest"), [({"zpool get all tank": POOL}, (12, False)), ({"zpool list": LIST}, (None, None))]
)
def test_a_pool_is_told_by_its_properties_or_by_the_list(tmp_path, output, rest):
    answer = answered(archive(tmp_path, output), zfs_tools.ZPOOL_LIST_ARGV)
    (pool,) = zfs_tools.parse_zpool_list(answer.text).pools
    assert (pool.name, pool.health, pool.capacity_percent, pool.fragmentation_percent) == ("tank", "DEGRADED", 91, 43)
    assert (pool.ashift, pool.autotrim) == rest


@pytest.mark.parametrize("command", ["zpool status -vx", "zpool status -v"])
def test_zpool_status_tells_devices_with_their_errors(tmp_path, command):
    answer = answered(archive(tmp_path, {command: STATUS}), zfs_tools.ZPOOL_STATUS_ARGV)
    (pool,) = zfs_tools.parse_zpool_status(answer.text).pools
    assert [(it.name, it.errors) for it in pool.leaves()] == [("/dev/sdb1", 12), ("/dev/sdc1", 3)]


def test_that_all_pools_are_healthy_tells_nothing_of_their_devices(tmp_path):
    machine = archive(tmp_path, {"zpool status -vx": "all pools are healthy\n"})
    assert not hasattr(answered(machine, zfs_tools.ZPOOL_STATUS_ARGV), "text")


@needs_captures
@pytest.mark.parametrize("name", ["v", "v2", "v3", "v4"])
def test_a_zpool_status_of_others_is_read(tmp_path, name):
    text = (CAPTURES / f"jc/generic_zpool-status-{name}.out").read_text()
    answer = answered(archive(tmp_path, {"zpool status -v": text}), zfs_tools.ZPOOL_STATUS_ARGV)
    assert [it.name for it in zfs_tools.parse_zpool_status(answer.text).pools] == [
        line.split()[1] for line in text.splitlines() if line.strip().startswith("pool:")
    ]


MULTIPATH = """\
mpatha (360a98000324669436c2b45666c567863) dm-2 NETAPP,LUN
size=10G features='1 queue_if_no_path' hwhandler='0' wp=rw
|-+- policy='service-time 0' prio=50 status=active
| `- 1:0:0:1 sdb 8:16 active ready running
`-+- policy='service-time 0' prio=10 status=enabled
  `- 2:0:0:1 sdc 8:32 failed faulty offline
3600508b4000156d700012000000b0000 dm-3 HP,HSV
size=5.0G features='0' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=1 status=active
  `- 3:0:0:1 sdd 8:48 active ready running
"""


def test_multipath_tells_the_state_of_each_path(tmp_path):
    argv = dmsetup.DMSETUP_STATUS_ARGV
    answer = answered(archive(tmp_path, {"multipath -ll": MULTIPATH}), argv)
    record = dmsetup.parse_dmsetup_status(answer.text)
    assert [(it.name, [(path.device, path.state) for path in it.paths]) for it in record.devices] == [
        ("mpatha", [("8:16", "active"), ("8:32", "failed")]),
        ("3600508b4000156d700012000000b0000", [("8:48", "active")]),
    ]


def test_multipath_alone_joins_the_paths(tmp_path):
    partitions = "major minor  #blocks  name\n\n   8 16 10485760 sdb\n   8 32 10485760 sdc\n 253 2 10485760 dm-2\n"
    write(tmp_path, {"proc/partitions": partitions, "sos_commands/multipath/multipath_-ll": MULTIPATH})
    subjects = seen(tmp_path)
    assert subjects["layer:dm-2"].below == ("disk:sdb", "disk:sdc")
    assert known(subjects["layer:dm-2"], "layer.kind") == "dm-multipath"


TIMERS = """\
NEXT                         LEFT          LAST                         PASSED       UNIT         ACTIVATES
Mon 2024-03-04 00:00:00 UTC  3 days left   Mon 2024-02-26 00:00:12 UTC  3 days ago   fstrim.timer fstrim.service

1 timers listed.
"""


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (TIMERS, "active"),
        (TIMERS.replace("Mon 2024-03-04 00:00:00 UTC", "n/a                        "), "inactive"),
        (TIMERS.replace("fstrim", "other"), "inactive"),
        (TIMERS.rpartition("\n\n")[0], None),
    ],
)
def test_the_list_of_timers_tells_that_of_fstrim_where_it_is_whole(tmp_path, text, state):
    answer = answered(archive(tmp_path, {"systemctl list-timers --all": text}), host.FSTRIM_TIMER)
    if state is None:
        assert not hasattr(answer, "text")
    else:
        assert systemd_units.parse_systemctl_show(answer.text).units[0].get("ActiveState") == state


def test_several_units_are_told_by_the_lists(tmp_path):
    units = "UNIT LOAD ACTIVE SUB DESCRIPTION\n  mdmonitor.service loaded active running MD\n\n1 loaded units listed.\n"
    files = "UNIT FILE STATE\nmdmonitor.service enabled\n\n1 unit files listed.\n"
    outputs = {"systemctl list-units --all": units, "systemctl list-unit-files": files}
    answer = answered(archive(tmp_path, outputs), arrays.MD_UNITS)
    shown = systemd_units.parse_systemctl_show(answer.text).units
    assert [(it.get("Id"), it.get("ActiveState")) for it in shown] == [
        ("mdmonitor.service", "active"),
        ("mdadm.service", "inactive"),
        ("mdcheck_start.timer", "inactive"),
        ("raid-check.timer", "inactive"),
    ]


def test_that_no_guest_drops_flushes_is_not_taken_from_an_archive_without_their_files(tmp_path):
    jobs = {"etc/cron.d/0hourly": "# none\n", "etc/systemd/system/a.service": "ExecStart=/usr/bin/true\n"}
    assert not hasattr(answered(archive(tmp_path / "none", {}, jobs), tenants.UNSAFE_GUESTS), "text")
    storages = {"etc/pve/storage.cfg": "dir: backup\n\tpath /mnt/backup\n"}
    assert not hasattr(answered(archive(tmp_path / "lines", {}, jobs | storages), tenants.PROXMOX_STORAGES), "text")
    guest = {"etc/libvirt/qemu/db.xml": "<driver name='qemu' cache='unsafe'/>\n"}
    found = answered(archive(tmp_path / "kept", {}, jobs | guest), tenants.UNSAFE_GUESTS)
    assert found.text == "/etc/libvirt/qemu/db.xml\n"


def test_jobs_that_defragment_are_found_where_cron_and_systemd_were_kept(tmp_path):
    kept = {"etc/cron.d/0hourly": "# xfs_fsr\n", "etc/systemd/system/a.service": "ExecStart=/usr/bin/true\n"}
    machine = archive(tmp_path, {}, kept)
    assert (answered(machine, host.DEFRAGMENTING).text, answered(machine, host.DEFRAGMENTING).status) == ("", 1)
    write(
        tmp_path,
        {"etc/cron.weekly/fsr": "#!/bin/sh\nxfs_fsr\n", "sos_commands/cron/root_crontab": "0 1 * * * e4defrag /"},
    )
    found = answered(open_machine(tmp_path), host.DEFRAGMENTING)
    assert found.text == "/etc/cron.weekly/fsr\n/var/spool/cron/root\n"
    assert not hasattr(answered(archive(tmp_path / "none", {}), host.DEFRAGMENTING), "text")


def test_mdadm_conf_tells_whether_somebody_gets_mail(tmp_path):
    for conf, count in (("MAILADDR root\n", 1), ("DEVICE partitions\n", 0)):
        answer = answered(archive(tmp_path, {}, {"etc/mdadm.conf": conf}), arrays.MD_MAIL)
        assert answer.text == f"/etc/mdadm.conf:{count}\n/dev/null:0\n"


def test_a_server_of_sos_has_them_all_as_facts(tmp_path):
    top = sos(tmp_path, "sos 4.10")
    write(
        top,
        {
            "etc/mdadm.conf": "MAILADDR a@example.com\n",
            "etc/cron.d/raid-check": "0 1 * * 0 root /usr/sbin/raid-check\n",
        },
    )
    write(top, {"etc/systemd/system/x": "", "sos_commands/lvm2/lvs": LVS.replace("vg-a  ", "vg    ")})
    facts = seen(top)["host"]
    assert [known(facts, f"host.{it}") for it in ("md_arrays", "md_mail", "md_check_scheduled")] == [1, True, True]
    assert known(facts, "host.defrag_jobs") == ()
    assert json.loads(archived_tools.command(volume_tools.LVS_ARGV, open_machine(top)).text)["report"]
