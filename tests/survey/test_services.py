"""What programs are configured to do, as they themselves read it, and how their files lie."""

import pytest

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.survey import host
from fsadvisor.survey.services import on_one_mount
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel.servers import postgresql_log_on_one_drive
from tests.told import disk, machine

DATA = "/var/lib/postgresql/15/main"
MYSQL = "/var/lib/mysql"
DENIED = Unknown(Cause.DENIED, "run as root")
ROOT_MOUNT = "1 0 8:0 / / rw - ext4 /dev/sda rw"
OTHER_MOUNT = "2 1 8:16 / /srv rw - xfs /dev/sdb rw"
MARIADB = {"mariadbd --version": "mariadbd  Ver 10.11.6-MariaDB for Linux on x86_64\n"}
MYSQL_80 = {"mysqld --version": "mysqld  Ver 8.0.36 for Linux on x86_64\n"}
MYSQL_84 = {"mysqld --version": "mysqld  Ver 8.4.0 for Linux on x86_64\n"}


def process(name, cwd=None, settings=(), here=True, paths=()):
    return {"pid": 1, "name": name, "cwd": cwd, "paths": list(paths), "settings": list(settings), "here": here}


def services(*processes, files=(), **more):
    made = machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        mounts=[ROOT_MOUNT, OTHER_MOUNT],
        files=dict(files),
        processes=processes,
        **more,
    )
    return [subject.scope["service"] for subject in survey(made, {}).subjects if subject.kind == "service"]


def service(*processes, **more):
    (found,) = services(*processes, **more)
    return found


def postgres(files, settings=(), here=True, version="15\n", **more):
    files = {f"{DATA}/PG_VERSION": version, f"{DATA}/postgresql.conf": "", **files}
    return service(process("postgres", DATA, settings, here), files=files, **more)


def mysql(cnf, commands=MYSQL_80, name="mysqld", settings=(), files=(), here=True, **more):
    files = {"/etc/my.cnf": cnf, **dict(files)}
    return service(process(name, MYSQL, settings, here), files=files, commands=commands, **more)


def test_what_no_file_of_postgresql_sets_is_its_default():
    found = postgres({})
    assert found.server_version.value == (15, 0, 0)
    assert found.fsync.value is found.full_page_writes.value is found.wal_recycle.value is True
    assert found.wal_sync_method.value == "fdatasync"
    assert found.direct_io.value is False
    assert found.buffer_bytes.value == 128 << 20
    assert found.checkpoint_flush_after_bytes.value == 256 << 10
    assert found.io_method.cause is Cause.NOT_APPLICABLE


def test_alter_system_wins_over_the_file_and_an_argument_over_both():
    files = {
        f"{DATA}/postgresql.conf": "fsync = on\nfull_page_writes = on\n",
        f"{DATA}/postgresql.auto.conf": "fsync = 'off'\n",
    }
    assert postgres(files).fsync.value is False
    assert postgres(files).fsync.source == f"{DATA}/postgresql.auto.conf"
    assert postgres(files, [["fsync", "on"], ["full_page_writes", "off"]]).fsync.value is True
    assert postgres(files, [["full_page_writes", "off"]]).full_page_writes.value is False


def test_debians_file_in_etc_is_found_and_its_includes_followed_in_order():
    conf = "/etc/postgresql/15/main"
    files = {
        f"{conf}/postgresql.conf": "fsync = on\ninclude_dir 'conf.d'\ninclude 'late.conf'\ninclude_if_exists 'none'\n",
        f"{conf}/conf.d/a.conf": "fsync = off\nshared_buffers = 4GB\n",
        f"{conf}/conf.d/.hidden.conf": "fsync = on\n",
        f"{conf}/conf.d/b.conf~": "fsync = on\n",
        f"{conf}/late.conf": "shared_buffers = 1000\n",
    }
    found = postgres(files, [["config_file", f"{conf}/postgresql.conf"]])
    assert found.fsync.value is False
    assert found.buffer_bytes.value == 1000 * 8192


