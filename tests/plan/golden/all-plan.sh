#!/bin/sh
# plan.sh, proposed by fsadvisor 0.1.0 for a composed server, Linux 6.1.0-42-amd64: 11 steps.
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

# reload_udev: have udev read its rules again, where it runs and the real ones were changed
reload_udev() {
    if [ -e /run/udev/control ] && [ -z "$FILES_IN" ]; then
        udevadm control --reload || say 'udevadm control --reload failed: run it yourself'
    fi
}

FSTAB=$(readlink -f -- "${FSTAB:-/etc/fstab}")
FILES_IN=${FILES_IN:-}
STATE=${STATE:-/var/lib/fsadvisor/plan-378bcbf0305c}

# ---- Step 1 of 11 --------------------------------------------------------------------------------
# Something is found by barriers-off
# - Rule barriers-off, on /dev/sda (critical risk; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     findmnt -no OPTIONS --mountpoint '/srv/my data'

before_1() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option barrier/nobarrier at /srv/my data' nobarrier options_among '/srv/my data' barrier nobarrier
}

after_1() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option barrier/nobarrier at /srv/my data' 'barrier|-' options_among '/srv/my data' barrier nobarrier
}

step_1() {
    say 'Step 1 of 11: Something is found by barriers-off'
    before_1
    others=$(other_options '/srv/my data' barrier nobarrier) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,barrier '/srv/my data'
    expect 'what it is not about' "$others" other_options '/srv/my data' barrier nobarrier
    after_1
}

# ---- Step 2 of 11 --------------------------------------------------------------------------------
# Something is found by not-flushed
# - Rule not-flushed, on sda (high risk; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     cat /sys/block/sda/queue/write_cache

before_2() {
    expect /sys/block/sda/queue/write_cache 'write through' value_of /sys/block/sda/queue/write_cache
}

after_2() {
    expect /sys/block/sda/queue/write_cache 'write back' value_of /sys/block/sda/queue/write_cache
}

step_2() {
    say 'Step 2 of 11: Something is found by not-flushed'
    before_2
    write 'write back' /sys/block/sda/queue/write_cache
    after_2
}

# ---- Step 3 of 11 --------------------------------------------------------------------------------
# Something is found by long-commit
# - Rule long-commit, on /dev/sda (high risk; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     findmnt -no OPTIONS --mountpoint '/srv/my data'

before_3() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option commit/nocommit at /srv/my data' commit=30 options_among '/srv/my data' commit nocommit
}

after_3() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option commit/nocommit at /srv/my data' 'commit=5|-' options_among '/srv/my data' commit nocommit
}

step_3() {
    say 'Step 3 of 11: Something is found by long-commit'
    before_3
    others=$(other_options '/srv/my data' commit nocommit) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,commit=5 '/srv/my data'
    expect 'what it is not about' "$others" other_options '/srv/my data' commit nocommit
    after_3
}

# ---- Step 4 of 11 --------------------------------------------------------------------------------
# Something is found by long-writeback
# - Rule long-writeback, on host (high hygiene; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     sysctl vm.dirty_bytes

before_4() {
    expect vm.dirty_background_bytes 0 sysctl -n vm.dirty_background_bytes
    expect vm.dirty_background_ratio 10 sysctl -n vm.dirty_background_ratio
    expect vm.dirty_bytes 0 sysctl -n vm.dirty_bytes
    expect vm.dirty_ratio 20 sysctl -n vm.dirty_ratio
}

after_4() {
    expect vm.dirty_background_bytes 67108864 sysctl -n vm.dirty_background_bytes
    expect vm.dirty_background_ratio 0 sysctl -n vm.dirty_background_ratio
    expect vm.dirty_bytes 268435456 sysctl -n vm.dirty_bytes
    expect vm.dirty_ratio 0 sysctl -n vm.dirty_ratio
}

step_4() {
    say 'Step 4 of 11: Something is found by long-writeback'
    before_4
    run sysctl -q -w vm.dirty_background_bytes=67108864
    run sysctl -q -w vm.dirty_bytes=268435456
    after_4
}

# ---- Step 5 of 11 --------------------------------------------------------------------------------
# Something is found by no-trim
# - Rule no-trim, on host (high hygiene; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     systemctl list-timers fstrim.timer

before_5() {
    expect fstrim.timer 'disabled inactive' unit_state fstrim.timer
}

after_5() {
    expect fstrim.timer 'enabled active' unit_state fstrim.timer
}

step_5() {
    say 'Step 5 of 11: Something is found by no-trim'
    before_5
    run systemctl enable --now fstrim.timer
    after_5
}

