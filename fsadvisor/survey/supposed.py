"""What somebody supposes, set among the facts before they are folded, so that it reaches all that follows from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fsadvisor.facts import Cause, Fact, Known, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsadvisor.storage import Facts, Supposition
    from fsadvisor.survey.ground import Ground

F = TypeVar("F", bound="Facts")

SOURCE: Final = "supposed"
"""The source of a fact that was supposed."""

_FORGOTTEN: Final = Unknown(Cause.NOT_EXPOSED, "take the supposition back", SOURCE)
"""It can be learnt: what nobody could ever tell would itself decide some verdicts, such as that of a power loss."""


class Supposed:
    """The suppositions by what they are about; of those on the same fact of a subject the last counts."""

    def __init__(self, suppositions: Iterable[Supposition] = ()) -> None:
        self._by_namespace: dict[str, dict[str, dict[str, Any]]] = {}
        for one in suppositions:
            namespace, _, name = one.fact.partition(".")
            self._by_namespace.setdefault(namespace, {}).setdefault(one.subject, {})[name] = one.value

    def tell(self, namespace: str, found: dict[str, F]) -> dict[str, F]:
        """Facts of one namespace by their subjects' ids, with what is supposed of them."""
        about = self._by_namespace.get(namespace)
        if not about:
            return found
        return {at: _with(facts, about[at]) if at in about else facts for at, facts in found.items()}

    def ground(self, ground: Ground) -> Ground:
        """The machine-wide answers, from which facts of every subject are derived."""
        host = self._by_namespace.get("host", {}).get("host", {})
        if "kernel" in host:
            ground = replace(ground, kernel=_supposed(ground.kernel, host["kernel"]))
        if "virtual" in host:
            ground = replace(ground, in_vm=_supposed(ground.in_vm, host["virtual"]))
        return ground


def _with(facts: F, values: dict[str, Any]) -> F:
    changed: dict[str, Any] = {name: _supposed(getattr(facts, name), value) for name, value in values.items()}
    return replace(facts, **changed)


def _supposed(fact: Fact[Any], value: Any) -> Fact[Any]:  # noqa: ANN401 - any type of the catalogue
    """The fact as it is supposed; one that is so already keeps its source."""
    if value is None:
        return _FORGOTTEN if isinstance(fact, Known) else fact
    return fact if isinstance(fact, Known) and fact.value == value else Known(value, SOURCE)
