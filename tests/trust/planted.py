# ruff: noqa: E501 - lines of tables
"""A recorded machine with a recognisable secret in every source that is read."""

import json
import shutil

from fsadvisor.machine.redaction import settings_about_storage, settings_in_arguments
from fsadvisor.machine.watching import argument_paths
from tests.paths import FIXTURES

SECRETS = {
    "cifs password": "Hunter2PassA",
    "cifs password with a comma": "Hunter2Comma",
    "cifs user": "planteduser",
    "cifs domain": "SECRETDOM",
    "credentials file": "smbcredhunter",
    "ceph secret": "AQDSecretCephKey5678",
    "ceph name": "plantedceph",
    "sshfs user": "plantedssh",
    "sshfs key": "id_hunter_ed25519",
    "webdav password": "Hunter2Dav",
    "s3fs key file": "hunterpasswds3fs",
    "rclone access key": "AKIAHUNTER2RCLONE",
    "rclone session": "FwoGHunter2Session",
    "ftp password": "Hunter2Ftp",
    "nbd key": "hunternbdkey",
    "remark behind a line": "Hunter2Remark",
    "password with escapes": "Hunter2Escaped",
    "unit password": "Hunter2Unit",
    "loaded unit password": "Hunter2Loaded",
    "program's argument": "Hunter2Argument",
    "program's second argument": "Hunter2Second",
    "postgresql's primary_conninfo": "Hunter2Conninfo",
    "mysql's password": "Hunter2Mysql",
    "redis's requirepass": "Hunter2Redis",
    "kernel's root over iSCSI": "Hunter2Iscsi",
    "kernel's other parameter": "Hunter2Param",
    "kernel's root flags": "Hunter2Rootflag",
    "mounted cifs user": "runninguser",
}
"""What no output may have."""

IDENTITIES = {
    "mail address": "jo.hunter@plantedmail.example",
    "mail's domain": "plantedmail",
    "comment": "planted remark on the payroll",
    "smb server": "filer77",
    "company": "secretcorp",
    "smb share": "payrollshare",
    "nfs server": "nfshost91",
    "nfs address": "10.77.66.51",
    "nfs IPv6 address": "2001:db9:77::51",
    "s3 bucket": "hunterbucket",
    "glued address": "10.77.66.53",
    "IQN": "iqn.2010-01.example.secretcorp",
    "absent drive's serial": "S666NE0R777777",
    "MAC": "52:54:00:77:66:55",
    "MAC with dashes": "52-54-00-77-66-44",
    "home's owner": "plantedowner",
    "udev serial": "WD-WCC7K3PLANT9",
    "drive's serial": "S4EVNX0R123987",
    "WWN": "5000c5007766aabb",
    "cloud's instance": "0abcdef987654321a",
    "host": "prodhost99",
    "volume group": "vgsecretpay",
    "logical volume": "lvpayroll",
    "owner of a process": "plantedproc",
    "unit's name": "payrolljob",
    "serial of a RAID tool": "SV77661122PLANT",
    "multipath's WWID": "3600a098038303053743f463045727a41",
    "database in a unit's place": "payrolldb",
}
"""What no recording may have besides."""

