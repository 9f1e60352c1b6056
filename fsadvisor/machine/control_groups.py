"""Which container a control group is, by its name alone.

https://docs.kernel.org/admin-guide/cgroup-v2.html#namespace
"""

from __future__ import annotations

from fsadvisor.patterns import late

ID = late(
    r"(?P<engine>docker|cri-containerd|crio|libpod)[-/](?P<id>[0-9a-f]{64})(?:\.scope)?(?=/|\s|$)"
    r"|kubepods\S*/(?P<pod>[0-9a-f]{64})(?=/|\s|$)"
    r"|lxc(?:\.payload\.|/)(?P<lxc>[\w.-]{1,64})(?=/|\s|$)"
    r"|machine\.slice/(?:systemd-nspawn@|machine-)(?P<machine>[\w.\\-]{1,64})\.(?:service|scope)"
)
_ENGINES = {"cri-containerd": "containerd", "crio": "CRI-O", "libpod": "podman"}


def named_in(cgroup: str) -> str | None:
    """The container by the words of its control group alone, as for another machine's."""
    found = ID.search(cgroup)
    if found is None:
        return None
    if name := found["lxc"] or found["machine"]:
        return f"{'LXC' if found['lxc'] else 'systemd-nspawn'} {name}"
    number = found["id"] or found["pod"]
    return f"{_ENGINES.get(found['engine'], found['engine'] or 'container')} {number[:12]}"
