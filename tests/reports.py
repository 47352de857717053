"""Faults that hurt comparable services, by their numbers in the list of reports, and the tests that look for each."""

_LEAKS = "tests/leaks/"
_SERVICE = "tests/service/"
_FAULTS = "tests/faults/"
_STORAGE = "tests/storage/"
_EVENT = "tests/engine/tournament/test_reports.py::"
_REPLIES = "tests/faults/test_lost_replies.py::"
_TOURNAMENT = "tests/service/test_tournament_reports.py::"

REPORTS: dict[int, tuple[str, ...]] = {
    # Hidden information
    1: (
        _LEAKS + "test_canaries.py::test_no_answer_shows_a_canary_to_who_may_not_know_it",
        _LEAKS + "test_canaries.py::test_no_line_of_the_log_and_no_metric_shows_a_canary",
        _LEAKS + "test_worlds.py::test_where_the_log_is_kept_shows_nowhere",
    ),
    2: (
        _SERVICE + "test_actions.py::test_an_answer_to_an_action_is_what_a_read_shows",
        _LEAKS + "test_replies.py::test_a_late_repetition_shows_the_match_as_it_is_now_and_no_more",
    ),
    3: (_SERVICE + "test_tournament_secrets.py::test_the_view_follows_from_the_token_alone",),
    4: (
        _LEAKS + "test_worlds.py::test_what_a_viewer_may_not_know_changes_no_answer",
        _LEAKS + "test_seals.py::test_a_second_session_sees_what_the_first_one_sees",
    ),
    5: (
        _LEAKS + "test_seals.py::test_no_answer_tells_who_has_sealed",
        _SERVICE + "test_log.py::test_a_sealed_choice_enters_when_its_phase_closes_dated_then_in_seat_order",
    ),
    6: (
        _LEAKS + "test_worlds.py::test_what_a_viewer_may_not_know_changes_no_answer_to_any_question",
        _LEAKS + "test_notices.py::test_the_suite_notices_an_entity_tag_of_the_version",
    ),
    7: (_LEAKS + "test_worlds.py::test_what_a_viewer_may_not_know_changes_no_answer_to_any_question",),
    8: (
        "tests/engine/test_noninterference.py::test_no_combination_of_options_leaks",
        "tests/engine/test_noninterference.py::test_a_deal_that_shows_the_last_one_is_noticed",
    ),
    9: (
        _LEAKS + "test_doors.py::test_the_secret_key_shows_in_nothing_but_its_commitment",
        _LEAKS + "test_proof.py::test_before_the_end_the_proof_tells_nothing",
    ),
    # Concurrency and retries
    10: (
        _STORAGE + "test_seat_races.py::test_of_fifty_players_as_many_get_a_seat_as_there_are",
        _STORAGE + "test_seat_races.py::test_one_player_in_two_sessions_gets_one_seat",
    ),
    11: (_STORAGE + "test_simultaneous.py::test_two_hundred_pairs_of_simultaneous_choices_all_commit",),
    12: (_REPLIES + "test_the_same_key_finishes_a_request_whose_reply_was_lost_and_does_nothing_twice",),
    13: (
        _STORAGE + "test_action_races.py::test_of_two_different_answers_to_one_turn_one_counts",
        _SERVICE + "test_idempotency.py::test_a_bot_that_answers_twice_is_heard_once",
    ),
    14: (_SERVICE + "test_actions.py::test_an_illegal_action_changes_nothing",),
    15: (
        _STORAGE + "test_simultaneous.py::test_the_last_two_choices_at_once_end_the_match",
        _STORAGE + "test_action_races.py::test_of_the_last_two_seats_that_resign_at_once_one_does",
    ),
    16: (_SERVICE + "test_actions.py::test_only_the_open_turn_can_be_acted_in",),
    17: (_REPLIES + "test_somebody_else_always_being_faster_ends_in_a_503_after_a_bounded_number_of_attempts",),
    18: (_STORAGE + "test_action_races.py::test_thirty_two_writers_lose_no_event_and_double_none",),
    19: (
        _STORAGE + "test_action_races.py::test_twins_that_both_find_a_passed_deadline_are_answered_alike",
        _FAULTS + "test_referee.py::test_two_referees_at_once_bring_each_match_up_once",
        _FAULTS
        + "test_ladder_results.py::test_an_end_that_is_told_five_times_and_to_two_consumers_at_once_is_rated_once",
    ),
    # Time
    20: (
        _FAULTS + "test_referee.py::test_a_late_read_comes_to_the_outcome_that_the_referee_and_readers_come_to",
        _SERVICE + "test_referee_http.py::test_with_the_referee_stopped_for_hours_a_late_look_comes_to_the_same",
    ),
    21: (
        _SERVICE + "test_clocks.py::test_around_the_deadline_either_the_move_stands_or_the_time_out",
        _FAULTS + "test_referee.py::test_nothing_falls_a_millisecond_before_the_deadline_and_all_at_it",
    ),
    22: (
        "tests/engine/test_clock.py::test_pausing_and_resuming_preserves_what_remained",
        _SERVICE + "test_vacation.py::test_a_slow_clock_stands_still_until_the_end_of_the_vacation",
        _SERVICE + "test_vacation.py::test_who_comes_back_early_has_what_remained",
    ),
    23: (_SERVICE + "test_referee_http.py::test_nothing_is_taken_from_who_has_nothing_to_do",),
    24: (_FAULTS + "test_tournament_entries.py::test_where_nobody_has_confirmed_nothing_begins",),
    25: (
        _SERVICE + "test_outage.py::test_deadlines_that_fell_into_an_outage_are_extended_once",
        _FAULTS + "test_tournament_course.py::test_an_outage_moves_the_deadlines_that_it_fell_into_once",
    ),
    # Ladder
    26: (
        _FAULTS
        + "test_ladder_results.py::test_an_end_that_is_told_five_times_and_to_two_consumers_at_once_is_rated_once",
        _SERVICE + "test_ladder.py::test_a_finish_that_is_told_many_times_is_one_result",
    ),
    27: (
        _FAULTS + "test_ladder_results.py::test_overlapping_matches_of_one_player_are_all_rated_in_any_order",
        _FAULTS + "test_ladder_results.py::test_the_order_of_seats_changes_nothing",
    ),
    28: (
        _FAULTS + "test_ladder_results.py::test_what_must_not_be_rated_moves_nothing_and_says_why",
        _FAULTS + "test_ladder_results.py::test_a_no_show_is_let_off_once_in_thirty_days",
    ),
    29: (
        _FAULTS + "test_ladder_results.py::test_gains_and_losses_add_up_and_the_heaviest_favourites_loss_costs",
        "tests/engine/ladder/test_elo.py::test_three_and_thirty_seats_do_not_freeze_the_ratings",
    ),
    30: (
        _FAULTS + "test_ladder_results.py::test_nobody_falls_through_the_floor_and_nobody_is_raised_by_it",
        "tests/engine/ladder/test_elo.py::test_the_floor_and_the_ceiling_hold_after_the_change_and_raise_nobody_who_lost",
    ),
    31: (
        _SERVICE + "test_ladder_pages.py::test_pages_are_the_same_forward_and_backward_and_a_tie_has_one_rank_on_all",
        _SERVICE
        + "test_ladder_pages.py::test_what_stays_where_it_is_is_neither_skipped_nor_repeated_while_results_come_in",
    ),
    32: (_SERVICE + "test_ladder_pages.py::test_a_closed_account_leaves_no_ghost_and_shifts_nobody",),
    33: (
        _SERVICE + "test_ladder_pages.py::test_the_window_around_a_player",
        _SERVICE + "test_ladder_pages.py::test_the_window_in_a_ladder_of_one_and_of_none",
    ),
    34: (_SERVICE + "test_ladder.py::test_who_lets_games_time_out_in_series_is_let_off_once",),
    # Tournaments
    35: (
        _TOURNAMENT + "test_35_byes_go_to_the_top_seeds_and_none_meets_another",
        _EVENT + "test_35_a_side_is_a_bye_only_where_nobody_will_ever_come",
    ),
    36: (
        "tests/engine/tournament/test_conformance.py::test_an_event_plays_to_its_end_and_gives_everybody_a_place",
        _SERVICE + "test_tournament_formats.py::test_an_event_of_any_size_comes_to_an_end_that_adds_up",
    ),
    37: (_TOURNAMENT + "test_37_when_nobody_comes_the_event_ends_and_no_first_place_is_taken",),
    38: (
        _TOURNAMENT + "test_38_when_all_withdraw_the_event_ends",
        _EVENT + "test_38_who_withdraws_above_is_out_below_too",
    ),
    39: (
        _TOURNAMENT + "test_39_a_round_is_made_once_and_only_when_the_last_one_has_closed",
        _EVENT + "test_39_a_pairing_whose_match_was_never_created_ends_at_its_deadline",
    ),
    40: (
        _TOURNAMENT + "test_40_nobody_meets_himself_after_a_removal",
        "tests/engine/tournament/test_vectors.py::test_nobody_meets_again_before_the_losers_round_that_the_rules_name",
    ),
    41: (_TOURNAMENT + "test_41_the_third_place_is_the_same_before_and_after_the_final",),
    42: (_TOURNAMENT + "test_42_the_second_grand_final_is_played_when_it_is_needed_only",),
    43: (_TOURNAMENT + "test_43_ties_share_a_rank_and_a_finished_table_stays_as_it_is",),
    44: (_TOURNAMENT + "test_44_rounds_places_and_seeds_count_from_one_and_no_row_is_lost",),
    45: (_TOURNAMENT + "test_45_with_an_odd_number_each_rests_once",),
    # Series are refused until they are offered: none can overlap itself.
    46: (_SERVICE + "test_tournament_errors.py::test_what_is_wrong_is_named_with_what_is_possible",),
    47: (
        _TOURNAMENT + "test_47_of_many_who_enter_at_once_as_many_as_there_are_places_get_one",
        _FAULTS + "test_tournament_entries.py::test_an_entry_that_is_cut_off_is_all_or_nothing",
        _SERVICE + "test_tournament_errors.py::test_a_mistake_can_be_corrected_until_the_start",
    ),
    # API and operations
    48: (
        _SERVICE + "test_limits.py::test_reading_too_often_is_told_when_to_come_again_and_never_stops_a_game",
        _SERVICE + "test_problems.py::test_no_browser_gets_html_for_a_problem",
    ),
    49: (
        _SERVICE + "test_lists.py::test_a_page_has_one_to_a_hundred_items",
        _SERVICE + "test_cursors.py::test_a_forged_cursor_is_refused",
    ),
    50: (
        _SERVICE + "test_actions.py::test_what_is_offered_is_accepted",
        "tests/engine/test_conformance.py::test_no_other_action_is_accepted_and_the_refusal_changes_nothing",
    ),
    51: (
        _FAULTS + "test_newer_records.py::test_who_meets_a_match_of_a_later_version_is_told_to_try_again",
        _FAULTS + "test_packing.py::test_a_body_of_the_first_release_is_read",
    ),
    52: (
        _SERVICE + "test_players.py::test_a_name_may_not_be",
        _STORAGE + "test_races.py::test_a_name_that_sixteen_want_is_given_to_one",
    ),
    53: (
        _SERVICE + "test_bad_input.py::test_what_is_no_json_object_is_refused",
        _SERVICE + "test_bad_input.py::test_an_action_takes_no_strange_number",
        _SERVICE + "test_bad_input.py::test_a_body_has_at_most_16_kib",
    ),
}
"""A test is named by its file and its function, which may have many cases."""
