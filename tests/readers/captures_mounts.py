"""Captures of mount tables: mountinfo, /proc/mounts, fstab and mount(8)."""

from fsadvisor.facts import Unknown
from fsadvisor.readers import mount_tables


def listing_or_table(text):
    """Mount captures hold the listing of mount(8), or /proc/mounts under the same name."""
    listing = mount_tables.parse_mount_listing(text)
    return [mount_tables.parse_proc_mounts(text) if isinstance(listing, Unknown) else listing]


def fstab_or_mtab(text):
    """The kind also covers an mtab, /proc/swaps and a kernel command line: the last two are no mounts."""
    if text.startswith(("Filename\t", "rd.")):
        return []
    table = mount_tables.parse_proc_mounts(text)
    return [table] if not isinstance(table, Unknown) and not table.unread else [mount_tables.parse_fstab(text)]


KINDS = {
    "mountinfo": lambda text: [mount_tables.parse_mountinfo(text)],
    "mount": listing_or_table,
    "mount_lines": lambda text: [mount_tables.parse_mount_listing(text)],
    "proc_mounts": lambda text: [mount_tables.parse_proc_mounts(text)],
    "fstab/mtab": fstab_or_mtab,
}
