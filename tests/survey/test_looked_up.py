"""What pages and sysfs tell is not asked of people; what they don't tell stays open."""

from fsadvisor.facts import Cause
from fsadvisor.machine.kept_files import ATTESTATIONS
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.machines import parts
from tests.panel import build

MICRON_9200, MICRON_7500 = "Micron_9200_MTFDHAL3T8TCT", "Micron_7500_MTFDKCC3T8TGP"
DIRECT = "../devices/pci0000:40/0000:40:41.1/0000:41:00.0/nvme/nvme0/block/nvme0n1"
VMD = "../devices/pci0000:64/0000:64:00.5/pci10000:00/10000:00:02.0/10000:01:00.0/nvme/nvme0/block/nvme0n1"


def told(name, model=build.PM9A3, *, firmware="1.0", where=None, said=(), vm=None):
    drive = build.nvme(0, model, 3840755982336, device__firmware_rev=firmware)
    if where:
        drive.made = (drive.made[0], {"/sys/block/nvme0n1": where})
    server = build.server(drive, mounts=[build.root(drive)], vm=vm)
    if said:
        server.files |= parts.attested(*said, model=model)
    storage = survey(server, {})
    disk = next(it for it in storage.subjects if it.id == "disk:nvme0n1")
    return catalogue()[name].reader()(disk.scope), [it.why for it in storage.ignored]


def value(*args, **options):
    fact, _ = told(*args, **options)
    return getattr(fact, "value", None)


def test_a_data_sheet_that_was_read_is_named_with_its_day():
    fact, _ = told("disk.datasheet_plp", MICRON_9200)
    assert fact.value is True
    assert "https://" in fact.source
    assert "read on 2026-11-23" in fact.source
    assert value("disk.datasheet_plp", f"{MICRON_9200}X") is None, "another suffix is another drive"
    assert value("disk.datasheet_plp", MICRON_9200, vm="kvm") is None, "a hypervisor can give any name"


def test_firmware_is_trusted_only_where_a_page_names_it_as_cured():
    fact, _ = told("disk.firmware_trusted", MICRON_7500, firmware="E3MQ005")
    assert fact.value is True
    assert "no fault of E3MQ005 is known as of 2026-11-23" in fact.source
    assert value("disk.firmware_trusted", MICRON_7500, firmware="E3MQ000") is False
    unseen, _ = told("disk.firmware_trusted", MICRON_7500, firmware="E3MQ900")
    assert unseen.cause is Cause.NOT_ATTESTED, "a revision that no page names was not looked up"


@each(
    ("where", "model", "covered"),
    [
        (None, build.PM9A3, True),
        (DIRECT, build.PM9A3, True),
        (VMD, build.PM9A3, None),
        ("../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", build.PM9A3, None),
        (DIRECT, "Dell BOSS-N1", None),
        (DIRECT, "Some New Drive", None),
    ],
)
def test_the_way_is_free_of_caches_where_a_known_drive_stands_on_pci_express_alone(where, model, covered):
    assert value("disk.path_covered", model, where=where) is covered


def test_in_a_virtual_machine_the_way_is_not_seen():
    assert value("disk.path_covered", vm="kvm") is None


def test_a_person_who_says_no_is_believed_and_one_who_says_yes_to_a_known_fault_is_not():
    no = (("disk.path_covered", "disk:nvme0n1", "false"), ("disk.datasheet_plp", "disk:nvme0n1", "false"))
    assert value("disk.path_covered", said=no) is False
    assert value("disk.datasheet_plp", MICRON_9200, said=no) is False
    yes = (("disk.firmware_trusted", "disk:nvme0n1", "true"),)
    fact, ignored = told("disk.firmware_trusted", MICRON_7500, firmware="E3MQ000", said=yes)
    assert fact.value is False
    assert any("the machine itself says otherwise" in why for why in ignored)


def test_what_the_table_tells_does_not_make_a_drive_proven():
    drive = build.nvme(0, MICRON_9200, 3840755982336)
    server = build.server(drive, mounts=[build.root(drive)])
    server.files[ATTESTATIONS] = ""
    disk = next(it for it in survey(server, {}).subjects if it.id == "disk:nvme0n1")
    assert disk.scope["disk"].plp.value == "claimed"
