"""A PM9A3 whose link came up at 2.5 GT/s: reseat it. All else is well."""

from tests.panel import build

FIRST = ("pcie-link-reduced disk:nvme0n1",)


def server():
    disk = build.nvme(0, build.PM9A3, 3840755982336, vwc=6, cache="write through", capacitors=100, link="2.5 GT/s PCIe")
    return build.server(disk, mounts=[build.root(disk)])
