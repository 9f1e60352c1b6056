#!/bin/sh
# undo.sh, the way back from plan.sh; by fsadvisor 0.1.0 for a composed server.
#
# It may be run after plan.sh, wherever that stopped. It first looks whether each thing is as
# plan.sh left it, or as it was seen before. At anything else it stops, and changes nothing. What
# was seen stands in this script; files come back, byte for byte, from the copies that plan.sh has
# made. As root:
#     sh undo.sh --check    looks, and changes nothing
#     sh undo.sh            does it

# shellcheck disable=SC2317 # is and expect call functions by the names that they are given
set -eu
umask 022
LC_ALL=C
PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin
export LC_ALL PATH
changed=no

say() {
    printf '%s\n' "$*"
}

stop() {
    printf '%s\n' "stopped: $*" >&2
    if [ "$changed" = no ]; then
        printf '%s\n' 'Nothing was changed.' >&2
        exit 1
    fi
    printf '%s\n' 'What was done before stands. To bring back what was seen: sh undo.sh' >&2
    exit 2
}

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

# expect WHAT VALUES COMMAND...: go on only where `is` says yes
expect() {
    what=$1
    shift
    is "$@" || stop "$what is '$(printf '%s' "$found" | tr -c '[:print:]' '?')', not '$values'"
}

# run COMMAND...: it must succeed
run() {
    changed=yes
    "$@" || stop "this failed: $*"
}

# sum_of FILE: the SHA-256 of its content, or 'absent'
sum_of() {
    if [ -L "$1" ]; then
        printf '%s\n' 'a symbolic link'
    elif [ -e "$1" ]; then
        sha256sum < "$1" | cut -d ' ' -f 1
    else
        printf '%s\n' absent
    fi
}

# reload_systemd: have systemd read fstab and its unit files again, where it runs and the real ones were changed
reload_systemd() {
    if [ -d /run/systemd/system ] && [ "$FSTAB" = /etc/fstab ] && [ -z "$FILES_IN" ]; then
        systemctl daemon-reload || say 'systemctl daemon-reload failed: run it yourself'
    fi
}

stop_timer() {
    [ -n "$FILES_IN" ] || run systemctl disable --now "$1"
}

FSTAB=/etc/fstab
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-55eb322026bb}

# ---- Back from step 2: ---------------------------------------------------------------------------
# Something is found by watched

known_2() {
    expect vm.dirty_bytes '0|1' sysctl -n vm.dirty_bytes
    expect vm.dirty_ratio '20|0' sysctl -n vm.dirty_ratio
}

seen_2() {
    is 0 sysctl -n vm.dirty_bytes &&
        is 20 sysctl -n vm.dirty_ratio
}

undo_2() {
    if seen_2; then
        say 'Step 2 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 2.'
    run sysctl -q -w vm.dirty_ratio=20
    seen_2 || stop 'step 2 is not as it was seen before'
}

# ---- Back from step 1: ---------------------------------------------------------------------------
# New file /etc/systemd/system/watch.timer, so that it lasts

known_1() {
    expect /etc/systemd/system/watch.timer 'absent|f22b2b3b51a604551d89757aaa605a785806f010dc05c9e1e39941e46a5abe1e' sum_of "$FILES_IN"/etc/systemd/system/watch.timer
}

seen_1() {
    is absent sum_of "$FILES_IN"/etc/systemd/system/watch.timer
}

undo_1() {
    if seen_1; then
        say 'Step 1 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 1.'
    changed=yes
    stop_timer watch.timer
    rm -f -- "$FILES_IN"/etc/systemd/system/watch.timer
    if [ -e "$STATE"/made-1 ]; then rmdir -- "$FILES_IN"/etc/systemd/system; fi
    reload_systemd
    seen_1 || stop 'step 1 is not as it was seen before'
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh undo.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
known_2
known_1
if [ "${1:-}" = --check ]; then
    say 'All is either as plan.sh left it or as it was seen before.'
    exit 0
fi

# ---- Then bring it back --------------------------------------------------------------------------
undo_2
undo_1
rm -f -- "$STATE"/file-1
rm -f -- "$STATE"/made-1
[ ! -d "$STATE" ] || rmdir -- "$STATE"
say 'All is as it was seen before.'
exit 0
