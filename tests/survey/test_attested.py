"""What people attest counts for the drive or filesystem that they meant, until it expires; else it is ignored aloud."""

import datetime as dt

import pytest

from fsadvisor.attestation import ClaimError, Saying, verbs
from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine.kept_files import ATTESTATIONS
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.survey import read_fact
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import disk, machine

NVME = "pci0000:00/0000:01:00.0/nvme/nvme0"
MOUNT = "36 1 8:0 / /srv rw,relatime shared:1 - ext4 /dev/sda rw"
DRIVE = '[[attestation.drive]]\nmodel = "SOME DISK"\n'


def attestation(fact="disk.datasheet_plp", subject="disk:sda", value="true", until="2027-11-20", more=DRIVE, **other):
    keys = {"by": '"Jo Doe"', "on": "2026-11-20", "link": '"https://example.com/a.pdf"', **other}
    lines = [f'fact = "{fact}"', f'subject = "{subject}"', f"value = {value}", f"until = {until}"]
    lines += [f"{key} = {text}" for key, text in keys.items()]
    return "\n".join(("[[attestation]]", *lines, more, ""))


def told(text, *more, **options):
    disks = more or (disk("sda"),)
    files = {ATTESTATIONS: text} | options.pop("files", {})
    return survey(machine(*disks, mounts=(MOUNT,), files=files, **options), {})


def fact(storage, subject, name):
    scope = next(it.scope for it in storage.subjects if it.id == subject)
    return catalogue()[name].reader()(scope)


def reasons(storage):
    return [one.why for one in storage.ignored]


def test_an_attested_fact_is_known_with_who_when_until_and_why():
    storage = told(attestation())
    assert fact(storage, "disk:sda", "disk.datasheet_plp") == Known(
        True, "attested by Jo Doe on 2026-11-20 until 2027-11-20, https://example.com/a.pdf"
    )
    assert storage.ignored == ()


def test_an_attested_fact_counts_for_what_stands_on_the_disk():
    name = "below.all_datasheet_plp"
    assert fact(told(attestation()), "mount:/srv", name).value is True
    assert fact(told(attestation(value="false")), "mount:/srv", name).value is False
    assert fact(told(""), "mount:/srv", name).cause is Cause.NOT_ATTESTED


def test_without_the_file_nothing_is_said_and_nothing_is_ignored():
    storage = survey(machine(disk("sda"), mounts=(MOUNT,)), {})
    assert fact(storage, "disk:sda", "disk.datasheet_plp").cause is Cause.NOT_ATTESTED
    assert (storage.waivers, storage.ignored) == ((), ())


@each(
    ("text", "why"),
    [
        (attestation(until="2026-11-19", on="2025-11-19"), "it has expired on 2026-11-19"),
        (attestation("disk.datashet_plp"), "did you mean 'disk.datasheet_plp'?"),
        (attestation("disk.plp", value='"proven"'), "disk.plp can't be attested"),
        (attestation(value='"yes"'), "disk.datasheet_plp is yes/no, not 'yes'"),
        (attestation(value="1"), "disk.datasheet_plp is yes/no, not 1"),
        (attestation(subject="disk:sdz"), "there is no disk:sdz here"),
        (attestation(subject="mount:/srv"), "is a fact of a disk, and 'mount:/srv' is none"),
        (attestation(subject="nonsense"), "is a fact of a disk"),
        (attestation(more='[[attestation.drive]]\nmodel = "ANOTHER"'), "sda is another drive now: 'SOME DISK'"),
        (attestation(more=""), "it does not say which drive it means"),
        (attestation("disk.thin"), "the machine itself says otherwise: False"),
        (attestation("mount.sync_needed", "mount:/srv", more=""), "makes no sense for it as it is now"),
        (attestation("mount.workload", "mount:/srv", '"olpt"', more=""), "mount.workload is 'oltp' |"),
        (attestation() + attestation(value="false"), "another entry says otherwise of the same"),
        ("[[attestation]]\n", "`on` is missing"),
        ("fact = ", "not TOML"),
        ('[[atestation]]\nfact = "x"\n', "neither [[attestation]] nor [[waiver]]"),
    ],
)
def test_what_does_not_count_is_ignored_aloud(text, why):
    storage = told(text)
    assert why in reasons(storage)[0]
    assert isinstance(fact(storage, "disk:sda", "disk.datasheet_plp"), Unknown)


