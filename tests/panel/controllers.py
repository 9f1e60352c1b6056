"""What the tools of RAID controllers say of their volumes and drives."""

import json

from fsadvisor.readers import raid_tools, smartctl, ssacli, storcli
from fsadvisor.survey import drive_health
from tests.machines import parts
from tests.panel.build import placed, sata


def _drive(slot, state):
    group = 0 if state in ("Onln", "Rbld") else "-"
    about = {"Intf": "SAS", "Med": "HDD", "Model": "ST8000NM0075"}
    return {"EID:Slt": f"252:{slot}", "DID": slot, "State": state, "DG": group} | about


def megaraid(at=0, model="MR9361-8i", vendor="AVAGO   ", tool="storcli64", *, volume="Optl", cache="RWBD",
             battery="Optimal", drives=("Onln",) * 4, disk_cache="Disabled", media_errors=None, predicted=(),
             patrol_read=None, foreign=()):  # fmt: skip
    """A MegaRAID volume as one disk, with what its tool says of it; `media_errors` go by slot."""
    drive = sata(at, model, 8 * 10**12, device__vendor=vendor)
    name = drive.name
    placed(drive)
    report = {"Basics": {"Controller": 0, "Model": model}, "Status": {"Controller Status": "Optimal", "BBU Status": 0},
              "HwCfg": {"BBU": "Present"},
              "VD LIST": [{"DG/VD": "0/0", "TYPE": "RAID5", "State": volume, "Cache": cache}],
              "PD LIST": [_drive(it, state) for it, state in enumerate(drives)],
              "Cachevault_Info": [{"Model": "CVPM05", "State": battery}]}  # fmt: skip
    volumes = {
        "/c0/v0": [{"DG/VD": "0/0", "TYPE": "RAID5", "State": volume, "Cache": cache}],
        "VD0 Properties": {"OS Drive Name": f"/dev/{name}", "Disk Cache Policy": disk_cache},
    }
    status = {"Controller": 0, "Status": "Success"}
    report["PD LIST"] += [_drive(slot, "UGood") | {"DG": "F"} for slot in foreign]
    more = {}
    if media_errors is not None:
        more[storcli.DRIVES] = {}
        for at, state in enumerate(drives):
            key = f"Drive /c0/e252/s{at}"
            counts = {
                "Media Error Count": media_errors.get(at, 0),
                "Predictive Failure Count": int(at in predicted),
                "S.M.A.R.T alert flagged by drive": "Yes" if at in predicted else "No",
            }
            more[storcli.DRIVES] |= {
                key: [_drive(at, state)],
                f"{key} - Detailed Information": {f"{key} State": counts},
            }
    if patrol_read:
        more[storcli.PATROL_READ] = {"Controller Properties": [{"Ctrl_Prop": "PR Mode", "Value": patrol_read}]}
    drive.commands = {
        " ".join(storcli.argv(tool, question)): json.dumps(
            {"Controllers": [{"Command Status": status, "Response Data": said}]}
        )
        for question, said in more.items()
    }
    drive.commands |= {
        " ".join(storcli.argv(tool)): json.dumps(
            {"Controllers": [{"Command Status": status, "Response Data": report}]}
        ),
        " ".join(storcli.argv(tool, storcli.VOLUMES)): json.dumps(
            {"Controllers": [{"Command Status": status, "Response Data": volumes}]}
        ),
    }
    return drive


def behind(kinds, attributes=(), at=0, path="/dev/bus/0", model="ST8000NM0055", rpm=7200):
    """What smartctl says of the drives behind a controller; only number `at` has these attributes."""
    devices = [{"name": path, "info_name": f"{path} [{kind}]", "type": kind, "protocol": "ATA"} for kind in kinds]
    told = {" ".join(drive_health.SCAN): json.dumps({"smartctl": {"exit_status": 0}, "devices": devices})}
    for number, kind in enumerate(kinds):
        own = parts.sata_answers(path, model, 8 * 10**12, spins=rpm, attributes=attributes if number == at else ())
        told |= {" ".join(smartctl.argv(path, kind)): words for words in own.values()}
    return told


def boss(listing):
    """The mirror of a Dell BOSS card, with what mvcli says of it."""
    card = sata(0, "DELLBOSS VD", 480 * 10**9)
    card.commands = {" ".join(raid_tools.MVCLI_ARGV): listing}
    return card