@pytest.mark.parametrize("line", ["include 'denied.conf'", "include_dir 'nowhere'", "include 'postgresql.conf'"])
def test_an_include_that_can_not_be_followed_leaves_everything_open(line):
    found = postgres({f"{DATA}/postgresql.conf": f"fsync = off\n{line}\n", f"{DATA}/denied.conf": DENIED})
    assert isinstance(found.fsync, Unknown)
    assert isinstance(found.buffer_bytes, Unknown)


@each("cnf", [DENIED, "[mysqld]\n!include /etc/own.cnf\n"])
def test_a_file_that_can_not_be_read_may_have_changed_since_the_start(cnf):
    changed = mysql(cnf, files={"/etc/own.cnf": DENIED}).settings_changed
    assert (changed.cause, changed.learn) == (DENIED.cause, "run as root")


def test_a_recording_without_the_files_says_nothing_about_them():
    again = Unknown(Cause.NOT_EXPOSED, "capture it again")
    assert isinstance(postgres({f"{DATA}/postgresql.auto.conf": again}).fsync, Unknown)


def test_settings_of_a_later_postgresql_need_its_version():
    assert postgres({}, version="18\n").io_method.value == "worker"
    assert postgres({}, version="9.6\n").wal_recycle.cause is Cause.NOT_APPLICABLE
    assert postgres({}, version="x").io_method.cause is Cause.UNREADABLE


@each(("value", "expected"), [("off", "off"), ("FALSE", "off"), ("remote_apply", "remote_apply"), ("yes", "on")])
def test_what_a_commit_waits_for_is_told_in_postgresqls_words(value, expected):
    found = postgres({f"{DATA}/postgresql.conf": f"synchronous_commit = {value}\n"})
    assert found.synchronous_commit.value == expected


@pytest.mark.parametrize("root", [True, False])
def test_only_who_is_not_root_is_told_to_be_root(root):
    found = service(process("postgres", here=None) | {"denied": True}, root=root)
    unknown = (found.directory, found.fsync, found.in_container_layer, found.settings_changed)
    assert {it.learn == "run as root" for it in unknown} == {not root}
    assert all(it.learn for it in unknown)


def test_a_program_in_a_container_is_not_taken_for_one_with_our_files():
    found = postgres({f"{DATA}/postgresql.conf": "fsync = off\n"}, here=False)
    assert found.directory.learn == found.fsync.learn == "run fsadvisor in its container"
    assert found.mount_point.cause is Cause.NOT_EXPOSED


def test_a_database_in_shared_memory_is_not_taken_for_one_on_the_root():
    shared = "3 1 0:20 / /dev/shm rw - tmpfs tmpfs rw"
    made = machine(disk("sda"), mounts=[ROOT_MOUNT, shared], processes=[process("postgres", "/dev/shm/pg")])
    (found,) = [subject.scope["service"] for subject in survey(made, {}).subjects if subject.kind == "service"]
    assert found.mount_point.value == "/dev/shm"


def test_where_the_root_folder_of_a_program_is_not_known_its_settings_are_not():
    assert postgres({f"{DATA}/postgresql.conf": "fsync = off\n"}, here=None, root=False).fsync.cause is Cause.DENIED


def test_a_log_behind_a_link_to_another_disk_is_apart():
    assert postgres({}).log_apart.value is False
    assert postgres({}).log_on_mount.value is True
    made = machine(
        disk("sda"),
        disk("sdb", number="8:16"),
        mounts=[ROOT_MOUNT, OTHER_MOUNT],
        files={f"{DATA}/PG_VERSION": "15\n"},
        processes=[process("postgres", DATA)],
    )
    made.links[f"{DATA}/pg_wal"] = "/srv/wal"
    (found,) = [subject.scope["service"] for subject in survey(made, {}).subjects if subject.kind == "service"]
    assert found.log_directory.value == "/srv/wal"
    assert found.log_apart.value is True
    assert found.log_on_mount.value is False


