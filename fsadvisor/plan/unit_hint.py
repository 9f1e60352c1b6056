"""How to change a mount that a unit file configures: a drop-in, proposed in words and never written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsadvisor import secrecy
from fsadvisor.facts import Known

if TYPE_CHECKING:
    from fsadvisor.plan.fstab_patch import Wish
    from fsadvisor.storage import Mount


def mount_unit_hint(mount: Mount | None, wish: Wish) -> tuple[str, ...]:
    """The drop-in's path and lines; () where its options are not known or not shown, or systemd might read others."""
    if mount is None or not isinstance(mount.configured_options, Known) or not isinstance(mount.configured_in, Known):
        return ()
    kept = [it for it in mount.configured_options.value if it and it not in wish.remove]
    options = ",".join((*kept, *(it for it in wish.add if it not in kept))) or "defaults"
    if "%" in options or secrecy.hides(options) or not options.isprintable():
        return ()
    name = mount.configured_in.value.rpartition("/")[2]
    return f"/etc/systemd/system/{name}.d/50-fsadvisor.conf:", "[Mount]", f"Options={options}"
