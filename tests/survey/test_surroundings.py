"""What this system runs in is told without systemd, too, and never by what is missing alone."""

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.port import Reply, Wrapped
from fsadvisor.survey import host, hosting
from tests.cases import each
from tests.panel import build

BARE = "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme de pse\n"
GUEST = BARE.replace("pse", "pse hypervisor")
MADE = {"/sys/class/dmi/id/sys_vendor": "Dell Inc.", "/sys/class/dmi/id/product_name": "PowerEdge R650"}
INIT = {"/proc/self/ns/pid": "pid:[4026531836]", "/proc/self/ns/cgroup": "cgroup:[4026531835]"}
OURS = {"/proc/self/ns/mnt": "mnt:[4026531841]", "/proc/1/ns/mnt": "mnt:[4026531841]"}


class Without(Wrapped):
    """A machine without systemd, with these files, links, directories and jobs; root unless said otherwise."""

    def __init__(self, files=(), links=(), folders=(), jobs=None, root=True):
        super().__init__(build.server(mounts=[]))
        self.files, self.links, self.folders, self.jobs = dict(files), dict(links), dict(folders), jobs
        self._root = root

    @property
    def root(self):
        return self._root

    def read(self, path):
        return Reply(self.files[path], path) if path in self.files else Unknown(Cause.NOT_EXPOSED, "", path)

    def link(self, path):
        if path.startswith("/proc/1/") and not self._root:
            return Unknown(Cause.DENIED, "run as root", path)
        return Reply(self.links[path], path) if path in self.links else Unknown(Cause.NOT_EXPOSED, "", path)

    def entries(self, path):
        return self.folders.get(path, Unknown(Cause.NOT_EXPOSED, "", path))

    def run(self, commands):
        return [self._ran(command) for command in commands]

    def _ran(self, command):
        source = " ".join(command)
        if command == host.TRIMMING and self.jobs is not None:
            return Reply(self.jobs, source, 0 if self.jobs else 1)
        return Unknown(Cause.NO_TOOL, "install systemd", source)


@each(
    ("links", "root", "said"),
    [
        (INIT | OURS, True, False),
        (INIT | OURS | {"/proc/self/ns/pid": "pid:[4026532417]"}, True, True),
        (INIT | OURS | {"/proc/self/ns/pid": "pid:[4026532417]"}, False, True),
        (INIT | OURS | {"/proc/self/ns/cgroup": "cgroup:[4026532500]"}, True, True),
        (INIT | OURS, False, None),
        (INIT | {"/proc/self/ns/mnt": "mnt:[4026532300]", "/proc/1/ns/mnt": "mnt:[4026531841]"}, True, None),
        (INIT, True, None),
        ({}, True, None),
        ({"/proc/self/ns/pid": "pid:[no number]"}, True, None),
    ],
)
def test_a_container_shows_in_its_namespaces(links, root, said):
    fact = hosting.container(Without(links=links, root=root))
    assert (fact.value if isinstance(fact, Known) else None) is said


def test_who_may_not_see_the_first_process_is_told_to_ask_as_root():
    assert hosting.container(Without(links=INIT | OURS, root=False)).learn == "run as root"


def test_a_container_engines_file_tells_first():
    machine = Without(files={"/run/.containerenv": ""}, links=INIT | OURS)
    assert hosting.container(machine) == Known(True, "/run/.containerenv")


@each(
    ("files", "folders", "said"),
    [
        ({"/proc/cpuinfo": GUEST}, {}, True),
        ({"/proc/cpuinfo": "vendor_id\t: User Mode Linux\n"}, {}, True),
        ({"/proc/cpuinfo": BARE} | MADE, {}, False),
        ({"/proc/cpuinfo": BARE} | MADE, {"/sys/hypervisor": ()}, False),
        ({"/proc/cpuinfo": BARE} | MADE, {"/sys/hypervisor": ("type",)}, None),
        ({"/proc/cpuinfo": BARE} | MADE | {"/sys/class/dmi/id/sys_vendor": "QEMU"}, {}, None),
        ({"/proc/cpuinfo": BARE}, {}, None),
        ({"/proc/cpuinfo": "processor\t: 0\nFeatures\t: fp asimd\n"} | MADE, {}, None),
        (MADE, {}, None),
    ],
)
def test_a_virtual_machine_shows_in_its_processor_and_firmware(files, folders, said):
    fact = hosting.virtual(Without(files=files, folders=folders))
    assert (fact.value if isinstance(fact, Known) else None) is said


@each(
    ("jobs", "root", "said"),
    [("/etc/periodic/weekly/trim\n", True, "active"), ("", True, None), ("", False, None), (None, True, None)],
)
def test_without_systemd_cron_jobs_tell_whether_fstrim_runs(jobs, root, said):
    machine = Without(jobs=jobs, root=root)
    timer = Unknown(Cause.NO_TOOL, "install systemd", "systemctl")
    systemd = hosting.systemd(machine, timer)
    assert systemd == Known(False, "/run/systemd/system")
    fact = host._fstrim_timer(machine, timer, systemd)
    assert (fact.value if isinstance(fact, Known) else None) == said
    assert isinstance(fact, Known) or fact.learn == "look for a job that runs fstrim"
