"""To come."""

from fsadvisor.tui.place import Place


class Probes(Place):
    """To come."""

    NAME = "probes"
    MODE = "probes"