def test_the_last_day_still_counts():
    assert told(attestation(until="2026-11-20")).ignored == ()


def test_a_file_that_may_not_be_read_is_ignored_aloud():
    storage = told(Unknown(Cause.DENIED, "run as root", ATTESTATIONS), root=False)
    assert [(one.place, one.why) for one in storage.ignored] == [(ATTESTATIONS, "run as root")]


def serial(number):
    return f'[[attestation.drive]]\nmodel = "SOME DISK"\nserial = "{number}"\n'


def nvme(name, at, number):
    where = f"pci0000:00/0000:0{at}:00.0/nvme/nvme{at}"
    return disk(name, where, f"259:{at}", device__serial=f"{number}  ")


def test_another_drive_of_the_same_model_is_seen_by_its_serial_number():
    storage = told(attestation(subject="disk:nvme0n1", more=serial("S1")), nvme("nvme0n1", 0, "S2"))
    assert reasons(storage) == ["nvme0n1 is another drive now: its serial number differs"]


def test_a_drive_that_has_another_name_now_is_found_by_its_serial_number():
    storage = told(
        attestation(subject="disk:nvme0n1", more=serial("S1")), nvme("nvme0n1", 0, "S2"), nvme("nvme1n1", 1, "S1")
    )
    assert storage.ignored == ()
    assert isinstance(fact(storage, "disk:nvme0n1", "disk.datasheet_plp"), Unknown)
    assert fact(storage, "disk:nvme1n1", "disk.datasheet_plp").value is True


def test_a_serial_number_that_can_not_be_read_proves_no_drive():
    hidden = {"/sys/block/sda/device/serial": Unknown(Cause.DENIED, "run as root", "")}
    storage = told(attestation(more=serial("S1")), files=hidden)
    assert reasons(storage) == ["the serial number of sda can't be read: run as root"]


def test_a_test_by_power_cut_holds_for_the_drives_that_were_cut():
    text = attestation("filesystem.power_loss_tested", "filesystem:/dev/sda")
    assert told(text).ignored == ()
    assert "another drive" in reasons(told(text.replace("SOME DISK", "ANOTHER")))[0]
    assert "which drives it means" in reasons(told(text.replace(DRIVE, "")))[0]


def test_a_runbook_holds_whatever_drive_is_below():
    text = attestation("filesystem.runbook", "filesystem:/dev/sda", more="")
    assert fact(told(text), "mount:/srv", "filesystem.runbook").value is True


def test_an_entry_on_another_filesystem_is_ignored():
    text = attestation("filesystem.expendable", "filesystem:/dev/sda", more="", uuid='"1234"')
    assert reasons(told(text)) == ["the UUID of the filesystem can't be read"]


def test_host_mount_and_service_facts_can_be_attested():
    postgres = {"pid": 1, "name": "postgres", "user": "postgres", "cwd": "/srv/db", "paths": []}
    subject = "service:postgresql /srv/db"
    storage = told(
        attestation("host.plp_monitored", "host", more="")
        + attestation("service.own_checksums", subject, more="")
        + attestation("mount.workload", "mount:/srv", '"streaming"', more=""),
        processes=[postgres],
    )
    assert fact(storage, "mount:/srv", "host.plp_monitored").value is True
    assert fact(storage, subject, "service.own_checksums").value is True
    assert reasons(storage) == ["the machine itself says otherwise: 'oltp' (postgresql keeps its files here)"]


def test_no_attestation_makes_power_loss_protection_proven():
    """Not even all of them together."""
    names = {"host": "host", "disk": "disk:sda", "filesystem": "filesystem:/dev/sda", "mount": "mount:/srv"}
    text = "".join(
        attestation(entry.name, names[entry.namespace])
        for entry in catalogue().values()
        if entry.attested and entry.namespace in names and entry.kind.value == "yes/no"
    )
    assert fact(told(text), "disk:sda", "disk.path_covered").value is True
    assert read_fact.value(fact(told(text), "disk:sda", "disk.plp")) != "proven"
    assert read_fact.value(fact(told(text), "mount:/srv", "below.all_plp_proven")) is not True


