#!/bin/sh
# usage: smartctl.sh SOURCE ROOT: compile smartctl 7.0 and 7.1, which no Debian of the matrix has, into ROOT/opt/RELEASE_7_x.
# SOURCE is a git directory, ROOT one that `make matrix` made of Debian 11. Needs root and Debian's mirror.
set -eu
root=$2
inside() { unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"; }
inside env DEBIAN_FRONTEND=noninteractive apt-get -y -qq install --no-install-recommends g++ make automake autoconf libc6-dev
for tag in RELEASE_7_0 RELEASE_7_1; do
    mkdir -p "$root/src-$tag"
    git -C "$1" archive "$tag" smartmontools | tar x -C "$root/src-$tag"
    inside sh -ec 'cd "/src-$1/smartmontools"; ./autogen.sh --force; ./configure -q --prefix="/opt/$1" --without-libsystemd \
        --without-libcap-ng --without-selinux; make -s smartctl; make -s install-sbinPROGRAMS install-drivedbDATA' sh "$tag"
done
