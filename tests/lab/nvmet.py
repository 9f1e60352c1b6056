"""The kernel's own NVMe target over TCP on 127.0.0.1: drives behind a network, by any model's name."""

from pathlib import Path

from tests.lab.scenario import disks, run, settle, wait_for

TARGET = Path("/sys/kernel/config/nvmet")
_PORT = TARGET / "ports" / "1"
_BYTES = 256 << 20


def _listen(scenario):
    """The port that leads to all subsystems linked into it."""
    run("modprobe", "--all", "nvmet", "nvmet-tcp", "nvme-tcp")
    _PORT.mkdir()
    scenario.undo(_PORT.rmdir)
    for name, value in {"adrfam": "ipv4", "trtype": "tcp", "traddr": "127.0.0.1", "trsvcid": "4420"}.items():
        (_PORT / f"addr_{name}").write_text(value)


def _subsystem(scenario, nqn, model, serial):
    """A subsystem with one namespace, which is a file."""
    folder = TARGET / "subsystems" / nqn
    folder.mkdir()
    scenario.undo(folder.rmdir)
    (folder / "attr_allow_any_host").write_text("1")
    (folder / "attr_model").write_text(model)
    (folder / "attr_serial").write_text(serial)
    store = Path("/run/lab") / serial
    with store.open("wb") as file:
        file.truncate(_BYTES)
    scenario.undo(store.unlink)
    namespace = folder / "namespaces" / "1"
    namespace.mkdir()
    scenario.undo(namespace.rmdir)
    (namespace / "device_path").write_text(str(store))
    # A file of a tmpfs takes no direct I/O.
    (namespace / "buffered_io").write_text("1")
    (namespace / "enable").write_text("1")
    scenario.undo((namespace / "enable").write_text, "0")
    link = _PORT / "subsystems" / nqn
    link.symlink_to(folder)
    scenario.undo(link.unlink)


def _seen(before):
    """New disks, without the hidden paths that the kernel joins into one."""
    return sorted(name for name in disks() - before if Path(f"/sys/block/{name}/hidden").read_text().strip() == "0")


def connect(scenario, **drives):
    """Offer drives (serial=model) and connect to each; their block devices in the order named."""
    _listen(scenario)
    names = []
    for serial, model in drives.items():
        nqn = f"nqn.2026-11.test.fsadvisor:{serial.lower()}"
        _subsystem(scenario, nqn, model, serial)
        before = disks()
        scenario.undo(wait_for, f"{nqn} is gone", lambda before=before: disks() == before)
        run("nvme", "connect", "--transport=tcp", "--traddr=127.0.0.1", "--trsvcid=4420", f"--nqn={nqn}")
        scenario.undo(run, "nvme", "disconnect", f"--nqn={nqn}")
        wait_for(f"a disk of {nqn}", lambda before=before: _seen(before))
        names += _seen(before)
    settle()
    return names
