"""A subject: its facts, its stack, its history."""

from fsadvisor.tui.place import Place


class SubjectPlace(Place):
    """To come."""

    NAME = "subject"
    MODE = "overview"

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key
