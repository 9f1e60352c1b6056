"""When a gentle probe waits, and that it stops waiting."""

from fsadvisor.measure.probe.run import Gentle, Load, LoadTotals, busier, load_between, load_totals

CALM = Load(waiting=0.02, request_ms=0.5)


def moment(seconds, waiting_us, requests=0, request_ms=0):
    return LoadTotals(seconds=seconds, waiting_us=waiting_us, requests=requests, request_ms=request_ms)


def gentle(moments, **more):
    """One that sees these moments, two for each look."""
    seen = iter(moments)
    return Gentle(["vda"], load=lambda _: next(seen), sleep=lambda _: None, **more)


def looks(*shares):
    """Moments of looks of a second each, in which programs waited for these shares of it."""
    for at, share in enumerate(shares):
        yield moment(at * 2, 0)
        yield moment(at * 2 + 1, round(share * 1e6))


def test_a_load_is_the_difference_of_two_moments():
    assert load_between(moment(1, 100_000, 10, 20), moment(3, 500_000, 14, 30)) == Load(waiting=0.2, request_ms=2.5)


def test_without_requests_the_disks_are_quiet_and_what_is_not_told_stays_so():
    assert load_between(moment(1, 0, 7, 9), moment(2, 0, 7, 9)).request_ms == 0
    assert load_between(moment(1, None, None, None), moment(2, None, None, None)) == Load(waiting=None, request_ms=None)


def test_more_waiting_and_slower_requests_are_busier_and_as_before_is_not():
    assert busier(CALM, CALM) == ""
    assert busier(CALM, Load(waiting=0.5, request_ms=0.5)) == "programs wait for I/O in 50% of the time"
    assert busier(CALM, Load(waiting=0.0, request_ms=9)) == "requests of others take 9.0 ms"
    assert busier(CALM, Load(waiting=None, request_ms=None)) == ""


def test_it_waits_until_others_do_as_before_and_says_why():
    said = []
    one = gentle(looks(0.0, 0.9, 0.8, 0.05), says=said.append)
    assert one.wait(60)
    assert said == [f"paused: programs wait for I/O in {it} of the time" for it in ("90%", "80%")]
    assert one.paused_seconds == 2


def test_it_gives_up_where_others_never_calm_down():
    assert not gentle(looks(0.0, *[0.9] * 5)).wait(5)


def test_the_counters_of_this_machine_are_told_or_left_open():
    here = load_totals(["no such disk"])
    assert (here.requests, here.request_ms) == (None, None)
