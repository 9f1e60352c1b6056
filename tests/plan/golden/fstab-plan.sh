#!/bin/sh
# plan.sh, proposed by fsadvisor 0.1.0 for a composed server, Linux 6.1.0-42-amd64: 1 step.
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

# fstab_errors FILE: how many errors findmnt finds in it, warnings aside
fstab_errors() {
    if found=$(findmnt --verify --tab-file "$1" 2>&1 > /dev/null); then
        printf '%s\n' none
    else
        printf '%s\n' "$found" | sed -n '$s/,[^,]*$//p'
    fi
}

# new_fstab_errors: the same of fstab as it shall be; findmnt reads no pipe, so from a copy
new_fstab_errors() {
    copy=$(mktemp) || return 1
    edited_fstab > "$copy" && fstab_errors "$copy"
    rm -f -- "$copy"
}

# reload_systemd: have systemd read fstab and its unit files again, where it runs and the real ones were changed
reload_systemd() {
    if [ -d /run/systemd/system ] && [ "$FSTAB" = /etc/fstab ] && [ -z "$FILES_IN" ]; then
        systemctl daemon-reload || say 'systemctl daemon-reload failed: run it yourself'
    fi
}

FSTAB=$(readlink -f -- "${FSTAB:-/etc/fstab}")
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-246dc9cd7ac9}

# ---- Step 1 of 1 ---------------------------------------------------------------------------------
# The options in /etc/fstab, so that it lasts
# - Rule xfs-barrier, on /srv/old (critical risk; no interruption)
#
# To see it for yourself:
#     findmnt --verify --tab-file /etc/fstab

edited_fstab() {
    sed -n '1,4p' -- "$FSTAB"
    printf '%s\n' 'LABEL=old   /srv/old           xfs   defaults                     0  2  # an old one'
    tail -n +6 -- "$FSTAB"
}

before_1() {
    expect 'the content of fstab' eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$FSTAB"
    errors=$(fstab_errors "$FSTAB")
    new_errors=$(new_fstab_errors) || stop 'no free space for a copy of fstab'
    [ "$new_errors" = none ] || [ "$new_errors" = "$errors" ] ||
        stop "findmnt --verify is not content with the new fstab: $new_errors"
}

after_1() {
    expect 'the content of fstab' 0ca4ea2b9e1260510b94a282246945c12afd36bb1a17eed6a7a30aff19cc6861 sum_of "$FSTAB"
}

step_1() {
    say 'Step 1 of 1: The options in /etc/fstab, so that it lasts'
    before_1
    keep_copy "$FSTAB" fstab || stop 'no copy could be kept'
    changed=yes
    edited_fstab | put "$FSTAB" 0ca4ea2b9e1260510b94a282246945c12afd36bb1a17eed6a7a30aff19cc6861 || stop 'fstab can not be written'
    reload_systemd
    after_1
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh plan.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
[ ! -e "$STATE" ] || stop "this plan was begun before: $STATE is there; undo.sh clears it"
before_1
if [ "${1:-}" = --check ]; then
    say 'All is as it was seen.'
    exit 0
fi

# ---- Then do it ----------------------------------------------------------------------------------
trap 'stop interrupted' HUP INT TERM
(umask 077 && mkdir -p -- "$STATE") || stop "no directory $STATE for the copies"
step_1

# ---- And look at all of it once more -------------------------------------------------------------
after_1
say 'Done. To bring back what was seen: sh undo.sh'
exit 0
