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

# reload_udev: have udev read its rules again, where it runs and the real ones were changed
reload_udev() {
    if [ -e /run/udev/control ] && [ -z "$FILES_IN" ]; then
        udevadm control --reload || say 'udevadm control --reload failed: run it yourself'
    fi
}

FSTAB=/etc/fstab
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-45e37fa2be36}

# ---- Back from step 4: ---------------------------------------------------------------------------
# New file /etc/udev/rules.d/kept.timer, so that it lasts

known_4() {
    expect /etc/udev/rules.d/kept.timer 'absent|62cfb9a8eac6ca9033019c1a6628695b5a29948ee25ab217ed87e96ef1ba8539' sum_of "$FILES_IN"/etc/udev/rules.d/kept.timer
}

seen_4() {
    is absent sum_of "$FILES_IN"/etc/udev/rules.d/kept.timer
}

undo_4() {
    if seen_4; then
        say 'Step 4 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 4.'
    changed=yes
    rm -f -- "$FILES_IN"/etc/udev/rules.d/kept.timer
    if [ -e "$STATE"/made-4 ]; then rmdir -- "$FILES_IN"/etc/udev/rules.d; fi
    reload_udev
    seen_4 || stop 'step 4 is not as it was seen before'
}

# ---- Back from step 3: ---------------------------------------------------------------------------
# More lines in /etc/systemd/system/there.timer, so that it lasts

known_3() {
    expect /etc/systemd/system/there.timer 'fdb1f03d5f34bb72f576363ee91d05da0c03f28a10bcb73bd9cb7ae3f4fa6d57|f22b2b3b51a604551d89757aaa605a785806f010dc05c9e1e39941e46a5abe1e' sum_of "$FILES_IN"/etc/systemd/system/there.timer
    is fdb1f03d5f34bb72f576363ee91d05da0c03f28a10bcb73bd9cb7ae3f4fa6d57 sum_of "$FILES_IN"/etc/systemd/system/there.timer || expect 'the copy of /etc/systemd/system/there.timer' fdb1f03d5f34bb72f576363ee91d05da0c03f28a10bcb73bd9cb7ae3f4fa6d57 sum_of "$STATE"/file-3
}

seen_3() {
    is fdb1f03d5f34bb72f576363ee91d05da0c03f28a10bcb73bd9cb7ae3f4fa6d57 sum_of "$FILES_IN"/etc/systemd/system/there.timer
}

undo_3() {
    if seen_3; then
        say 'Step 3 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 3.'
    changed=yes
    put "$FILES_IN"/etc/systemd/system/there.timer fdb1f03d5f34bb72f576363ee91d05da0c03f28a10bcb73bd9cb7ae3f4fa6d57 < "$STATE"/file-3 || stop '/etc/systemd/system/there.timer can not be brought back'
    reload_systemd
    seen_3 || stop 'step 3 is not as it was seen before'
}

# ---- Back from step 2: ---------------------------------------------------------------------------
# New file /etc/systemd/kept.conf, so that it lasts

known_2() {
    expect /etc/systemd/kept.conf 'absent|a872e7abb8bedb827c09d7c9e5d7cb17245181ed4d08af909966145e1f439449' sum_of "$FILES_IN"/etc/systemd/kept.conf
}

seen_2() {
    is absent sum_of "$FILES_IN"/etc/systemd/kept.conf
}

undo_2() {
    if seen_2; then
        say 'Step 2 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 2.'
    changed=yes
    rm -f -- "$FILES_IN"/etc/systemd/kept.conf
    if [ -e "$STATE"/made-2 ]; then rmdir -- "$FILES_IN"/etc/systemd; fi
    reload_systemd
    seen_2 || stop 'step 2 is not as it was seen before'
}

# ---- Back from step 1: ---------------------------------------------------------------------------
# More lines in /etc/modprobe.d/kept.conf, so that it lasts

known_1() {
    expect /etc/modprobe.d/kept.conf '2a61c5e909490fa2e49da86ebf448a80e56cbf74f5c86b4c79cebacf43d893dd|0c767214c88486fff7d0830fe9f39d30aad64bbab9f13f5a0766a78ed5114436' sum_of "$FILES_IN"/etc/modprobe.d/kept.conf
    is 2a61c5e909490fa2e49da86ebf448a80e56cbf74f5c86b4c79cebacf43d893dd sum_of "$FILES_IN"/etc/modprobe.d/kept.conf || expect 'the copy of /etc/modprobe.d/kept.conf' 2a61c5e909490fa2e49da86ebf448a80e56cbf74f5c86b4c79cebacf43d893dd sum_of "$STATE"/file-1
}

seen_1() {
    is 2a61c5e909490fa2e49da86ebf448a80e56cbf74f5c86b4c79cebacf43d893dd sum_of "$FILES_IN"/etc/modprobe.d/kept.conf
}

undo_1() {
    if seen_1; then
        say 'Step 1 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 1.'
    changed=yes
    put "$FILES_IN"/etc/modprobe.d/kept.conf 2a61c5e909490fa2e49da86ebf448a80e56cbf74f5c86b4c79cebacf43d893dd < "$STATE"/file-1 || stop '/etc/modprobe.d/kept.conf can not be brought back'
    seen_1 || stop 'step 1 is not as it was seen before'
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh undo.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
known_4
known_3
known_2
known_1
if [ "${1:-}" = --check ]; then
    say 'All is either as plan.sh left it or as it was seen before.'
    exit 0
fi

# ---- Then bring it back --------------------------------------------------------------------------
undo_4
undo_3
undo_2
undo_1
rm -f -- "$STATE"/file-1
rm -f -- "$STATE"/file-2
rm -f -- "$STATE"/file-3
rm -f -- "$STATE"/file-4
rm -f -- "$STATE"/made-1
rm -f -- "$STATE"/made-2
rm -f -- "$STATE"/made-3
rm -f -- "$STATE"/made-4
[ ! -d "$STATE" ] || rmdir -- "$STATE"
say 'All is as it was seen before.'
exit 0
