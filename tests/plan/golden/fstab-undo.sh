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

# reload_systemd: have systemd read fstab and its unit files again, where it runs and the real ones were changed
reload_systemd() {
    if [ -d /run/systemd/system ] && [ "$FSTAB" = /etc/fstab ] && [ -z "$FILES_IN" ]; then
        systemctl daemon-reload || say 'systemctl daemon-reload failed: run it yourself'
    fi
}

FSTAB=$(readlink -f -- "${FSTAB:-/etc/fstab}")
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-246dc9cd7ac9}

# ---- Back from step 1: ---------------------------------------------------------------------------
# The options in /etc/fstab, so that it lasts

known_1() {
    expect 'the content of fstab' 'eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9|0ca4ea2b9e1260510b94a282246945c12afd36bb1a17eed6a7a30aff19cc6861' sum_of "$FSTAB"
    is eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$FSTAB" || expect 'the copy of fstab' eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$STATE"/fstab
}

seen_1() {
    is eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$FSTAB"
}

undo_1() {
    if seen_1; then
        say 'Step 1 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 1.'
    changed=yes
    put "$FSTAB" eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 < "$STATE"/fstab || stop 'fstab can not be brought back'
    reload_systemd
    seen_1 || stop 'step 1 is not as it was seen before'
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh undo.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
known_1
if [ "${1:-}" = --check ]; then
    say 'All is either as plan.sh left it or as it was seen before.'
    exit 0
fi

# ---- Then bring it back --------------------------------------------------------------------------
undo_1
rm -f -- "$STATE"/fstab
[ ! -d "$STATE" ] || rmdir -- "$STATE"
say 'All is as it was seen before.'
exit 0
