"""Power-loss protection: everything that speaks for and against it, weighed into a verdict.

proven   the device itself shows it, and nothing speaks against it: capacitors that it reports, a test that means them
         for its family, or no volatile cache where its family is sold as protected
claimed  somebody says so: the maker of the family, a data sheet, the device without a test
partial  what is on the media stays, what was acknowledged and is on its way does not
absent   there is none
failed   there was some, and it does not work now
unknown  all that could be asked was asked, and nothing decides

While something that could decide was not asked (not root, no tool, no answer), the fact is not known at all. A failure
overrules everything; what a hypervisor, a cloud or a USB bridge shows is never proven; a contradiction between sources
is shown and takes away what rested on it.
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

from msgspec import Struct

from fsadvisor.facts import Cause, Fact, Known, Unknown
from fsadvisor.survey import power_loss_evidence
from fsadvisor.survey.power_loss_evidence import (
    ControllerEvidence,
    DriveEvidence,
    PlpEvidence,
    by_controller,
    is_known_as,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.storage.about import PlpVerdict

__all__ = [
    "ControllerEvidence",
    "DriveEvidence",
    "PlpEvidence",
    "PowerLossVerdict",
    "by_controller",
    "weakest",
    "weigh",
]


_ASK = {
    "nvme id-ctrl": "ask the drive whether its write cache is volatile: `nvme id-ctrl {device} --output-format=json`",
    "nvme smart-log": "ask the drive for a failed backup: `nvme smart-log {device} --output-format=json`",
    "nvme ocp smart-add-log": "ask for its capacitors: `nvme ocp smart-add-log {device} --output-format=json`",
    "nvme get-feature --feature-id=6": "ask whether feature 6 agrees: `nvme get-feature {device} --feature-id=6`",
    "smartctl": "ask the drive for its own tests: `smartctl --json=o -x {device}`",
}
_VENDOR_LOGS = (
    ("micron", "nvme micron vs-smart-add-log"),
    ("wd ultrastar", "nvme wdc vs-smart-add-log"),
    ("sandisk dc", "nvme sandisk vs-smart-add-log"),
    ("solidigm", "nvme solidigm vs-smart-add-log"),
    ("seagate", "nvme seagate vs-smart-add-log"),
)
"""A family's name holds this: the plugin command of nvme-cli 2.16 that shows its capacitors."""


def next_steps(
    case: DriveEvidence, verdict: PlpVerdict, missing: Iterable[tuple[str, Unknown]], *, contradicted: bool = False
) -> Iterator[str]:
    """Nothing for what is proven."""
    if verdict == "failed":
        yield "back up, keep barriers and 'write back' on, and replace the drive or the controller's battery"
    elif isinstance(case.virtual, Known) and case.virtual.value:
        yield "ask whoever runs the hypervisor, the cloud or the array behind it; no answer from inside can prove it"
    elif verdict != "proven":
        yield from dict.fromkeys((*_cures(case, missing), *_further(case, verdict, contradicted=contradicted)))


def _cures(case: DriveEvidence, missing: Iterable[tuple[str, Unknown]]) -> Iterator[str]:
    """Each answer that is missing: what stood in its way, and the question."""
    for question, why in missing:
        asked = _ASK.get(question, "").format(device=case.device)
        if why.learn:
            yield f"{why.learn}, to learn {question}" if not asked else f"{why.learn}, then {asked}"
        elif asked:
            yield asked


def _further(case: DriveEvidence, verdict: PlpVerdict, *, contradicted: bool) -> Iterator[str]:
    if case.controller is not None:
        yield from _controller()
        return
    if case.transport == "usb":
        yield "attach the drive without the USB bridge"
    if (
        power_loss_evidence.no_volatile_cache(case)
        and isinstance(case.write_cache, Known)
        and case.write_cache.value == "write back"
    ):
        yield "find what set queue/write_cache (`grep -rs write_cache /etc/udev/rules.d`), or rescan the controller"
    if verdict == "absent" and case.family is None:
        return
    if verdict in ("claimed", "unknown"):
        yield from _vendor_log(case)
    if isinstance(case.datasheet, Known):
        yield from _after_the_data_sheet(verdict, contradicted=contradicted)
    elif case.transport != "ram":
        model = f" of {case.model.value}" if isinstance(case.model, Known) else ""
        yield (
            f"read the data sheet{model} for power-loss protection of data in flight, and say what it says:"
            " `fsadvisor attest disk.datasheet_plp`"
        )


def _after_the_data_sheet(verdict: PlpVerdict, *, contradicted: bool) -> Iterator[str]:
    """What is still open once somebody has said what it says: it is not asked again."""
    if contradicted:
        yield "find out who is right: the drive table and the data sheet that a person read say the opposite"
    elif verdict == "claimed":
        yield "'proven' takes the drive's own test of its capacitors: it shows none, and a data sheet only promises"


