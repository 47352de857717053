"""Jobs in DynamoDB: they stand in the due index beside the matches, so that the referee finds them."""

import msgspec
from pynamodb.exceptions import DeleteError

from functions.shared.store.availability import SOMEBODY_ELSE, code_of, guarded
from functions.shared.store.due import shard_of
from functions.shared.store.models import JobItem
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import Job, JobKind
from functions.shared.store.transactions import transact


class DynamoJobs:
    """`ports.Jobs` over the matches table."""

    @guarded
    def get(self, kind: JobKind, job_id: str) -> Job | None:
        """See `ports.Jobs`."""
        try:
            item = JobItem.get(_key(kind, job_id), "JOB", consistent_read=True)
        except JobItem.DoesNotExist:
            return None
        return Job(kind, job_id, msgspec.json.decode(item.body), int(item.da), int(item.v))

    @guarded
    def start(self, job: Job) -> None:
        """See `ports.Jobs`."""
        transact([(job_item(job), JobItem.pk.does_not_exist())])

    @guarded
    def save(self, before: Job, after: Job) -> Job:
        """See `ports.Jobs`."""
        after = after._replace(version=before.version + 1)
        transact([(job_item(after), JobItem.v == before.version)])
        return after

    @guarded
    def finish(self, job: Job) -> None:
        """See `ports.Jobs`."""
        try:
            job_item(job).delete(condition=JobItem.v == job.version)
        except DeleteError as error:
            if code_of(error) in SOMEBODY_ELSE:
                raise ConflictError(job.id) from error
            raise


def job_item(job: Job) -> JobItem:
    """`JOB#kind#id | JOB`."""
    key = _key(job.kind, job.id)
    body = msgspec.json.encode(job.data).decode()
    return JobItem(key, "JOB", v=job.version, body=body, dp=shard_of(key), da=job.due)


def _key(kind: JobKind, job_id: str) -> str:
    return f"JOB#{kind}#{job_id}"
