"""The consumer of the ladder's stream that counts ratings, and the schedule that publishes the counters."""
