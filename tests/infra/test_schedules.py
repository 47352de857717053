import itertools
import threading

from infra.local.schedules import MOST, Scheduler, ScheduleThread, event
from infra.local.template import Schedule

MINUTE = Schedule("Referee", "EveryMinute", 60)
HOUR = Schedule("Report", "EveryHour", 3600)


def fired(scheduler, until):
    calls = []
    scheduler.run_until(until, lambda schedule, at: calls.append((at, schedule)))
    return calls


def test_a_schedule_is_due_one_period_after_the_start_and_then_every_period():
    scheduler = Scheduler([MINUTE], 5_000)
    assert fired(scheduler, 64_999) == []
    assert fired(scheduler, 65_000) == [(65_000, MINUTE)]
    assert fired(scheduler, 65_000) == []
    assert fired(scheduler, 200_000) == [(125_000, MINUTE), (185_000, MINUTE)]
    assert scheduler.next_due() == 245_000


def test_several_schedules_come_in_the_order_of_their_moments():
    calls = fired(Scheduler([HOUR, MINUTE], 0), 3_660_000)
    assert [at for at, _ in calls] == sorted(at for at, _ in calls)
    assert calls[-3:] == [(3_600_000, MINUTE), (3_600_000, HOUR), (3_660_000, MINUTE)]
    assert len(calls) == 62


def test_in_small_steps_as_many_come_as_in_a_large_one():
    small, large = Scheduler([MINUTE, HOUR], 0), Scheduler([MINUTE, HOUR], 0)
    stepped = [call for end in range(0, 7_300_000, 7_000) for call in fired(small, end)]
    assert stepped == fired(large, 7_293_000)


def test_past_very_many_occurrences_it_comes_at_evenly_spread_moments_and_the_last():
    scheduler = Scheduler([MINUTE], 0)
    moments = [at for at, _ in fired(scheduler, 259_200_000)]
    assert len(moments) <= MOST
    assert moments[-1] == 259_200_000
    assert len({after - before for before, after in itertools.pairwise(moments)}) == 1
    assert scheduler.next_due() == 259_260_000


def test_missed_occurrences_can_be_left_out():
    scheduler = Scheduler([MINUTE], 0)
    scheduler.skip_to(60_000)
    assert scheduler.next_due() == 60_000
    scheduler.skip_to(185_000)
    assert scheduler.next_due() == 240_000


def test_without_schedules_nothing_is_due():
    assert Scheduler([], 0).next_due() is None
    assert fired(Scheduler([], 0), 10**9) == []


def test_the_event_is_the_one_of_the_scheduler():
    made = event(MINUTE, 1_583_348_638_390)
    assert {name: made[name] for name in ("version", "detail-type", "source", "time", "detail")} == {
        "version": "0",
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "time": "2020-03-04T19:03:58Z",
        "detail": "{}",
    }
    assert made["resources"] == ["arn:aws:scheduler:us-east-1:000000000000:schedule/default/RefereeEveryMinute"]
    assert made["id"] != event(MINUTE, 0)["id"]


def test_a_thread_fires_what_falls_due_and_once_for_all_that_it_missed():
    # read twice a round: how long to wait, and what is due; the machine sleeps for an hour after the first round
    times = iter([60_000, 60_000, 3_665_000, 3_665_000, 3_720_000, 3_720_000])
    calls, third = [], threading.Event()

    def fire(schedule, at):
        calls.append((schedule, at))
        if len(calls) == 3:
            third.set()

    thread = ScheduleThread(Scheduler([MINUTE], 0), lambda: next(times, 3_720_001), fire)
    thread.start()
    assert third.wait(20)
    thread.stop()
    assert calls == [(MINUTE, 60_000), (MINUTE, 120_000), (MINUTE, 3_720_000)]
