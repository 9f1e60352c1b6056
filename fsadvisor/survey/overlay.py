"""What people said and what somebody supposes, laid over what the machine tells, before anything follows from it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec.structs import replace

from fsadvisor.facts import Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fsadvisor.storage import Facts, Kind, Subject, Supposition
    from fsadvisor.survey.attested import Attested, Identity
    from fsadvisor.survey.inventory import Inventory

F = TypeVar("F", bound="Facts")

SOURCE: Final = "supposed"
"""The source of a fact that was supposed."""

_FORGOTTEN: Final = Unknown(Cause.NOT_EXPOSED, "take the supposition back", SOURCE)
"""It can be learnt: what nobody could ever tell would itself decide some verdicts, such as that of a power loss."""


class Overlay:
    """Every stage of the survey lays it over its facts.

    `attested` holds what people said. Of suppositions on the same fact of a subject the last counts.
    """

    def __init__(self, attested: Attested, suppositions: Iterable[Supposition] = ()) -> None:
        self.attested: Final = attested
        self._supposed: dict[str, dict[str, dict[str, Any]]] = {}
        for supposition in suppositions:
            namespace, _, name = supposition.fact.partition(".")
            of_subjects = self._supposed.setdefault(namespace, {})
            of_subjects.setdefault(supposition.subject, {})[name] = supposition.value

    def over(
        self,
        kind: Kind,
        facts: Mapping[str, F],
        identity: Callable[[str], Identity],
        *,
        published: Callable[[str, F], F] = lambda _, unchanged: unchanged,
        derived: Iterable[Callable[[str, F], F]] = (),
    ) -> dict[str, F]:
        """Facts by the ids of their subjects, with what people said, then `published`, then what is supposed.

        Each step of `derived` reckons facts from all of that; what is supposed of those wins again.
        """
        known = dict(facts)
        if self.attested.speaks_of(kind):
            self.attested.meet(kind, {subject: partial(identity, subject) for subject in known})
            known = {subject: self.attested.with_attested(subject, known[subject]) for subject in known}
        for step in (published, *derived):
            known = self.suppose(kind, {subject: step(subject, known[subject]) for subject in known})
        return known

    def over_subjects(
        self, kind: Kind, subjects: Mapping[str, Subject], identity: Callable[[str], Identity]
    ) -> dict[str, Subject]:
        """The same for the facts of one kind in the scopes of subjects."""
        facts = self.over(kind, {subject.id: subject.scope[kind] for subject in subjects.values()}, identity)
        return {
            key: subject
            if facts[subject.id] is subject.scope[kind]
            else replace(subject, scope={**subject.scope, kind: facts[subject.id]})
            for key, subject in subjects.items()
        }

    def suppose(self, namespace: str, facts: dict[str, F]) -> dict[str, F]:
        """Facts of one namespace by the ids of their subjects, with what is supposed of them."""
        about = self._supposed.get(namespace)
        if not about:
            return facts
        return {
            subject: _with(known, about[subject]) if subject in about else known for subject, known in facts.items()
        }

    def over_inventory(self, inventory: Inventory) -> Inventory:
        """The machine-wide answers, from which facts of every subject are derived."""
        host = self._supposed.get("host", {}).get("host", {})
        if "kernel" in host:
            inventory = replace(inventory, kernel=_supposed(inventory.kernel, host["kernel"]))
        if "virtual" in host:
            inventory = replace(inventory, in_vm=_supposed(inventory.in_vm, host["virtual"]))
        return inventory


def _with(facts: F, values: dict[str, Any]) -> F:
    changed: dict[str, Any] = {name: _supposed(getattr(facts, name), value) for name, value in values.items()}
    return replace(facts, **changed)


def _supposed(fact: Fact[Any], value: Any) -> Fact[Any]:  # noqa: ANN401 - any type of the catalogue
    """The fact as it is supposed; one that is so already keeps its source."""
    if value is None:
        return _FORGOTTEN if isinstance(fact, Known) else fact
    return fact if isinstance(fact, Known) and fact.value == value else Known(value, SOURCE)
