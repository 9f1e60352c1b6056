"""A recorded machine that keeps account of which of its recordings were asked for."""

import os

from fsadvisor.machine.recorded import TITLE, RecordedMachine
from fsadvisor.machine.runner import decoded


class AccountedMachine(RecordedMachine):
    """Answers as a recorded machine does; `unused` lists the recordings that nobody has asked for."""

    def __init__(self, folder):
        self.asked_for = set()
        super().__init__(folder)

    def unused(self):
        """Files, and lines of %unknown files."""
        return sorted(place for place in self._recordings() if place not in self.asked_for)

    def _recordings(self):
        for folder, _, names in os.walk(os.fsencode(self.name)):
            below = decoded(folder[len(os.fsencode(self.name)) :]).strip("/")
            for name in map(decoded, names):
                file = f"{below}/{name}" if below else name
                if name == "%unknown":
                    yield from (line_of(file, *key) for key in super()._unknown_in(file))
                elif file != TITLE:
                    yield file

    def _content(self, file, *cap):
        content = super()._content(file, *cap)
        if isinstance(content, str):
            self.asked_for.add(file)
        return content

    def _unknown_in(self, file):
        return Noted(super()._unknown_in(file), file, self.asked_for)


class Noted(dict):
    """The lines of an %unknown file; which of them were looked up is noted."""

    def __init__(self, lines, file, asked_for):
        super().__init__(lines)
        self.file, self.asked_for = file, asked_for

    def get(self, key):
        if key in self:
            self.asked_for.add(line_of(self.file, *key))
        return super().get(key)


def line_of(file, kind, name):
    return f"{file}: {kind} {name}"
