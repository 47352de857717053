"""What runs in Lambda: thin handlers, and the shared layers below them."""
