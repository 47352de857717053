"""When a player is away: on vacation, or for good; and when the service was."""

from datetime import UTC, datetime

from engine.types import EpochMs
from functions.shared.flows import jobs
from functions.shared.flows.accounts import own_profile
from functions.shared.flows.marks import Key, recall, to_remember
from functions.shared.log import logger
from functions.shared.problems import Problem, Rejected, busy
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records import Job, JobKind, Profile, Remembered, Vacation

DAYS_A_YEAR = 21
DAY_MS = 86_400_000


def days_left(profile: Profile, now: EpochMs) -> int:
    """Days of vacation that may still be taken in this year (UTC)."""
    vacation = profile.vacation
    is_this_year = vacation is not None and _year(vacation.start) == _year(now)
    return DAYS_A_YEAR - (profile.days_taken if is_this_year else 0)


def _year(at: EpochMs) -> int:
    return datetime.fromtimestamp(at // 1000, UTC).year


def is_away(profile: Profile, now: EpochMs) -> bool:
    """Whether the player is on vacation."""
    return profile.vacation is not None and profile.vacation.start <= now < profile.vacation.end


def begin_vacation(services: Services, player: str, days: int, key: Key, now: EpochMs) -> tuple[Profile, bool]:
    """So many days from now on, and whether the request had been carried out before.

    Raises `Rejected`: key-reused, conflict (one is under way), limit-reached (21 days a year).
    """
    before = own_profile(services, player)
    if recall(services, key, now) is not None:
        return before, True
    if is_away(before, now):
        raise Rejected(Problem.CONFLICT, "you are on vacation; end it first: DELETE /v1/me/vacation")
    left = days_left(before, now)
    if days > left:
        raise Rejected(Problem.LIMIT_REACHED, f"{left} of {DAYS_A_YEAR} days are left this year")
    taken = DAYS_A_YEAR - left + days
    after = before._replace(vacation=Vacation(now, now + days * DAY_MS, days), days_taken=taken)
    return _save(services, before, after, now, to_remember(key, (player,), now)), False


def end_vacation(services: Services, player: str, now: EpochMs) -> Profile:
    """Ends it now; whole days that were not used are given back. Without one, nothing changes."""
    before = own_profile(services, player)
    if not is_away(before, now) or before.vacation is None:
        return before
    unused = (before.vacation.end - now) // DAY_MS
    vacation = before.vacation._replace(end=now, days=before.vacation.days - unused)
    after = before._replace(vacation=vacation, days_taken=before.days_taken - unused)
    return _save(services, before, after, now)


def _save(
    services: Services, before: Profile, after: Profile, now: EpochMs, remembered: Remembered | None = None
) -> Profile:
    pending = services.jobs.get(JobKind.VACATION, before.id)
    # It takes the place of one that is not done: each goes by what the vacation is by then.
    job = Job(JobKind.VACATION, before.id, {}, now, 1 if pending is None else pending.version + 1)
    try:
        services.players.save(before, after, job, remembered)
    except ConflictError as conflict:
        raise busy() from conflict
    _try_to_run(services, job, now)
    return after._replace(version=before.version + 1)


def close_account(services: Services, player: str, now: EpochMs) -> None:
    """The tokens end at once; the matches are forfeited and the name taken away by a job. Raises `Rejected`."""
    before = own_profile(services, player)
    after = before._replace(closed_at=now, recovery_hash="", vacation=None)
    job = Job(JobKind.CLOSE, player, {}, now, 1)
    try:
        services.players.close(before, after, job)
    except ConflictError as conflict:
        raise busy() from conflict
    _try_to_run(services, job, now)


def declare_outage(services: Services, outage_id: str, start: EpochMs, end: EpochMs, now: EpochMs) -> None:
    """Deadlines that fell into the outage are extended, once for an id. Raises `ConflictError` while the same outage is
    being written in."""
    job = Job(JobKind.OUTAGE, outage_id, {"from": start, "until": end, "declared": now}, now, 1)
    services.jobs.start(job)
    jobs.run(services, job, now)


def _try_to_run(services: Services, job: Job, now: EpochMs) -> None:
    try:
        jobs.run(services, job, now)
    except ConflictError:
        logger.info("a job is left to the referee", extra={"job": job.kind})
