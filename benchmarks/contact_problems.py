"""Shares of random contact problems that are solved to 1e-9, as JSON: python benchmarks/contact_problems.py."""

import argparse
import json

from pushpoint.bench.contact_problems import families, solved_share

SIZES = {1: 60, 3: 60, 10: 60, 30: 30, 100: 8, 200: 4}
"""Contacts per problem, and how many problems of each family and largest friction."""
FRICTION = (0.0, 0.3, 1.0)


def main() -> None:
    """Prints one JSON object per line as results come, and the totals last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the random problems")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of problems")
    given = parser.parse_args()
    rows = []
    for contacts, tries in SIZES.items():
        for family in families():
            for friction in FRICTION:
                count = max(1, round(given.share * tries))
                rows.append(solved_share(family, contacts, friction, count, given.seed))
                print(json.dumps(rows[-1]), flush=True)
    total = {"problems": sum(row["problems"] for row in rows), "solved": sum(row["solved"] for row in rows)}
    print(json.dumps({"totals": total}))


if __name__ == "__main__":
    main()
