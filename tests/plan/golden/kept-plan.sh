#!/bin/sh
# plan.sh, proposed by fsadvisor 0.1.0 for a composed server, Linux 6.1.0-42-amd64: 4 steps.
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

# ---- Step 1 of 4 ---------------------------------------------------------------------------------
# More lines in /etc/modprobe.d/kept.conf, so that it lasts
# - Rule kept, on host (high risk; no interruption)
#
# To see it for yourself:
#     cat /etc/modprobe.d/kept.conf

text_1() {
    sed -n '1,2p' -- "$FILES_IN"/etc/modprobe.d/kept.conf
    echo
    printf '%s\n' 'options kept a=1'
}

before_1() {
    expect /etc/modprobe.d/kept.conf 2a61c5e909490fa2e49da86ebf448a80e56cbf74f5c86b4c79cebacf43d893dd sum_of "$FILES_IN"/etc/modprobe.d/kept.conf
}

after_1() {
    expect /etc/modprobe.d/kept.conf 0c767214c88486fff7d0830fe9f39d30aad64bbab9f13f5a0766a78ed5114436 sum_of "$FILES_IN"/etc/modprobe.d/kept.conf
}

step_1() {
    say 'Step 1 of 4: More lines in /etc/modprobe.d/kept.conf, so that it lasts'
    before_1
    keep_copy "$FILES_IN"/etc/modprobe.d/kept.conf file-1 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/modprobe.d ]; then mkdir -p -- "$FILES_IN"/etc/modprobe.d && : > "$STATE"/made-1; fi
    text_1 | put "$FILES_IN"/etc/modprobe.d/kept.conf 0c767214c88486fff7d0830fe9f39d30aad64bbab9f13f5a0766a78ed5114436 || stop '/etc/modprobe.d/kept.conf can not be written'
    after_1
}

# ---- Step 2 of 4 ---------------------------------------------------------------------------------
# New file /etc/systemd/kept.conf, so that it lasts
# - Rule kept, on host (high risk; no interruption)
#
# To see it for yourself:
#     cat /etc/systemd/kept.conf

text_2() {
    printf '%s\n' Kept=yes
}

before_2() {
    expect /etc/systemd/kept.conf absent sum_of "$FILES_IN"/etc/systemd/kept.conf
}

after_2() {
    expect /etc/systemd/kept.conf a872e7abb8bedb827c09d7c9e5d7cb17245181ed4d08af909966145e1f439449 sum_of "$FILES_IN"/etc/systemd/kept.conf
}

step_2() {
    say 'Step 2 of 4: New file /etc/systemd/kept.conf, so that it lasts'
    before_2
    keep_copy "$FILES_IN"/etc/systemd/kept.conf file-2 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/systemd ]; then mkdir -p -- "$FILES_IN"/etc/systemd && : > "$STATE"/made-2; fi
    text_2 | put "$FILES_IN"/etc/systemd/kept.conf a872e7abb8bedb827c09d7c9e5d7cb17245181ed4d08af909966145e1f439449 || stop '/etc/systemd/kept.conf can not be written'
    reload_systemd
    after_2
}

# ---- Step 3 of 4 ---------------------------------------------------------------------------------
# More lines in /etc/systemd/system/there.timer, so that it lasts
# - Rule kept, on host (high risk; no interruption)
#
# To see it for yourself:
#     cat /etc/systemd/system/there.timer

text_3() {
    sed -n '1,1p' -- "$FILES_IN"/etc/systemd/system/there.timer
    printf '%s\n' OnBootSec=1min
}

before_3() {
    expect /etc/systemd/system/there.timer fdb1f03d5f34bb72f576363ee91d05da0c03f28a10bcb73bd9cb7ae3f4fa6d57 sum_of "$FILES_IN"/etc/systemd/system/there.timer
}

after_3() {
    expect /etc/systemd/system/there.timer f22b2b3b51a604551d89757aaa605a785806f010dc05c9e1e39941e46a5abe1e sum_of "$FILES_IN"/etc/systemd/system/there.timer
}

step_3() {
    say 'Step 3 of 4: More lines in /etc/systemd/system/there.timer, so that it lasts'
    before_3
    keep_copy "$FILES_IN"/etc/systemd/system/there.timer file-3 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/systemd/system ]; then mkdir -p -- "$FILES_IN"/etc/systemd/system && : > "$STATE"/made-3; fi
    text_3 | put "$FILES_IN"/etc/systemd/system/there.timer f22b2b3b51a604551d89757aaa605a785806f010dc05c9e1e39941e46a5abe1e || stop '/etc/systemd/system/there.timer can not be written'
    reload_systemd
    after_3
}

# ---- Step 4 of 4 ---------------------------------------------------------------------------------
# New file /etc/udev/rules.d/kept.timer, so that it lasts
# - Rule kept, on host (high risk; no interruption)
#
# To see it for yourself:
#     cat /etc/udev/rules.d/kept.timer

text_4() {
    printf '%s\n' 'KERNEL=="sd*"'
}

before_4() {
    expect /etc/udev/rules.d/kept.timer absent sum_of "$FILES_IN"/etc/udev/rules.d/kept.timer
}

after_4() {
    expect /etc/udev/rules.d/kept.timer 62cfb9a8eac6ca9033019c1a6628695b5a29948ee25ab217ed87e96ef1ba8539 sum_of "$FILES_IN"/etc/udev/rules.d/kept.timer
}

step_4() {
    say 'Step 4 of 4: New file /etc/udev/rules.d/kept.timer, so that it lasts'
    before_4
    keep_copy "$FILES_IN"/etc/udev/rules.d/kept.timer file-4 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/udev/rules.d ]; then mkdir -p -- "$FILES_IN"/etc/udev/rules.d && : > "$STATE"/made-4; fi
    text_4 | put "$FILES_IN"/etc/udev/rules.d/kept.timer 62cfb9a8eac6ca9033019c1a6628695b5a29948ee25ab217ed87e96ef1ba8539 || stop '/etc/udev/rules.d/kept.timer can not be written'
    reload_udev
    after_4
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
before_3
before_4
if [ "${1:-}" = --check ]; then
    say 'All is as it was seen.'
    exit 0
fi

# ---- Then do it ----------------------------------------------------------------------------------
trap 'stop interrupted' HUP INT TERM
(umask 077 && mkdir -p -- "$STATE") || stop "no directory $STATE for the copies"
step_1
step_2
step_3
step_4

# ---- And look at all of it once more -------------------------------------------------------------
after_1
after_2
after_3
after_4
say 'Done. To bring back what was seen: sh undo.sh'
exit 0
