#!/bin/sh
# usage: old_glibc.sh ROOT: compile CPython in a Debian 11 by debootstrap, so that the archive runs from glibc 2.28 on.
# Then: make dist ARGS="--interpreter ROOT/opt/python/bin/python3.13". Needs root and Debian's mirror.
set -eu
root=$1
here=$(dirname "$(readlink -f -- "$0")")
source=http://deb.debian.org/debian/pool/main/p/python3.13/python3.13_3.13.5.orig.tar.xz
sum=93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640
mirror=http://deb.debian.org/debian
test -e "$root/bin/sh" || debootstrap --variant=minbase bullseye "$root" "$mirror"
cp /etc/resolv.conf "$root/etc/"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
inside apt-get -qq install -y --no-install-recommends gcc libc6-dev make xz-utils zlib1g-dev libffi-dev liblzma-dev libbz2-dev
mkdir -p "$root/root/python" "$root/opt/python/lib"
curl -sSLo "$root/root/python.tar.xz" "$source"
echo "$sum  $root/root/python.tar.xz" | sha256sum -c --quiet
tar xf "$root/root/python.tar.xz" -C "$root/root/python" --strip-components=1
for name in libz.so.1 libffi.so.7 liblzma.so.5 libbz2.so.1.0; do
    cp "$(find "$root/lib" "$root/usr/lib" -name "$name*" -type f | head -n 1)" "$root/opt/python/lib/$name"
done
cp "$here/old_glibc.h" "$root/root/"
inside sh -ec '
    cd /root/python
    # sem_clockwait is of glibc 2.30. Without it Python waits for locks by the wall clock, as on any glibc before.
    export ac_cv_func_sem_clockwait=no CFLAGS="-include /root/old_glibc.h"
    export py_cv_module__ssl=n/a py_cv_module__hashlib=n/a py_cv_module__sqlite3=n/a py_cv_module__curses=n/a
    export LDFLAGS="-s -Wl,-rpath,\\\$\$ORIGIN/../lib:\\\$\$ORIGIN/../.."
    ./configure -q --prefix=/opt/python --without-ensurepip --disable-test-modules
    make -s -j"$(nproc)"
    make -s install
'
