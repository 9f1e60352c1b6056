"""A Seagate whose Airflow_Temperature_Cel was below its threshold once ('In_the_past'). The expert: nothing."""

from tests.panel import build

FIRST = ()
NEVER = ("drive-failing", "drive-above-its-temperature")


def server():
    boot = build.sata(0, attributes=build.PROTECTED)
    disk = build.hdd(
        1,
        "ST4000NM0033-9ZM170",
        attributes=(
            (190, "Airflow_Temperature_Cel", 64, 45, 36),
            (1, "Raw_Read_Error_Rate", 81, 44, 135217416),
            (7, "Seek_Error_Rate", 87, 30, 541234567),
        ),
    )
    for asked, said in disk.commands.items():
        disk.commands[asked] = said.replace(
            '"name": "Airflow_Temperature_Cel", "value": 64, "worst": 64, "thresh": 45, "when_failed": ""',
            '"name": "Airflow_Temperature_Cel", "value": 64, "worst": 40, "thresh": 45, "when_failed": "past"',
        )
        assert "past" in disk.commands[asked]
    return build.server(boot, disk, mounts=[build.root(boot), build.on(disk, "/srv", "xfs")])
