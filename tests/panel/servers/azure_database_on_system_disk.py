"""MySQL beside the system on Azure, whose disk has host caching ReadWrite by default: a data disk of its own."""

from tests.panel import build

FIRST = ("host-cache-below-database service:mysql /var/lib/mysql",)
NEVER = ("data-on-instance-store",)


def server():
    boot = build.azure(0)
    return build.server(
        boot,
        mounts=[build.root(boot)],
        programs=[("mysqld", "/var/lib/mysql")],
        files=build.azure_told("Standard_B2s"),
        vm="microsoft",
        kernel="6.8.0-1020-azure",
    )
