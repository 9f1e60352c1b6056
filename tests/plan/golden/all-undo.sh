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

# write VALUE FILE: a setting of the kernel
write() {
    changed=yes
    printf '%s\n' "$1" > "$2" || stop "this can't be written: $1 into $2"
}

# value_of FILE: its first line
value_of() {
    line=
    read -r line < "$1" || [ -n "$line" ] || return 1
    printf '%s\n' "$line"
}

# chosen_in FILE: the word in brackets, 'none' of '[none] mq-deadline'
chosen_in() {
    line=$(value_of "$1") || return 1
    case $line in
        *'['*']'*)
            line=${line#*'['}
            line=${line%%']'*}
            ;;
    esac
    printf '%s\n' "$line"
}

# kind_at POINT: the filesystem's type; two lines, which nothing expects, where it is mounted over
kind_at() {
    findmnt -rno FSTYPE --mountpoint "$1"
}

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
    printf '%s\n' "${chosen:--}"
}

options_among() {
    choose in "$@"
}

other_options() {
    choose out "$@"
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

FSTAB=$(readlink -f -- "${FSTAB:-/etc/fstab}")
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-378bcbf0305c}

# ---- Back from step 11: --------------------------------------------------------------------------
# The options in /etc/fstab, so that it lasts

known_11() {
    expect 'the content of fstab' 'eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9|0965c4e209ba83cc79923e31fb96dc18567a425b780bd16df1de475115269399' sum_of "$FSTAB"
    is eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$FSTAB" || expect 'the copy of fstab' eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$STATE"/fstab
}

seen_11() {
    is eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$FSTAB"
}

undo_11() {
    if seen_11; then
        say 'Step 11 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 11.'
    changed=yes
    put "$FSTAB" eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 < "$STATE"/fstab || stop 'fstab can not be brought back'
    reload_systemd
    seen_11 || stop 'step 11 is not as it was seen before'
}

# ---- Back from step 10: --------------------------------------------------------------------------
# New file /etc/udev/rules.d/99-fsadvisor-scheduler.rules, so that it lasts

known_10() {
    expect /etc/udev/rules.d/99-fsadvisor-scheduler.rules 'absent|77807e26cc67772eebb6b764a3fe810c79cde9eb61aaf481b11254afe5801619' sum_of "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules
}

seen_10() {
    is absent sum_of "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules
}

undo_10() {
    if seen_10; then
        say 'Step 10 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 10.'
    changed=yes
    rm -f -- "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules
    if [ -e "$STATE"/made-2 ]; then rmdir -- "$FILES_IN"/etc/udev/rules.d; fi
    reload_udev
    seen_10 || stop 'step 10 is not as it was seen before'
}

# ---- Back from step 9: ---------------------------------------------------------------------------
# New file /etc/sysctl.d/90-fsadvisor.conf, so that it lasts

known_9() {
    expect /etc/sysctl.d/90-fsadvisor.conf 'absent|612ceb2530a11d64633f5f72a7436519ee30725f4db45182e94909791fcb1aa7' sum_of "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf
}

seen_9() {
    is absent sum_of "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf
}

undo_9() {
    if seen_9; then
        say 'Step 9 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 9.'
    changed=yes
    rm -f -- "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf
    if [ -e "$STATE"/made-1 ]; then rmdir -- "$FILES_IN"/etc/sysctl.d; fi
    seen_9 || stop 'step 9 is not as it was seen before'
}

# ---- Back from step 8: ---------------------------------------------------------------------------
# Something is found by access-times

known_8() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option atime/noatime at /srv/my data' 'relatime|noatime' options_among '/srv/my data' atime noatime relatime norelatime strictatime nostrictatime
}

seen_8() {
    is relatime options_among '/srv/my data' atime noatime relatime norelatime strictatime nostrictatime
}

undo_8() {
    if seen_8; then
        say 'Step 8 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 8.'
    others=$(other_options '/srv/my data' atime noatime norelatime nostrictatime relatime strictatime) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,atime,relatime '/srv/my data'
    expect 'what it is not about' "$others" other_options '/srv/my data' atime noatime norelatime nostrictatime relatime strictatime
    seen_8 || stop 'step 8 is not as it was seen before'
}

# ---- Back from step 7: ---------------------------------------------------------------------------
# Something is found by access-times

known_7() {
    expect 'the filesystem at /' ext4 kind_at /
    expect 'the option atime/noatime at /' 'relatime|noatime' options_among / atime noatime relatime norelatime strictatime nostrictatime
}

seen_7() {
    is relatime options_among / atime noatime relatime norelatime strictatime nostrictatime
}

undo_7() {
    if seen_7; then
        say 'Step 7 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 7.'
    others=$(other_options / atime noatime norelatime nostrictatime relatime strictatime) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,atime,relatime /
    expect 'what it is not about' "$others" other_options / atime noatime norelatime nostrictatime relatime strictatime
    seen_7 || stop 'step 7 is not as it was seen before'
}

