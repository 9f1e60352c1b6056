"""Which readers read the captures of filesystems and of what lies between them and the disks."""

import xml.etree.ElementTree as ET

from fsadvisor.readers import btrfs_tools, dmsetup, ext4_reports, volume_tools, xfs_reports, zfs_tools

# libstorage-ng's argv are nearly ours: other columns of lvs, human units of btrfs
MOCKED = {
    "/sbin/dmsetup table": dmsetup.parse_dmsetup_table,
    "/sbin/lvs": volume_tools.parse_lvs,
}


def mocked_outputs(text):
    """Name and output of each recorded file and command of a libstorage-ng mock-up."""
    for entry in ET.fromstring(text.encode("utf-8", "surrogateescape")).iter():
        if entry.tag in ("Command", "File"):
            lines = [line.text or "" for line in entry if line.tag in ("stdout", "content")]
            yield entry.findtext("name"), "\n".join(lines)


def mockup(text):
    return [
        parse(output)
        for name, output in mocked_outputs(text)
        for prefix, parse in MOCKED.items()
        if name.startswith(prefix) and output.strip()
    ]


def zpool(text):
    """`zpool list` with a header and other columns, put into those of our argv."""
    header, *rows = text.splitlines()
    if not header.startswith("NAME"):
        return []
    at = {name: index for index, name in enumerate(header.split())}
    pools = (row.split() for row in rows if not row.startswith((" ", "logs", "cache")))
    lines = ["\t".join([p[0], "-", p[at["HEALTH"]], p[at["CAP"]], p[at["FRAG"]], "-"]) for p in pools]
    return [zfs_tools.parse_zpool_list("\n".join(lines))]


KINDS = {
    "btrfs_usage": lambda text: [btrfs_tools.parse_btrfs_usage(text)],
    "command-mockup-xml": mockup,
    "dumpe2fs": lambda text: [ext4_reports.parse_dumpe2fs(text)],
    "lvm-json": lambda text: [volume_tools.parse_lvs(text)],
    "xfs_info": lambda text: [xfs_reports.parse_xfs_info(text)],
    "zpool": zpool,
}