def _controller() -> Iterator[str]:
    yield "have the battery or CacheVault Optimal, the policy 'write back' (not 'always'), the drives' caches disabled"
    yield "check the same with the controller's tool: storcli64, perccli64, ssacli or the maker's"


def _vendor_log(case: DriveEvidence) -> Iterator[str]:
    name = "" if case.family is None else case.family.name.lower()
    command = next((command for holds, command in _VENDOR_LOGS if holds in name), None)
    if case.is_nvme and command is not None and isinstance(case.drive.ocp, Unknown):
        yield f"look at the capacitors in the maker's own log: `{command} {case.device}`"


_CURABLE = {Cause.ASLEEP, Cause.DENIED, Cause.NO_TOOL, Cause.TIMED_OUT, Cause.UNREADABLE}
_NEVER_PROVEN = {
    "usb": "a USB bridge stands between: what it does with flushes can't be seen",
    "mmc": "eMMC and SD cards have no means to show protection",
}


class PowerLossVerdict(Struct, frozen=True):
    """A verdict with all that was weighed.

    `missing` is the first answer that could change it and was not had; `steps` would settle it, the nearest first.
    """

    verdict: PlpVerdict
    evidence: tuple[PlpEvidence, ...]
    steps: tuple[str, ...]
    missing: Unknown | None

    @property
    def fact(self) -> Fact[PlpVerdict]:
        """The verdict, or why there is none yet."""
        return self.missing or Known(self.verdict, "; ".join(it.says for it in self.evidence))

    @property
    def evidence_in_words(self) -> Fact[tuple[str, ...]]:
        """The evidence in words."""
        return Known(tuple(intern(str(it)) for it in self.evidence), "power-loss evidence")

    @property
    def next_steps(self) -> Fact[tuple[str, ...]]:
        """The steps that would settle it."""
        return Known(tuple(map(intern, self.steps)), "power-loss evidence")


def weigh(case: DriveEvidence) -> PowerLossVerdict:
    """Judge a disk by all its evidence."""
    found = tuple(_evidence(case))
    decided = _decided(case, found)
    missing = [] if decided else list(_missing(case, found))
    verdict = decided or _standing(case, found, missing)
    why = missing[0][1] if missing and not case.from_files else None
    says = {it.verdict for it in found if it.weight == "claim"}
    contradicted = "claimed" in says and not says.isdisjoint(("absent", "partial"))
    return PowerLossVerdict(verdict, found, tuple(next_steps(case, verdict, missing, contradicted=contradicted)), why)


def _evidence(case: DriveEvidence) -> Iterator[PlpEvidence]:
    if case.transport == "ram":
        yield PlpEvidence("absent", "lives in memory: a power loss takes everything", "transport", "veto")
    if case.controller is not None and case.controller.says is not None:
        yield case.controller.says
    yield from power_loss_evidence.by_nvme(case)
    yield from power_loss_evidence.by_attributes(case)
    yield from _kernel(case)
    yield from power_loss_evidence.by_model(case)
    if isinstance(case.virtual, Known) and case.virtual.value:
        yield PlpEvidence("unknown", "nothing can be proven from inside", case.virtual.source)
    elif isinstance(case.virtual, Unknown) and not case.virtual.learn:
        yield PlpEvidence("unknown", "whether it is hardware can't be seen from here", case.virtual.source)
    if case.transport in _NEVER_PROVEN:
        yield PlpEvidence("unknown", _NEVER_PROVEN[case.transport], "transport")


def _kernel(case: DriveEvidence) -> Iterator[PlpEvidence]:
    if isinstance(case.write_cache, Known):
        does = "sends" if case.write_cache.value == "write back" else "drops"
        yield PlpEvidence("unknown", f"'{case.write_cache.value}': the kernel {does} flushes", case.write_cache.source)
    if is_known_as(case.rotational, True) and is_known_as(case.virtual, False) and case.controller is None:
        yield PlpEvidence(
            "absent", "it is rotational: a hard disk's cache is lost with its power", case.rotational.source, "veto"
        )


def _decided(case: DriveEvidence, found: Iterable[PlpEvidence]) -> PlpVerdict | None:
    """What no further answer could change."""
    vetoes = {it.verdict for it in found if it.weight == "veto"}
    if "failed" in vetoes:
        return "failed"
    if case.transport == "ram":
        return "absent"
    if _not_to_be_seen(case.virtual):
        return "unknown"
    is_drive = is_known_as(case.virtual, False) and case.controller is None
    return "absent" if "absent" in vetoes and is_drive else None


