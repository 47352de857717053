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
_RANKS = "tests/faults/test_ladder_simulation.py::test_all_ranks_are_exact_when_the_queues_have_drained"
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
        "    return tuple([seat for seat in rules(match).pending(match.state) if not _sitter(match, seat).left])",
        "    gone = {choice.seat for choice in match.seals}\n"
        "    seats = [seat for seat in rules(match).pending(match.state) if not _sitter(match, seat).left]\n"
        "    return tuple(seat for seat in seats if seat not in gone)",
        _HIDDEN,
    ),
    Mutant(
        "a seal is numbered when it is made",
        _PLAY,
        "    return match._replace(seals=(*match.seals, choice), moves=choice.move, seats=tuple(seats))",
        '    match = logged(match, Entry(at, match.turn, "sealed", request.seat))\n'
        "    return match._replace(seals=(*match.seals, choice), moves=choice.move, seats=tuple(seats))",
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
        "    return tuple([seat for seat in asked(match) if seat not in sealed])",
        "    return asked(match)",
        "tests/engine/match/test_sealed.py::test_a_sealed_choice_cannot_be_changed",
    ),
    # Exactly once
    Mutant(
        "a write does not name what it expects",
        _MATCHES,
        'dispatch("PutItem", put)',
        'dispatch("PutItem", {"TableName": put["TableName"], "Item": item})',
        "tests/storage/test_matches.py::test_a_save_on_a_version_that_has_passed_changes_nothing",
    ),
    Mutant(
        "a kept record has the version that it had when it was kept",
        "functions/shared/store/packing.py",
        "    return record if is_same else record._replace(version=version, due=due)",
        "    return record",
        "tests/faults/test_packing.py::test_a_record_is_kept_beside_its_body_and_gets_what_its_item_says",
    ),
    Mutant(
        "what is due at this very moment is not looked at",
        "functions/shared/flows/play.py",
        "    if record.due is not None and now < record.due:",
        "    if record.due is not None and now <= record.due:",
        "tests/service/test_clocks.py::test_around_the_deadline_either_the_move_stands_or_the_time_out",
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
        "tests/storage/test_action_races.py::test_two_choices_sealed_at_once_both_commit_each_time",
    ),
    Mutant(
        "the key of a request is not stored",
        _FLOW,
        "        request = play.Request(seat, now, key=key.stored)",
        '        request = play.Request(seat, now, key="")',
        "tests/storage/test_action_races.py::test_one_action_sent_sixteen_times_with_one_key_happens_once_and_all_are_told_so",
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
    Mutant(
        "what a closed account ends has ended when somebody came to it",
        "functions/shared/flows/jobs.py",
        "    closed_at = job.data.get(_SINCE, job.due)",
        "    closed_at = now",
        "tests/service/test_closing.py::"
        "test_what_a_closing_ends_has_ended_when_the_account_was_closed_whoever_comes_to_it_when",
    ),
    Mutant(
        "the maker of a rematch keeps the old number of the seat",
        "engine/match/lobby.py",
        ", pauses=pauses, host=places.index(seat))",
        ", pauses=pauses)",
        "tests/service/test_rematch.py::test_its_maker_may_start_it_without_the_others_and_only_they",
    ),
    Mutant(
        "what a later version wrote is a fault",
        "engine/match/codec.py",
        "    unknown = data.keys() - _KNOWN\n",
        "    unknown = set[str]()\n",
        "tests/faults/test_newer_records.py::test_who_meets_a_match_of_a_later_version_is_told_to_try_again",
    ),
    Mutant(
        "a match that ended before the deadline of its pairing is taken as it stands at it",
        "functions/shared/flows/tournaments/attending.py",
        "        happened = ending(pairing, stored.match, game.number)",
        "        happened = Happened(Deadline(game.number, tables.facts(stored.match, at_deadline=True)), at)",
        "tests/faults/test_tournament_course.py::"
        "test_a_match_that_ended_in_time_counts_as_it_ended_though_nobody_settled_it_by_the_deadline",
    ),
    # Callers
    Mutant(
        "an expired token is good",
        "functions/shared/http/identity.py",
        "    if identity.expires_at is not None and identity.expires_at <= now:",
        "    if False:",
        "tests/service/test_tokens.py::test_a_token_expires_when_it_says",
    ),
    Mutant(
        "a token that has just ended makes another",
        "functions/shared/store/players.py",
        ", present=[made_with])",
        ")",
        "tests/storage/test_account_races.py::test_a_token_that_ends_while_it_makes_another_makes_none",
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
    # Ranks
    Mutant(
        "a rating is counted though a later version was",
        "functions/shared/flows/count.py",
        "(mark := marks.get(rating.player)) is None or mark.version < rating.version",
        "(mark := marks.get(rating.player)) is None or True",
        _RANKS,
    ),
    Mutant(
        "the difference is taken against the rating before, not against what was counted",
        "functions/shared/flows/count.py",
        "    changes = deltas((None if before is None else before.points, after.points) for before, after in moves)\n",
        "    def old(mark: Mark) -> int | None:\n"
        "        rows = services.ladder.history(mark.game, mark.player, None, 100).rows\n"
        "        lines = [line for row in rows for line in row.entry.lines if line.player == mark.player]\n"
        "        moved = [line for line in lines if line.version == mark.version - 1 and line.after != line.before]\n"
        "        return (moved[0].before + 500) // 1000 if moved and moved[0].version else None\n\n"
        "    changes = deltas((old(after), after.points) for _, after in moves)\n",
        _RANKS,
    ),
    Mutant(
        "the difference is written outside the transaction of the marks",
        "functions/shared/store/ladder.py",
        "            puts.append((items.delta_item(moves[0][1].game, delta), LadderItem.pk.does_not_exist()))\n",
        "            transact([(items.delta_item(moves[0][1].game, delta), LadderItem.pk.does_not_exist())])\n",
        _RANKS,
    ),
    Mutant(
        "a snapshot does not name the version that it follows",
        "functions/shared/store/ladder.py",
        "transact([(item, _expected(before.version))], [items.delta",
        "transact([(item, None)], [items.delta",
        _RANKS,
    ),
    Mutant(
        "a mark does not name the version that it follows",
        "functions/shared/store/ladder.py",
        "(items.mark_item(after), _expected(0 if before is None else before.version)) for",
        "(items.mark_item(after), None) for",
        _RANKS,
    ),
    Mutant(
        "a rating does not name the version that it follows",
        "functions/shared/store/ladder.py",
        "version=before.version + 1)), _expected(before.version)",
        "version=before.version + 1)), None",
        _RANKS,
    ),
    # Seeks
    Mutant(
        "a seek is taken without looking whether it still waits",
        "functions/shared/store/seeks.py",
        "transact(puts, [_own(seek) for seek in seeks], taken=[_entry(seek) for seek in seeks])",
        "transact(puts, [_own(seek) for seek in seeks] + [_entry(seek) for seek in seeks])",
        "tests/faults/test_seek_races.py::test_two_who_come_at_once_play_one_match_and_both_are_told_so",
    ),
    Mutant(
        "a seek is taken back though it has been matched",
        "functions/shared/store/seeks.py",
        "[_own(seek)], taken=[_entry(seek)])",
        "[_own(seek), _entry(seek)])",
        "tests/faults/test_seek_races.py::test_whoever_writes_first_has_the_seek",
    ),
    # Tournaments
    Mutant(
        "of nobody, all have confirmed",
        "functions/shared/flows/tournaments/starting.py",
        "    if len(field) < least:",
        "    if 0 < len(field) < least:",
        "tests/faults/test_tournament_entries.py::test_where_nobody_has_confirmed_nothing_begins",
    ),
    Mutant(
        "players are told of what is then refused",
        "functions/shared/store/tournaments.py",
        "        puts += [(event_item(to, notice, notice.at, n), None) for n, (to, notice) in enumerate(change.told)]",
        "        for n, (to, notice) in enumerate(change.told):\n"
        "            event_item(to, notice, notice.at, n).save()",
        "tests/faults/test_tournament_news.py::test_of_what_is_refused_nobody_is_told",
    ),
)
