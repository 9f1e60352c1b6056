"""What etcd is configured with: its file, where it has one, or its arguments and environment.

With a configuration file it heeds neither of the others.

https://etcd.io/docs/v3.6/op-guide/configuration/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import etcd_file, program_settings, read_fact

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.survey.programs import RunningProgram

_ETCD: Final = "arguments and environment of etcd"


def facts(machine: Machine, found: RunningProgram) -> dict[str, Any]:
    """Whether it flushes, and where its log is."""
    given, environment = dict(found.settings), dict(found.environment or ())
    if etcd_file.has_one(given, environment):
        return _by_file(machine, found)
    if given.get("unsafe_no_fsync", "") in (None, "true", "1"):
        unsafe: Fact[bool] = Known(True, "argument of etcd")
    elif found.environment is None:
        learn = "look for ETCD_UNSAFE_NO_FSYNC and ETCD_WAL_DIR in the environment that its unit or manifest sets"
        unsafe = Unknown(Cause.NOT_EXPOSED, learn, "arguments of etcd, which do not say")
    else:
        word = given.get("unsafe_no_fsync") or environment.get("ETCD_UNSAFE_NO_FSYNC", "false")
        unsafe = program_settings.switch(Known(word, _ETCD))
    return {"unsafe_no_fsync": unsafe, "log_directory": _log(found, given, environment)}


def _log(found: RunningProgram, given: dict[str, str | None], environment: dict[str, str]) -> Fact[str]:
    """Where its log is: in the data folder, where neither says otherwise."""
    if told := given.get("wal_dir"):
        return Known(told, "argument of etcd")
    if found.environment is None or "wal_dir" in given or environment.get("ETCD_WAL_DIR"):
        return Unknown(
            Cause.NOT_EXPOSED, "look for ETCD_WAL_DIR in the environment that its unit or manifest sets", _ETCD
        )
    return _in_data(found.directory)


def _in_data(directory: Fact[str]) -> Fact[str]:
    return read_fact.derive(directory, lambda it: f"{it.rstrip('/')}/member/wal")


def _by_file(machine: Machine, found: RunningProgram) -> dict[str, Any]:
    """By its file; in a container by the file that it sees, whose paths are the container's."""
    path = _path(found)
    record = path if isinstance(path, Unknown) else etcd_file.read(machine, path)
    if isinstance(record, Unknown):
        return {"unsafe_no_fsync": record, "log_directory": record}
    source = path if isinstance(path, str) else ""
    word = record.get("unsafe-no-fsync")
    unsafe = Known(False, f"{source}: not set") if word is None else program_settings.switch(Known(word, source))
    log = record.get("wal-dir")
    if found.inside and log:
        place: Fact[str] = found.inside.mounts.place(log).path if log.startswith("/") else _relative(source)
    elif log:
        place = Known(log, source) if log.startswith("/") else _relative(source)
    else:
        place = _in_data(found.directory)
    return {"unsafe_no_fsync": unsafe, "log_directory": place}


def _relative(source: str) -> Unknown:
    return Unknown(Cause.NOT_EXPOSED, "look where its relative path leads", source)


def _path(found: RunningProgram) -> str | Unknown:
    """The file, as we may read it."""
    settings = dict(found.inside.settings if found.inside else found.settings)
    path = etcd_file.path(settings, dict(found.environment or ()))
    if path.startswith("/") and (found.inside or found.here is True):
        return found.inside.path(path) if found.inside else path
    return Unknown(Cause.NOT_EXPOSED, "look for unsafe-no-fsync and wal-dir in etcd's configuration file", _ETCD)
