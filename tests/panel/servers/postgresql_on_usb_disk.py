"""PostgreSQL on a hard disk in a USB case, 40 ms a flush. The expert speaks of the disk and its flushes; it is no
stick, as its medium can't be taken out.
"""

from tests.panel.servers import postgresql_on_usb_stick
from tests.panel.servers.postgresql_on_usb_stick import PLACE

FIRST = (f"commits-wait-for-drive service:postgresql {PLACE}",)
BESIDE = (f"log-beside-data-on-hard-disk service:postgresql {PLACE}",)
NEVER = ("database-on-card",)


def server():
    return postgresql_on_usb_stick.server(removable="0")
