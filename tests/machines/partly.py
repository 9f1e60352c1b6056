"""A machine of which some questions have not been answered yet, as the explorer sees it at first."""

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine.live import KERNEL_FOLDERS


class PartlyAnswered:
    """Answers as another machine does, but for the questions in `waits`; `asked` are all that could have to wait.

    What the kernel itself tells, below /proc and /sys, never has to wait.
    """

    def __init__(self, inner, waits=frozenset()):
        self._inner = inner
        self._waits = waits
        self.asked = {}
        self.name, self.root, self.today, self.looked_on = inner.name, inner.root, inner.today, inner.looked_on

    def _answer(self, question, answer):
        self.asked[question] = None
        if question in self._waits:
            return Unknown(Cause.BEING_ASKED, "wait for the answer", " ".join(map(str, question)))
        return answer()

    def _of_a_path(self, question, path, answer):
        return answer(path) if path.startswith(KERNEL_FOLDERS) else self._answer((question, path), lambda: answer(path))

    def read(self, path):
        return self._of_a_path("read", path, self._inner.read)

    def settings(self, path):
        return self._of_a_path("read", path, self._inner.settings)

    def entries(self, path):
        return self._of_a_path("list", path, self._inner.entries)

    def link(self, path):
        return self._of_a_path("follow", path, self._inner.link)

    def run(self, commands):
        return [self._answer(argv, lambda argv=argv: self._inner.run([argv])[0]) for argv in commands]

    def expect(self, commands):
        pass

    def udev(self):
        return self._answer(("udev",), self._inner.udev)

    def processes(self, names):
        return self._answer(("processes",), lambda: self._inner.processes(names))

    def counters(self):
        return self._answer(("counters",), self._inner.counters)

    def space(self, mount_point):
        return self._answer(("space", mount_point), lambda: self._inner.space(mount_point))

    def flags(self, path):
        return self._answer(("flags", path), lambda: self._inner.flags(path))

    def extents(self, path):
        return self._answer(("extents", path), lambda: self._inner.extents(path))

    def hidden(self, mount_point, above):
        return self._answer(("hidden", mount_point), lambda: self._inner.hidden(mount_point, above))
