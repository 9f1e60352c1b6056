"""What probes measured becomes facts, and stops being one when what it depends on has changed."""

import json

import pytest

from fsadvisor.facts import Cause, Known, Unknown
from fsadvisor.machine import kept_files
from fsadvisor.machine.kept_files import PROBES
from fsadvisor.machine.recorded import RecordedMachine
from fsadvisor.machine.recording import RecordingMachine
from fsadvisor.storage.catalogue import catalogue
from fsadvisor.survey.measured import conditions_of
from fsadvisor.survey.whole import survey
from tests.cases import each
from tests.told import BARE_METAL, disk, machine, stacked

MOUNT = "36 1 8:0 / /srv rw,relatime shared:1 - ext4 /dev/sda rw"


def interval(median, half=0.04, windows=9):
    return {"median": median, "low": median * (1 - half), "high": median * (1 + half), "windows": windows}


def storage(*lines, mounts=(MOUNT,), cache="write back", text=None, kernel="6.12.0"):
    content = "\n".join(json.dumps(line) for line in lines) if text is None else text
    files = {PROBES: content, "/sys/block/sda/queue/scheduler": "[none] mq-deadline"} if content else {}
    made = machine(disk("sda", cache=cache), mounts=mounts, files=files)
    made.files["/proc/sys/kernel/osrelease"] = kernel
    return survey(made, {})


def line(job="commit-fdatasync", median=800.0, *, depends=None, **more):
    found = {
        "schema": "fsadvisor/probe/1",
        "job": job,
        "mount": "/srv",
        "target": "/srv/jo",
        "when": "2026-11-21T12:00:00+00:00",
        "engine": "fio 3.33",
        "figure": interval(median),
        "believable": True,
        "depends": conditions_of(storage(text="\n"), "/srv") if depends is None else depends,
    }
    return found | more


def ladder(flush=360.0, whole=1000.0, **more):
    parts = {"data": interval(whole - flush - 200.0), "journal": interval(200.0), "flush": interval(flush)}
    return line("fsync-ladder", whole, parts_us=parts, **more)


def fact(found, name, subject="mount:/srv"):
    scope = next(it.scope for it in found.subjects if it.id == subject)
    return catalogue()[name].reader()(scope)


def learn(found, name="mount.commit_us"):
    unknown = fact(found, name)
    assert isinstance(unknown, Unknown)
    assert unknown.cause is Cause.NOT_MEASURED
    return unknown.learn


def test_a_result_is_a_fact_with_where_it_comes_from():
    found = storage(line(percentiles_us={"p99": 2101.26}, amplification=1.32))

    assert fact(found, "mount.commit_us") == Known(
        800.0, "`fsadvisor probe commit-fdatasync` on 2026-11-21, fio 3.33, 768.0 to 832.0"
    )
    assert fact(found, "mount.commit_p99_us").value == 2100.0
    assert fact(found, "mount.commit_amplification").value == 1.32


def test_without_a_result_the_probe_to_run_is_named():
    assert learn(storage()) == "`fsadvisor probe commit-fdatasync /srv`"
    assert learn(storage(), "mount.flush_share_percent") == "`fsadvisor probe fsync-ladder /srv`"
    spaced = storage(mounts=[MOUNT.replace("/srv", "/srv/a\\040b")])
    assert fact(spaced, "mount.commit_us", "mount:/srv/a b").learn == "`fsadvisor probe commit-fdatasync '/srv/a b'`"


def test_the_ladder_tells_what_share_of_an_fsync_each_step_takes():
    found = storage(ladder())

    assert fact(found, "mount.fsync_us").value == 1000
    assert fact(found, "mount.flush_us").value == 360
    assert fact(found, "mount.data_share_percent").value == 44
    assert fact(found, "mount.journal_share_percent").value == 20
    assert fact(found, "mount.flush_share_percent").value == 36


def test_a_step_that_is_not_sure_is_no_fact():
    found = storage(line("fsync-ladder", 1000.0, parts_us={"flush": interval(360.0, half=0.9)}))

    assert learn(found, "mount.flush_share_percent").endswith("the result of 2026-11-21 does not tell it")


@each(
    ("change", "what"),
    [
        ({"kernel": "6.13.0"}, "host.kernel_release = '6.12.0'"),
        ({"cache": "write through"}, "disk sda.write_cache = 'write back'"),
        ({"mounts": [MOUNT.replace("relatime", "noatime")]}, "mount.options = 'relatime rw'"),
        ({"mounts": [MOUNT.replace("ext4", "xfs")]}, "mount.fs_type = 'ext4'"),
    ],
)
def test_a_result_is_stale_when_what_it_depends_on_has_changed(change, what):
    words = learn(storage(line(), **change))

    assert words == (
        f"`fsadvisor probe commit-fdatasync /srv`: it was measured on 2026-11-21 with {what}, which has changed since"
    )


