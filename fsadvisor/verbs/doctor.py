"""`fsadvisor doctor`: one look at all that can hurt now, and one answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import msgspec

from fsadvisor.measure.now.answer import answer
from fsadvisor.measure.now.look import look
from fsadvisor.measure.now.model import FORMAT, Window
from fsadvisor.pages.escape import clean
from fsadvisor.pages.text import render
from fsadvisor.report.doctor_page import as_json, document
from fsadvisor.rulebook.shelf import own_shelf
from fsadvisor.verbs.asking import RefusedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from fsadvisor.machine.port import Machine

SECONDS: Final = 5.0


def run(chosen: argparse.Namespace, machine: Machine, write: Callable[[Iterable[str]], None]) -> int:  # noqa: ARG001 - as all verbs
    """Do what the command line asks for; returns the exit status. Raises RefusedError."""
    window = kept(chosen.on) if chosen.on else look(chosen.seconds or SECONDS, _say)
    told = answer(window, own_shelf().rules)
    write([as_json(told)] if chosen.form == "json" else render(document(told), margin=0))
    return 1 if any(one.hurts for one in told.found) else 0


def kept(path: Path) -> Window:
    """The window of a file, of the lines of one the gravest by I/O pressure. Raises RefusedError."""
    files = sorted(path.glob("*.json*")) if path.is_dir() else [path]
    windows: list[Window] = []
    for file in files:
        try:
            text = file.read_bytes()
        except OSError as error:
            raise RefusedError(f"{file}: {error.strerror}") from error
        windows += _windows(text, file)
    if not windows:
        raise RefusedError(f"{path}: no window in it; `fsadvisor doctor --json` and `fsadvisor watch` write them")
    return max(windows, key=lambda one: one.io_some or 0.0)


def _windows(text: bytes, file: Path) -> list[Window]:
    """Lines of windows, or one answer of --json."""

    class Kept(msgspec.Struct):
        window: Window

    try:
        return [_checked(msgspec.json.decode(text, type=Kept).window, file)]
    except msgspec.MsgspecError:
        pass
    try:
        return [_checked(one, file) for one in msgspec.json.Decoder(Window).decode_lines(text)]
    except msgspec.MsgspecError as error:
        raise RefusedError(f"{file}: no window of fsadvisor: {error}") from error


def _checked(window: Window, file: Path) -> Window:
    if window.format != FORMAT:
        raise RefusedError(f"{file}: its format is {window.format!r}, and {FORMAT!r} is read here")
    return window


def _say(words: str) -> None:
    sys.stderr.write(f"fsadvisor: {clean(words)}\n")
    sys.stderr.flush()
