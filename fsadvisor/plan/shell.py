"""The functions that plan.sh and undo.sh are made of. POSIX sh; each script holds those that it uses."""

from __future__ import annotations

import re
import shlex
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from fsadvisor.pages.glyphs import clean
from fsadvisor.pages.text import wrapped
from fsadvisor.plan import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTH: Final = 100

_START: Final = """\
set -eu
umask 022
LC_ALL=C
PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin
export LC_ALL PATH
changed=no
"""

_FUNCTIONS: Final = {
    "say": """\
say() {
    printf '%s\\n' "$*"
}
""",
    "stop": """\
stop() {
    printf '%s\\n' "stopped: $*" >&2
    if [ "$changed" = no ]; then
        printf '%s\\n' 'Nothing was changed.' >&2
        exit 1
    fi
    printf '%s\\n' 'What was done before stands. To bring back what was seen: sh undo.sh' >&2
    exit 2
}
""",
    "is": """\
# is VALUES COMMAND...: whether the command prints one of the values (with | between them)
is() {
    values=$1
    shift
    found=$("$@") || found=
    case $found in
        '' | *'|'*) return 1 ;;
    esac
    case "|$values|" in
        *"|$found|"*) return 0 ;;
    esac
    return 1
}
""",
    "expect": """\
# expect WHAT VALUES COMMAND...: go on only where `is` says yes
expect() {
    what=$1
    shift
    is "$@" || stop "$what is '$(printf '%s' "$found" | tr -c '[:print:]' '?')', not '$values'"
}
""",
    "run": """\
# run COMMAND...: it must succeed
run() {
    changed=yes
    "$@" || stop "this failed: $*"
}
""",
    "write": """\
# write VALUE FILE: a setting of the kernel
write() {
    changed=yes
    printf '%s\\n' "$1" > "$2" || stop "this can't be written: $1 into $2"
}
""",
    "value_of": """\
# value_of FILE: its first line
value_of() {
    line=
    read -r line < "$1" || [ -n "$line" ] || return 1
    printf '%s\\n' "$line"
}
""",
    "chosen_in": """\
# chosen_in FILE: the word in brackets, 'none' of '[none] mq-deadline'
chosen_in() {
    line=$(value_of "$1") || return 1
    case $line in
        *'['*']'*)
            line=${line#*'['}
            line=${line%%']'*}
            ;;
    esac
    printf '%s\\n' "$line"
}
""",
    "kind_at": """\
# kind_at POINT: the filesystem's type; two lines, which nothing expects, where it is mounted over
kind_at() {
    findmnt -rno FSTYPE --mountpoint "$1"
}
""",
    "choose": """\
# choose in|out POINT NAME...: the mount's options that bear one of the names, or the others; '-' for none
choose() {
    way=$1
    options=$(findmnt -rno OPTIONS --mountpoint "$2") || return 1
    options=$options,
    shift 2
    chosen=
    while [ -n "$options" ]; do
        option=${options%%,*}
        options=${options#*,}
        here=out
        for name in "$@"; do
            [ "${option%%=*}" != "$name" ] || here=in
        done
        [ "$here" != "$way" ] || chosen=$chosen,$option
    done
    chosen=${chosen#,}
    printf '%s\\n' "${chosen:--}"
}
""",
    "options_among": """\
options_among() {
    choose in "$@"
}
""",
    "other_options": """\
other_options() {
    choose out "$@"
}
""",
    "unit_state": """\
# unit_state UNIT: 'enabled active'
unit_state() {
    printf '%s %s\\n' "$(systemctl is-enabled "$1" 2> /dev/null)" "$(systemctl is-active "$1" 2> /dev/null)"
}
""",
    "sum_of": """\
# sum_of FILE: the SHA-256 of its content, or 'absent'
sum_of() {
    if [ -L "$1" ]; then
        printf '%s\\n' 'a symbolic link'
    elif [ -e "$1" ]; then
        sha256sum < "$1" | cut -d ' ' -f 1
    else
        printf '%s\\n' absent
    fi
}
""",
    "put": """\
# put FILE SUM: give the file the content on stdin if that has the sum, wholly or not at all, with the file's mode
put() {
    new=$1.fsadvisor-new
    rm -f -- "$new"
    if [ -e "$1" ]; then
        cp --preserve=all -- "$1" "$new" || return 1
    fi
    cat > "$new" && sync -- "$new" || return 1
    if [ "$(sum_of "$new")" != "$2" ]; then
        rm -f -- "$new"
        return 1
    fi
    mv -f -- "$new" "$1" && sync -- "$(dirname -- "$1")"
}
""",
    "keep_copy": """\
# keep_copy FILE NAME: keep the file, where there is one, in the directory of this plan
keep_copy() {
    [ ! -e "$1" ] || { cp --preserve=all -- "$1" "$STATE/$2" && sync -- "$STATE/$2"; }
}
""",
    "fstab_errors": """\
# fstab_errors FILE: how many errors findmnt finds in it, warnings aside
fstab_errors() {
    if found=$(findmnt --verify --tab-file "$1" 2>&1 > /dev/null); then
        printf '%s\\n' none
    else
        printf '%s\\n' "$found" | sed -n '$s/,[^,]*$//p'
    fi
}
""",
    "new_fstab_errors": """\
# new_fstab_errors: the same of fstab as it shall be; findmnt reads no pipe, so from a copy
new_fstab_errors() {
    copy=$(mktemp) || return 1
    edited_fstab > "$copy" && fstab_errors "$copy"
    rm -f -- "$copy"
}
""",
    "reload_systemd": """\
# reload_systemd: have systemd read fstab and its unit files again, where it runs and the real ones were changed
reload_systemd() {
    if [ -d /run/systemd/system ] && [ "$FSTAB" = /etc/fstab ] && [ -z "$FILES_IN" ]; then
        systemctl daemon-reload || say 'systemctl daemon-reload failed: run it yourself'
    fi
}
""",
    "systemd_runs": """\
# systemd_runs: a timer needs it; on copies (FILES_IN) timers are left alone
systemd_runs() {
    [ -n "$FILES_IN" ] || [ -d /run/systemd/system ] || stop 'systemd does not run here, and a timer needs it'
}
""",
    "start_timer": """\
start_timer() {
    [ -n "$FILES_IN" ] || run systemctl enable --now "$1"
}
""",
    "stop_timer": """\
stop_timer() {
    [ -n "$FILES_IN" ] || run systemctl disable --now "$1"
}
""",
    "timer_waits": """\
timer_waits() {
    [ -n "$FILES_IN" ] || expect "$1" 'enabled active' unit_state "$1"
}
""",
    "reload_udev": """\
# reload_udev: have udev read its rules again, where it runs and the real ones were changed
reload_udev() {
    if [ -e /run/udev/control ] && [ -z "$FILES_IN" ]; then
        udevadm control --reload || say 'udevadm control --reload failed: run it yourself'
    fi
}
""",
}

