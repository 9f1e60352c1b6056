"""Options that exclude each other, and what the kernel shows of those that are in force."""

from fsadvisor.plan.fstab_patch import Wish, claims, family, in_family, of_the_mount, shown
from tests.cases import each

ATIME = ("atime", "noatime", "relatime", "norelatime", "strictatime", "nostrictatime")
COMPRESS = ("compress", "compress-force", "nocompress")


@each("names", [ATIME, ("ro", "rw"), ("sync", "async"), COMPRESS])
def test_each_of_a_family_excludes_all_of_it(names):
    for name in names:
        assert family(name) == family(f"{name}=x") == names


@each(
    ("option", "names"),
    [
        ("barrier=1=2", ("barrier", "nobarrier")),
        ("nobarrier", ("barrier", "nobarrier")),
        ("no", ("no", "nono")),
        ("nox", ("x", "nox")),
        ("inode64", ("inode64", "noinode64")),
        ("uno", ("uno", "nouno")),
    ],
)
def test_any_other_excludes_its_denial(option, names):
    assert family(option) == names


@each("name", ["diratime", "suid", "dev", "exec", "symfollow"])
def test_flags_of_the_vfs_are_the_mount_s(name):
    assert of_the_mount(name)
    assert of_the_mount(f"no{name}")


def test_all_others_are_the_filesystem_s():
    assert all(of_the_mount(it) for it in ATIME)
    assert not any(of_the_mount(it) for it in ("ro", "sync", "barrier", "data=ordered", *COMPRESS))


def test_the_words_of_a_family_are_found_with_their_values():
    options = ("rw", "noatime", "compress=zstd=3", "nocompress")
    assert in_family(options, COMPRESS) == "compress=zstd=3,nocompress"
    assert in_family(options, ("barrier", "nobarrier")) == "-"


@each(
    ("option", "before", "words"),
    [
        ("noatime", "relatime", ("noatime",)),
        ("relatime", "noatime", ("relatime",)),
        ("strictatime", "noatime", ("-",)),
        ("ro", "rw", ("ro",)),
        ("rw", "ro", ("rw",)),
        ("sync", "-", ("sync",)),
        ("async", "sync", ("-",)),
        ("atime", "noatime", ()),
        ("norelatime", "relatime", ()),
        ("nostrictatime", "-", ()),
        ("nobarrier", "-", ("nobarrier",)),
        ("barrier", "nobarrier", ("barrier", "-")),
        ("compress=zstd", "-", ("compress=zstd", "compress=zstd:3")),
        ("compress-force=zlib", "-", ("compress-force=zlib", "compress-force=zlib:3")),
        ("compress=lzo", "-", ("compress=lzo",)),
        ("compress", "-", ("compress",)),
        ("x=zstd", "-", ("x=zstd",)),
        ("compress=zstd=1", "-", ("compress=zstd=1",)),
    ],
)
def test_the_kernel_shows_an_option_in_its_own_words(option, before, words):
    assert shown(option, before) == words


def test_a_wish_decides_what_shall_be_there_and_what_shall_not():
    made = list(claims(Wish("/srv", ("noatime",), ("nobarrier",))))
    assert made == [
        ("atime at /srv in /etc/fstab", "noatime", True),
        ("barrier at /srv in /etc/fstab", "nobarrier", False),
    ]
