"""A thin pool at 100 %: writes are held and fail. The expert: extend it now; nothing else."""

from tests.panel.servers import thin_pool_promises as promising

FIRST = ("thin-pool-nearly-full layer:dm-1",)


def server():
    made = promising.server()
    asked = next(it for it in made.commands if it.startswith("lvs"))
    made.commands[asked] = made.commands[asked].replace("40.10", "100.00").replace("twi-aotz--", "twi-cotzD-")
    return made