# ---- Step 6 of 11 --------------------------------------------------------------------------------
# Something is found by scheduler
# - Rule scheduler, on nvme0n1 (moderate gain; documented, not measured here; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     cat /sys/block/nvme0n1/queue/scheduler

before_6() {
    expect /sys/block/nvme0n1/queue/scheduler mq-deadline chosen_in /sys/block/nvme0n1/queue/scheduler
}

after_6() {
    expect /sys/block/nvme0n1/queue/scheduler none chosen_in /sys/block/nvme0n1/queue/scheduler
}

step_6() {
    say 'Step 6 of 11: Something is found by scheduler'
    before_6
    write none /sys/block/nvme0n1/queue/scheduler
    after_6
}

# ---- Step 7 of 11 --------------------------------------------------------------------------------
# Something is found by access-times
# - Rule access-times, on / (low gain; documented, not measured here; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     findmnt -no OPTIONS --mountpoint /

before_7() {
    expect 'the filesystem at /' ext4 kind_at /
    expect 'the option atime/noatime at /' relatime options_among / atime noatime relatime norelatime strictatime nostrictatime
}

after_7() {
    expect 'the filesystem at /' ext4 kind_at /
    expect 'the option atime/noatime at /' noatime options_among / atime noatime relatime norelatime strictatime nostrictatime
}

step_7() {
    say 'Step 7 of 11: Something is found by access-times'
    before_7
    others=$(other_options / atime noatime norelatime nostrictatime relatime strictatime) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,noatime /
    expect 'what it is not about' "$others" other_options / atime noatime norelatime nostrictatime relatime strictatime
    after_7
}

# ---- Step 8 of 11 --------------------------------------------------------------------------------
# Something is found by access-times
# - Rule access-times, on /srv/my data (low gain; documented, not measured here; no interruption)
#
# Because it is so.
#
# To see it for yourself:
#     findmnt -no OPTIONS --mountpoint '/srv/my data'

before_8() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option atime/noatime at /srv/my data' relatime options_among '/srv/my data' atime noatime relatime norelatime strictatime nostrictatime
}

after_8() {
    expect 'the filesystem at /srv/my data' ext4 kind_at '/srv/my data'
    expect 'the option atime/noatime at /srv/my data' noatime options_among '/srv/my data' atime noatime relatime norelatime strictatime nostrictatime
}

step_8() {
    say 'Step 8 of 11: Something is found by access-times'
    before_8
    others=$(other_options '/srv/my data' atime noatime norelatime nostrictatime relatime strictatime) || stop 'nothing can be told of this mount'
    run mount --options-source=mtab -o remount,noatime '/srv/my data'
    expect 'what it is not about' "$others" other_options '/srv/my data' atime noatime norelatime nostrictatime relatime strictatime
    after_8
}

# ---- Step 9 of 11 --------------------------------------------------------------------------------
# New file /etc/sysctl.d/90-fsadvisor.conf, so that it lasts
# - Rule long-writeback, on host (high hygiene; no interruption)
#
# To see it for yourself:
#     cat /etc/sysctl.d/90-fsadvisor.conf

text_1() {
    printf '%s\n' 'vm.dirty_background_bytes = 67108864'
    printf '%s\n' 'vm.dirty_bytes = 268435456'
}

before_9() {
    expect /etc/sysctl.d/90-fsadvisor.conf absent sum_of "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf
}

after_9() {
    expect /etc/sysctl.d/90-fsadvisor.conf 612ceb2530a11d64633f5f72a7436519ee30725f4db45182e94909791fcb1aa7 sum_of "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf
}

step_9() {
    say 'Step 9 of 11: New file /etc/sysctl.d/90-fsadvisor.conf, so that it lasts'
    before_9
    keep_copy "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf file-1 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/sysctl.d ]; then mkdir -p -- "$FILES_IN"/etc/sysctl.d && : > "$STATE"/made-1; fi
    text_1 | put "$FILES_IN"/etc/sysctl.d/90-fsadvisor.conf 612ceb2530a11d64633f5f72a7436519ee30725f4db45182e94909791fcb1aa7 || stop '/etc/sysctl.d/90-fsadvisor.conf can not be written'
    after_9
}

# ---- Step 10 of 11 -------------------------------------------------------------------------------
# New file /etc/udev/rules.d/99-fsadvisor-scheduler.rules, so that it lasts
# - Rule scheduler, on nvme0n1 (moderate gain; documented, not measured here; no interruption)
#
# To see it for yourself:
#     cat /etc/udev/rules.d/99-fsadvisor-scheduler.rules

