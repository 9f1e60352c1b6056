"""To come."""

from fsadvisor.tui.place import Place


class PlanPlace(Place):
    """To come."""

    NAME = "plan"
    MODE = "plan"