def _not_to_be_seen(virtual: Fact[bool]) -> bool:
    """Whether the hardware can't be seen from here, and nobody could change that."""
    return virtual.value if isinstance(virtual, Known) else not virtual.learn


def _standing(case: DriveEvidence, found: tuple[PlpEvidence, ...], missing: list[tuple[str, Unknown]]) -> PlpVerdict:
    """The verdict as far as was asked: a claim stands where what could overrule it was asked, too."""
    if case.controller is not None:
        return "unknown" if missing or case.controller.says is None else case.controller.says.verdict
    if not is_known_as(case.virtual, False):
        return "unknown"
    trusted = case.transport not in _NEVER_PROVEN and _vetoes_asked(case)
    spoken_for = any(it.verdict in ("claimed", "proven") for it in found)
    if any(it.weight == "claim" and it.verdict in ("absent", "partial") for it in found):
        denied = weakest(it.verdict for it in found if it.weight == "claim")
        return "unknown" if spoken_for else denied
    if case.family is not None and case.family.verdict == "cloud":
        return "unknown"
    if trusted and not missing and _proven(case, found):
        return "proven"
    return "claimed" if trusted and _claimed(found) else "unknown"


def weakest(verdicts: Iterable[PlpVerdict]) -> PlpVerdict:
    """The verdict that promises least; unknown of none."""
    order: tuple[PlpVerdict, ...] = ("failed", "absent", "partial", "unknown", "claimed", "proven")
    return min(verdicts, key=order.index, default="unknown")


def _vetoes_asked(case: DriveEvidence) -> bool:
    """Whether the drive's own health was read: where it says nothing against itself, a claim may stand."""
    if case.is_nvme:
        return any(power_loss_evidence.warnings(case))
    return not isinstance(case.drive.smart, Unknown) and power_loss_evidence.tell_health(case.drive.smart)


def _proven(case: DriveEvidence, found: tuple[PlpEvidence, ...]) -> bool:
    """By a test of capacitors, or because no cache is volatile and nothing casts doubt on that."""
    weights = {it.weight for it in found}
    if (
        power_loss_evidence.no_volatile_cache(case)
        and isinstance(case.write_cache, Known)
        and case.write_cache.value == "write back"
    ):
        return False
    protected = case.family is not None and case.family.verdict == "claimed"
    return "proof" in weights or (protected and "cache" in weights and "doubt" not in weights)


def _claimed(found: tuple[PlpEvidence, ...]) -> bool:
    weights = {it.weight for it in found}
    return not weights.isdisjoint(("proof", "claim", "weak")) or ("cache" in weights and "clash" not in weights)


def _missing(case: DriveEvidence, found: tuple[PlpEvidence, ...]) -> Iterator[tuple[str, Unknown]]:
    """Answers that could decide and were not had: what was to be asked, and why it is not known."""
    if isinstance(case.virtual, Unknown):
        yield "whether it is hardware", case.virtual
    if case.controller is not None:
        yield from (("the RAID controller's tool", it) for it in case.controller.missing)
        return
    if isinstance(case.model, Unknown) and case.transport in ("nvme", "sata", "sas"):
        yield "its model", case.model
    if case.is_nvme:
        yield from _missing_nvme(case, any(it.weight == "proof" for it in found))
    if isinstance(case.drive.smart, Unknown) and (case.drive.smart.cause in _CURABLE or _needs_smartctl(case)):
        yield "smartctl", case.drive.smart


def _needs_smartctl(case: DriveEvidence) -> bool:
    return case.from_files and not case.is_nvme


def _missing_nvme(case: DriveEvidence, tested: bool) -> Iterator[tuple[str, Unknown]]:
    """What NVMe has; `tested` capacitors need no word on the cache, save against the kernel's."""
    drive = case.drive
    if isinstance(drive.id_ctrl, Unknown) and not (tested and case.from_files):
        yield "nvme id-ctrl", drive.id_ctrl
    if isinstance(drive.smart_log, Unknown) and not _vetoes_asked(case):
        yield "nvme smart-log", drive.smart_log
    if isinstance(drive.ocp, Unknown) and not power_loss_evidence.refused(drive.ocp):
        yield "nvme ocp smart-add-log", drive.ocp
    feature = drive.cache_feature
    if (
        power_loss_evidence.no_volatile_cache(case)
        and not tested
        and isinstance(feature, Unknown)
        and not power_loss_evidence.refused(feature)
    ):
        yield "nvme get-feature --feature-id=6", feature
    if isinstance(case.write_cache, Unknown) and not case.from_files:
        yield "queue/write_cache", case.write_cache