@pytest.mark.parametrize(("data", "lost"), [("raid1", True), ("raid10", True), ("raid0", False)])
def test_a_log_on_one_drive_is_lost_before_the_files_where_those_survive_its_loss(data, lost):
    made = postgresql_log_on_one_drive.server(data)
    (found,) = [it.scope["service"] for it in survey(made, {}).subjects if it.kind == "service"]
    assert found.log_lost_before_files.value is lost


def test_a_log_beside_the_files_is_not_lost_before_them():
    assert postgres({}).log_lost_before_files.value is False


@each("known", [{}, {"/srv": Known("/srv", "")}, {"/log": Known("/log", "")}])
def test_a_folder_whose_mount_is_not_known_may_be_on_that_of_another(known):
    assert on_one_mount(Known("/srv", ""), Known("/log", ""), lambda it: known.get(it, DENIED)) is DENIED


def test_a_log_on_a_disk_of_a_hypervisor_may_have_copies():
    made = postgresql_log_on_one_drive.server()
    made.commands["systemd-detect-virt --vm"] = "kvm\n"
    (found,) = [it.scope["service"] for it in survey(made, {}).subjects if it.kind == "service"]
    assert isinstance(found.log_lost_before_files, Unknown)


def test_programs_on_one_disk_share_it():
    on_sda = process("postgres", DATA), process("mysqld", MYSQL)
    assert [it.shares_disk.value for it in services(*on_sda)] == [True, True]
    assert [it.shares_disk.value for it in services(on_sda[0], process("mysqld", "/srv/mysql"))] == [False, False]
    assert isinstance(services(on_sda[0], process("mysqld", None, here=False))[0].shares_disk, Unknown)


@pytest.mark.parametrize(
    ("commands", "name", "expected"),
    [(MYSQL_80, "mysqld", "fsync"), (MYSQL_84, "mysqld", "O_DIRECT"), (MARIADB, "mariadbd", "O_DIRECT")],
)
def test_the_default_flush_method_follows_the_release(commands, name, expected):
    found = mysql("[mysqld]\n", commands, name)
    assert found.innodb_flush_method.value == expected
    assert found.direct_io.value is (expected == "O_DIRECT")


@each(
    ("cnf", "expected"),
    [
        ("[mysqld]\ninnodb-flush-method = nosync\n", "nosync"),
        ("[mysqld]\ninnodb_flush_method = 4\n", "O_DIRECT"),
        ("[mysqld-8.0]\ninnodb_flush_method = o_direct\n", "O_DIRECT"),
        ("[mysqld-5.7]\ninnodb_flush_method = nosync\n", "fsync"),
        ("[mariadb]\ninnodb_flush_method = nosync\n", "fsync"),
        ("[mysqldump]\ninnodb_flush_method = nosync\n", "fsync"),
        ("[server]\ninnodb_flush_method = nosync\n[mysqld]\ninnodb_flush_method = fsync\n", "fsync"),
        ("[mysqld]\ninnodb_flush_method = whatever\n", None),
    ],
)
def test_a_flush_method_is_read_off_the_groups_of_this_server(cnf, expected):
    found = mysql(cnf).innodb_flush_method
    assert isinstance(found, Unknown) if expected is None else found.value == expected


@each(
    ("line", "expected"),
    [
        ("skip-innodb-doublewrite", "OFF"),
        ("innodb_doublewrite = 0", "OFF"),
        ("innodb_doublewrite", "ON"),
        ("innodb_doublewrite = DETECT_AND_RECOVER", "ON"),
        ("innodb_doublewrite = detect_only", "DETECT_ONLY"),
        ("", "ON"),
    ],
)
def test_doublewrite_is_told_in_few_words(line, expected):
    assert mysql(f"[mysqld]\n{line}\n").innodb_doublewrite.value == expected


def test_a_dedicated_mysql_chooses_what_is_not_set():
    found = mysql("[mysqld]\ninnodb_dedicated_server = ON\n")
    assert found.innodb_flush_method.value == "O_DIRECT_NO_FSYNC"
    assert isinstance(found.buffer_bytes, Unknown)
    assert mysql("[mysqld]\ninnodb_dedicated_server\ninnodb_buffer_pool_size=1G\n").buffer_bytes.value == 1 << 30


