"""The comparison of a root before and after sees every kind of change outside the checkout."""

import pytest

from tools.bare_roots import Row, seen


@pytest.fixture
def root(tmp_path):
    for folder in ("var/lib/dpkg", "usr/lib/systemd/system", "proc", "tmp/a place/checkout"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").write_text("Package: a\nStatus: install ok installed\n")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "file").write_text("as it was")
    (tmp_path / "etc" / "link").symlink_to("file")
    return tmp_path


CHANGES = {
    "etc/file": lambda root: (root / "etc" / "file").write_text("otherwise"),
    "etc/link": lambda root: ((root / "etc/link").unlink(), (root / "etc/link").symlink_to("elsewhere")),
    "usr/lib/systemd/system/new.service": lambda root: (root / "usr/lib/systemd/system/new.service").touch(),
    "var/lib/dpkg/status": lambda root: (root / "var/lib/dpkg/status").chmod(0o600),
}


def changed(root, do):
    before = seen(root, "tmp/a place/checkout")
    do(root)
    return Row("sid", "root", 1, before, seen(root, "tmp/a place/checkout"), 0, 0, []).changed


@pytest.mark.parametrize("path", CHANGES)
def test_what_changed_outside_the_checkout_is_named(root, path):
    assert path in changed(root, CHANGES[path])


def test_the_checkout_and_the_kernels_files_may_change(root):
    def work(root):
        (root / "tmp/a place/checkout/.venv").mkdir()
        (root / "proc/1").touch()

    assert changed(root, work) == []
