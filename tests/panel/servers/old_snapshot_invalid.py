"""A snapshot of the old kind that overflowed: Invalid. The expert: it is worthless, remove it; the origin is well."""

from tests.panel.servers import old_snapshot_nearly_full as filling

FIRST = ("snapshot-nearly-full layer:dm-3",)


def server():
    made = filling.server()
    asked = next(it for it in made.commands if it.startswith("lvs"))
    made.commands[asked] = made.commands[asked].replace("92.00", "100.00").replace("swi-a-s---", "swi-I-s---")
    return made
