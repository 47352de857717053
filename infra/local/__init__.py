"""The service on one machine: gateway, DynamoDB, streams and schedules, emulated from template.yaml."""
