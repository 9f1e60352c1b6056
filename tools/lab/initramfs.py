"""The guest's first files: busybox, the few modules that reach the root, and the guest's script."""

from __future__ import annotations

import gzip
import lzma
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tools.lab.error import LabError
from tools.lab.tool import copy_programs, output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.lab.kernels import Kernel

_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
_BUSYBOX = Path("/bin/busybox")

_INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
# Each scenario attaches its own disks: a driver takes none unless it is told.
echo 0 > /sys/bus/pci/drivers_autoprobe
while read module; do insmod "/modules/$module"; done < /order
cd /sys/bus/pci/drivers/virtio-pci
# Where virtio_pci is built in, it took its devices before that word.
for address in 0*; do
    case " {shares} 0* " in *" $address "*) ;; *) echo "$address" > unbind ;; esac
done
for address in {shares}; do
    [ -e "$address" ] || echo "$address" > bind
done
cd /
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=1048576,cache=loose root /host
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=1048576,cache=loose kernel /kernel
mount -t tmpfs upper /upper
mkdir /upper/files /upper/work
mount -t overlay -o 'lowerdir=/kernel:/host,upperdir=/upper/files,workdir=/upper/work' root /new
{holding}
mount -t tmpfs run /new/run
mount -t tmpfs tmp /new/tmp
{placing}
mkdir -p /new/run/lab
cp /guest /new/run/lab/guest
mount --move /proc /new/proc
mount --move /sys /new/sys
mount --move /dev /new/dev
exec switch_root /new /bin/sh /run/lab/guest
"""


_COVERED = ("/tmp", "/run")
"""Where the guest has empty filesystems of its own: what stands below them here is put on top of those."""
_THE_KERNELS = ("/dev", "/proc", "/sys")


def over_covered(needed: Iterable[Path]) -> tuple[str, str]:
    """Commands before and after /tmp and /run are mounted, by which the guest sees these directories all the same."""
    holding, placing, kept = [], [], list[Path]()
    for path in sorted(set(needed)):  # a directory comes before those below it
        if any(path.is_relative_to(one) for one in _THE_KERNELS):
            raise LabError(f"{path} is on a filesystem of the kernel's, which guests don't share: have it elsewhere")
        if any(path.is_relative_to(one) for one in kept) or not any(path.is_relative_to(one) for one in _COVERED):
            continue
        place, held = shlex.quote(f"/new{path}"), f"/held/{len(kept)}"
        kept.append(path)
        holding.append(f"mkdir {held} && mount --bind {place} {held}")
        placing.append(f"mkdir -p {place} && mount --move {held} {place}")
    return "\n".join(holding), "\n".join(placing)


def _module_files(kernel: Kernel) -> list[Path]:
    """The modules to load, in order."""
    found: dict[Path, None] = {}
    # modprobe looks in lib/modules below the folder it is given.
    folder = str(kernel.tree / "usr")
    for module in _MODULES:
        lines = output(["modprobe", "-d", folder, "-S", kernel.release, "--show-depends", module]).splitlines()
        found |= {Path(line.split()[1]): None for line in lines if line.startswith("insmod ")}
    return list(found)


def _put_module(file: Path, folder: Path) -> str:
    name = file.name.removesuffix(".xz")
    data = file.read_bytes()
    (folder / name).write_bytes(lzma.decompress(data) if file.suffix == ".xz" else data)
    return name


def write(kernel: Kernel, script: str, shares: tuple[str, ...], folder: Path, needed: Iterable[Path]) -> Path:
    """Write FOLDER/initramfs for a kernel; the guest runs `script` by /bin/sh over the root, from /run/lab/guest.

    `shares` are the PCI addresses of the virtio devices that hold the root, the kernel's tree and the results.
    `needed` are directories of this machine that the script needs, wherever they are.
    """
    if not _BUSYBOX.exists():
        raise LabError(f"{_BUSYBOX} is missing; `make lab` as root installs it")
    holding, placing = over_covered(needed)
    root = folder / "initramfs.d"
    for name in ("bin", "proc", "sys", "dev", "host", "kernel", "upper", "held", "new", "modules"):
        (root / name).mkdir(parents=True)
    copy_programs([str(_BUSYBOX)], root)
    order = [_put_module(file, root / "modules") for file in _module_files(kernel)]
    (root / "order").write_text("".join(f"{name}\n" for name in order))
    (root / "guest").write_text(script)
    init = root / "init"
    init.write_text(_INIT.format(shares=" ".join(shares), holding=holding, placing=placing))
    init.chmod(0o755)
    names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
    image = folder / "initramfs"
    output(["cpio", "--create", "--format=newc", "--quiet", f"--file={image}"], root, names)
    packed = folder / "initramfs.gz"
    packed.write_bytes(gzip.compress(image.read_bytes(), 1))
    image.unlink()
    shutil.rmtree(root)
    return packed
