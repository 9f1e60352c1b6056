"""A path of a container is found on the host by the mounts of both, or is not known."""

from fsadvisor.facts import Cause, Known
from fsadvisor.survey.program_files import Mounts
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine

HOST = [
    "1 0 8:0 / / rw - ext4 /dev/sda rw",
    "2 1 8:16 / /srv rw - xfs /dev/sdb rw",
    "3 1 0:40 /@data /data rw - btrfs /dev/sdc rw",
    "4 1 0:41 / /mnt rw - tmpfs tmpfs rw",
]
LAYER = "9 0 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/docker/overlay2/x/diff,workdir=/w"


def place(path, *theirs, host=HOST):
    return Mounts(machine(mounts=host), "".join(f"{line}\n" for line in theirs)).place(path)


@each(
    ("path", "mounts", "found", "in_layer"),
    [
        ("/data/pg", [LAYER], "/var/lib/docker/overlay2/x/diff/data/pg", True),
        ("/data/pg", [LAYER, "10 9 8:16 /volumes/db /data rw - xfs /dev/sdb rw"], "/srv/volumes/db/pg", False),
        ("/data", [LAYER, "10 9 8:16 / /data rw - xfs /dev/sdb rw"], "/srv", False),
        ("/data", [LAYER, "10 9 8:0 / /data rw - ext4 /dev/sda rw"], "/", False),
        ("/data", [LAYER, "10 9 0:40 /@data/db /data rw - btrfs /dev/sdc rw"], "/data/db", False),
        (
            "/database",
            [LAYER, "10 9 8:16 / /data rw - xfs /dev/sdb rw"],
            "/var/lib/docker/overlay2/x/diff/database",
            True,
        ),
        (
            "/data/pg",
            [LAYER, "10 9 8:16 /a /data rw - xfs /dev/sdb rw", "11 10 8:16 /b /data rw - xfs /dev/sdb rw"],
            "/srv/b/pg",
            False,
        ),
        ("/data", ["9 0 8:0 /root-of-lxc / rw - ext4 /dev/sda rw"], "/root-of-lxc/data", False),
    ],
)
def test_a_path_is_followed_to_the_host(path, mounts, found, in_layer):
    told = place(path, *mounts)
    assert (told.path.value, told.in_layer.value) == (found, in_layer)


@each(
    ("path", "mounts"),
    [
        ("/data", []),
        ("/data", [LAYER, "10 9 8:32 / /data rw - xfs /dev/sdd rw"]),
        ("/data", [LAYER, "10 9 0:40 /@other /data rw - btrfs /dev/sdc rw"]),
        ("/data/../etc", [LAYER]),
        ("/data", [LAYER.replace("upperdir", "hidden")]),
        ("/data", ["not a table of mounts"]),
    ],
)
def test_what_is_not_mounted_here_is_not_known(path, mounts):
    told = place(path, *mounts)
    assert told.path.cause is told.in_layer.cause is Cause.NOT_EXPOSED


def test_what_another_mount_of_the_host_hides_is_not_taken_for_it():
    hides = [*HOST, "5 2 8:32 / /srv/volumes rw - ext4 /dev/sdd rw"]
    mounts = [LAYER, "10 9 8:16 /volumes/db /data rw - xfs /dev/sdb rw"]
    assert isinstance(place("/data", *mounts).path, Known)
    assert place("/data", *mounts, host=hides).path.cause is Cause.NOT_EXPOSED


def contained(*theirs, files=(), settings=(), **more):
    """The facts of a PostgreSQL in a container."""
    told = {"pid": 7, "name": "postgres", "cwd": "/data", "paths": [], "settings": list(settings), "here": False}
    told |= {"container": "docker db", "mounts": "".join(f"{line}\n" for line in theirs)}
    made = machine(
        disk("sda"), disk("sdb", number="8:16"), mounts=HOST[:2], files=dict(files), processes=[told], **more
    )
    (found,) = [subject.scope["service"] for subject in survey(made, {}).subjects if subject.kind == "service"]
    return found


VOLUME = "10 9 8:16 /db /data rw - xfs /dev/sdb rw"
FILES = {"/srv/db/PG_VERSION": "15\n", "/srv/db/postgresql.conf": "fsync = off\n"}


