"""The battery failed and the policy is always write back: data is lost at the next power cut."""

from tests.panel import build, controllers

FIRST = ("controller-cache-unprotected disk:sda",)


def server():
    disk = controllers.megaraid(cache="RAWBD", battery="Failed")
    return build.server(disk, mounts=[build.root(disk)])
