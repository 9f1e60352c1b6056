"""To come."""

from fsadvisor.tui.place import Place


class Unknowns(Place):
    """To come."""

    NAME = "unknowns"
    MODE = "unknowns"
