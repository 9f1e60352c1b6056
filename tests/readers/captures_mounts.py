"""Captures of mount tables: mountinfo, /proc/mounts, fstab and mount(8)."""

from fsadvisor.facts import Unknown
from fsadvisor.readers import fstab, mount_listing, mountinfo, proc_mounts


def listing_or_table(text):
    """Mount captures hold the listing of mount(8), or /proc/mounts under the same name."""
    listing = mount_listing.parse(text)
    return [proc_mounts.parse(text) if isinstance(listing, Unknown) else listing]


def fstab_or_mtab(text):
    """The kind also covers an mtab, /proc/swaps and a kernel command line: the last two are no mounts."""
    if text.startswith(("Filename\t", "rd.")):
        return []
    table = proc_mounts.parse(text)
    return [table] if not isinstance(table, Unknown) and not table.unread else [fstab.parse(text)]


KINDS = {
    "mountinfo": lambda text: [mountinfo.parse(text)],
    "mount": listing_or_table,
    "mount_lines": lambda text: [mount_listing.parse(text)],
    "proc_mounts": lambda text: [proc_mounts.parse(text)],
    "fstab/mtab": fstab_or_mtab,
}