text_2() {
    printf '%s\n' 'ACTION=="add|change", KERNEL=="nvme*n*", ATTR{queue/scheduler}="none"'
}

before_10() {
    expect /etc/udev/rules.d/99-fsadvisor-scheduler.rules absent sum_of "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules
}

after_10() {
    expect /etc/udev/rules.d/99-fsadvisor-scheduler.rules 77807e26cc67772eebb6b764a3fe810c79cde9eb61aaf481b11254afe5801619 sum_of "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules
}

step_10() {
    say 'Step 10 of 11: New file /etc/udev/rules.d/99-fsadvisor-scheduler.rules, so that it lasts'
    before_10
    keep_copy "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules file-2 || stop 'no copy could be kept'
    changed=yes
    if [ ! -d "$FILES_IN"/etc/udev/rules.d ]; then mkdir -p -- "$FILES_IN"/etc/udev/rules.d && : > "$STATE"/made-2; fi
    text_2 | put "$FILES_IN"/etc/udev/rules.d/99-fsadvisor-scheduler.rules 77807e26cc67772eebb6b764a3fe810c79cde9eb61aaf481b11254afe5801619 || stop '/etc/udev/rules.d/99-fsadvisor-scheduler.rules can not be written'
    reload_udev
    after_10
}

# ---- Step 11 of 11 -------------------------------------------------------------------------------
# The options in /etc/fstab, so that it lasts
# - Rule barriers-off, on /dev/sda (critical risk; no interruption)
# - Rule xfs-barrier, on /srv/old (critical risk; no interruption)
# - Rule long-commit, on /dev/sda (high risk; no interruption)
# - Rule access-times, on / (low gain; documented, not measured here; no interruption)
# - Rule access-times, on /srv/my data (low gain; documented, not measured here; no interruption)
#
# To see it for yourself:
#     findmnt --verify --tab-file /etc/fstab

edited_fstab() {
    sed -n '1,1p' -- "$FSTAB"
    printf '%s\n' 'UUID=0a3407de-014b-458b-b5c1-848e92a327a3	/	ext4	errors=remount-ro,noatime	0	1'
    printf '%s\n' 'LABEL=data  /srv/my\040data   ext4  rw,nodev,noatime  0  2'
    sed -n '4,4p' -- "$FSTAB"
    printf '%s\n' 'LABEL=old   /srv/old           xfs   defaults                     0  2  # an old one'
    tail -n +6 -- "$FSTAB"
}

before_11() {
    expect 'the content of fstab' eebff04c9e6a568b5651d5f9a2f82dad612587b3834ab3cec92bf6e9bcb068d9 sum_of "$FSTAB"
    errors=$(fstab_errors "$FSTAB")
    new_errors=$(new_fstab_errors) || stop 'no free space for a copy of fstab'
    [ "$new_errors" = none ] || [ "$new_errors" = "$errors" ] ||
        stop "findmnt --verify is not content with the new fstab: $new_errors"
}

after_11() {
    expect 'the content of fstab' 0965c4e209ba83cc79923e31fb96dc18567a425b780bd16df1de475115269399 sum_of "$FSTAB"
}

step_11() {
    say 'Step 11 of 11: The options in /etc/fstab, so that it lasts'
    before_11
    keep_copy "$FSTAB" fstab || stop 'no copy could be kept'
    changed=yes
    edited_fstab | put "$FSTAB" 0965c4e209ba83cc79923e31fb96dc18567a425b780bd16df1de475115269399 || stop 'fstab can not be written'
    reload_systemd
    after_11
}

# ---- Look at everything first --------------------------------------------------------------------
case ${1:-} in
    '' | --check) ;;
    *) stop 'usage: sh plan.sh [--check]' ;;
esac
[ "$(id -u)" -eq 0 ] || stop 'this needs root'
mount --help | grep -q -e --options-source || stop 'mount(8) is too old: it lacks --options-source'
[ ! -e "$STATE" ] || stop "this plan was begun before: $STATE is there; undo.sh clears it"
before_1
before_2
before_3
before_4
before_5
before_6
before_7
before_8
before_9
before_10
before_11
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
step_5
step_6
step_7
step_8
step_9
step_10
step_11

# ---- And look at all of it once more -------------------------------------------------------------
after_1
after_2
after_3
after_4
after_5
after_6
after_7
after_8
after_9
after_10
after_11
say 'Done. To bring back what was seen: sh undo.sh'
exit 0
