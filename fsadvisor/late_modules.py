"""Modules that most runs never ask: `import` names them, and they are loaded when something of them is first asked.

Each takes a quarter of a millisecond, as much as a hundred files read. Whoever imports names from one, rather than the
module, loads it at once.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_LIBRARIES: Final = (
    "ipaddress",
    "textwrap",
    "msgspec.inspect",
    "msgspec.msgpack",
    "msgspec.toml",
    "msgspec.yaml",
)
_READERS: Final = (
    "attestations",
    "btrfs_tools",
    "dm_target",
    "dmsetup",
    "ext4_reports",
    "file_attributes",
    "nvme_identify",
    "nvme_logs",
    "nvme_output",
    "process_files",
    "raid_tools",
    "server_files",
    "smartctl",
    "smartctl_text",
    "ssacli",
    "storcli",
    "volume_tools",
    "xfs_reports",
)
_OF_THE_SURVEY: Final = ("controller_tools", "database_settings", "program_settings")
LATE: Final = (
    *_OF_LIBRARIES,
    *(f"fsadvisor.readers.{name}" for name in _READERS),
    *(f"fsadvisor.survey.{name}" for name in _OF_THE_SURVEY),
)


_LEAVING: Final = Lock()
"""Of threads that ask at once, one takes the stand-in away; another would take away the module that is loading."""


class _LateModule(ModuleType):
    """Stands in the place of a module until it is asked; whoever holds it has the module's names from then on."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Python asks this of what is not there yet
        with _LEAVING:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        module = import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


def load_late(names: Iterable[str] = LATE) -> None:
    """From now on; what is loaded already stays."""
    for name in names:
        sys.modules.setdefault(name, _LateModule(name))


def load_msgspec() -> None:
    """Load it without what it asks for a single word: of typing_extensions what typing has too, of platform its name.

    To load these takes as long as msgspec does.
    """
    modules: dict[str, Any] = sys.modules
    platform = _LateModule("platform")
    vars(platform)["system"] = lambda: os.uname().sysname
    instead = {"typing_extensions": None, "platform": platform}
    absent = [name for name in instead if name not in modules]
    modules.update({name: instead[name] for name in absent})
    import msgspec  # noqa: F401

    for name in absent:
        modules.pop(name, None)
