"""The same Stratis pool 40 % full: more is promised than there is, as Stratis always does. Nothing to say."""

from tests.panel.servers import stratis_pool_at_90

FIRST = ()
NEVER = ("thin-pool-promises-too-much", "thin-pool-holds-writes", "thin-pool-filling", "thin-pool-nearly-full")


def server():
    return stratis_pool_at_90.server(used=293000)
