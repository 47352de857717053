"""The layers below the handlers: http, flows, store, render."""
