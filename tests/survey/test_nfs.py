"""What is exported by NFS: by the server's own table, while a server runs; a recording without it leaves it open."""

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine import redaction
from fsadvisor.readers import server_files
from fsadvisor.survey import tenants
from tests.cases import each
from tests.paths import FIXTURES
from tests.told import machine

ETAB = "/srv/a\t192.0.2.7(rw,sync,wdelay)\n/srv/a\tfiler.example(rw,async)\n/srv/b\t*(ro,async)\n/data\t*(rw,sync)\n"
RUNS = {"/proc/fs/nfsd/threads": "8\n", server_files.ETAB: ETAB}
POINTS = ("/", "/srv", "/srv/b", "/data")
NOTHING_ELSE = Known(False, "running processes")
GANESHA = (FIXTURES / "outputs" / "ganesha_conf" / "vfs.out").read_text()


def exported(files, point, points=POINTS, ganesha=False):
    made = machine(mounts=("21 1 0:55 / /proc/fs/nfsd rw - nfsd nfsd rw",), files=files)
    return tenants.exported(made, points, Known(ganesha, "running processes"))(point)


@each(("point", "how"), [("/srv", "async"), ("/srv/b", "no"), ("/data", "sync"), ("/", "no")])
def test_a_mount_is_exported_as_the_weakest_of_its_directories_for_writing(point, how):
    assert exported(RUNS, point).value == how


def test_a_table_that_a_stopped_server_left_exports_nothing():
    assert exported(RUNS | {"/proc/fs/nfsd/threads": "0\n"}, "/srv").value == "no"
    never_mounted = machine(mounts=("36 1 8:0 / /srv rw - ext4 /dev/sda rw",), files=RUNS)
    assert tenants.exported(never_mounted, POINTS, NOTHING_ELSE)("/srv").value == "no"


def test_a_file_that_may_not_be_read_leaves_it_open():
    denied = Unknown(Cause.DENIED, "run as root", server_files.ETAB)
    assert isinstance(exported(RUNS | {server_files.ETAB: denied}, "/srv"), Unknown)
    assert isinstance(exported(RUNS | {"/proc/fs/nfsd/threads": denied}, "/srv"), Unknown)


def test_a_line_that_is_not_understood_leaves_the_others_and_no_is_no_more_said():
    files = RUNS | {server_files.ETAB: f"{ETAB}odd\n"}
    assert exported(files, "/data") == Known("sync", server_files.ETAB)
    assert isinstance(exported(files, "/"), Unknown)


def test_a_recording_holds_the_exports_without_the_clients():
    told = redaction.of_file(server_files.ETAB, f"{ETAB}odd of jo\n")
    assert told == "/srv/a\t*(rw,sync)\n/srv/a\t*(rw,async)\n/srv/b\t*(ro,async)\n/data\t*(rw,sync)\n"
    assert redaction.of_file(server_files.ETAB, told) == told


def by_ganesha(text, point):
    made = machine(mounts=("36 1 8:0 / /srv rw - ext4 /dev/sda rw",), files={server_files.GANESHA_PATH: text})
    return tenants.exported(made, POINTS, Known(True, "running processes"))(point)


def test_ganesha_exports_in_sync_what_a_client_may_write_and_other_files_leave_the_rest_open():
    assert by_ganesha(GANESHA, "/srv").value == "sync"
    assert isinstance(by_ganesha(GANESHA, "/data"), Unknown), "it includes another file"
    whole = GANESHA.partition("%include")[0]
    assert by_ganesha(whole, "/data").value == "no"
    assert by_ganesha(whole, "/").value == "no", "what Ceph exports is no directory of this machine"


def test_without_its_file_nobody_knows_what_ganesha_exports():
    assert isinstance(by_ganesha(Unknown(Cause.NOT_EXPOSED, ""), "/srv"), Unknown)
    assert isinstance(by_ganesha("a shopping list\n", "/srv"), Unknown)


def test_the_kernels_export_counts_beside_ganesha():
    assert exported(RUNS | {server_files.GANESHA_PATH: GANESHA}, "/srv", ganesha=True).value == "async"


def test_a_recording_holds_what_ganesha_exports_without_clients_and_users():
    told = redaction.of_file(server_files.GANESHA_PATH, GANESHA)
    assert server_files.parse_ganesha_conf(told) == server_files.parse_ganesha_conf(GANESHA)
    assert redaction.of_file(server_files.GANESHA_PATH, told) == told
    assert not any(it in told for it in ("192.0.2.0", "User_Id", "Pseudo", "/etc"))


def test_a_line_of_ganesha_s_that_is_no_configuration_is_refused_at_once():
    assert isinstance(server_files.parse_ganesha_conf(GANESHA + "a=" * 200_000), Unknown)
