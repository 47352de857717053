"""Messages at a table, and what players are told: both in the order in which they came."""

import pytest

from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Message, Notice
from tests.storage.backend import Store
from tests.storage.examples import NOW, new_id, outcome, told
from tests.storage.lives import created

MATCH = "mat-1"


def message(number: int) -> Message:
    return Message(new_id("msg_", NOW + number), "ann", "Ann", f"söme wörds {number}", NOW + number)


def notice(name: str, at: int = NOW) -> Notice:
    return Notice(f"evt-{name}", "your-turn", at, {"match": f"mat-{name}", "turn": 3})


# Messages


def test_messages_come_oldest_first_and_go_on_after_any_of_them(store: Store) -> None:
    said = [message(number) for number in range(7)]
    for one in said:
        store.matches.say(MATCH, one, None)
    assert store.matches.messages(MATCH, None, 10) == said
    assert store.matches.messages(MATCH, None, 3) == said[:3]
    assert store.matches.messages(MATCH, said[2].id, 3) == said[3:6]
    assert store.matches.messages(MATCH, said[5].id, 3) == said[6:]
    assert store.matches.messages(MATCH, said[6].id, 3) == []


def test_messages_are_of_one_match_and_apart_from_its_log(store: Store) -> None:
    record = created(store)
    record = store.matches.save(record, told(record, 60))
    assert record.parts
    one, other = message(1), message(2)
    store.matches.say(record.match.id, one, None)
    store.matches.say(MATCH, other, None)
    assert store.matches.messages(record.match.id, None, 10) == [one]
    assert len(store.matches.log_parts(record.match.id, 1, 10**8 - 1)) == len(record.parts)
    assert store.matches.get(record.match.id) == record


def test_a_message_is_said_once_and_a_key_used_once(store: Store) -> None:
    one, other = message(1), message(2)
    store.matches.say(MATCH, one, outcome("ann", made=one.id))
    with pytest.raises(ConflictError):
        store.matches.say(MATCH, one._replace(text="again"), None)
    with pytest.raises(ConflictError):
        store.matches.say(MATCH, other, outcome("ann", made=other.id))
    assert store.matches.messages(MATCH, None, 10) == [one]
    known = store.players.remembered("ann", "mark", NOW)
    assert known is not None
    assert known.ids == (one.id,)


# Notices


def test_notices_come_in_the_order_of_insertion_whatever_their_own_moments(store: Store) -> None:
    store.inbox.put([("ann", notice("c", NOW + 9)), ("bob", notice("x")), ("ann", notice("a", NOW + 5))], NOW)
    store.inbox.put([("ann", notice("b", NOW - 5))], NOW + 1)
    page = store.inbox.read("ann", "", 10)
    assert page.notices == (notice("c", NOW + 9), notice("a", NOW + 5), notice("b", NOW - 5))
    assert (len(page.places), page.more) == (3, False)
    assert store.inbox.read("bob", "", 10).notices == (notice("x"),)
    assert store.inbox.read("cyd", "", 10) == ((), (), False)


@pytest.mark.parametrize("size", [1, 3, 50])
def test_an_inbox_is_read_page_by_page_without_gaps(store: Store, size: int) -> None:
    everything = [notice(f"{number:02}") for number in range(40)]
    store.inbox.put([("ann", one) for one in everything], NOW)  # more than one request to the database takes
    found: list[Notice] = []
    after = ""
    for _ in range(50):
        page = store.inbox.read("ann", after, size)
        found += page.notices
        if not page.more:
            break
        after = page.places[-1]
    assert found == everything


def test_a_notice_that_is_put_again_keeps_its_id(store: Store) -> None:
    store.inbox.put([("ann", notice("a"))], NOW)
    store.inbox.put([("ann", notice("a"))], NOW + 1)
    assert [one.id for one in store.inbox.read("ann", "", 10).notices] in (["evt-a"], ["evt-a", "evt-a"])


def test_nothing_is_put_where_there_is_nothing(store: Store) -> None:
    store.inbox.put([], NOW)
    assert store.inbox.read("ann", "", 10) == ((), (), False)
