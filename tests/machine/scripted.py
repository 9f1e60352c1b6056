"""A machine made of dictionaries."""

import datetime as dt
import json

from fsadvisor.facts import Cause, Unknown
from fsadvisor.machine import port
from fsadvisor.machine.port import Reply
from fsadvisor.machine.redaction import settings_about_storage


class ScriptedMachine:
    name = "a script"
    root = True
    today = dt.date(2026, 11, 20)

    def __init__(self, files=(), links=(), folders=(), commands=(), udev="", processes="[]"):
        self.files, self.links, self.folders = dict(files), dict(links), dict(folders)
        self.commands, self.udev_text, self.processes_text = dict(commands), udev, processes

    def _about(self, table, path, source):
        text = table.get(path)
        return Unknown(Cause.NOT_EXPOSED, "", source) if text is None else Reply(text, source)

    def read(self, path):
        return self._about(self.files, path, path)

    def link(self, path):
        return self._about(self.links, path, path)

    def entries(self, path):
        return self.folders.get(path, Unknown(Cause.NOT_EXPOSED, "", path))

    def run(self, commands):
        return [
            Reply(self.commands[argv], port.command_source(argv), len(argv))
            if argv in self.commands
            else Unknown(Cause.NO_TOOL, f"install {argv[0]}", port.command_source(argv))
            for argv in commands
        ]

    def expect(self, commands):
        pass

    def udev(self):
        return Reply(self.udev_text, port.UDEV_SOURCE)

    def processes(self, names):
        told = [process for process in json.loads(self.processes_text) if process["name"] in names]
        return Reply(json.dumps(told), port.PROCESSES_SOURCE)

    def counters(self):
        return Unknown(Cause.TIMED_OUT, "retry with a --timeout longer than 1 s", port.COUNTERS_SOURCE)

    def space(self, mount_point):
        return self._about({}, mount_point, port.space_source(mount_point))

    def flags(self, path):
        return Reply("0x80000", port.flags_source(path))

    def settings(self, path):
        answer = self.read(path)
        return answer if isinstance(answer, Unknown) else Reply(settings_about_storage(path, answer.text), path)

    def extents(self, path):
        return Reply('{"whole": true, "largest_folder": 2, "files": []}', port.extents_source(path))

    def hidden(self, mount_point, _above):
        return Reply('{"bytes": 0, "files": 0, "whole": true}', port.hidden_source(mount_point))
