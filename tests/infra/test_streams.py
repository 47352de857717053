import itertools
import json
import math
import threading
import time

import pytest

from infra.local import filters, streams
from infra.local.streams import Failure, StreamPump
from infra.local.template import StreamTrigger

ENDED = {"dynamodb": {"NewImage": {"ended": {"N": [{"exists": True}]}}}}


def record(number, **image):
    return {
        "eventName": "MODIFY",
        "dynamodb": {"SequenceNumber": str(number), "Keys": {"pk": {"S": "a"}}, "NewImage": image},
    }


class Source:
    """Records by table, taken once."""

    def __init__(self, **tables):
        self.tables = {name: list(records) for name, records in tables.items()}

    def take_records(self, table, limit):
        taken, self.tables[table] = self.tables[table][:limit], self.tables[table][limit:]
        return taken


def trigger(
    function="F", table="T", batch_size=3, patterns=(), attempts=3, reports=True, bisects=True, queue="Q", window=0
):
    return StreamTrigger(function, table, batch_size, patterns, attempts, reports, bisects, queue, window)


class Function:
    """Notes its batches; fails on the records that `fails` says, by report or by raising."""

    def __init__(self, fails=lambda number: False, raises=False):
        self.batches = []
        self.fails = fails
        self.raises = raises

    def __call__(self, name, event):
        assert set(event) == {"Records"}
        numbers = [int(entry["dynamodb"]["SequenceNumber"]) for entry in event["Records"]]
        self.batches.append(numbers)
        failed = [number for number in numbers if self.fails(number)]
        if failed and self.raises:
            raise RuntimeError("no")
        return {"batchItemFailures": [{"itemIdentifier": str(number)} for number in failed[:1]]}


def settle(function, numbers, **kwargs):
    pump = StreamPump([trigger(**kwargs)], Source(T=[record(number) for number in numbers]), function)
    pump.settle()
    return [int(failure.sequence_number) for failure in pump.failures]


# ------------------------------------------------------------------ filters


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        (ENDED, True),
        ({"dynamodb": {"NewImage": {"ended": [{"exists": True}]}}}, False),  # not a leaf, as in Lambda
        ({"dynamodb": {"NewImage": {"gone": {"N": [{"exists": True}]}}}}, False),
        ({"dynamodb": {"NewImage": {"gone": {"N": [{"exists": False}]}}}}, True),
        ({"dynamodb": {"OldImage": {"ended": {"N": [{"exists": False}]}}}}, True),
        ({"eventName": ["INSERT", "MODIFY"]}, True),
        ({"eventName": ["INSERT"]}, False),
        ({"eventName": ["MODIFY"], "dynamodb": {"NewImage": {"ended": {"N": ["6"]}}}}, False),
        ({"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "a"}]}}}}, True),
        ({"dynamodb": {"Keys": {"pk": {"S": [{"prefix": "EVENT#"}]}}}}, False),
        ({}, True),
    ],
)
def test_a_pattern_chooses_records_by_the_leaves_that_it_names(pattern, fits):
    assert filters.fitting([pattern])(record(1, ended={"N": "5"})) is fits


@pytest.mark.parametrize(
    "pattern",
    [
        *({"a": [{"numeric": [">", 1]}]}, {"a": [{"exists": True, "prefix": "x"}]}, {"a": "b"}, {"a": []}),
        *({"a": {"b": 1}}, {"a": [{"exists": "yes"}]}, {"a": [{"prefix": 1}]}, {"a": [{}]}),
    ],
)
def test_a_pattern_that_could_not_be_applied_is_refused_at_the_start(pattern):
    with pytest.raises(ValueError, match=r"pattern|rule"):
        StreamPump([trigger(patterns=(pattern,))], Source(T=[]), Function())


def test_a_function_gets_the_records_that_fit_one_of_its_patterns():
    function = Function()
    source = Source(T=[record(1), record(2, ended={"N": "5"}), record(3, won={"S": "a"}), record(4, ended={"S": "5"})])
    won = {"dynamodb": {"NewImage": {"won": {"S": [{"exists": True}]}}}}
    StreamPump([trigger(patterns=(ENDED, won))], source, function).settle()
    assert function.batches == [[2, 3]]


# ------------------------------------------------------------------ delivery


def test_records_come_in_order_in_batches():
    function = Function()
    assert settle(function, range(8)) == []
    assert function.batches == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_each_reader_of_a_stream_gets_every_record_and_tables_are_apart():
    calls = []
    source = Source(T=[record(1)], U=[record(2)])
    pump = StreamPump(
        [trigger("F"), trigger("G"), trigger("H", "U")],
        source,
        lambda name, event: calls.append((name, [entry["dynamodb"]["SequenceNumber"] for entry in event["Records"]])),
    )
    pump.settle()
    assert calls == [("F", ["1"]), ("G", ["1"]), ("H", ["2"])]


