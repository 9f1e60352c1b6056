"""What the kernel was booted with: /proc/cmdline.

Written against Linux 6.18. Double quotes keep spaces together and are no part of the value (lib/cmdline.c,
next_arg); there is no escape. '-' and '_' are the same in a parameter's name (kernel/params.c). What follows
'--' goes to init.

    BOOT_IMAGE=/vmlinuz root=LABEL=root ro rootflags=data=writeback libata.force=noncqtrim quiet

https://docs.kernel.org/admin-guide/kernel-parameters.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsadvisor.facts import unreadable
from fsadvisor.readers.refusal import refusal

if TYPE_CHECKING:
    from fsadvisor.facts import Unknown

_WORD = re.compile(r'(?:[^\s"]|"[^"]*(?:"|$))+', re.ASCII)
_COMPLAINTS = (": Permission denied", ": No such file or directory")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCmdline:
    """The parameters in order; a name may come more than once."""

    parameters: tuple[tuple[str, str | None], ...]
    """(name, value); None where the word has no '='."""
    init_arguments: tuple[str, ...] = ()
    """The words after '--'."""

    def given(self, name: str) -> bool:
        """Whether a parameter stands there, with or without a value."""
        return any(_same(name) == _same(each) for each, _ in self.parameters)

    def values(self, name: str) -> tuple[str, ...]:
        """The values of a parameter, in order."""
        return tuple(value for each, value in self.parameters if value is not None and _same(name) == _same(each))

    def get(self, name: str) -> str | None:
        """The last value of a parameter, which for most is the one that counts."""
        return next(reversed(self.values(name)), None)


def parse(text: str) -> KernelCmdline | Unknown:
    """Read the line."""
    line = text.strip()
    if "\n" in line or "\0" in line:
        return unreadable("a kernel command line is one line of text")
    if line.endswith(_COMPLAINTS):
        return refusal(line, "no kernel command line")
    words = _WORD.findall(line)
    end = words.index("--") if "--" in words else len(words)
    return KernelCmdline(
        parameters=tuple(map(_parameter, words[:end])),
        init_arguments=tuple(map(_unquoted, words[end + 1 :])),
    )


def _parameter(word: str) -> tuple[str, str | None]:
    name, equals, value = _unquoted(word).partition("=")
    return name, _unquoted(value) if equals else None


def _unquoted(word: str) -> str:
    """The word without the quotes around it; quotes within stay, as in the kernel."""
    return word[1:].removesuffix('"') if word.startswith('"') else word


def _same(name: str) -> str:
    return name.replace("-", "_")