FSTAB = r"""
# ask jo.hunter@plantedmail.example: planted remark on the payroll
//filer77.secretcorp.example/payrollshare$ /mnt/payrollshare cifs username=planteduser,password=Hunter2PassA,domain=SECRETDOM 0 0
//filer77.secretcorp.example/x /mnt/x cifs rw,password=a,Hunter2Comma,credentials=/root/smbcredhunter 0 0
10.77.66.51:6789,mon2:6789:/ /mnt/ceph ceph name=plantedceph,secret=AQDSecretCephKey5678== 0 0
plantedssh@nfshost91.secretcorp.example:/x /mnt/ssh fuse.sshfs IdentityFile=/root/id_hunter_ed25519,_netdev 0 0
https://dav:Hunter2Dav@dav.secretcorp.example/x /mnt/dav davfs _netdev 0 0
s3fs#hunterbucket /mnt/hunterbucket fuse _netdev,passwd_file=/root/hunterpasswds3fs 0 0
:s3,access_key_id=AKIAHUNTER2RCLONE:hunterbucket /mnt/rc rclone env.AWS_SESSION_TOKEN=FwoGHunter2Session 0 0
curlftpfs#ftp:Hunter2Ftp@nfshost91 /mnt/ftp fuse rw,uid=plantedowner 0 0
/dev/nbd0 /mnt/nbd xfs x-nbd.tlskey=/root/hunternbdkey 0 0
/dev/disk/by-path/ip-10.77.66.53:3260-iscsi-iqn.2010-01.example.secretcorp:t1-lun-1 /mnt/iscsi xfs noatime 0 0
/dev/disk/by-id/nvme-SAMSUNG_MZ1L2_S666NE0R777777 /mnt/absent xfs noatime 0 0
/dev/sdx9 /home/plantedowner/data ext4 noatime 0 0 # Hunter2Remark
/dev/sdx8 /mnt/esc cifs pass\167ord\075Hunter2Escaped 0 0
/dev/sdx7 /mnt/52:54:00:77:66:55/52-54-00-77-66-44 xfs noatime 0 0
"""
MOUNTINFO = r"""
901 29 0:901 / /mnt/payrollshare rw,relatime shared:901 - cifs //filer77.secretcorp.example/payrollshare rw,vers=3.0,username=runninguser,domain=SECRETDOM,addr=10.77.66.51
902 29 0:902 / /mnt/nfshost91 rw,relatime shared:902 - nfs4 nfshost91.secretcorp.example:/x rw,vers=4.2,hard,clientaddr=2001:db9:77::51,addr=10.77.66.51
903 29 0:903 / /home/plantedowner/x rw - fuse.sshfs plantedssh@nfshost91:/x rw,user_id=0
"""
UNIT = """
[Unit]
Description=planted remark on the payroll
[Mount]
What=//filer77/payrollshare
Where=/mnt/payrolldb
Type=cifs
# password=Hunter2Unit
Options=ro,\\
# Hunter2Unit
password=Hunter2Unit
"""
LOADED = """
Where=/mnt/loaded
What=//filer77/payrollshare
Options=rw,password=Hunter2Loaded
Type=cifs
Id=mnt-loaded.mount
FragmentPath=/etc/systemd/system/mnt-loaded.mount
"""
CMDLINE = "root=iscsi:joe:Hunter2Iscsi@10.77.66.53::: rootflags=noatime,password=Hunter2Rootflag systemd.setenv=T=Hunter2Param"
ARGUMENTS = ["/usr/sbin/mysqld", "--password=Hunter2Argument", "--requirepass", "/Hunter2Second", "--fsync", "off"]
UDEV = """P: /devices/planted
N: sdx
S: disk/by-id/ata-WDC_WD-WCC7K3PLANT9
S: disk/by-id/wwn-0x5000c5007766aabb
E: DEVNAME=/dev/sdx
E: DEVLINKS=/dev/disk/by-id/ata-WDC_WD-WCC7K3PLANT9 /dev/disk/by-path/ip-10.77.66.53:3260-iscsi-iqn.2010-01.example.secretcorp:t1-lun-1
E: DM_NAME=vgsecretpay-lvpayroll
E: ID_SERIAL=WDC_WD-WCC7K3PLANT9
E: ID_SERIAL_SHORT=WD-WCC7K3PLANT9
E: ID_WWN=0x5000c5007766aabb
E: SYSTEMD_ALIAS=/mnt/payrollshare

"""
VOLUME = {
    "vg_name": "vgsecretpay",
    "lv_name": "lvpayroll",
    "lv_dm_path": "/dev/mapper/vgsecretpay-lvpayroll",
    "lv_attr": "-wi",
}
TOOLS = """
Serial Number: S4EVNX0R123987
"SN" : "SV77661122PLANT"
uuid = mpath-3600a098038303053743f463045727a41 naa.5000c5007766aabb
"""
POSTGRESQL = "# Hunter2Conninfo\nfsync = on # Hunter2Conninfo\nprimary_conninfo = 'password=Hunter2Conninfo'\n"
MYSQL = "[mysqld]\npassword = Hunter2Mysql\ndatadir = /home/plantedowner/mysql\n"
REDIS = "requirepass Hunter2Redis\nappendonly yes\n"


def planted(name, place):
    """A copy of a recorded machine, with all of it."""
    folder = shutil.copytree(FIXTURES / "machines" / name, place / "live")
    _more(folder / "files/etc/fstab", FSTAB)
    _more(folder / "files/proc/self/mountinfo", MOUNTINFO)
    (folder / "files/proc/cmdline").write_text(f"{CMDLINE} psi=1\n")
    (folder / "files/sys/class/dmi/id/chassis_asset_tag").write_text("i-0abcdef987654321a\n")
    (folder / "files/etc/hostname").write_text("prodhost99.secretcorp.example\n")
    system = folder / "files/etc/systemd/system"
    system.mkdir(parents=True, exist_ok=True)
    (system / "mnt-payrolldb.mount").write_text(UNIT)
    (folder / "files/etc/systemd/system%entries").write_text('["mnt-payrolldb.mount", "payrolljob.service"]')
    for path, text in (("x/postgresql.conf", POSTGRESQL), ("x/my.cnf", MYSQL), ("x/redis.conf", REDIS)):
        told = folder / f"files/{path}%settings"
        told.parent.mkdir(exist_ok=True)
        told.write_text(settings_about_storage(path, text))
    (shown,) = (folder / "commands").glob("systemctl_show_.mount*.out")
    _more(shown, LOADED)
    _more(folder / "asked/udev.out", UDEV)
    for volumes in (folder / "commands").glob("lvs_*.out"):
        report = json.loads(volumes.read_text())
        report["report"][0]["lv"].append(VOLUME)
        volumes.write_text(json.dumps(report))
    for said in (folder / "commands").glob("dumpe2fs_*.out"):
        _more(said, TOOLS)
    processes = json.loads((folder / "asked/processes.out").read_text())
    processes.append(
        {
            "pid": 77,
            "name": "mysqld",
            "user": "plantedproc",
            "cwd": "/home/plantedowner/mysql",
            "paths": argument_paths(ARGUMENTS),
            "settings": settings_in_arguments(ARGUMENTS),
            "here": True,
        }
    )
    (folder / "asked/processes.out").write_text(json.dumps(processes))
    return folder


def _more(file, text):
    file.write_text(
        file.read_text().rstrip("\n") + "\n" + text.strip("\n") + "\n" * (2 if file.name == "udev.out" else 1)
    )


SETTINGS = ("/x/postgresql.conf", "/x/my.cnf", "/x/redis.conf")
