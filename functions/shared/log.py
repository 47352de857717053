"""Logs and metrics. A line names what happened, never a token, key, seed or card."""

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

logger = Logger()
metrics = Metrics()


def count(name: str, value: int = 1) -> None:
    """Counts something that happened, as a metric of the service."""
    metrics.add_metric(name, MetricUnit.Count, value)