def test_when_everything_is_back_as_it_was_the_old_result_counts_again():
    old = line(median=500.0, when="2026-11-01T12:00:00+00:00")
    new = line(depends={"host.kernel_release": "6.13.0"})

    assert fact(storage(old, new), "mount.commit_us").value == 500
    assert fact(storage(new, old), "mount.commit_us").value == 500


def test_the_newest_of_results_that_hold_counts():
    old = line(median=500.0, when="2026-11-21T13:00:00+02:00")

    assert fact(storage(line(), old), "mount.commit_us").value == 800


@each(
    ("more", "why"),
    [
        ({"figure": None}, "the probe of 2026-11-21 came to no figure"),
        ({"believable": False}, "the figure of 2026-11-21 cannot be what it seems"),
        ({"figure": interval(800, windows=5)}, "the probe of 2026-11-21 ended after 5 windows"),
        ({"figure": interval(800, half=0.3)}, "the interval of 2026-11-21 is wider than ± 15 %"),
        ({"depends": {}}, "the result of 2026-11-21 does not say what it depends on"),
    ],
)
def test_what_is_not_sure_is_no_fact_and_says_why(more, why):
    assert learn(storage(line(**more))) == f"`fsadvisor probe commit-fdatasync /srv`: {why}"


def test_what_it_depended_on_and_cannot_be_seen_now_makes_it_no_fact_and_is_not_said_to_have_changed():
    assert "which cannot be told today" in learn(storage(line(depends={"disk sda.secret": "x"})))


def test_a_file_that_is_damaged_hides_no_result_that_is_whole():
    text = '{"half": \n' + json.dumps(line()) + "\nrubbish\n"

    assert fact(storage(text=text), "mount.commit_us").value == 800


def test_a_file_that_may_not_be_read_is_told_as_it_is():
    denied = Unknown(Cause.DENIED, "run as root", PROBES)
    made = machine(disk("sda"), mounts=(MOUNT,), files={PROBES: denied}, root=False)

    assert fact(survey(made, {}), "mount.commit_us") == denied


@pytest.mark.parametrize(
    ("flag", "call", "faster"),
    [(500.0, 800.0, "O_DSYNC"), (800.0, 500.0, "fdatasync"), (800.0, 820.0, "neither")],
)
def test_one_way_to_sync_is_faster_only_where_the_intervals_are_apart(flag, call, faster):
    found = storage(line("commit-dsync", flag), line(median=call))

    assert fact(found, "mount.faster_sync").value == faster
    assert learn(storage(line()), "mount.faster_sync") == "`fsadvisor probe commit-dsync /srv`"


def test_what_appending_and_o_dsync_save_is_told_in_percent_or_as_nothing():
    found = storage(line(median=800.0), line("commit-dsync", 500.0), line("commit-fdatasync-append", 1000.0))

    assert fact(found, "mount.dsync_saves_percent").value == 37.5
    assert fact(found, "mount.append_share_percent").value == 20
    alike = storage(line(median=800.0), line("commit-dsync", 790.0), line("commit-fdatasync-append", 700.0))
    assert fact(alike, "mount.dsync_saves_percent").value == fact(alike, "mount.append_share_percent").value == 0


def test_where_no_probe_of_appends_can_be_sure_enough_none_is_named():
    hardware = machine(disk("sda"), mounts=(MOUNT,), commands=BARE_METAL)
    cloud = machine(
        disk("vda", where="pci0000:00/0000:00:04.0/virtio1"), mounts=(MOUNT.replace("sda", "vda"),), commands=BARE_METAL
    )

    assert learn(survey(hardware, {}), "mount.append_share_percent").startswith("`fsadvisor probe commit-fdatasync-app")
    assert fact(survey(cloud, {}), "mount.append_share_percent") == Unknown(
        Cause.NOT_EXPOSED, "", "probes of appends: on a disk that is or may be virtual none is sure enough"
    )
    assert learn(survey(cloud, {})) == "`fsadvisor probe commit-fdatasync /srv`"


def test_whether_the_disk_is_virtual_is_to_be_learned_before_it_is_said_that_no_probe_is_sure_enough():
    unasked = machine(disk("sda"), mounts=(MOUNT,))
    del unasked.commands["systemd-detect-virt --vm"]
    below = fact(survey(unasked, {}), "below.any_virtual")

    assert isinstance(below, Unknown)
    assert below.learn
    assert fact(survey(unasked, {}), "mount.append_share_percent") == below


def test_appends_whose_results_may_not_be_read_are_not_said_to_be_unmeasured():
    denied = Unknown(Cause.DENIED, "run as root", PROBES)
    made = machine(disk("sda"), mounts=(MOUNT,), files={PROBES: denied}, root=False)

    assert fact(survey(made, {}), "mount.append_share_percent") == denied


def test_what_is_not_written_to_is_not_measured():
    read_only = storage(mounts=[MOUNT.replace(" rw", " ro")])

    assert fact(read_only, "mount.commit_us").cause is Cause.NOT_APPLICABLE


