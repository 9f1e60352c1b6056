"""Debian's kernels are unpacked alike, whether one package has it all or several have a part each."""

import shutil
import subprocess

import pytest

from tools.lab import kernels
from tools.lab.error import LabError

pytestmark = [
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb"),
    pytest.mark.skipif(shutil.which("depmod") is None, reason="needs depmod"),
]
RELEASE = "7.2.13+deb14-amd64"
WHOLE = {
    "one": [f"boot/vmlinuz-{RELEASE}", f"lib/modules/{RELEASE}/modules.builtin", f"lib/modules/{RELEASE}/modules.order"]
}
SPLIT = {
    "image": ["usr/share/doc/x"],
    "binary": [f"usr/lib/modules/{RELEASE}/vmlinuz"],
    "modules": [f"usr/lib/modules/{RELEASE}/modules.order"],
    "base": [f"usr/lib/modules/{RELEASE}/modules.builtin"],
}


def packed(folder, packages):
    """Real packages of these files."""
    for name, files in packages.items():
        root = folder / "made" / name
        (root / "DEBIAN").mkdir(parents=True)
        (root / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: {name}\n"
        )
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text("")
        subprocess.run(["dpkg-deb", "--build", root, folder / f"{name}.deb"], check=True, capture_output=True)
    shutil.rmtree(folder / "made")


@pytest.mark.parametrize("packages", [WHOLE, SPLIT], ids=["one package", "several"])
def test_the_modules_end_in_usr_lib_and_nothing_lies_over_the_guests_lib(tmp_path, packages):
    packed(tmp_path, packages)
    kernels.lay_out(tmp_path)
    modules = tmp_path / "tree/usr/lib/modules" / RELEASE
    assert {"modules.builtin", "modules.order", "modules.dep"} <= {path.name for path in modules.iterdir()}
    assert not (tmp_path / "tree/lib").exists()
    assert not list(tmp_path.glob("*.deb"))


def test_packages_without_modules_are_named(tmp_path):
    packed(tmp_path, {"image": ["usr/share/doc/x"]})
    with pytest.raises(LabError, match="hold no modules"):
        kernels.lay_out(tmp_path)
