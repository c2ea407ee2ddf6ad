"""Prints how a thousand random spatial worlds fare as JSON; the same as `pushpoint bench random-worlds --json`."""

import json

from pushpoint.bench.random_worlds import report

if __name__ == "__main__":  # worlds are made in other processes, which read this file again
    print(json.dumps(report(0, 1000), indent=2))