def mpt3sas(state, vendor="LSI     ", model="Logical Volume"):
    """A volume of an LSI card in IR mode, whose state the kernel tells."""
    drive = sata(0, model, 10**12, device__vendor=vendor)
    drive.made[0]["/sys/class/raid_devices/0:1:0:0/state"] = state
    placed(drive, "pci0000:00/0000:00:03.0/host0/target0:1:0/0:1:0:0")
    drive.commands = {}
    return drive


def old_megaraid(state="Optimal", drives=("Online, Spun Up",) * 3, *, cache="WriteBack", battery="Optimal", errors=()):
    """A MegaRAID volume on a server that has MegaCLI and no storcli; `errors` are (media errors, predicted) by slot."""
    drive = megaraid()
    counts = dict(errors)
    members = "".join(
        f"Enclosure Device ID: 32\nSlot Number: {at}\nMedia Error Count: {counts.get(at, (0, 0))[0]}\n"
        f"Predictive Failure Count: {counts.get(at, (0, 0))[1]}\nFirmware state: {it}\nForeign State: None\n"
        for at, it in enumerate(drives)
    )
    drive.commands = {
        " ".join(raid_tools.megacli_argv("megacli")): f"Virtual Drive: 0 (Target Id: 0)\nState : {state}\n"
        f"Current Cache Policy: {cache}, ReadAhead, Direct, No Write Cache if Bad BBU\n"
        f"Disk Cache Policy : Disabled\n{members}",
        " ".join(raid_tools.megacli_battery_argv("megacli")): f"Battery State: {battery}\n",
    }
    return drive


def smart_array(*, volume="OK", drives=("OK",) * 4, battery="OK", cache="OK", drive_cache="Disabled"):
    """An HPE Smart Array volume as sda, with what ssacli says of it."""
    drive = sata(0, "LOGICAL VOLUME", 4 * 10**12, device__vendor="HPE     ")
    placed(drive, "pci0000:00/0000:00:03.0/host0/target0:1:0/0:1:0:0")
    members = "".join(
        f"      physicaldrive 1I:1:{at}\n         Status: {state}\n         Drive Type: Data Drive\n"
        "         Interface Type: Solid State SATA\n         Model: ATA     EXAMPLE DC480\n\n"
        for at, state in enumerate(drives, 1)
    )
    drive.commands = {
        " ".join(ssacli.CONFIG_ARGV): f"""
Smart Array P408i-a in Slot 0 (Embedded)
   Controller Status: OK
   Cache Board Present: True
   Cache Status: {cache}
   Drive Write Cache: {drive_cache}
   No-Battery Write Cache: Disabled
   Cache Backup Power Source: Batteries
   Battery/Capacitor Count: 1
   Battery/Capacitor Status: {battery}

   Array: A
      Interface Type: Solid State SATA
      Status: OK

      Logical Drive: 1
         Fault Tolerance: 5
         Status: {volume}
         Caching:  Enabled
         Disk Name: /dev/sda
         LD Acceleration Method: Controller Cache

{members}"""
    }
    return drive


def adaptec(volume="Optimal", drives=("Online",) * 4, *, setting="On when protected by battery/ZMM", status="On",
            backup="Ready", supercap="Ready", smart=("No",) * 4, drive_cache="Disabled (write-through)"):  # fmt: skip
    """An Adaptec volume as sda, with what arcconf says of it."""
    drive = sata(0, "DATA", 4 * 10**12, device__vendor="ASR8805 ")
    placed(drive, "pci0000:00/0000:00:03.0/host0/target0:0:0/0:0:0:0")
    members = "".join(
        f"      Device #{at}\n         Device is a Hard drive\n         State : {state}\n"
        f"         Write Cache : {drive_cache}\n         S.M.A.R.T. : {smart[at]}\n"
        f"         Reported Channel,Device(T:L) : 0,{at}({at}:0)\n"
        for at, state in enumerate(drives)
    )
    drive.commands = {
        " ".join(raid_tools.ARCCONF_ARGV): f"""Controllers found: 1
    Overall Backup Unit Status              : {backup}
         Supercap Status                    : {supercap}
Logical Device number 0
   Disk Name                                : /dev/sda
   Status of Logical Device                 : {volume}
   Write-cache setting                      : {setting}
   Write-cache status                       : {status}
{members}"""
    }
    return drive
