"""One program at work in a mount namespace of its own: what its client says, and what fsadvisor tells of it.

`unshare --mount python -m tests.programs.running PROGRAM TREE FOLDER` prints both as JSON. TREE holds packages,
unpacked, which lie over /usr and /etc as if they were installed, for these processes alone. FOLDER is the program's.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from fsadvisor.facts import Unknown
from fsadvisor.machine.live import LiveMachine
from fsadvisor.survey.whole import survey
from tests.addresses import own_address

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
END_S = 900
"""So late that only what never comes misses it."""


def said(*argv):
    """What a command prints."""
    done = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=END_S)
    assert done.returncode == 0, f"{argv}: {done.stderr[-2500:]}"
    return done.stdout


def lay_over(tree, folder):
    """The packages over the system's own folders; what is written to /etc stays in the folder."""
    for name in ("usr", "etc"):
        upper, work = folder / f"{name}-upper", folder / f"{name}-work"
        for one in (upper, work, tree / name):
            one.mkdir(exist_ok=True)
        options = f"lowerdir={tree / name}:/{name},upperdir={upper},workdir={work}"
        said("mount", "-t", "overlay", "overlay", "-o", options, f"/{name}")


@contextlib.contextmanager
def server(*argv, ready):
    """A server that answers, until the block ends; it ends by itself when asked to."""
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            end = time.monotonic() + END_S
            while subprocess.run(ready, check=False, capture_output=True).returncode:
                assert process.poll() is None, process.stderr.read()[-2000:]
                assert time.monotonic() < end, "it does not answer"
                time.sleep(0.1)
            yield
        finally:
            process.terminate()
            process.communicate(timeout=END_S)
    assert process.returncode in (0, -15), f"it did not end cleanly: {process.returncode}"


def told(program, data):
    """The facts of a running program by its data folder; a value that is not known as its cause."""
    found = survey(LiveMachine(), {}).subjects
    service = next(it.scope["service"] for it in found if it.id == f"service:{program} {data}")
    names = (name for name in service.__struct_fields__ if name != "container")
    facts = {name: getattr(service, name) for name in names}
    return {
        name: f"unknown: {fact.cause.value}" if isinstance(fact, Unknown) else str(fact.value)
        for name, fact in facts.items()
        if hasattr(fact, "value") or isinstance(fact, Unknown)
    }


def postgresql(data, conf):
    """A cluster with the lines of a configuration; SHOW of each setting."""
    tools = "/usr/lib/postgresql/15/bin"
    said(*NOBODY, f"{tools}/initdb", "-D", str(data), "-A", "trust", "-U", "lab")
    lines = [f"{name} = '{value}'" for name, value in conf.items()]
    (data / "more.conf").write_text("\n".join(lines))
    with (data / "postgresql.conf").open("a") as file:
        file.write("include = 'more.conf'\nlisten_addresses = ''\n")
    argv = (*NOBODY, f"{tools}/postgres", "-D", str(data), "-k", str(data))
    client = ("psql", "-h", str(data), "-U", "lab", "-Atq", "postgres")
    with server(*argv, ready=(f"{tools}/pg_isready", "-q", "-h", str(data))):
        asked = {
            name: said(*client, "-c", f"SHOW {name}").strip() for name in (*conf, "shared_buffers", "server_version")
        }
        return asked, told("postgresql", data)


