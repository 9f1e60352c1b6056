"""A plan's commands done to a machine in memory, as the kernel, sysctl and systemctl would do them."""

import shlex
from copy import copy

_ATIME = {"atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime"}
_OFF_BY_DEFAULT = {"nobarrier", "discard"}
"""Options of ext4, XFS and Btrfs that their lines in mountinfo show only where they are set."""


def after(machine, plan):
    """The machine when plan.sh has run; KeyError or ValueError where a command is none that is known here."""
    done = copy(machine)
    done.files, done.commands = dict(machine.files), dict(machine.commands)
    for step in plan.steps:
        for change in step.changes:
            how, *words = shlex.split(change.do)
            _DO["write" if how == "write" else words[0]](done, words)
    done.files.update({it.path: it.after for it in plan.files})
    if plan.fstab:
        assert done.files["/etc/fstab"] == plan.fstab.before
        done.files["/etc/fstab"] = plan.fstab.after
    return done


def _remount(done, words):
    _, _, _, options, point = words
    wanted = options.removeprefix("remount,").split(",")
    lines = done.files["/proc/self/mountinfo"].splitlines()
    at = max(number for number, line in enumerate(lines) if line.split()[4] == point)
    fields = lines[at].split()
    fields[5] = _with_atime(fields[5].split(","), wanted)
    own = [it for it in wanted if it not in _ATIME]
    fields[-1] = ",".join(_with(fields[-1].split(","), own, [it for it in own if it in _OFF_BY_DEFAULT]))
    listed = f"/proc/fs/ext4/{fields[-2].rpartition('/')[2]}/options"
    if listed in done.files:
        done.files[listed] = "".join(f"{it}\n" for it in _with(done.files[listed].split(), own, own))
    done.files["/proc/self/mountinfo"] = "".join(
        f"{line}\n" for line in (*lines[:at], " ".join(fields), *lines[at + 1 :])
    )


def _with(options, wanted, shown):
    opposite = {it.removeprefix("no") if it.startswith("no") else f"no{it}" for it in wanted}
    return [*(it for it in options if it not in wanted and it not in opposite), *shown]


def _with_atime(options, wanted):
    asked = [it for it in wanted if it in ("noatime", "relatime")]
    return ",".join([*(it for it in options if it not in _ATIME), *asked] if asked else options)


def _sysctl(done, words):
    name, _, value = words[-1].partition("=")
    path = f"/proc/sys/{name.replace('.', '/')}"
    assert path in done.files
    done.files[path] = value
    twin = path.replace("_bytes", "_ratio") if path.endswith("_bytes") else path.replace("_ratio", "_bytes")
    done.files[twin] = "0"


def _systemctl(done, words):
    _, verb, now, unit = words
    assert (verb, now) == ("enable", "--now")
    (asked,) = (it for it in done.commands if it.startswith(f"systemctl show {unit} "))
    said = done.commands[asked].replace("ActiveState=inactive", "ActiveState=active")
    done.commands[asked] = said.replace("UnitFileState=disabled", "UnitFileState=enabled")


def _write(done, words):
    value, path = words
    assert path in done.files
    done.files[path] = value


_DO = {"mount": _remount, "sysctl": _sysctl, "systemctl": _systemctl, "write": _write}
