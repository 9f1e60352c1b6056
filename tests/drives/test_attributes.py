"""The table of attributes, held against the whole drive database of smartmontools."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from fsadvisor.drives import attributes, families, find
from tests.cases import each, few

PLACES = [
    Path("/var/lib/smartmontools/drivedb/drivedb.h"),
    Path("/usr/share/smartmontools/drivedb.h"),
    Path("/usr/local/share/smartmontools/drivedb.h"),
]
WORDS = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[{},]', re.DOTALL)
SPEAKS_OF_IT = re.compile(r"cap(acitor)?_|super_?cap|plp|power_?fail|pwrloss_prot", re.IGNORECASE)
OF_OTHER_THINGS = {"Device_Raw_Capacity", "Power_Fail_Event_Count"}
EXAMPLES = {
    "Power_Loss_Cap_Test": (
        "INTEL SSDSC2BB480G4",
        "INTEL SSDSC2BP480G4",
        "SSDSCKJB240G7R",
        "SSDSC2KG240G8R",
        "VK000480GWSXF",
    ),
    "Power_Fail_Health": (
        "KINGSTON SA400S37240G",
        "KINGSTON  SA400S37480G",
        "KINGSTON SUV300S37A120G",
        "KINGSTON SKC400S37128G",
        "KINGSTON SHSS37A240G",
        "KINGSTON SEDC450R480G",
        "KINGSTON SEDC400S37480G",
        "KINGSTON SEDC500M1920G",
        "PNY CS900 240GB SSD",
        "PNY CS1311 120GB SSD",
        "Patriot Burst",
        "Corsair Force LE SSD",
        "GIGABYTE GP-GSTFS31120GNTD",
        "GOODRAM IRIDIUM PRO",
        "IR-SSDPR-S25A-120",
        "SSDPR-CX400-512",
        "TEAM L3 EVO SSD 120GB",
        "SSD Smartbuy 240GB",
        "SSD PHISON 128GB PS3110-S10C",
        "MSI S270 240GB",
    ),
    "Supercap_Status": (
        "Samsung SSD 850 EVO 250GB",
        "Samsung SSD 860 PRO 256GB",
        "Samsung SSD 870 QVO 4TB",
        "SAMSUNG MZ7LN128HAHQ-000H1",
        "SAMSUNG MZ7LH512HALU-00000",
        "SAMSUNG MZ7KM480HAHP-00005",
        "MZ7LM960HMJP0D3",
        "Samsung Portable SSD T5",
        "MK000960GZXRB",
    ),
    "SuperCap_Health": ("KINGSTON SV300S37A120G", "OCZ-VERTEX3", "Patriot Pyro", "KINGSTON SE50S3240G"),
    "Capacitor_Health": ("SDLF1DAR-480G-1HA1",),
}


@cache
def entries():
    """(family, models, presets) of each entry of the drive database that is installed here."""
    place = next((it for it in PLACES if it.is_file()), None)
    if place is None:
        pytest.skip("no drive database of smartmontools here")
    rows, row = [], None
    for word in WORDS.findall(place.read_text("utf-8", "replace")):
        if word == "{":
            row = [""]
        elif word == "}" and row:
            rows.append(row)
            row = None
        elif row is not None and word == ",":
            row.append("")
        elif row is not None and word.startswith('"'):
            row[-1] += ast.literal_eval(word)
    return [(row[0], row[1], row[4]) for row in rows if len(row) >= 5]


def names(presets):
    return {word.split(",")[2] for word in re.findall(r"-v +(\S+)", presets) if word.count(",") >= 2}


def test_the_whole_drive_database_was_read():
    assert len(entries()) > 400


def test_no_name_that_speaks_of_protection_is_missing_from_the_table():
    told = {name for _, _, presets in entries() for name in names(presets) if SPEAKS_OF_IT.search(name)}
    assert told - OF_OTHER_THINGS <= attributes().keys()


@each("name", sorted(attributes()))
def test_a_name_counts_only_for_families_that_are_sold_as_protected(name):
    counted = attributes()[name].families
    known = {row.name: row.verdict for row in families()}
    assert all(known[family] == "claimed" for family in counted)


def test_the_examples_are_of_entries_that_have_the_name():
    """But for those that the database which is installed here is too old for."""
    found = [
        (name, model, presets)
        for name, examples in EXAMPLES.items()
        for model in examples
        if (presets := next((presets for _, models, presets in entries() if re.fullmatch(models, model)), None))
    ]
    assert len(found) > len(EXAMPLES)
    assert [it for it in found if it[0] not in names(it[2])] == []


@pytest.mark.parametrize("name", few(EXAMPLES, 4))
def test_a_name_that_drives_without_capacitors_have_is_worth_nothing_elsewhere(name):
    verdicts = {model: getattr(find(model), "verdict", None) for model in EXAMPLES[name]}
    unprotected = {model for model, verdict in verdicts.items() if verdict == "absent"}
    row = attributes()[name]
    assert bool(unprotected) == (row.elsewhere == "nothing"), verdicts
    assert all(row.worth(find(model)) != "full" for model, verdict in verdicts.items() if verdict != "claimed")


def test_every_entry_that_names_a_test_is_known_to_the_table():
    """A new entry of smartmontools that gives one of these names to other drives has to be looked at."""
    found = {family for family, _, presets in entries() if names(presets) & attributes().keys()}
    assert found <= LOOKED_AT, found - LOOKED_AT


LOOKED_AT = {
    "SandForce Driven SSDs",
    "Phison Driven SSDs",
    "OCZ Intrepid 3000 SSDs",
    "Intel 730 and DC S35x0/3610/3700 Series SSDs",
    "Intel S3520 Series SSDs",
    "Dell Certified Intel S3520 Series SSDs",
    "Intel S4510/S4610/S4500/S4600 Series SSDs",
    "Intel/Solidigm S46x0/S45x0 Series SSDs",
    "Dell Certified Intel S4x00/D3-S4x10 Series SSDs",
    "Lenovo OEM Intel D3-S4510 Series SSDs",
    "Samsung based SSDs",
    "Sandisk SATA Cloudspeed Max and GEN2 ESS SSDs",
    "Sandisk SATA CS1K GEN1 ESS SSDs",
    "SSSTC ER2 GD/CD Series SSDs",
    "SSSTC ERX GD/CD Series SSDs",
    "XITC SSDs",
}
