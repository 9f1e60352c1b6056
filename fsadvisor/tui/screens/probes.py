"""To come."""

from fsadvisor.tui.place import Place


class Probes(Place):
    """To come."""

    MODE = "probes"
