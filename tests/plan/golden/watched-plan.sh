#!/bin/sh
# plan.sh, proposed by fsadvisor 0.1.0 for a composed server, Linux 6.1.0-42-amd64: 2 steps.
#
# Nothing has been run: this is for you to read first. It looks at everything before it changes
# anything, looks again before and after each step, and stops at the first surprise or failure. As
# root:
#     sh plan.sh --check    looks whether all is as it was seen, and changes nothing
#     sh plan.sh            does it
#     sh undo.sh            brings back what was seen
#
# Exit status: 0 done; 1 stopped, and nothing was changed; 2 stopped on the way, and undo.sh brings
# back what was seen.

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

# unit_state UNIT: 'enabled active'
unit_state() {
    printf '%s %s\n' "$(systemctl is-enabled "$1" 2> /dev/null)" "$(systemctl is-active "$1" 2> /dev/null)"
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

# keep_copy FILE NAME: keep the file, where there is one, in the directory of this plan
keep_copy() {
    [ ! -e "$1" ] || { cp --preserve=all -- "$1" "$STATE/$2" && sync -- "$STATE/$2"; }
}

# reload_systemd: have systemd read fstab and its unit files again, where it runs and the real ones were changed
reload_systemd() {
    if [ -d /run/systemd/system ] && [ "$FSTAB" = /etc/fstab ] && [ -z "$FILES_IN" ]; then
        systemctl daemon-reload || say 'systemctl daemon-reload failed: run it yourself'
    fi
}

# systemd_runs: a timer needs it; on copies (FILES_IN) timers are left alone
systemd_runs() {
    [ -n "$FILES_IN" ] || [ -d /run/systemd/system ] || stop 'systemd does not run here, and a timer needs it'
}

start_timer() {
    [ -n "$FILES_IN" ] || run systemctl enable --now "$1"
}

timer_waits() {
    [ -n "$FILES_IN" ] || expect "$1" 'enabled active' unit_state "$1"
}

FSTAB=/etc/fstab
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-55eb322026bb}

# ---- Step 1 of 2 ---------------------------------------------------------------------------------
# New file /etc/systemd/system/watch.timer, so that it lasts
# - Rule watched, on host (high risk; no interruption)
#
# To see it for yourself:
#     cat /etc/systemd/system/watch.timer

text_1() {
    printf '%s\n' '[Timer]'
    printf '%s\n' OnBootSec=1min
}

before_1() {
    expect /etc/systemd/system/watch.timer absent sum_of "$FILES_IN"/etc/systemd/system/watch.timer
    systemd_runs
}

after_1() {
    expect /etc/systemd/system/watch.timer f22b2b3b51a604551d89757aaa605a785806f010dc05c9e1e39941e46a5abe1e sum_of "$FILES_IN"/etc/systemd/system/watch.timer
    timer_waits watch.timer
}

step_1() {
    say 'Step 1 of 2: New file /etc/systemd/system/watch.timer, so that it lasts'
    before_1
    keep_copy "$FILES_IN"/etc/systemd/system/watch.timer file-1 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/systemd/system ]; then mkdir -p -- "$FILES_IN"/etc/systemd/system && : > "$STATE"/made-1; fi
    text_1 | put "$FILES_IN"/etc/systemd/system/watch.timer f22b2b3b51a604551d89757aaa605a785806f010dc05c9e1e39941e46a5abe1e || stop '/etc/systemd/system/watch.timer can not be written'
    reload_systemd
    start_timer watch.timer
    after_1
}

# ---- Step 2 of 2 ---------------------------------------------------------------------------------
# Something is found by watched
# - Rule watched, on host (high risk; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     sysctl vm.dirty_bytes

before_2() {
    expect vm.dirty_bytes 0 sysctl -n vm.dirty_bytes
    expect vm.dirty_ratio 20 sysctl -n vm.dirty_ratio
}

after_2() {
    expect vm.dirty_bytes 1 sysctl -n vm.dirty_bytes
    expect vm.dirty_ratio 0 sysctl -n vm.dirty_ratio
}

step_2() {
    say 'Step 2 of 2: Something is found by watched'
    before_2
    run sysctl -q -w vm.dirty_bytes=1
    after_2
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh plan.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
[ ! -e "$STATE" ] || stop "this plan was begun before: $STATE is there; undo.sh clears it"
before_1
before_2
if [ "${1:-}" = --check ]; then
    say 'All is as it was seen.'
    exit 0
fi

# ---- Then do it ----------------------------------------------------------------------------------
trap 'stop interrupted' HUP INT TERM
(umask 077 && mkdir -p -- "$STATE") || stop "no directory $STATE for the copies"
step_1
step_2

# ---- And look at all of it once more -------------------------------------------------------------
after_1
after_2
say 'Done. To bring back what was seen: sh undo.sh'
exit 0
