"""Rules about programs fire through the real readers, and not on their neighbours."""

from fsadvisor.rulebook.advise import advise
from fsadvisor.rulebook.loading import own_rulebook
from fsadvisor.rulebook.rule import Outcome
from fsadvisor.survey import host
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine

RULES = own_rulebook().rules
PG, MYSQL = "/var/lib/postgresql/15/main", "/var/lib/mysql"
MYSQL_80 = {"mysqld --version": "mysqld  Ver 8.0.11 for Linux on x86_64\n"}
STALLED = {
    "/proc/pressure/io": "some avg10=0 avg60=40.00 avg300=0 total=1\nfull avg10=0 avg60=30.00 avg300=0 total=1\n"
}


def process(name, cwd, settings=(), here=True):
    return {"pid": 1, "name": name, "cwd": cwd, "paths": [cwd], "settings": list(settings), "here": here}


def verdicts(fs_type, options, running, files=(), commands=(), rotational="0", extents=()):
    made = machine(
        disk("sda", queue__rotational=rotational),
        mounts=[f"1 0 8:0 / / rw - {fs_type} /dev/sda {options}"],
        files=dict(files),
        processes=running,
        commands=dict(commands),
        extents=dict(extents),
    )
    return {(it.rule.id, it.subject.kind): it.outcome for it in advise(survey(made, {}), RULES)}


def postgres(conf, settings=(), here=True, fs_type="ext4", options="rw", version="15", **more):
    files = {f"{PG}/PG_VERSION": version, f"{PG}/postgresql.conf": conf} | more.pop("files", {})
    return verdicts(fs_type, options, [process("postgres", PG, settings, here)], files, **more)


def mysql(cnf, fs_type="xfs", **more):
    return verdicts(fs_type, "rw", [process("mysqld", MYSQL)], {"/etc/my.cnf": f"[mysqld]\n{cnf}\n"}, MYSQL_80, **more)


def redis(conf):
    files = {"/etc/redis/redis.conf": f"dir /var/lib/redis\n{conf}\n"}
    return verdicts("ext4", "rw", [process("redis-server", "/var/lib/redis")], files)


def laid(extents, names=10):
    file = {"bytes": 1 << 30, "extents": extents, "mapped_bytes": 1 << 30, "whole": True}
    file |= {"encoded": 0, "unwritten": 0, "shared": 0}
    return {"whole": True, "largest_folder": names, "files": [file]}


FIRES = {
    "postgresql-fsync-off": lambda: postgres("fsync = off\n"),
    "postgresql-full-page-writes-off": lambda: postgres("", [["full_page_writes", "off"]]),
    "postgresql-synchronous-reads": lambda: postgres("io_method = sync\n", version="18"),
    "postgresql-direct-io-for-developers": lambda: postgres("debug_io_direct = 'data, wal'\n", version="17"),
    "postgresql-large-buffers": lambda: postgres("shared_buffers = 40GB\n"),
    "postgresql-log-not-preallocated": lambda: postgres("wal_recycle = off\n"),
    "postgresql-log-recycled-on-cow": lambda: postgres("", fs_type="zfs"),
    "postgresql-checkpoint-bursts": lambda: postgres("checkpoint_flush_after = 0\n", files=STALLED),
    "commits-not-flushed": lambda: postgres("synchronous_commit = off\n"),
    "database-in-memory": lambda: postgres("", fs_type="tmpfs"),
    "database-on-overlay": lambda: postgres("", fs_type="overlay"),
    "database-on-soft-nfs": lambda: postgres("", fs_type="nfs4", options="rw,soft,proto=tcp"),
    "database-on-network-filesystem": lambda: mysql("", fs_type="nfs"),
    "database-files-in-pieces": lambda: postgres("", extents={PG: laid(5000)}),
    "innodb-never-flushes": lambda: mysql("innodb_flush_method = nosync"),
    "innodb-doublewrite-off": lambda: mysql("skip-innodb-doublewrite"),
    "innodb-unflushed-direct-writes": lambda: mysql("innodb_flush_method = O_DIRECT_NO_FSYNC"),
    "innodb-double-cached": lambda: mysql("innodb_buffer_pool_size = 40G"),
    "log-beside-data-on-hard-disk": lambda: mysql("", rotational="1"),
    "redis-log-not-flushed": lambda: redis("appendonly yes\nappendfsync no"),
    "etcd-never-flushes": lambda: verdicts(
        "ext4", "rw", [process("etcd", "/", [["unsafe_no_fsync", None], ["data_dir", "/var/lib/etcd"]])]
    ),
    "etcd-on-hard-disk": lambda: verdicts("ext4", "rw", [process("etcd", "/")], rotational="1"),
    "consensus-log-shares-disk": lambda: verdicts(
        "ext4", "rw", [process("etcd", "/"), process("postgres", PG)], STALLED
    ),
    "mongodb-on-ext4": lambda: verdicts("ext4", "rw", [process("mongod", "/")]),
    "docker-copies-whole-layers": lambda: verdicts(
        "ext4", "rw", [process("dockerd", "/")], {"/var/lib/docker/image/vfs/x": ""}
    ),
    "docker-removed-driver": lambda: verdicts(
        "ext4", "rw", [process("dockerd", "/")], {"/var/lib/docker/image/devicemapper/x": ""}
    ),
    "crowded-program-folder": lambda: verdicts(
        "xfs", "rw", [process("dovecot", "/")], extents={"/var/mail": laid(1, 200_000)}
    ),
    "writeback-switched-off": lambda: verdicts("ext4", "rw", [], {"/proc/sys/vm/dirty_writeback_centisecs": "0\n"}),
    "dirty-limit-tiny": lambda: verdicts("ext4", "rw", [], {"/proc/sys/vm/dirty_bytes": "1048576\n"}),
    "tasks-wait-for-disks": lambda: verdicts("ext4", "rw", [], STALLED),
    "defragmentation-by-the-clock": lambda: verdicts(
        "ext4", "rw", [], commands={" ".join(host.DEFRAGMENTING): "/etc/cron.monthly/defrag\n"}
    ),
}


@each("rule", FIRES)
def test_a_rule_fires_on_the_machine_that_it_is_about(rule):
    found = FIRES[rule]()
    assert Outcome.ADVISE in [outcome for (name, _), outcome in found.items() if name == rule]


@each("rule", [rule for rule in FIRES if rule.startswith(("postgresql", "database", "innodb"))])
def test_no_rule_about_databases_fires_on_one_with_the_defaults_of_today(rule):
    made = postgres("", version="18", extents={PG: laid(9)})
    assert Outcome.ADVISE not in [outcome for (name, _), outcome in made.items() if name == rule]


def test_the_configuration_of_a_database_in_a_container_is_not_judged_by_our_files():
    found = postgres("fsync = off\n", here=False)
    assert found["postgresql-fsync-off", "service"] is Outcome.UNDETERMINED


def test_a_redis_that_flushes_always_is_told_so_only_when_its_owner_allows_loss():
    assert redis("appendonly yes\nappendfsync always")["redis-flush-per-write", "service"] is Outcome.WITHHELD
