"""To come."""

from fsadvisor.tui.place import Place


class Live(Place):
    """To come."""

    NAME = "live"
    MODE = "live"