def test_a_database_of_a_container_is_judged_by_its_volume():
    found = contained(LAYER, VOLUME, files=FILES)
    assert found.container.value == "docker db"
    assert found.mount_point.value == "/srv"
    assert found.in_container_layer.value is False
    assert found.fsync.value is False


def test_a_path_that_its_configuration_names_is_not_taken_for_the_hosts():
    found = contained(LAYER, VOLUME, files=FILES | {"/srv/db/postgresql.conf": "include '/etc/more.conf'\n"})
    assert found.fsync.cause is Cause.NOT_EXPOSED
    found = contained(LAYER, VOLUME, files=FILES, settings=[["config_file", "/etc/pg.conf"]])
    assert not isinstance(found.fsync, Known)


def redis(files, started=None, directory="/data"):
    told = {"pid": 7, "name": "redis-server", "cwd": directory, "paths": [], "settings": [], "here": False}
    told |= {"container": "docker cache", "mounts": f"{LAYER}\n{VOLUME}\n", "started": started}
    made = machine(disk("sda"), disk("sdb", number="8:16"), mounts=HOST[:2], files=files, processes=[told])
    (found,) = [subject.scope["service"] for subject in survey(made, {}).subjects if subject.kind == "service"]
    return found


OWN = "/proc/7/root/usr/local/etc/redis/redis.conf"


def test_redis_in_a_container_is_judged_by_its_own_file_and_never_by_the_hosts():
    text = "dir /data\nappendonly yes\nappendfsync always\n"
    found = redis({OWN: text, "/etc/redis/redis.conf": "dir /data\nappendonly no\n"})
    assert found.directory.value == "/srv/db"
    assert (found.appendonly.value, found.appendfsync.value, found.appendfsync.source) == (True, "always", OWN)
    assert redis({"/etc/redis/redis.conf": text}).appendonly.cause is Cause.NOT_EXPOSED


def test_redis_in_a_container_is_judged_by_what_its_engine_started_it_with():
    found = redis({}, started=[["config_file", None], ["appendonly", "yes"]])
    assert (found.appendonly.value, found.appendfsync.value) == (True, "everysec")
    found = redis(
        {OWN: "appendonly yes\nappendfsync no\n"}, started=[["config_file", OWN.removeprefix("/proc/7/root")]]
    )
    assert (found.appendonly.value, found.appendfsync.value) == (True, "no")
    assert redis({}, started=[["config_file", "/gone.conf"]]).appendonly.cause is Cause.NOT_EXPOSED
    assert (
        redis({OWN: "include /more.conf\n"}, started=[["config_file", OWN[12:]]]).appendonly.cause is Cause.NOT_EXPOSED
    )


def mysql(files, environment=()):
    told = {"pid": 7, "name": "mysqld", "cwd": "/data", "paths": [], "settings": [], "here": False}
    told |= {
        "container": "docker db",
        "mounts": f"{LAYER}\n{VOLUME}\n",
        "environment": [list(it) for it in environment],
    }
    made = machine(disk("sda"), disk("sdb", number="8:16"), mounts=HOST[:2], files=files, processes=[told])
    (found,) = [subject.scope["service"] for subject in survey(made, {}).subjects if subject.kind == "service"]
    return found


def test_mysql_in_a_container_is_judged_by_its_own_files_and_its_images_release():
    files = {
        "/proc/7/root/etc/my.cnf": "[mysqld]\ninnodb_flush_log_at_trx_commit=2\n!includedir /etc/mysql/conf.d/\n",
        "/proc/7/root/etc/mysql/conf.d/a.cnf": "[mysqld]\ninnodb_log_group_home_dir=/data/log\n",
        "/etc/my.cnf": "[mysqld]\ninnodb_flush_log_at_trx_commit=1\n",
    }
    found = mysql(files, [("MYSQL_VERSION", "8.4.0-1.el9")])
    assert (found.edition.value, found.server_version.value) == ("mysql", (8, 4, 0))
    assert found.innodb_flush_log_at_trx_commit.value == 2
    assert found.innodb_flush_method.value == "O_DIRECT"
    assert found.log_directory.value == "/srv/db/log"
    found = mysql(files, [("MARIADB_VERSION", "1:10.11.6+maria~ubu2204")])
    assert (found.edition.value, found.server_version.value) == ("mariadb", (10, 11, 6))
    assert mysql(files).innodb_flush_log_at_trx_commit.learn == "ask it in its container: SELECT VERSION()"
