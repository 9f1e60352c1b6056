"""A MySQL on an SSD with PLP; my.cnf was given flush_log_at_trx_commit = 2 after the server started. The expert:
nothing grave now, and what runs is not what the file says. Look before the next restart.
"""

from fsadvisor.survey.effective_settings import times_argv
from tests.panel import build

FIRST = ()
NEVER = ("commits-not-flushed", "innodb-never-flushes")


def server():
    drive = build.sata(attributes=build.PROTECTED)
    started = build.NOW - 100_000
    ticks = (started - (build.NOW - 864_000)) * 100
    files = {
        "/etc/my.cnf": "[mysqld]\ninnodb_flush_log_at_trx_commit = 2\n",
        "/proc/stat": f"btime {build.NOW - 864_000}\n",
        "/proc/1000/stat": f"1000 (mysqld) S 1 {'0 ' * 17}{ticks} 0 0\n",
    }
    said = build.MYSQL | {" ".join(times_argv(["/etc/my.cnf"])): f"{build.NOW - 3600}\n"}
    return build.server(
        drive,
        mounts=[build.root(drive), build.on(drive, "/var/lib/mysql", "xfs")],
        programs=[("mysqld", "/var/lib/mysql")],
        files=files,
        commands=said,
    )