def own_root(folder, volume):
    """A root of its own, as containers have it, of which /database is in its own layer, or on a volume."""
    root, image = folder / "root", folder / "image"
    for one in (root, image, folder / "volume", folder / "layer", folder / "work"):
        one.mkdir()
    for name in ("usr", "etc", "dev", "proc", "sys", "tmp", "database"):
        (image / name).mkdir()
    for name in ("bin", "lib", "lib64", "sbin"):
        (image / name).symlink_to(f"usr/{name}")
    options = f"lowerdir={image},upperdir={folder / 'layer'},workdir={folder / 'work'}"
    said("mount", "-t", "overlay", "overlay", "-o", options, str(root))
    for name in ("usr", "dev", "proc", "sys"):
        said("mount", "--rbind", f"/{name}", str(root / name))
    for name in ("passwd", "group", "nsswitch.conf"):
        (root / "etc" / name).write_text(Path("/etc", name).read_text())
    (root / "tmp").chmod(0o777)
    if volume:
        said("mount", "--bind", str(folder / "volume"), str(root / "database"))
    os.chown(root / "database", 65534, 65534)
    return root, folder / "volume" if volume else folder / "layer" / "database"


def contained(data, conf):
    """A cluster in a root of its own; its data in that root's own layer, or on a volume."""
    root, place = own_root(data.parent, conf["volume"])
    tools, inside = "/usr/lib/postgresql/15/bin", ("chroot", str(root), *NOBODY)
    said(*inside, f"{tools}/initdb", "-D", "/database/d", "-A", "trust", "-U", "lab")
    (root / "etc" / "more.conf").write_text("full_page_writes = off\n")
    with (root / "database" / "d" / "postgresql.conf").open("a") as file:
        file.write("listen_addresses = ''\nsynchronous_commit = local\ninclude '/etc/more.conf'\n")
    client = (*inside, "psql", "-h", "/database", "-U", "lab", "-Atq", "postgres")
    ready = (*inside, f"{tools}/pg_isready", "-q", "-h", "/database")
    with server(*inside, f"{tools}/postgres", "-D", "/database/d", "-k", "/database", ready=ready):
        names = ("synchronous_commit", "full_page_writes", "fsync")
        return {name: said(*client, "-c", f"SHOW {name}").strip() for name in names}, told("postgresql", place / "d")


def contained_redis(data, conf):
    """A server in a root of its own, whose configuration file is a link that means something else on the host."""
    root, place = own_root(data.parent, volume=True)
    lines = [f"{name} {value}" for name, value in {**conf, "dir": "/database", "port": 0}.items()]
    for folder, own in ((root / "etc", lines), (Path("/etc"), ["dir /database", "appendonly no", "appendfsync no"])):
        (folder / "redis").mkdir(exist_ok=True)
        (folder / "real.conf").write_text("\n".join([*own, "unixsocket /database/s", ""]))
    (root / "etc" / "redis" / "redis.conf").symlink_to("/etc/real.conf")
    inside = ("chroot", str(root), *NOBODY)
    client = (*inside, "redis-cli", "-s", "/database/s")
    with server(*inside, "redis-server", "/etc/redis/redis.conf", ready=(*client, "PING")):
        asked = {name: said(*client, "CONFIG", "GET", name).splitlines()[1] for name in conf}
        return asked, told("redis", place)


def contained_mariadb(data, conf):
    """A server in a root of its own by option files that include others, with the file that mariadb-upgrade leaves."""
    root, place = own_root(data.parent, volume=True)
    (root / "etc" / "mysql" / "conf.d").mkdir(parents=True)
    (root / "etc" / "mysql" / "my.cnf").write_text("[mysqld]\nskip-networking\n!includedir /etc/mysql/conf.d/\n")
    lines = ["[mysqld]", *(f"{name} = {value}" for name, value in conf.items()), "datadir = /database"]
    (root / "etc" / "mysql" / "conf.d" / "lab.cnf").write_text("\n".join([*lines, "socket = /database/s", ""]))
    inside = ("chroot", str(root), *NOBODY)
    auth = ("--auth-root-authentication-method=normal", "--skip-test-db", "--force")
    said(*inside, "mariadb-install-db", "--datadir=/database", *auth)
    client = (*inside, "mariadb", "-S", "/database/s", "-u", "root", "-N", "-B", "-e")
    with server(*inside, "mariadbd", ready=(*client, "SELECT 1")):
        names = (*conf, "innodb_buffer_pool_size", "version")
        asked = {name: said(*client, f"SELECT @@{name}").strip() for name in names}
        (place / "mariadb_upgrade_info").write_text(asked["version"])
        return asked, told("mysql", place)


