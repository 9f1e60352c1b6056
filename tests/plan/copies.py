"""A folder that stands for a machine, on which scripts run."""

import os
import subprocess

from tests.plan import composed

SYSCTLS = {"vm.dirty_bytes": 0, "vm.dirty_ratio": 20, "vm.dirty_background_bytes": 0, "vm.dirty_background_ratio": 10}

TOOLS = {
    "id": "echo 0",
    "sysctl": """\
case $1 in
    -n) cat "$TOLD/$2" ;;
    *)
        key=${3%%=*}
        [ ! -e "$TOLD/broken-$key" ] || exit 1
        case $key in
            *_bytes) echo 0 > "$TOLD/${key%bytes}ratio" ;;
            *_ratio) echo 0 > "$TOLD/${key%ratio}bytes" ;;
        esac
        echo "${3#*=}" > "$TOLD/$key" ;;
esac""",
    "systemctl": """\
case $1 in
    is-enabled) cat "$TOLD/enabled" ;;
    is-active) cat "$TOLD/active" ;;
    enable) echo enabled > "$TOLD/enabled"; echo active > "$TOLD/active" ;;
    disable) echo disabled > "$TOLD/enabled"; echo inactive > "$TOLD/active" ;;
    *) exit 1 ;;
esac""",
}


class Copies:
    """A folder that stands for the machine: fstab, /etc, and tools that keep their settings in files."""

    def __init__(self, folder, fstab=composed.FSTAB, files=()):
        self.folder = folder
        for name in ("bin", "told", "root", "plan"):
            (folder / name).mkdir()
        for name, text in TOOLS.items():
            (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / "bin" / name).chmod(0o755)
        for key, value in SYSCTLS.items():
            self.tell(key, value)
        self.tell("enabled", "disabled")
        self.tell("active", "inactive")
        self.fstab = folder / "fstab"
        self.fstab.write_bytes(fstab.encode("utf-8", "surrogateescape"))
        self.fstab.chmod(0o640)
        for path, text in dict(files).items():
            (folder / f"root{path}").parent.mkdir(parents=True, exist_ok=True)
            (folder / f"root{path}").write_text(text)

    def tell(self, name, value):
        (self.folder / "told" / name).write_text(f"{value}\n")

    def run(self, text, *options):
        path = self.folder / "script"
        path.write_text(text)
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "TOLD": str(self.folder / "told"),
            "FSTAB": str(self.fstab),
            "FILES_IN": str(self.folder / "root"),
            "STATE": str(self.folder / "state"),
        }
        return subprocess.run(["sh", str(path), *options], capture_output=True, text=True, env=environment)

    def state(self):
        """Every file's content and mode."""
        return {
            str(it.relative_to(self.folder)): (it.lstat().st_mode, it.read_bytes() if it.is_file() else None)
            for part in ("told", "root", "fstab", "state")
            for top in [self.folder / part]
            for it in ([top, *top.rglob("*")] if top.exists() else [])
        }

    def value(self, key):
        return (self.folder / "told" / key).read_text().strip()
