"""Programs and their settings by ps and the copied configuration files of an archive."""

import json

import pytest

from fsadvisor.facts import Unknown
from fsadvisor.machine.opening import open_machine
from fsadvisor.survey.whole import survey
from tests.machine.test_archive_versions import known, mangled, section, seen, sos, write

GROUPS = "ps axo pid,ppid,user,group,lwp,nlwp,start_time,comm,cgroup"
HEAD = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
ROWS = {
    900: "postgres {} 0.0 0.1 1 1 ? Ss 10:00 0:01 /usr/bin/postgres -D /srv/pg/data -c fsync=off",
    901: "postgres {} 0.0 0.1 1 1 ? Ss 10:00 0:01 postgres: checkpointer",
    902: "mysql {} 0.0 0.1 1 1 ? Ssl 10:00 0:01 /usr/libexec/mysqld --basedir=/usr",
    903: "redis {} 0.0 0.1 1 1 ? Ssl Nov25 0:01 /usr/bin/redis-server 127.0.0.1:6379",
    904: "root {} 0.0 0.1 1 1 ? Ssl Nov25 0:01 etcd --data-dir=/var/lib/etcd --unsafe-no-fsync",
    905: "root {} 0.0 0.0 0 0 ? S Nov25 0:01 [postgres]",
}
PS = HEAD + "".join(f"{row.format(pid)}\n" for pid, row in ROWS.items())
IN_POD = f"kubepods.slice/kubepods-burstable.slice/cri-containerd-{'a' * 64}.scope"
CGROUPS = "    PID    PPID USER     GROUP        LWP NLWP START COMMAND         CGROUP\n" + "".join(
    f"{pid} 1 x x {pid} 1 10:00 {name} {group}\n"
    for pid, name, group in (
        (900, "postgres", "0::/system.slice/postgresql.service"),
        (901, "postgres", "0::/system.slice/postgresql.service"),
        (902, "mysqld", "0::/system.slice/mariadb.service"),
        (903, "redis-server", "0::/system.slice/redis.service"),
        (904, "etcd", f"0::/{IN_POD}"),
    )
)
CONFIGURED = {
    "etc/my.cnf": "!includedir /etc/my.cnf.d\n",
    "etc/my.cnf.d/server.cnf": "[mysqld]\ndatadir=/srv/mysql\ninnodb_flush_log_at_trx_commit=2\n",
    "etc/mysql/my.cnf": "",
    "usr/etc/my.cnf": "",
    "etc/redis.conf": "dir /srv/redis\nappendonly yes\nappendfsync always\n",
    "srv/pg/data/postgresql.conf": "full_page_writes = off\n",
    "srv/pg/data/postgresql.auto.conf": "",
    "srv/pg/data/PG_VERSION": "15\n",
    "sos_commands/rpm/sh_-c_rpm_--nodigest_-qa": "mariadb-server-10.5.22-1.el9.x86_64 Tue Jan 2 2024\n",
}


def told(tmp_path, outputs, files=()):
    texts = {f"sos_commands/process/{mangled(it.replace(',', '_'))}": text for it, text in outputs.items()}
    machine = open_machine(write(tmp_path, texts | dict(files)))
    answer = machine.processes(["postgres", "mysqld", "mariadbd", "redis-server", "etcd", "clickhouse-serv"])
    return answer if isinstance(answer, Unknown) else {it["pid"]: it for it in json.loads(answer.text)}


def test_ps_tells_names_paths_settings_and_who_is_in_a_container(tmp_path):
    found = told(tmp_path, {"ps auxwwwm": PS, GROUPS: CGROUPS})
    assert sorted(found) == [900, 901, 902, 903, 904]
    assert [found[pid]["here"] for pid in sorted(found)] == [True, True, True, True, False]
    assert found[900]["paths"] == ["/usr/bin/postgres", "/srv/pg/data"]
    assert ["fsync", "off"] in found[900]["settings"]
    assert (found[904]["container"], found[904]["user"]) == (f"containerd {'a' * 12}", "root")


