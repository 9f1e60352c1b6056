"""Whether files that are overwritten in place carry Btrfs's no-copy-on-write flag."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Fact, Unknown
from fsadvisor.readers import file_attributes
from fsadvisor.survey import look

if TYPE_CHECKING:
    from fsadvisor.machine.port import Machine

_OVERWRITTEN = {
    "postgresql": "global/pg_control",
    "mysql": "ibdata1",
    "mongodb": "WiredTiger.wt",
    "etcd": "member/snap/db",
}
"""A file of each program that is as old as its data and is never replaced by a new one."""


def flag(machine: Machine, path: str) -> Fact[bool]:
    """Whether a folder, for the new files in it, or a file carries the flag."""
    answer = machine.flags(path)
    record = look.understood(answer, file_attributes.parse_fsflags)
    return look.field(record, answer.source, lambda it: "nocow" in it.flags)


def flag_of_a_file(machine: Machine, program: str, directory: str) -> Fact[bool]:
    """The flag of one file that the program overwrites."""
    name = _OVERWRITTEN.get(program)
    if name is None:
        return Unknown(Cause.NOT_EXPOSED, f"look at its files: lsattr -R {shlex.quote(directory)}", "lsattr")
    return flag(machine, f"{directory}/{name}")