def test_option_files_are_followed_in_order_and_arguments_win():
    files = {
        "/etc/mysql/my.cnf": "!includedir /etc/mysql/conf.d/\n",
        "/etc/mysql/conf.d/a.cnf": "[mysqld]\ninnodb_buffer_pool_size = 2G\n",
        "/etc/mysql/conf.d/z.cnf.bak": "[mysqld]\ninnodb_buffer_pool_size = 3G\n",
    }
    assert mysql("[mysqld]\ninnodb_buffer_pool_size = 1G\n", files=files).buffer_bytes.value == 2 << 30
    given = [["innodb_buffer_pool_size", "512M"]]
    found = mysql("", files=files, settings=given)
    assert found.buffer_bytes.value == 512 << 20
    assert found.buffer_percent.value == 0


def test_persisted_variables_of_mysql_win_over_option_files():
    persisted = {f"{MYSQL}/mysqld-auto.cnf": '{"Version": 2, "x": {"innodb_doublewrite": {"Value": "OFF", "M": {}}}}'}
    assert mysql("[mysqld]\ninnodb_doublewrite = ON\n", files=persisted).innodb_doublewrite.value == "OFF"


def test_files_of_another_server_do_not_speak_for_this_one():
    assert isinstance(mysql("[mysqld]\ndatadir = /srv/second\ninnodb_doublewrite = 0\n").innodb_doublewrite, Unknown)
    alone = [["defaults_file", "/etc/second.cnf"]]
    found = mysql("[mysqld]\ninnodb_doublewrite = 0\n", settings=alone, files={"/etc/second.cnf": "[mysqld]\n"})
    assert found.innodb_doublewrite.value == "ON"


def test_innodb_has_checksums_unless_they_are_switched_off():
    assert mysql("").own_checksums.value is True
    assert mysql("[mysqld]\ninnodb_checksum_algorithm = strict_none\n").own_checksums.value is False
    assert postgres({}).own_checksums.cause is Cause.NOT_ATTESTED


def test_a_release_is_read_off_the_data_folder_where_the_program_is_elsewhere():
    found = mysql("", commands={}, files={f"{MYSQL}/mysql_upgrade_info": "10.4.1-MariaDB"})
    assert (found.edition.value, found.innodb_flush_method.value) == ("mariadb", "fsync")
    assert isinstance(mysql("", commands={}).innodb_flush_method, Unknown)


def test_mariadb_11_has_a_switch_for_the_page_cache():
    newer = {"mariadbd --version": "mariadbd  Ver 11.4.2-MariaDB\n"}
    cnf = "[mariadb]\ninnodb_data_file_buffering = ON\n"
    assert mysql(cnf, newer, "mariadbd").direct_io.value is False
    assert mysql("", newer, "mariadbd").direct_io.value is True


def test_redis_is_told_by_the_file_that_names_its_folder():
    text = "dir /var/lib/redis\nappendonly yes\nappendfsync no\n"
    found = service(process("redis-server", "/var/lib/redis"), files={"/etc/redis/redis.conf": text})
    assert (found.appendonly.value, found.appendfsync.value) == (True, "no")
    other = service(process("redis-server", "/srv/redis"), files={"/etc/redis/redis.conf": text})
    assert isinstance(other.appendfsync, Unknown)


@each(
    ("text", "folder", "unsafe", "log"),
    [
        ("data-dir: /srv/etcd\n", "/srv/etcd", False, "/srv/etcd/member/wal"),
        ("data-dir: '/srv/etcd'\nwal-dir: /wal # fast\nunsafe-no-fsync: true\n", "/srv/etcd", True, "/wal"),
        ("wal-dir:\n", None, False, None),
        ("data-dir: default.etcd\n", None, False, None),
    ],
)
def test_etcd_with_a_configuration_file_heeds_that_alone(text, folder, unsafe, log):
    told = [["config_file", "/etc/etcd.yml"], ["unsafe_no_fsync", None]]
    found = service(process("etcd", "/", told), files={"/etc/etcd.yml": text})
    values = [getattr(it, "value", None) for it in (found.directory, found.unsafe_no_fsync, found.log_directory)]
    assert values == [folder, unsafe, log]