def redis(data, conf):
    """A server by its configuration file; CONFIG GET of each setting."""
    lines = [f"{name} {value}" for name, value in {**conf, "dir": data, "port": 0, "unixsocket": data / "s"}.items()]
    Path("/etc/redis").mkdir(exist_ok=True)
    Path("/etc/redis/redis.conf").write_text("\n".join(lines) + "\n")
    client = ("redis-cli", "-s", str(data / "s"))
    with server(*NOBODY, "redis-server", "/etc/redis/redis.conf", ready=(*client, "PING")):
        asked = {name: said(*client, "CONFIG", "GET", name).splitlines()[1] for name in conf}
        return asked, told("redis", data)


def mariadb(data, conf):
    """A server by an option file; SHOW VARIABLES of each setting."""
    Path("/etc/mysql").mkdir(exist_ok=True)
    lines = ["[mysqld]", *(f"{name} = {value}" for name, value in conf.items()), f"datadir = {data}", "skip-networking"]
    Path("/etc/mysql/my.cnf").write_text("\n".join([*lines, f"socket = {data}/s"]) + "\n")
    auth = ("--auth-root-authentication-method=normal", "--skip-test-db", "--force")
    said(*NOBODY, "mariadb-install-db", f"--datadir={data}", *auth)
    client = ("mariadb", "-S", f"{data}/s", "-u", "root", "-N", "-B", "-e")
    with server(*NOBODY, "mariadbd", ready=(*client, "SELECT 1")):
        names = (*conf, "innodb_buffer_pool_size", "version")
        asked = {name: said(*client, f"SELECT @@{name}").strip() for name in names}
        return asked, told("mysql", data)


def open_below(name, data):
    """Folders of the files that processes of this name have open below a folder, by the kernel."""
    mine = [one for one in Path("/proc").glob("[0-9]*") if _reads(one / "comm").strip() == name]
    held = {str(fd.readlink()) for one in mine for fd in (one / "fd").iterdir() if fd.is_symlink()}
    return sorted({path for path in held if path.startswith(f"{data}/") and "(deleted)" not in path})


def etcd(data, conf):
    """A member; its health, and the files that it has open."""
    client, peer = f"http://{own_address()}", f"http://{own_address()}"
    words = (f"--listen-client-urls={client}", f"--advertise-client-urls={client}")
    words += (f"--listen-peer-urls={peer}", f"--data-dir={data}", *conf)
    if conf == "file":
        file = data.parent / "etcd.conf.yml"
        lines = (word.removeprefix("--").replace("=", ": ", 1) for word in words if word.startswith("--"))
        log = data / "elsewhere"
        log.mkdir(mode=0o700)
        os.chown(log, 65534, 65534)
        file.write_text("\n".join((*lines, f"wal-dir: '{log}/wal'", "unsafe-no-fsync: true", "")))
        file.chmod(0o644)
        words = ("--config-file", str(file))
    with server(*NOBODY, "etcd", *words, ready=answers(f"{client}/health")):
        logs = {str(Path(path).parent) for path in open_below("etcd", data) if path.endswith(".wal")}
        return {"log_directory": " ".join(sorted(logs))}, told("etcd", data)


def answers(*urls, data=None):
    """A command that succeeds once these addresses answer, one after the other."""
    return (sys.executable, "-c", f"import urllib.request as u\nfor url in {urls}: u.urlopen(url, {data!r})")


def keeps(program, data):
    """Where a program is said to keep its files."""
    spaces = [it.scope["service"] for it in survey(LiveMachine(), {}).subjects if it.kind == "service"]
    mine = [
        str(it.directory.value)
        for it in spaces
        if it.program.value == program and not isinstance(it.directory, Unknown)
    ]
    return {"directory": " ".join(one for one in mine if f"{one}/".startswith(f"{data}/"))}


