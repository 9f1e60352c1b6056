"""What a person read in the data sheet is a claim, and never more."""

from fsadvisor.facts import Known
from fsadvisor.readers import smartctl
from fsadvisor.survey.drive import Drive
from fsadvisor.survey.power_loss import DriveEvidence, weigh


def case(family=None, **more):
    smart = smartctl.parse(
        '{"smartctl": {}, "device": {"protocol": "ATA"}, "model_name": "X", "smart_status": {"passed": true},'
        ' "ata_smart_attributes": {"table": [{"id": 9, "name": "Power_On_Hours"}]}}'
    )
    return DriveEvidence(
        transport="sata",
        model=Known("X", "sysfs"),
        family=family,
        virtual=more.pop("virtual", Known(False, "sysfs")),
        write_cache=Known("write back", "queue/write_cache"),
        drive=Drive(smart=smart),
        **more,
    )


def test_a_person_who_read_the_data_sheet_makes_it_a_claim_and_no_more():
    yes, no = Known(True, "attested by ada"), Known(False, "attested by ada")
    assert weigh(case()).verdict == "unknown"
    assert weigh(case(datasheet=yes)).verdict == "claimed"
    assert weigh(case(datasheet=no)).verdict == "absent"
    assert weigh(case(datasheet=yes, virtual=Known(True, "model QEMU"))).verdict == "unknown"
