"""Small breakages, each with the test that has to catch it."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """A piece of a file, what it is replaced by, and the test that must fail then."""

    name: str
    file: str
    before: str
    after: str
    test: str


_PLAY = "engine/match/play.py"
_LOG = "engine/match/log.py"
_RENDER = "functions/shared/render/match.py"
_MATCHES = "functions/shared/store/matches.py"
_FLOW = "functions/shared/flows/play.py"
_LEAKS = "tests/leaks/test_worlds.py::test_what_a_viewer_may_not_know_changes_no_answer"
_SEALS = "tests/leaks/test_seals.py::test_no_answer_tells_who_has_sealed"
_HIDDEN = "tests/engine/match/test_hidden.py::test_whether_a_seat_has_sealed_is_known_to_it_alone"

MUTANTS = (
    # What is hidden
    Mutant(
        "a view shows the serials of the running round",
        "engine/games/liars_poker.py",
        '        "net": list(state.net),\n        "settled": [',
        '        "net": list(state.net),\n        "all": list(state.serials),\n        "settled": [',
        _LEAKS,
    ),
    Mutant(
        "a spectator sees what seat 0 sees",
        _RENDER,
        "    view = None if match.state is None else rules(match).view(match.state, viewer)",
        "    view = None if match.state is None else rules(match).view(match.state, viewer or 0)",
        _LEAKS,
    ),
    Mutant(
        "the secret part of an event is everybody's",
        _LOG,
        "    if viewer is not None and viewer in entry.to:",
        "    if entry.to:",
        "tests/engine/match/test_log.py::test_a_secret_is_shown_to_its_seats_only",
    ),
    Mutant(
        "what is shown briefly is shown for ever",
        _LOG,
        "    if turn <= entry.turn + 1:",
        "    if True:",
        "tests/engine/match/test_log.py::test_what_is_shown_briefly_is_shown_until_the_next_decision_has_closed",
    ),
    Mutant(
        "a private match is everybody's",
        "functions/shared/flows/visibility.py",
        "    if not record.private:",
        "    if not record.private or True:",
        "tests/service/test_private.py::test_what_is_private_is_to_others_as_if_it_were_not_there",
    ),
    Mutant(
        "the join code is shown to who was invited",
        _RENDER,
        "record.join_code or None if viewer is not None else None",
        "record.join_code or None",
        "tests/service/test_private.py::test_its_code_is_shown_to_who_has_a_seat_only",
    ),
    # Seals
    Mutant(
        "the asked seats shrink as choices come in",
        _PLAY,
        "    return tuple(seat for seat in rules(match).pending(match.state) if not _sitter(match, seat).left)",
        "    gone = {choice.seat for choice in match.seals}\n"
        "    seats = [seat for seat in rules(match).pending(match.state) if not _sitter(match, seat).left]\n"
        "    return tuple(seat for seat in seats if seat not in gone)",
        _HIDDEN,
    ),
    Mutant(
        "a seal is numbered when it is made",
        _PLAY,
        "    return match._replace(seals=(*match.seals, choice), moves=choice.move)",
        '    match = logged(match, Entry(at, match.turn, "sealed", request.seat))\n'
        "    return match._replace(seals=(*match.seals, choice), moves=choice.move)",
        _HIDDEN,
    ),
    Mutant(
        "the clock of who has sealed is shown as standing",
        _RENDER,
        "            _clock(match, sitter, play.deadline(match, seat) if seat in asked else None),",
        "            _clock(match, sitter, play.deadline(match, seat) if seat in play.awaited(match) else None),",
        _SEALS,
    ),
    Mutant(
        "when to ask again depends on who has sealed",
        _RENDER,
        "for seat in play.asked(match) if (at := play.deadline",
        "for seat in play.awaited(match) if (at := play.deadline",
        "tests/leaks/test_seals.py",
    ),
    Mutant(
        "the choices of a decision are logged in the order of commitment",
        _PLAY,
        "    choices = sorted(match.seals)\n",
        "    choices = list(match.seals)\n",
        "tests/engine/match/test_sealed.py",
    ),
    Mutant(
        "a sealed choice can be changed",
        _PLAY,
        "    return tuple(seat for seat in asked(match) if seat not in sealed)",
        "    return asked(match)",
        "tests/engine/match/test_sealed.py::test_a_sealed_choice_cannot_be_changed",
    ),
    # Exactly once
    Mutant(
        "a write does not name what it expects",
        _MATCHES,
        "            item.save(condition=expected)",
        "            item.save()",
        "tests/storage/test_matches.py::test_a_save_on_a_version_that_has_passed_changes_nothing",
    ),
    Mutant(
        "a transaction does not name what it expects",
        "functions/shared/store/transactions.py",
        "                transaction.save(item, condition=expected)",
        "                transaction.save(item)",
        "tests/storage/test_matches.py::test_a_seat_in_a_match_that_has_changed_is_not_taken",
    ),
    Mutant(
        "a conflict is not tried again",
        _FLOW,
        "    return len(record.match.seats) + 2",
        "    return 1",
        "tests/faults/test_races.py::test_two_choices_sealed_at_once_both_commit_each_time",
    ),
    Mutant(
        "the key of a request is not stored",
        _FLOW,
        "        request = play.Request(seat, now, key=key.stored)",
        '        request = play.Request(seat, now, key="")',
        "tests/faults/test_races.py::test_one_action_sent_sixteen_times_with_one_key_happens_once_and_all_are_told_so",
    ),
    Mutant(
        "a key that was put away is forgotten",
        _FLOW,
        "    if found is None and record.parts and (turns := earlier(match)) is not None:",
        "    if found is None and not record.parts and (turns := earlier(match)) is not None:",
        "tests/faults/test_lost_replies.py::test_a_key_is_known_for_as_long_as_the_match_though_its_event_was_put_away",
    ),
    Mutant(
        "a key is good for another body",
        "functions/shared/flows/marks.py",
        "    if not hmac.compare_digest(key.body, body):",
        "    if False:",
        "tests/service/test_idempotency.py::test_a_key_that_came_with_another_body_is_refused",
    ),
    Mutant(
        "a replay is answered from what was stored with it",
        "functions/matches/common.py",
        "    record = play.current(request.services, outcome.record, request.now)\n    location",
        "    stored = app.__dict__.setdefault('stored', {})\n"
        "    given = request.headers.get('idempotency-key') or id(outcome)\n"
        "    record = stored.setdefault((given, request.player, request.event.raw_path), outcome.record)\n    location",
        "tests/leaks/test_replies.py::test_a_late_repetition_shows_the_match_as_it_is_now_and_no_more",
    ),
    Mutant(
        "an ended match is not due until it is settled",
        "functions/shared/store/due.py",
        "    return None if record.settled else match.ended_at + SETTLE_AFTER_MS",
        "    return None",
        "tests/faults/test_referee.py::test_an_ended_match_stays_due_until_it_is_settled_and_is_settled_once",
    ),
    Mutant(
        "a settlement is done again",
        "functions/shared/flows/settle.py",
        "    if record.settled or record.match.status not in _OVER:",
        "    if record.match.status not in _OVER:",
        "tests/faults/test_referee.py::test_an_ended_match_stays_due_until_it_is_settled_and_is_settled_once",
    ),
    Mutant(
        "a due time is written with each move",
        "functions/shared/store/due.py",
        "        return min(record.due, due)",
        "        return due",
        "tests/faults/test_index_keys.py",
    ),
    Mutant(
        "a due time that comes too late is kept",
        "functions/shared/store/due.py",
        "        return min(record.due, due)",
        "        return max(record.due, due)",
        "tests/faults/test_index_keys.py::test_a_due_time_that_would_come_too_late_is_written_at_once",
    ),
    # Time
    Mutant(
        "at the deadline there is still time",
        _PLAY,
        "    return limit is not None and limit <= at",
        "    return limit is not None and limit < at",
        "tests/engine/match/test_absence.py::test_before_the_deadline_an_action_counts_and_at_it_time_is_up",
    ),
    Mutant(
        "a time-out is dated when somebody looks",
        "engine/match/advance.py",
        "        match = time_out(match) if seat is None else _answer(match, seat)",
        "        match = time_out(match._replace(opened_at=match.opened_at + max(0, now - due))) if seat is None "
        "else _answer(match, seat)",
        "tests/engine/match/test_advance.py::test_calls_at_any_times_come_to_the_same_match_as_one",
    ),
    Mutant(
        "a pause gives a move its whole time back",
        "engine/clock.py",
        "            at += end - max(start, opened_at)",
        "            at = end + total(clock, reserve)",
        "tests/engine/test_clock.py",
    ),
    Mutant(
        "a byo-yomi period is used up by any move in it",
        "engine/clock.py",
        "        used = max(0, over) // (1000 * clock.period_seconds)",
        "        used = -(-max(0, over) // (1000 * clock.period_seconds))",
        "tests/engine/test_clock.py::test_byo_yomi_spends_the_main_time_then_whole_periods",
    ),
    # Callers
    Mutant(
        "an expired token is good",
        "functions/shared/flows/accounts.py",
        "    if token.expires_at is not None and token.expires_at <= now:\n        return None",
        "    if False:\n        return None",
        "tests/service/test_tokens.py::test_a_token_expires_when_it_says",
    ),
    Mutant(
        "a token is compared by a prefix, and not in constant time",
        "functions/shared/flows/accounts.py",
        "    if token is None or not hmac.compare_digest(token.hash, digest):",
        "    if token is None or token.hash[:8] != digest[:8]:",
        "tests/service/test_secrets.py::test_a_token_is_compared_whole_and_in_constant_time",
    ),
    Mutant(
        "a join code is compared by its first characters",
        "functions/shared/flows/seats.py",
        "not hmac.compare_digest(record.join_code.encode(), code.upper().encode())",
        "record.join_code[:4] != code.upper()[:4]",
        "tests/service/test_secrets.py::test_a_join_code_is_compared_whole_and_in_constant_time",
    ),
    Mutant(
        "a cursor is good for everybody",
        "functions/shared/http/cursors.py",
        "    message = repr((path, filters, request.player, position))",
        "    message = repr((path, filters, position))",
        "tests/service/test_cursors.py::test_a_cursor_is_good_for_its_list_and_its_caller",
    ),
    Mutant(
        "the entity tag is of the moment",
        "functions/shared/http/answer.py",
        '        headers["etag"] = etag(body)',
        '        headers["etag"] = etag(body + str(answer.server_time).encode())',
        "tests/service/test_caching.py::test_every_get_has_a_weak_tag_and_answers_304_to_it",
    ),
    Mutant(
        "a bot draws from the stream of another turn",
        "engine/match/advance.py",
        'stream = chance(match)(f"bot/seat={seat}/turn={match.turn}")',
        'stream = chance(match)(f"bot/seat={seat}/turn=1")',
        "tests/engine/match/test_advance.py::test_a_bot_answers_anew_in_each_turn",
    ),
)