def test_a_disk_knows_the_flushes_of_what_stands_on_it_alone():
    found = fact(storage(ladder()), "disk.flush_share_percent", "disk:sda")

    assert found.value == 36
    assert found.source.endswith("on /srv")
    assert fact(storage(), "disk.flush_share_percent", "disk:sda").learn == "`fsadvisor probe fsync-ladder /srv`"
    assert fact(storage(mounts=()), "disk.flush_share_percent", "disk:sda").cause is Cause.NOT_APPLICABLE


ON_A_LOOP = {"layer loop8.direct_io": "False"}


def on_a_loop(**more):
    """A result above a loop device: of 1000 µs its own flushes take 700, those of the disk below 25."""
    mounts = ("35 1 8:0 / / rw,relatime shared:1 - ext4 /dev/sda rw", LOOP_MOUNT)
    looped = stacked("loop8", "7:8", [], loop__backing_file="/img", loop__dio="0")
    there = conditions_of(survey(machine(disk("sda"), looped, mounts=mounts), {}), "/srv")
    assert ON_A_LOOP.keys() <= there.keys()
    parts = {"data": interval(30.0), "journal": interval(270.0), "flush": interval(700.0)}
    parts |= {"flush_disks": interval(25.0)} if more else {}
    told = line("fsync-ladder", 1000.0, parts_us=parts, depends=there, **more)
    return survey(machine(disk("sda"), looped, mounts=mounts, files={PROBES: json.dumps(told)}), {})


LOOP_MOUNT = "36 35 7:8 / /srv rw,relatime shared:2 - ext4 /dev/loop8 rw"


def test_flushes_of_a_loop_device_are_not_taken_for_those_of_the_disk_below():
    found = on_a_loop(flushes_at=["loop8"])

    assert fact(found, "mount.flush_share_percent").value == 70
    assert fact(found, "mount.disk_flush_share_percent").value == 2.5
    assert fact(found, "disk.flush_share_percent", "disk:sda").value == 2.5


def test_of_a_result_that_does_not_say_where_flushes_were_counted_above_a_loop_device_only_the_data_counts():
    found = on_a_loop()

    assert fact(found, "mount.data_share_percent").value == 3
    assert fact(found, "mount.fsync_us").value == 1000
    for name in ("mount.flush_us", "mount.flush_share_percent", "mount.journal_share_percent"):
        assert learn(found, name).endswith("does not tell it")


def test_a_layer_between_counts_too():
    parts = (disk("sda"), stacked("dm-0", "253:0", ["sda"], dm__name="x"))
    mount = "36 1 253:0 / /srv rw,relatime shared:1 - ext4 /dev/dm-0 rw"
    found = conditions_of(survey(machine(*parts, mounts=[mount]), {}), "/srv")

    assert found["layer dm-0.write_cache"] == found["disk sda.write_cache"] == "write back"
    files = {PROBES: json.dumps(line(depends=found))}
    assert fact(survey(machine(*parts, mounts=[mount], files=files), {}), "mount.commit_us").value == 800
    changed = files | {"/sys/block/dm-0/queue/write_cache": "write through"}
    words = learn(survey(machine(*parts, mounts=[mount], files=changed), {}))
    assert words.endswith("with layer dm-0.write_cache = 'write back', which has changed since")


def test_conditions_are_told_of_any_mount_of_the_storage():
    found = conditions_of(storage(), "/srv")

    assert found["mount.options"] == "relatime rw"
    assert found["disk sda.model"] == "SOME DISK"
    assert conditions_of(storage(), "/nowhere") == {}


def test_a_recording_holds_results_without_the_folder_that_was_measured():
    text = json.dumps(line(remarks=["/srv/jo is slow"])) + "\nrubbish of jo\n"
    kept = kept_files.without_places(text)

    assert "/srv/jo" not in kept
    assert "rubbish" not in kept
    assert fact(storage(text=kept), "mount.commit_us").value == 800


def test_a_recorded_machine_says_what_was_measured_on_it(tmp_path):
    live = machine(disk("sda"), mounts=(MOUNT,), files={PROBES: json.dumps(ladder(depends=None))})
    live.files["/sys/block/sda/queue/scheduler"] = "[none] mq-deadline"
    recording = RecordingMachine(live)
    was = survey(recording, {})
    recording.write(tmp_path / "recorded")
    replayed = survey(RecordedMachine(tmp_path / "recorded"), {})

    assert fact(was, "mount.flush_share_percent").value == 36
    assert fact(replayed, "mount.flush_share_percent") == fact(was, "mount.flush_share_percent")


def test_a_user_s_file_that_is_not_there_holds_nothing(tmp_path):
    assert kept_files.probe_text(tmp_path / "none") is None
    assert kept_files.user_probes_path({}) is None


def test_a_figure_of_a_file_smaller_than_usual_is_no_fact():
    assert "no space for a file of the usual size" in learn(storage(line(small_file_bytes=16 << 20)))
