"""The published experiments: scenarios, claims, deviations and figures, a room per paper."""
