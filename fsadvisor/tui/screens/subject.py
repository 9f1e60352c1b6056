"""A subject: its facts, its stack, its history."""

from fsadvisor.tui.place import Place


class SubjectPlace(Place):
    """To come."""

    MODE = "overview"

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key
