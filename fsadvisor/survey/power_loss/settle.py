"""What would settle a power-loss verdict: concrete steps, the nearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.survey.power_loss import nvme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fsadvisor.storage import PlpVerdict
    from fsadvisor.survey.power_loss.evidence import Case

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


def steps(case: Case, verdict: PlpVerdict, missing: Iterable[tuple[str, Unknown]]) -> Iterator[str]:
    """Nothing for what is proven."""
    if verdict == "failed":
        yield "back up, keep barriers and 'write back' on, and replace the drive or the controller's battery"
    elif isinstance(case.virtual, Known) and case.virtual.value:
        yield "ask whoever runs the hypervisor, the cloud or the array behind it; no answer from inside can prove it"
    elif verdict != "proven":
        yield from dict.fromkeys((*_cures(case, missing), *_further(case, verdict)))


def _cures(case: Case, missing: Iterable[tuple[str, Unknown]]) -> Iterator[str]:
    """Each answer that is missing: what stood in its way, and the question."""
    for question, why in missing:
        asked = _ASK.get(question, "").format(device=case.device)
        if why.learn and why.cause is not Cause.NOT_APPLICABLE:
            yield f"{why.learn}, to learn {question}" if not asked else f"{why.learn}, then {asked}"
        elif asked:
            yield asked


def _further(case: Case, verdict: PlpVerdict) -> Iterator[str]:
    if case.controller is not None:
        yield from _controller()
        return
    if case.transport == "usb":
        yield "attach the drive without the USB bridge"
    if nvme.no_volatile_cache(case) and isinstance(case.write_cache, Known) and case.write_cache.value == "write back":
        yield "find what set queue/write_cache (`grep -rs write_cache /etc/udev/rules.d`), or rescan the controller"
    if verdict == "absent" and case.family is None:
        return
    if verdict in ("claimed", "unknown"):
        yield from _vendor_log(case)
    if case.transport != "ram":
        model = f" of {case.model.value}" if isinstance(case.model, Known) else ""
        yield (
            f"read the data sheet{model} for power-loss protection of data in flight, and say what it says:"
            " `fsadvisor attest disk.datasheet_plp`"
        )


def _controller() -> Iterator[str]:
    yield "have the battery or CacheVault Optimal, the policy 'write back' (not 'always'), the drives' caches disabled"
    yield "check the same with the controller's tool: storcli64, perccli64, ssacli or the maker's"


def _vendor_log(case: Case) -> Iterator[str]:
    name = "" if case.family is None else case.family.name.lower()
    command = next((command for holds, command in _VENDOR_LOGS if holds in name), None)
    if case.is_nvme and command is not None and isinstance(case.drive.ocp, Unknown):
        yield f"look at the capacitors in the maker's own log: `{command} {case.device}`"
