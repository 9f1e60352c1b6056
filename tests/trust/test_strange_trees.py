"""A directory unpacked from a stranger's sos report: links out of it lead nowhere, and its secrets are not told."""

import pytest

from tests.command import in_text
from tests.trust.planted import CMDLINE, FSTAB, SECRETS
from tests.trust.test_secrets import found

FORMS = (("--text",), ("--json",), ("--html",), ("facts", "*", "--values"), ("plan",))
MOUNTS = "//srv/x /mnt/x cifs rw,username=planteduser,password=Hunter2PassA 0 0\n/dev/sda1 / ext4 rw 0 0\n"


@pytest.fixture
def tree(tmp_path):
    report = tmp_path / "sos"
    for folder in ("sos_commands/xfs", "etc", "proc"):
        (report / folder).mkdir(parents=True)
    (report / "sos_commands/xfs/xfs_info_.srv").write_text("x\n")
    return report


def told(tree, captured):
    """All that it is made of."""
    for form in FORMS:
        done = in_text("--on", tree, *form)
        assert done.returncode in (0, 1, 3, 5), done.stderr
        yield done.stdout + done.stderr
    assert in_text("--on", tree, "capture", captured).returncode == 0
    yield from (path.read_text() for path in captured.rglob("*") if path.is_file())


def test_its_secrets_are_told_nowhere(tree, tmp_path):
    (tree / "etc/fstab").write_text(FSTAB)
    (tree / "proc/cmdline").write_text(CMDLINE)
    (tree / "proc/mounts").write_text(MOUNTS)
    assert [found(text, SECRETS) for text in told(tree, tmp_path / "captured") if found(text, SECRETS)] == []


@pytest.mark.parametrize("leads", ["{outside}", "../../../../../../../../../../../..{outside}", "{up}../outside"])
def test_links_out_of_it_are_not_followed(tree, tmp_path, leads):
    outside = tmp_path / "outside"
    outside.write_text("/dev/sda1 /Hunter2Outside ext4 rw 0 0\n")
    for name in ("etc/fstab", "proc/mounts", "proc/cmdline", "sos_commands/xfs/xfs_info_.other"):
        (tree / name).symlink_to(leads.format(outside=outside, up="../" * name.count("/")))
        assert (tree / name).resolve() == outside
    assert not [text for text in told(tree, tmp_path / "captured") if "Hunter2Outside" in text]