def test_a_function_can_change_its_event_and_no_other_reader_sees_it():
    seen = []

    def invoke(name, event):
        seen.append(json.dumps(event))
        event["Records"][0]["dynamodb"].clear()

    StreamPump([trigger("F"), trigger("G")], Source(T=[record(1)]), invoke).settle()
    assert seen[0] == seen[1]


def test_what_functions_write_is_delivered_before_it_is_quiet():
    source = Source(T=[record(1)])
    seen = []

    def invoke(name, event):
        number = int(event["Records"][0]["dynamodb"]["SequenceNumber"])
        seen.append(number)
        if number < 4:
            source.tables["T"].append(record(number + 1))

    StreamPump([trigger()], source, invoke).settle()
    assert seen == [1, 2, 3, 4]


# ------------------------------------------------------------------ failures


def test_what_follows_a_failed_record_is_delivered_again_and_what_precedes_it_is_not():
    tries = []

    def fails(number):
        tries.append(number)
        return number == 2 and tries.count(2) < 3

    function = Function(fails)
    assert settle(function, range(1, 7), batch_size=6) == []
    assert function.batches == [[1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6], [2, 3, 4], [5, 6]]


def test_a_record_that_never_succeeds_is_given_up_after_its_attempts_and_the_rest_goes_on(capfd):
    function = Function(lambda number: number == 2)
    assert settle(function, range(5), attempts=4) == [2]
    assert sum(2 in batch and batch[0] == 2 for batch in function.batches) <= 6
    assert [batch for batch in function.batches if batch == [2]] != []
    assert function.batches[-1][-1] == 4
    assert "record 2 failed 4 times, given up" in capfd.readouterr().err


def test_the_queue_is_told_which_record_it_was_and_nothing_of_its_content(capfd):
    function = Function(lambda number: number == 7)
    pumps = [
        StreamPump([trigger(attempts=2, queue=queue)], Source(T=[record(7, ended={"N": "5"})]), function)
        for queue in ("Q", "")
    ]
    for pump in pumps:
        pump.settle()
    assert [pump.failures for pump in pumps] == [[Failure("Q", "F", "T", "7", 2)], []]
    assert capfd.readouterr().err.count("record 7 failed 2 times, given up") == 2


@pytest.mark.parametrize("bisects", [True, False])
def test_a_function_that_raises_loses_the_one_record_that_makes_it_raise(bisects, capfd):
    function = Function(lambda number: number == 2, raises=True)
    lost = settle(function, range(6), reports=False, bisects=bisects)
    done = {number for batch in function.batches for number in batch if 2 not in batch}
    if bisects:
        assert (lost, done) == ([2], {0, 1, 3, 4, 5})
    else:
        assert lost == [0, 1, 2]  # each used up its attempts at the head of a batch that failed as a whole
        assert done == {3, 4, 5}
    assert "RuntimeError: no" in capfd.readouterr().err


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": None}, {"batchItemFailures": []}, "ok"])
def test_an_answer_that_names_no_failure_is_a_success(answer):
    calls = []

    def invoke(name, event):
        calls.append(event)
        return answer

    pump = StreamPump([trigger()], Source(T=[record(1)]), invoke)
    pump.settle()
    assert (len(calls), pump.failures) == (1, [])


@pytest.mark.parametrize("identifier", ["", None, "99"])
def test_an_answer_that_names_a_record_that_was_not_there_fails_them_all(identifier):
    calls = []

    def invoke(name, event):
        calls.append(len(event["Records"]))
        return {"batchItemFailures": [{"itemIdentifier": identifier}]} if len(calls) == 1 else None

    pump = StreamPump([trigger(bisects=False)], Source(T=[record(1), record(2)]), invoke)
    pump.settle()
    assert (calls, pump.failures) == ([2, 2], [])


def test_the_first_of_several_failures_counts():
    calls = []

    def invoke(name, event):
        numbers = [entry["dynamodb"]["SequenceNumber"] for entry in event["Records"]]
        calls.append(numbers)
        return {"batchItemFailures": [{"itemIdentifier": "3"}, {"itemIdentifier": "2"}]} if len(calls) == 1 else None

    StreamPump([trigger()], Source(T=[record(1), record(2), record(3)]), invoke).settle()
    assert calls == [["1", "2", "3"], ["2", "3"]]


def test_reports_count_only_where_the_template_asks_for_them():
    function = Function(lambda number: True)
    assert settle(function, [1, 2], reports=False) == []
    assert function.batches == [[1, 2]]


# ------------------------------------------------------------------ in the background


