"""The same server with both of its paths live. The expert: nothing, what is behind is another machine's."""

from tests.panel.servers import nvme_tcp_path_connecting

FIRST = ()
NEVER = ("nvme-path-lost",)


def server():
    return nvme_tcp_path_connecting.server("live", "live")
