"""`fsadvisor plan`: what the command line needs of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.pages.escape import clean
from fsadvisor.plan.documents import as_one_text, documents, write
from fsadvisor.plan.planning import chosen, plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from fsadvisor.machine.port import Machine
    from fsadvisor.plan.model import Plan
    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Storage


def made(machine: Machine, storage: Storage, rules: Sequence[Rule], findings: Sequence[str]) -> Plan:
    """The plan for the findings named, or for all advice. Raises ChoiceError."""
    return plan(storage, chosen(storage, rules, findings), machine.read)


def written(plan: Plan, where: Path) -> str:
    """Write the plan's folder; what to tell people of it. Raises MachineError."""
    write(documents(plan), where)
    return f"fsadvisor: wrote {clean(str(where))}; nothing was run: read README.txt there first\n"


def text(plan: Plan, *, as_json: bool) -> Iterable[str]:
    """The plan for stdout."""
    if not as_json:
        return as_one_text(plan)
    from fsadvisor.plan.documents import as_json as json_of

    return [json_of(plan)]