def test_mount_tables_tell_who_has_the_hosts_root(tmp_path):
    root = "22 1 253:0 / / rw - xfs /dev/dm-0 rw\n"
    tables = {"proc/1/mountinfo": root, "proc/900/mountinfo": root, "proc/902/mountinfo": root.replace("253:0", "0:55")}
    found = told(tmp_path, {"ps auxwww": PS}, tables)
    assert [found[pid]["here"] for pid in (900, 902, 903)] == [True, False, None]


def test_the_kernels_own_name_counts_where_it_was_kept(tmp_path):
    row = HEAD + "root 77 0.0 0.0 1 1 ? S 10:00 0:01 /opt/bin/server-of-ours\nroot 78 0 0 1 1 ? S 10:00 0:01 etcd\n"
    status = {"proc/77/status": "Name:\tetcd\nPid:\t77\n", "proc/78/status": "Name:\tsh\n"}
    assert list(told(tmp_path, {"ps aux": row}, status)) == [77]


@pytest.mark.parametrize("pid", ["\u00b2", "9" * 5000])
def test_a_number_that_no_kernel_gives_is_no_process(tmp_path, pid):
    rows = f"root {pid} 0 0 1 1 ? S 10:00 0:01 etcd\nroot 77 0 0 1 1 ? S 10:00 0:01 etcd\n"
    assert list(told(tmp_path, {"ps aux": HEAD + rows, GROUPS: f"{CGROUPS}{pid} 1 0 0 1 1 10:00 etcd 0::/\n"})) == [77]


@pytest.mark.parametrize("text", ["", "PID CMD\n1 etcd\n", HEAD.replace("COMMAND", "X")])
def test_a_list_of_another_form_is_no_answer(tmp_path, text):
    assert isinstance(told(tmp_path, {"ps aux": text}), Unknown)


def services(place):
    return {it: subject for it, subject in seen(place).items() if it.startswith("service:")}


def test_a_sos_archive_has_databases_with_what_their_files_set(tmp_path):
    top = sos(tmp_path, "sos 4.10")
    outputs = {"ps auxwwwm": PS, GROUPS: CGROUPS}
    write(
        top,
        CONFIGURED | {f"sos_commands/process/{mangled(it.replace(',', '_'))}": text for it, text in outputs.items()},
    )
    found = services(top)
    facts = {it.partition(" ")[0]: subject for it, subject in found.items()}
    by_program = {known(subject, "service.program"): subject for subject in facts.values()}
    assert known(by_program["postgresql"], "service.fsync") is False
    assert known(by_program["postgresql"], "service.full_page_writes") is False
    assert known(by_program["mysql"], "service.innodb_flush_log_at_trx_commit") == 2
    assert known(by_program["redis"], "service.appendfsync") == "always"
    assert [known(by_program[it], "service.directory") for it in ("postgresql", "mysql", "redis")] == [
        "/srv/pg/data",
        "/srv/mysql",
        "/srv/redis",
    ]


def test_without_a_directory_the_command_that_tells_it_is_named(tmp_path):
    top = sos(tmp_path, "sos 3.6")
    write(top, {"sos_commands/process/ps_auxwww": PS})
    storage = survey(open_machine(top), {})
    unknown = [
        it.scope["service"].directory
        for it in storage.subjects
        if it.id.startswith("service:") and isinstance(it.scope["service"].directory, Unknown)
    ]
    assert {it.learn for it in unknown} >= {"run `pwdx $(pgrep -o redis-server)` on the machine"}


def test_a_supportconfigs_list_is_read(tmp_path):
    rows = "USER PID PPID %CPU %MEM VSZ RSS STAT TIME CMD\nroot 5 1 0.0 0.0 1 1 Ss 0:00 etcd --data-dir=/srv/etcd\n"
    command = "/bin/ps axwwo user,pid,ppid,%cpu,%mem,vsz,rss,stat,time,cmd"
    write(
        tmp_path, {"s/basic-environment.txt": "", "s/basic-health-check.txt": section("Command", command, rows.strip())}
    )
    answer = open_machine(tmp_path).processes(["etcd"])
    assert [it["paths"] for it in json.loads(answer.text)] == [["/srv/etcd"]]
