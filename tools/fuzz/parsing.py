"""Damaged texts for all that reads them: no exception but the one that is meant, and no reading that takes long."""

from __future__ import annotations

import inspect
import pkgutil
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from fsadvisor import readers
from fsadvisor.captures import judged, recognised
from fsadvisor.machine.port import MachineError
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.readers import attestations
from fsadvisor.rulebook.loading import load_rule
from fsadvisor.survey.whole import survey
from tools.fuzz.child import is_slow
from tools.fuzz.mutations import MACHINES
from tools.fuzz.part import Failure
from tools.fuzz.texts import damaged, endless, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

_SLOW_SECONDS: Final = 2.0
_RULES: Final = Path(__file__).parents[2] / "rules"


def _failures(
    what: str, given: str, do: Callable[[], object], meant: tuple[type[Exception], ...] = ()
) -> list[Failure]:
    start = time.process_time()
    try:
        do()
    except meant:
        pass
    except Exception as error:  # noqa: BLE001 - that there is none is the law
        return [Failure(f"{what}: {type(error).__name__}: {error}", given)]
    took = time.process_time() - start
    return [Failure(f"{what}: {took:.1f} s", given)] if is_slow(took, _SLOW_SECONDS) else []


@cache
def _parsers() -> tuple[tuple[str, Callable[[str], Any]], ...]:
    """Every reader of one text."""
    found = []
    for module in pkgutil.iter_modules(readers.__path__):
        for name, parse in vars(import_module(f"{readers.__name__}.{module.name}")).items():
            if name.partition("_")[0] == "parse" and len(inspect.signature(parse).parameters) == 1:
                found.append((f"{module.name}.{name}", parse))
    return tuple(found)


def every_reader(random: Random) -> Iterator[list[Failure]]:
    """Each text to every reader, and to `drive FILE`'s."""
    for text in endless(samples(), random):
        for name, parse in _parsers():
            yield _failures(f"readers.{name}", text, lambda parse=parse, text=text: parse(text))  # type: ignore[misc]
        yield _failures("captures", text, lambda text=text: judged(recognised(text)))  # type: ignore[misc]


def rules(random: Random) -> Iterator[list[Failure]]:
    """A rule as somebody else wrote it."""
    texts = tuple(it.read_text() for it in sorted(_RULES.rglob("*.toml")))
    for text in endless(texts, random):
        with TemporaryDirectory() as folder:
            file = Path(folder) / "rule.toml"
            file.write_bytes(text.encode("utf-8", "replace"))
            yield _failures("rules", text, lambda file=file: load_rule(file))  # type: ignore[misc]


def what_people_said(random: Random) -> Iterator[list[Failure]]:
    """attest.toml."""
    texts = tuple(it for it in samples() if "[[attestation]]" in it or "[[waiver]]" in it)
    for text in endless(texts, random):
        yield _failures("attestations", text, lambda text=text: attestations.parse(text))  # type: ignore[misc]


def recordings(random: Random) -> Iterator[list[Failure]]:
    """A recorded machine with up to thirty of its files damaged on disk."""
    while True:
        source = random.choice(MACHINES)
        files = [it for it in sorted(source.rglob("*")) if it.is_file() and it.parent != source]
        chosen = dict.fromkeys(random.sample(files, min(len(files), random.randint(1, 30))))
        with TemporaryDirectory() as folder:
            given = []
            for file in sorted(source.rglob("*")):
                to = Path(folder) / file.relative_to(source)
                if file.is_dir():
                    to.mkdir(parents=True, exist_ok=True)
                    continue
                to.parent.mkdir(parents=True, exist_ok=True)
                raw = file.read_bytes()
                if file in chosen:
                    text = damaged(raw.decode("utf-8", "surrogateescape"), random)
                    raw = text.encode("utf-8", "replace")
                    given.append(f"{file.relative_to(source)}\n{text}")
                to.write_bytes(raw)
            audit = lambda folder=folder: survey(RecordedMachine(folder), {})  # noqa: E731 - bound to this folder
            yield _failures(f"recordings: {source.name}", "\n".join(given), audit, (MachineError,))
