"""What runs in Lambda: thin handlers, and the shared layers below them."""

import gc

# A start makes some hundred thousand objects, all of which stay: to look for garbage among them again and again takes a
# sixth of it. What requests leave behind is nearly all freed without that.
gc.set_threshold(200_000, 10, 10)