# ---- Back from step 6: ---------------------------------------------------------------------------
# Something is found by scheduler

known_6() {
    expect /sys/block/nvme0n1/queue/scheduler 'mq-deadline|none' chosen_in /sys/block/nvme0n1/queue/scheduler
}

seen_6() {
    is mq-deadline chosen_in /sys/block/nvme0n1/queue/scheduler
}

undo_6() {
    if seen_6; then
        say 'Step 6 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 6.'
    write mq-deadline /sys/block/nvme0n1/queue/scheduler
    seen_6 || stop 'step 6 is not as it was seen before'
}

# ---- Back from step 5: ---------------------------------------------------------------------------
# Something is found by no-trim

known_5() {
    expect fstrim.timer 'disabled inactive|enabled active' unit_state fstrim.timer
}

seen_5() {
    is 'disabled inactive' unit_state fstrim.timer
}

undo_5() {
    if seen_5; then
        say 'Step 5 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 5.'
    run systemctl disable --now fstrim.timer
    seen_5 || stop 'step 5 is not as it was seen before'
}

# ---- Back from step 4: ---------------------------------------------------------------------------
# Something is found by long-writeback

known_4() {
    expect vm.dirty_background_bytes '0|67108864' sysctl -n vm.dirty_background_bytes
    expect vm.dirty_background_ratio '10|0' sysctl -n vm.dirty_background_ratio
    expect vm.dirty_bytes '0|268435456' sysctl -n vm.dirty_bytes
    expect vm.dirty_ratio '20|0' sysctl -n vm.dirty_ratio
}

seen_4() {
    is 0 sysctl -n vm.dirty_background_bytes &&
        is 10 sysctl -n vm.dirty_background_ratio &&
        is 0 sysctl -n vm.dirty_bytes &&
        is 20 sysctl -n vm.dirty_ratio
}

undo_4() {
    if seen_4; then
        say 'Step 4 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 4.'
    run sysctl -q -w vm.dirty_ratio=20
    run sysctl -q -w vm.dirty_background_ratio=10
    seen_4 || stop 'step 4 is not as it was seen before'
}

# ---- Back from step 3: ---------------------------------------------------------------------------
# Something is found by long-commit

known_3() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option commit/nocommit at /srv/my data' 'commit=30|commit=5|-' options_among '/srv/my data' commit nocommit
}

seen_3() {
    is commit=30 options_among '/srv/my data' commit nocommit
}

undo_3() {
    if seen_3; then
        say 'Step 3 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 3.'
    others=$(other_options '/srv/my data' commit nocommit) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,commit=30 '/srv/my data'
    expect 'what it is not about' "$others" other_options '/srv/my data' commit nocommit
    seen_3 || stop 'step 3 is not as it was seen before'
}

# ---- Back from step 2: ---------------------------------------------------------------------------
# Something is found by not-flushed

known_2() {
    expect /sys/block/sda/queue/write_cache 'write through|write back' value_of /sys/block/sda/queue/write_cache
}

seen_2() {
    is 'write through' value_of /sys/block/sda/queue/write_cache
}

undo_2() {
    if seen_2; then
        say 'Step 2 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 2.'
    write 'write through' /sys/block/sda/queue/write_cache
    seen_2 || stop 'step 2 is not as it was seen before'
}

# ---- Back from step 1: ---------------------------------------------------------------------------
# Something is found by barriers-off

known_1() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option barrier/nobarrier at /srv/my data' 'nobarrier|barrier|-' options_among '/srv/my data' barrier nobarrier
}

seen_1() {
    is nobarrier options_among '/srv/my data' barrier nobarrier
}

undo_1() {
    if seen_1; then
        say 'Step 1 is as it was seen before.'
        return
    fi
    say 'Bringing back what was seen before step 1.'
    others=$(other_options '/srv/my data' barrier nobarrier) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,nobarrier '/srv/my data'
    expect 'what it is not about' "$others" other_options '/srv/my data' barrier nobarrier
    seen_1 || stop 'step 1 is not as it was seen before'
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh undo.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
known_11
known_10
known_9
known_8
known_7
known_6
known_5
known_4
known_3
known_2
known_1
if [ "${1:-}" = --check ]; then
    say 'All is either as plan.sh left it or as it was seen before.'
    exit 0
fi

# ---- Then bring it back --------------------------------------------------------------------------
undo_11
undo_10
undo_9
undo_8
undo_7
undo_6
undo_5
undo_4
undo_3
undo_2
undo_1
rm -f -- "$STATE"/file-1
rm -f -- "$STATE"/file-2
rm -f -- "$STATE"/made-1
rm -f -- "$STATE"/made-2
rm -f -- "$STATE"/fstab
[ ! -d "$STATE" ] || rmdir -- "$STATE"
say 'All is as it was seen before.'
exit 0
