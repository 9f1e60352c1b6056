"""An MX500 whose attribute wrapped to 175 beyond its end; the Device Statistics say 181 % used. Replace it."""

from tests.panel import build

FIRST = ("drive-worn-out disk:sdb",)


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    wrapped = ((202, "Percent_Lifetime_Remain", 175, 1, 181),)
    disk = build.said(
        build.sata(1, "CT2000MX500SSD1", 2000398934016, attributes=wrapped), **build.statistics(used=(7, 8, 181))
    )
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv")])
