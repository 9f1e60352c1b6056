"""A small board with PostgreSQL on its SD card, which tells nothing of its wear. The expert: backups to another
machine, and an SSD for the database.
"""

from tests.panel import build
from tests.panel.servers import sd_card_dying

FIRST = ("database-on-card service:postgresql /var/lib/postgresql/15/main",)
NEVER = ("drive-worn-out", "emmc-spare-blocks-used", "commits-wait-for-drive")
PLACE = "/var/lib/postgresql/15/main"


def server():
    return sd_card_dying.server(log=(), programs=[("postgres", PLACE)], files=build.postgresql(PLACE))
