"""Imagined subjects: what a rule's examples speak of."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.rulebook import gate
from fsadvisor.storage import Subject
from fsadvisor.storage.catalogue import NAMESPACES, SCOPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsadvisor.rulebook.rule import Rule
    from fsadvisor.storage import Facts

NOT_NAMED: Final = Unknown(Cause.NOT_EXPOSED, "the example does not name it")


def imagined(rule: Rule, facts: Mapping[str, Any]) -> Subject:
    """A subject of the rule's kind on which exactly these facts are known, by name, and that nothing is sick.

    The health gate is proven once for all rules: their examples need not name it, but may.
    """
    facts = {**gate.OPEN, **facts}
    scope = {
        namespace: _with_values(
            namespace,
            {name.partition(".")[2]: value for name, value in facts.items() if name.startswith(f"{namespace}.")},
        )
        for namespace in SCOPES[rule.subject]
    }
    return Subject(id=f"{rule.subject}:example", kind=_kind(rule), name="example", below=(), scope=scope)


def _kind(rule: Rule) -> Any:  # noqa: ANN401 - the literal type of Subject.kind, which a rule's text was checked for
    return rule.subject


def _with_values(namespace: str, values: Mapping[str, Any]) -> Facts:
    facts: dict[str, Any] = {**_nothing_known(namespace)}
    facts.update((field, Known(value, "the example")) for field, value in values.items())
    return NAMESPACES[namespace](**facts)


@cache
def _nothing_known(namespace: str) -> Mapping[str, Unknown]:
    return dict.fromkeys(NAMESPACES[namespace].__struct_fields__, NOT_NAMED)