def test_every_fact_that_only_a_person_can_know_can_be_attested():
    unsaid = {
        name
        for subject in told("").subjects
        for name, entry in catalogue().items()
        if entry.namespace != "below"
        and isinstance(entry.reader()(subject.scope), Unknown)
        and entry.reader()(subject.scope).cause is Cause.NOT_ATTESTED
    }
    assert unsaid - {"mount.workload_reasons"} <= {name for name, entry in catalogue().items() if entry.attested}
    assert {"disk.datasheet_plp", "filesystem.runbook", "host.plp_monitored"} <= unsaid


def waiver(rule="nobarrier-unproven", subject="filesystem:/dev/sda", until="2026-12-31", more=""):
    lines = [f'rule = "{rule}"', f'subject = "{subject}"', f"until = {until}", 'because = "scratch"', 'by = "Jo"']
    return "\n".join(("[[waiver]]", "on = 2026-01-01", *lines, more, ""))


def test_a_waiver_holds_until_its_last_day():
    (found,) = told(waiver()).waivers
    assert (found.rule, found.subject, found.until) == (
        "nobarrier-unproven",
        "filesystem:/dev/sda",
        dt.date(2026, 12, 31),
    )


@each(
    ("text", "why"),
    [
        (waiver(until="2026-11-19"), "it has expired on 2026-11-19"),
        (waiver(subject="filesystem:/dev/sdb"), "there is no filesystem:/dev/sdb here"),
        (waiver(more='[[waiver.drive]]\nmodel = "ANOTHER"\n'), "sda is another drive now: 'SOME DISK', not 'ANOTHER'"),
        (waiver(subject="disk:sda"), "it does not say which drive it means: add [[attestation.drive]] or"),
    ],
)
def test_a_waiver_that_does_not_count_is_ignored_aloud(text, why):
    storage = told(text)
    assert storage.waivers == ()
    assert why in reasons(storage)[0]


def with_udev(made, answer):
    made.udev = lambda: answer
    return survey(made, {})


@pytest.mark.parametrize("cause", [Cause.DENIED, Cause.TIMED_OUT])
def test_an_entry_that_names_no_filesystem_does_not_count_because_udev_could_not_be_asked(cause):
    text = attestation("filesystem.expendable", "filesystem:/dev/sda", more="")
    made = machine(disk("sda"), mounts=(MOUNT,), files={ATTESTATIONS: text})
    storage = with_udev(made, Unknown(cause, "ask again", "udev"))
    assert isinstance(fact(storage, "filesystem:/dev/sda", "filesystem.expendable"), Unknown)
    assert reasons(storage) == ["it does not say which filesystem it means: add its `uuid`"]


def test_while_it_is_being_asked_which_filesystem_is_meant_the_entry_waits_and_is_not_ignored():
    text = attestation("filesystem.expendable", "filesystem:/dev/sda", more="", uuid='"1234"')
    made = machine(disk("sda"), mounts=(MOUNT,), files={ATTESTATIONS: text})
    storage = with_udev(made, Unknown(Cause.BEING_ASKED, "wait for the answer", "udev"))
    assert fact(storage, "filesystem:/dev/sda", "filesystem.expendable").cause is Cause.BEING_ASKED
    assert storage.ignored == ()


def test_while_the_file_itself_is_being_read_all_that_it_may_say_is_awaited():
    waits = Unknown(Cause.BEING_ASKED, "wait for the answer", ATTESTATIONS)
    storage = survey(machine(disk("sda"), mounts=(MOUNT,), files={ATTESTATIONS: waits}), {})
    assert fact(storage, "disk:sda", "disk.datasheet_plp") == waits
    assert fact(storage, "mount:/srv", "below.all_datasheet_plp").cause is Cause.BEING_ASKED
    assert storage.ignored == ()


def test_nothing_is_written_down_of_a_filesystem_while_it_is_being_asked_which_one_it_is():
    made = machine(disk("sda"), mounts=(MOUNT,))
    made.udev = lambda: Unknown(Cause.BEING_ASKED, "wait for the answer", "udev")
    saying = Saying(by="Jo", because="I know", link="", until=None)
    with pytest.raises(ClaimError, match="udev has not answered yet"):
        verbs.prepared(made, "filesystem.expendable", "/dev/sda", "yes", saying)