@pytest.mark.parametrize("poll", [None, 0.01])
def test_records_are_delivered_in_the_background_when_woken_or_found(poll):
    delivered = threading.Event()
    source = Source(T=[])
    pump = StreamPump([trigger()], source, lambda name, event: delivered.set(), poll=poll, window=0)
    pump.start()
    source.tables["T"].append(record(1))
    if poll is None:
        pump.wake()
    assert delivered.wait(20)
    pump.stop()


def stepped(pump, limit=100):
    """Takes the steps that are due; gives how many they were."""
    steps = 0
    while pump.step() == 0:
        steps += 1
        assert steps < limit
    return steps


def test_a_step_does_a_little_and_says_when_there_is_more(monkeypatch):
    monkeypatch.setattr(streams, "PORTION", 4)
    function, source = Function(), Source(T=[record(number) for number in range(10)])
    pump = StreamPump([trigger(batch_size=3)], source, function, window=0)
    assert pump.step() == math.inf  # nobody has said that there is anything
    pump.wake()
    seen = []
    while pump.step() == 0:
        seen.append((len(source.tables["T"]), len(function.batches)))
    assert all(
        (after[0] < before[0]) + (after[1] > before[1]) == 1 for before, after in itertools.pairwise([(10, 0), *seen])
    )
    assert [number for batch in function.batches for number in batch] == [*range(10)]
    assert pump.step() == math.inf


def test_news_that_another_thread_brings_while_a_step_ends_are_not_lost():
    class Late:
        """A lane that is read at the very moment."""

        trigger = trigger(table="U")

        @property
        def due_at(self):
            pump.wake()
            return math.inf

    pump = StreamPump([], Source(T=[]), Function(), window=0.01)
    pump._lanes.append(Late())
    pump.wake()
    time.sleep(0.02)
    assert pump.step() <= 0.01
    time.sleep(0.02)
    assert pump.step() <= 0.01


def test_records_gather_before_they_are_taken():
    function = Function()
    pump = StreamPump([trigger()], Source(T=[record(1)]), function, window=60)
    pump.wake()
    assert 50 < pump.step() <= 60
    pump.settle()  # does not wait
    assert function.batches == [[1]]


def test_a_batch_waits_until_it_is_full_or_its_window_is_over():
    short, long = Function(), Function()
    source = Source(T=[record(number) for number in range(2)])
    pump = StreamPump(
        [trigger("F", batch_size=3, window=0.05), trigger("G", batch_size=3, window=60)],
        source,
        lambda name, event: (short if name == "F" else long)(name, event),
        window=0,
    )
    pump.wake()
    stepped(pump)
    assert (short.batches, long.batches) == ([], [])
    assert 0 < pump.step() <= 0.05
    time.sleep(0.06)
    stepped(pump)
    assert (short.batches, long.batches) == ([[0, 1]], [])
    source.tables["T"] += [record(2)]
    pump.wake()
    stepped(pump)
    assert (short.batches, long.batches) == ([[0, 1]], [[0, 1, 2]])


def test_what_follows_from_a_batch_that_waited_is_delivered_before_it_is_quiet():
    source = Source(T=[record(1)])
    seen = []

    def invoke(name, event):
        number = int(event["Records"][0]["dynamodb"]["SequenceNumber"])
        seen.append(number)
        if number < 3:
            source.tables["T"].append(record(number + 1))

    pump = StreamPump([trigger(window=60)], source, invoke, window=0)
    pump.wake()
    stepped(pump)
    assert seen == []
    pump.settle()
    assert seen == [1, 2, 3]


def test_what_failed_is_not_kept_waiting_and_a_later_step_tries_it_again():
    tries = []

    def fails(number):
        tries.append(number)
        return number == 1 and len(tries) < 4

    function = Function(fails)
    pump = StreamPump([trigger(window=60)], Source(T=[record(number) for number in range(3)]), function, window=0)
    pump.wake()
    stepped(pump)
    assert function.batches == [[0, 1, 2], [1, 2]]


def test_a_step_does_nothing_while_another_thread_delivers():
    inside, go_on = threading.Event(), threading.Event()
    calls = []

    def invoke(name, event):
        calls.append(event["Records"][0]["dynamodb"]["SequenceNumber"])
        inside.set()
        assert go_on.wait(20)

    source = Source(T=[record(1)])
    pump = StreamPump([trigger()], source, invoke, window=0.01)
    other = threading.Thread(target=pump.settle)
    other.start()
    assert inside.wait(20)
    source.tables["T"] += [record(2)]
    pump.wake()
    time.sleep(0.02)
    assert pump.step() > 0
    assert calls == ["1"]
    go_on.set()
    other.join()
    pump.settle()
    assert calls == ["1", "2"]


def test_a_pump_without_triggers_stops():
    pump = StreamPump([], Source(), Function())
    pump.start()
    pump.settle()
    pump.stop()