_WORD: Final = re.compile(r"[a-z_]+")


def comment(text: str, first: str = "# ", rest: str | None = None) -> str:
    """A text as lines of comment, none of which a shell could take for anything else."""
    lines = wrapped(text, WIDTH, first, first[:1] + " " * (len(first) - 1) if rest is None else rest)
    return "".join(lines)


def verbatim(command: str) -> str:
    """A command for people to read, on one line of comment."""
    return f"#     {clean(command, None)}\n"


def quoted(text: str) -> str:
    """One word of the shell, whatever the text."""
    return shlex.quote(text)


def start(body: str) -> str:
    """What stands before the steps: settings, and the functions that they use, each after those that it uses."""
    used: dict[str, None] = {}
    _gather(_WORD.findall(code_of(body)), used)
    return "\n".join((_START, *(_FUNCTIONS[name] for name in _FUNCTIONS if name in used)))


def _gather(names: Iterable[str], used: dict[str, None]) -> None:
    for name in names:
        if name in _FUNCTIONS and name not in used:
            used[name] = None
            _gather(_WORD.findall(code_of(_FUNCTIONS[name])), used)


def code_of(script: str) -> str:
    """A script without its lines of comment."""
    return "".join(line for line in script.splitlines(keepends=True) if not line.lstrip().startswith("#"))


def sum_of_text(text: str | None) -> str:
    """The SHA-256 that the scripts expect of a file with this text."""
    return ABSENT if text is None else sha256(text.encode(errors="surrogateescape")).hexdigest()


def function(name: str, lines: Iterable[str]) -> str:
    """A function of the script."""
    return "".join((f"{name}() {{\n", *(f"    {line}\n" for line in lines), "}\n"))
