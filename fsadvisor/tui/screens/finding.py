"""A finding, from why to undo."""

from fsadvisor.tui.place import Place


class FindingPlace(Place):
    """To come."""

    NAME = "finding"
    MODE = "overview"

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key
