"""What a RAID controller in front of a volume does to acknowledged writes when the power goes.

They stay where the battery or CacheVault is good, the policy is 'write back' (which falls back to 'write through' when
the battery fails; 'always write back' does not), and the drives' own caches are off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from fsadvisor.facts import Fact, Known, Unknown
from fsadvisor.survey.power_loss.evidence import Controller, Evidence

if TYPE_CHECKING:
    from fsadvisor.storage import ControllerBattery, ControllerCache, DriveCaches, PlpVerdict
    from fsadvisor.survey.controller_cache import Cache

T = TypeVar("T")


def by_controller(cache: Cache, tool: str | None) -> Controller | None:
    """The controller in front with its evidence, None where there is none."""
    if tool in (None, "none"):
        return None
    facts: tuple[Fact[object], ...] = (cache.policy, cache.battery, cache.drive_caches)
    return Controller(
        says=_evidence(cache, str(tool)),
        missing=tuple(dict.fromkeys(it for it in facts if isinstance(it, Unknown) and it.learn)),
    )


def _evidence(cache: Cache, tool: str) -> Evidence:
    policy, battery, drives = _told(cache.policy), _told(cache.battery), _told(cache.drive_caches)
    says = (
        f"the RAID controller's battery or capacitor: {battery or 'not told'}; its policy: {policy or 'not told'};"
        f" the drives' own caches: {drives or 'not told'}"
    )
    return Evidence(_verdict(policy, battery, drives), says, tool, "veto" if battery == "failed" else "note")


def _told(fact: Fact[T]) -> T | None:
    return fact.value if isinstance(fact, Known) else None


def _verdict(
    policy: ControllerCache | None, battery: ControllerBattery | None, drives: DriveCaches | None
) -> PlpVerdict:
    if battery == "failed":
        return "failed"
    if battery == "absent" and policy == "always write back":
        return "absent"
    if battery == "optimal" and drives == "enabled":
        return "partial"
    if battery == "optimal" and drives == "disabled" and policy is not None:
        return "proven" if policy == "write back" else "claimed"
    return "unknown"
