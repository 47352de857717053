"""Logs and metrics. A line names what happened, never a token, key, seed or card."""

import os

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

logger = Logger()
metrics = Metrics()


def _is_measured() -> bool:
    return os.environ.get("POWERTOOLS_METRICS_DISABLED", "").lower() != "true"


def count(name: str, value: int = 1) -> None:
    """Counts something that happened, as a metric of the service."""
    if _is_measured():
        metrics.add_metric(name, MetricUnit.Count, value)


def measure_ms(name: str, value: int) -> None:
    """Notes a duration as a metric of the service."""
    if _is_measured():
        metrics.add_metric(name, MetricUnit.Milliseconds, value)


def publish() -> None:
    """Writes what was counted since the last time."""
    if _is_measured() and metrics.provider.metric_set:
        metrics.flush_metrics()
