"""Numbers in five columns at most, for tables of disks."""

from __future__ import annotations


def amount(number: float) -> str:
    """Bytes in five columns at most: '912K', '1.24M', '0'. K is KiB."""
    for unit in ("", "K", "M", "G", "T", "P"):
        if number < 999.5 or unit == "P":
            break
        number /= 1024
    if number < 0.05:
        return "0"
    digits = 0 if number >= 99.95 or not unit else 1 if number >= 9.995 else 2
    return f"{number:.{digits}f}{unit}" if number < 99_999.5 else "> 1E"


def rate(number: float | None) -> str:
    """How often a second, in five columns at most; '?' where it is not counted."""
    if number is None:
        return "?"
    if number >= 9_994.5:
        return f"{number / 1000:.1f}k" if number < 99_950 else f"{number / 1000:.0f}k" if number < 9e6 else "> 9M"
    return f"{number:,.0f}" if number >= 9.95 or number == 0 else f"{number:.1f}"


def duration(ms: float | None) -> str:
    """Milliseconds in five columns at most; nothing where no request ended."""
    if ms is None:
        return ""
    if ms < 0.005:
        return "0" if ms == 0 else "< .01"
    if ms < 9.995:
        return f"{ms:.2f}"
    return f"{ms:.1f}" if ms < 99.95 else f"{ms:.0f}" if ms < 99_999 else f"{ms / 1000:.0f}s" if ms < 9e6 else "> 9ks"
