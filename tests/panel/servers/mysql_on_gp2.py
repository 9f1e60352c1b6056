"""MySQL as installed on a gp2 volume of 500 GiB, nvme-cli too old to ask EBS for its limits. The expert: nothing is
wrong; that the volume's limits were not told is no finding.
"""

from fsadvisor.readers import nvme_output
from tests.panel import build

FIRST = ()
NEVER = ("cloud-volume-at-its-limit", "commits-wait-for-drive", "database-without-redundancy", "data-on-instance-store")


def server():
    boot, data = build.ebs(0, 30 * build.GIB), build.ebs(1)
    for disk in (boot, data):
        del disk.commands[" ".join(nvme_output.amzn_stats_argv(f"/dev/{disk.name}"))]
    return build.server(
        boot,
        data,
        mounts=[build.root(boot), build.Mount("/var/lib/mysql", "nvme1n1", "259:16", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        commands=build.MYSQL,
        vm="amazon",
        files=build.AMAZON,
    )
