"""The table of shingled hard disks: by whole models, each with its page."""

from fsadvisor import drives
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.panel import build


def told(model, **more):
    disk = build.hdd(0, model, **more)
    storage = survey(build.server(disk, mounts=[build.root(disk)]), {})
    return next(it for it in storage.subjects if it.id == "disk:sda").scope["disk"]


def test_sixty_models_each_stand_on_a_page_with_its_day():
    assert len(drives.shingled_models()) >= 60
    assert all("https://" in page and "read on 2026-11-23" in page for page in drives.shingled_models().values())


@each(
    ("model", "by"),
    [
        ("WDC WD40EFAX-68JH4N1", "model"),
        ("WDC WD40EFRX-68N32N0", "no sign"),
        ("WDC WD40EFPX-68C6CN0", "no sign"),
        ("ST8000DM004-2CX188", "model"),
        ("ST8000NM0055-1RM112", "no sign"),
        ("TOSHIBA HDWD240", "model"),
        ("TOSHIBA HDWD130", "no sign"),
    ],
)
def test_a_model_is_told_by_its_whole_name(model, by):
    assert told(model).shingled_by.value == by


def test_a_hard_disk_that_takes_trim_or_has_zones_says_so_itself():
    assert told("A disk", queue__discard_max_bytes="2147450880").shingled_by.value == "trim"
    assert told("A disk", queue__zoned="host-aware").shingled_by.value == "zones"