def prometheus(data, _conf):
    """A server without targets."""
    at = own_address()
    (data.parent / "conf.yml").write_text("scrape_configs: []\n")
    words = (
        f"--config.file={data.parent}/conf.yml",
        f"--storage.tsdb.path={data}",
        f"--web.listen-address={at}",
    )
    with server(*NOBODY, "prometheus", *words, ready=answers(f"http://{at}/-/ready")):
        return {"open": open_below("prometheus", data)}, keeps("prometheus", data)


def influxdb(data, _conf):
    """A server by its configuration file."""
    at, backup = own_address(), own_address()
    folders = "\n".join(f'[{part}]\n dir = "{data}/{part}"' for part in ("meta", "data"))
    file = data.parent / "influxdb.conf"
    file.write_text(
        f'reporting-disabled = true\nbind-address = "{backup}"\n{folders}\n wal-dir = "{data}/wal"\n'
        f'[http]\n bind-address = "{at}"\n'
    )
    # It answers before it can make a database, and then has none to write to.
    ready = answers(f"http://{at}/query?q=CREATE+DATABASE+lab", f"http://{at}/write?db=lab", data=b"seen value=1")
    with server(*NOBODY, "influxd", "-config", str(file), ready=ready):
        return {"open": open_below("influxd", data)}, keeps("influxdb", data)


def openldap(data, _conf):
    """A server of one empty database."""
    at = own_address()
    file = data.parent / "slapd.conf"
    file.write_text(
        "modulepath /usr/lib/ldap\nmoduleload back_mdb\ninclude /etc/ldap/schema/core.schema\n"
        f"database mdb\nsuffix dc=lab\nrootdn cn=lab,dc=lab\ndirectory {data}\n"
    )
    words = ("-f", str(file), "-h", f"ldap://{at}", "-d", "0")
    host, _, port = at.partition(":")
    listening = (sys.executable, "-c", f"import socket; socket.create_connection(({host!r}, {port}))")
    with server(*NOBODY, "slapd", *words, ready=listening):
        return {"open": open_below("slapd", data)}, keeps("openldap", data)


def _reads(path):
    try:
        return path.read_text()
    except OSError:
        return ""


PROGRAMS = {
    "postgresql": (postgresql, {"synchronous_commit": "off", "full_page_writes": "off", "wal_sync_method": "fsync"}),
    "postgresql-defaults": (postgresql, {"fsync": "on"}),
    "contained-layer": (contained, {"volume": False}),
    "contained-volume": (contained, {"volume": True}),
    "contained-redis": (contained_redis, {"appendonly": "yes", "appendfsync": "always"}),
    "contained-mariadb": (contained_mariadb, {"innodb_flush_method": "fsync", "innodb_flush_log_at_trx_commit": "2"}),
    "redis": (redis, {"appendonly": "yes", "appendfsync": "no"}),
    "redis-defaults": (redis, {"appendonly": "no", "appendfsync": "everysec"}),
    "mariadb": (mariadb, {"innodb_flush_method": "fsync", "innodb_flush_log_at_trx_commit": "2"}),
    "mariadb-defaults": (mariadb, {"innodb_doublewrite": "1"}),
    "prometheus": (prometheus, None),
    "influxdb": (influxdb, None),
    "openldap": (openldap, None),
    "etcd": (etcd, ("--unsafe-no-fsync",)),
    "etcd-defaults": (etcd, ()),
    "etcd-file": (etcd, "file"),
}


def main(name, tree, folder):
    """Run one."""
    start, conf = PROGRAMS[name]
    place, data = Path(folder), Path(folder) / "data"
    data.mkdir(mode=0o700)
    os.chown(data, 65534, 65534)
    lay_over(Path(tree), place)
    asked, facts = start(data, conf)
    print(json.dumps({"asked": asked, "told": facts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
