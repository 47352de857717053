"""What is kept, and how: `records` and `ports` for the flows, the rest for DynamoDB. Nothing else imports pynamodb."""
