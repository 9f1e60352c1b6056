"""To come."""

from fsadvisor.tui.place import Place


class Unknowns(Place):
    """To come."""

    MODE = "unknowns"
