"""bcache in writethrough mode on one SSD over a mirror of hard disks. Nothing: the cache holds nothing alone."""

from tests.panel.servers import bcache_writeback_dying_ssd as writeback

FIRST = ()
NEVER = ("writeback-cache-on-one-drive", "writeback-cache-failing")


def server():
    made = writeback.server()
    for path in made.files:
        if path.endswith("cache_mode"):
            made.files[path] = "[writethrough] writeback writearound none"
        if path.endswith("bcache/state"):
            made.files[path] = "clean"
    for asked, said in made.commands.items():
        made.commands[asked] = said.replace('"passed": false', '"passed": true')
    return made