def test_etcd_whose_file_cannot_be_read_has_no_known_folder():
    found = service(process("etcd", "/", [["config_file", "/etc/etcd.yml"]]))
    assert all(isinstance(it, Unknown) for it in (found.directory, found.unsafe_no_fsync, found.log_directory))


def test_etcd_tells_by_its_arguments_what_it_was_told_and_nothing_else():
    told = [["data_dir", "/srv/etcd"], ["unsafe_no_fsync", None]]
    found = service(process("etcd", "/", told, paths=["/srv/wal", "/srv/etcd"]))
    assert (found.directory.value, found.unsafe_no_fsync.value) == ("/srv/etcd", True)
    assert isinstance(service(process("etcd", "/", [])).unsafe_no_fsync, Unknown)


def test_docker_tells_its_driver_only_where_there_was_no_other():
    one = {"/var/lib/docker/image/vfs/repositories.json": ""}
    both = {**one, "/var/lib/docker/image/overlay2/repositories.json": ""}
    assert service(process("dockerd", "/"), files=one).storage_driver.value == "vfs"
    assert isinstance(service(process("dockerd", "/"), files=both).storage_driver, Unknown)


def laid(files, whole=True, largest_folder=10):
    return {DATA: {"whole": whole, "largest_folder": largest_folder, "files": files}}


def file(extents, mapped, encoded=0):
    return {
        "bytes": mapped,
        "extents": extents,
        "mapped_bytes": mapped,
        "encoded": encoded,
        "unwritten": 0,
        "shared": 0,
        "whole": True,
    }


def test_extents_are_counted_per_gib_of_what_was_looked_at():
    found = postgres({}, extents=laid([file(3000, 1 << 30), file(1000, 1 << 30)]))
    assert (found.extents.value, found.extents_per_gib.value) == (4000, 2000)
    assert postgres({}, extents=laid([])).extents_per_gib.value == 0


def test_extents_of_compressed_files_tell_nothing():
    assert isinstance(postgres({}, extents=laid([file(8192, 1 << 30, encoded=8192)])).extents_per_gib, Unknown)


def test_a_count_of_names_that_was_cut_short_counts_only_where_it_is_large():
    assert postgres({}, extents=laid([], whole=False, largest_folder=150_000)).largest_folder.value == 150_000
    assert isinstance(postgres({}, extents=laid([], whole=False, largest_folder=500)).largest_folder, Unknown)


@each(
    ("text", "root", "expected"),
    [
        ("/etc/cron.d/defrag\n/etc/crontab\n", True, ("/etc/cron.d/defrag", "/etc/crontab")),
        ("grep: nonsense\n", True, None),
        ("/etc/crontab\n", False, ("/etc/crontab",)),
        ("", False, None),
    ],
)
def test_jobs_that_defragment_are_known_by_their_files(text, root, expected):
    made = machine(disk("sda"), mounts=[ROOT_MOUNT], root=root, commands={" ".join(host.DEFRAGMENTING): text})
    found = survey(made, {}).subjects[0].scope["host"].defrag_jobs
    assert isinstance(found, Unknown) if expected is None else found.value == expected


@each(
    ("writes", "directory"),
    [
        ("/srv/ldap", "/srv/ldap"),
        ("/var/lib/ldap/deep", "/var/lib/ldap"),
        ("/var/lib/ldap2", "/var/lib/ldap2"),
        (None, "/var/lib/ldap"),
    ],
)
def test_a_folder_that_only_a_configuration_file_names_is_told_by_what_is_written(writes, directory):
    assert service({**process("slapd", "/", paths=["/etc/ldap.conf"]), "writes": writes}).directory.value == directory
