#!/bin/sh
# usage: nvme_cli.sh SOURCE ROOT: compile nvme-cli from its repository without the old command names, into ROOT/opt/nvme.
# SOURCE is a git directory, ROOT one that `make matrix` made of sid. Needs root and Debian's mirror.
set -eu
root=$2
inside() { unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"; }
mkdir -p "$root/src"
git -C "$1" archive HEAD | tar x -C "$root/src"
inside env DEBIAN_FRONTEND=noninteractive apt-get -y -qq install --no-install-recommends \
    meson ninja-build gcc libc6-dev pkgconf libjson-c-dev
inside sh -ec 'cd /src; meson setup .b --prefix=/opt/nvme --libdir=lib -Ddeprecated-cmds=disabled -Dpython=disabled \
    -Ddocs=false -Dtests=false -Dexamples=false -Dfabrics=disabled -Dmi=disabled -Dnvmf-autoconnect=disabled -Dtop=disabled
    ninja -C .b install; echo /opt/nvme/lib >/etc/ld.so.conf.d/nvme.conf; ldconfig'
