#!/bin/sh
# usage: interpreters.sh ROOT [musl] [aarch64]: compile CPython in a Debian 11 by debootstrap, so that the archive runs from
# glibc 2.28 on; for musl's loader and for aarch64 (glibc 2.28) too where they are named.
# Then: make dist ARGS="--interpreter ROOT/opt/python/bin/python3.13", or python-musl, or python-aarch64.
# Needs root and Debian's mirror.
set -eu
root=$1
shift
here=$(dirname "$(readlink -f -- "$0")")
mirror=http://deb.debian.org/debian
inside() { chroot "$root" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }
# fetch NAME PLACE SUM: a source of Debian's, unpacked into /root/NAME.
fetch() {
    curl -sSLo "$root/root/$1.tar" "$mirror/pool/main/$2"
    echo "$3  $root/root/$1.tar" | sha256sum -c --quiet
    rm -rf "$root/root/$1"
    mkdir "$root/root/$1"
    tar xf "$root/root/$1.tar" -C "$root/root/$1" --strip-components=1
}
get() { inside apt-get -qq install -y --no-install-recommends "$@" >/dev/null; }

# python NAME TRIPLET CFLAGS CONFIGURE…: into /opt/NAME, which finds its libraries beside itself.
python() {
    name=$1 triplet=$2 cflags=$3
    shift 3
    fetch "$name" p/python3.13/python3.13_3.13.5.orig.tar.xz 93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640
    mkdir -p "$root/opt/$name/lib"
    for library in libz.so.1 libffi.so.[78] liblzma.so.5 libbz2.so.1.0; do
        inside sh -c "cp -L \$(ls -d /lib/$triplet/$library /usr/lib/$triplet/$library 2>/dev/null | head -n 1) /opt/$name/lib/"
    done
    inside env CFLAGS="$cflags" sh -ec '
        cd "/root/$1"
        export py_cv_module__ssl=n/a py_cv_module__hashlib=n/a py_cv_module__sqlite3=n/a py_cv_module__curses=n/a
        export LDFLAGS="-s -Wl,-rpath,\\\$\$ORIGIN/../lib:\\\$\$ORIGIN/../.."
        shift
        ./configure -q --without-ensurepip --disable-test-modules "$@"
        make -s -j"$(nproc)"
        make -s install >/dev/null
    ' sh "$name" --prefix="/opt/$name" "$@"
}

# What musl's compiler finds: the kernel's headers, and the libraries from Debian's sources.
musl() {
    get musl-dev musl-tools
    fetch zlib z/zlib/zlib_1.3.dfsg+really1.3.1.orig.tar.gz 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb
    fetch libffi libf/libffi/libffi_3.4.4.orig.tar.gz d66c56ad259a82cf2a9dfc408b32bf5da52371500b84745f7fb8b645712df676
    fetch xz x/xz-utils/xz-utils_5.8.1.orig.tar.xz 0b54f79df85912504de0b14aec7971e3f964491af1812d83447005807513cd9e
    fetch bzip2 b/bzip2/bzip2_1.0.8.orig.tar.gz ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
    cat >"$root/usr/local/bin/musl-cc" <<'END'
#!/bin/sh
test "$*" != --print-multiarch || exec echo x86_64-linux-musl
exec musl-gcc "$@"
END
    chmod +x "$root/usr/local/bin/musl-cc"
    inside sh -ec '
        headers=/usr/include/x86_64-linux-musl libraries=/usr/lib/x86_64-linux-musl
        ln -sfn /usr/include/linux /usr/include/asm-generic /usr/include/x86_64-linux-gnu/asm $headers
        export CC=musl-cc CFLAGS="-O2 -fPIC"
        to="--prefix=/usr --libdir=$libraries --includedir=$headers"
        (cd /root/zlib && ./configure $to && make -s install)
        (cd /root/libffi && ./configure -q $to --disable-multi-os-directory --disable-docs && make -s install)
        (cd /root/xz && ./configure -q $to --disable-scripts --disable-doc && make -s -C src/liblzma install)
        cd /root/bzip2
        make -s -f Makefile-libbz2_so CC=musl-cc
        cp libbz2.so.1.0* $libraries
        ln -sf libbz2.so.1.0 $libraries/libbz2.so
        cp bzlib.h $headers
    ' >/dev/null
}

test -e "$root/bin/sh" || debootstrap --variant=minbase bullseye "$root" "$mirror"
cp /etc/resolv.conf "$root/etc/"
cp "$here/old_glibc.h" "$root/root/"
# sem_clockwait is of glibc 2.30. Without it Python waits for locks by the wall clock, as on any glibc before.
first="-include /root/old_glibc.h"
libraries="zlib1g-dev libffi-dev liblzma-dev libbz2-dev"
get gcc libc6-dev make xz-utils $libraries
test -e "$root/opt/python/bin/python3.13" || python python x86_64-linux-gnu "$first" ac_cv_func_sem_clockwait=no
for asked in "$@"; do
    case $asked in
    musl)
        musl
        python python-musl x86_64-linux-musl "" CC=musl-cc
        ;;
    aarch64)
        inside dpkg --add-architecture arm64
        inside apt-get -qq update
        get gcc-aarch64-linux-gnu libc6-dev:arm64 $(printf '%s:arm64 ' $libraries)
        python python-aarch64 aarch64-linux-gnu "$first" ac_cv_func_sem_clockwait=no --build=x86_64-linux-gnu \
            --host=aarch64-linux-gnu --with-build-python=/opt/python/bin/python3.13 \
            ac_cv_file__dev_ptmx=yes ac_cv_file__dev_ptc=no ac_cv_buggy_getaddrinfo=no
        ;;
    *)
        echo "interpreters.sh: no such target: $asked; there are musl and aarch64" >&2
        exit 2
        ;;
    esac
done
