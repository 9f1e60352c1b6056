"""Redis and Valkey: whether and when their log of writes is flushed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.readers import database_files
from fsadvisor.survey import look, setting

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine
    from fsadvisor.readers.database_files import RedisConf

_FILES = ("/etc/redis/redis.conf", "/etc/redis.conf", "/etc/valkey/valkey.conf", "/etc/valkey.conf")
_DEFAULT = "the server's default"


def facts(machine: Machine, directory: str) -> dict[str, Any]:
    """Facts by the configuration file that names this folder: the server hides its arguments."""
    for path in _FILES:
        record = look.understood(machine.settings(path), database_files.parse_redis_conf)
        if isinstance(record, Unknown):
            if not setting.is_absent(record):
                return {"appendonly": record, "appendfsync": record}
        elif (record.get("dir") or "").rstrip("/") == directory.rstrip("/"):
            return _told(record, path)
    unknown = Unknown(Cause.NOT_EXPOSED, "", f"no configuration file for {directory} in the usual places")
    return {"appendonly": unknown, "appendfsync": unknown}


def _told(record: RedisConf, path: str) -> dict[str, Any]:
    appendonly, appendfsync = record.get("appendonly"), record.get("appendfsync")
    return {
        "appendonly": setting.switch(Known(appendonly, path) if appendonly else Known("no", _DEFAULT)),
        "appendfsync": setting.lower(Known(appendfsync, path) if appendfsync else Known("everysec", _DEFAULT)),
    }
