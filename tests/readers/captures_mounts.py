"""Captures of mount tables: mountinfo, /proc/mounts and fstab."""

from fsadvisor.facts import Unknown
from fsadvisor.readers import mount_tables


def listing_or_table(text):
    """Mount captures hold the listing of mount(8), which nothing reads, or /proc/mounts under the same name."""
    table = mount_tables.parse_proc_mounts(text)
    return [] if isinstance(table, Unknown) else [table]


def fstab_or_mtab(text):
    """The kind also covers an mtab, /proc/swaps and a kernel command line: the last two are no mounts."""
    if text.startswith(("Filename\t", "rd.")):
        return []
    table = mount_tables.parse_proc_mounts(text)
    lines = sum(map(bool, map(str.strip, text.split("\n"))))
    is_mtab = not isinstance(table, Unknown) and len(table.mounts) == lines
    return [table] if is_mtab else [mount_tables.parse_fstab(text)]


KINDS = {
    "mountinfo": lambda text: [mount_tables.parse_mountinfo(text)],
    "mount": listing_or_table,
    "proc_mounts": lambda text: [mount_tables.parse_proc_mounts(text)],
    "fstab/mtab": fstab_or_mtab,
}
