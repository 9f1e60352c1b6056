"""A thin pool at 61 % of its data and 96 % of its metadata: the metadata first, before any snapshot is removed."""

from tests.panel.servers import thin_pool_promises as promising

FIRST = ("thin-pool-nearly-full layer:dm-1",)


def server():
    made = promising.server()
    asked = next(it for it in made.commands if it.startswith("lvs"))
    made.commands[asked] = made.commands[asked].replace('"31.00"', '"96.40"').replace("322122547200", "107374182400")
    return made
