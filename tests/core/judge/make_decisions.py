# SPDX-License-Identifier: Apache-2.0
"""Makes decisions.json: the k largest of made-up scores, and their order, as NumPy has them.

python3 make_decisions.py > decisions.json      (numpy 2.4.6)
"""

import json

import numpy

random = numpy.random.default_rng(11)


def lowest_first(scores):
    return numpy.argsort(-scores, kind="stable")


def highest_first(scores):
    return len(scores) - 1 - numpy.argsort(-scores[::-1], kind="stable")


def cases():
    for count, digits in [(2, 0), (5, 1), (5, 0), (9, 0), (20, 1), (20, 6), (70, 1)]:
        for _ in range(6):
            scores = numpy.round(random.normal(size=count), digits) + 0.0  # few digits: ties
            k = int(random.integers(1, count))
            ordered = numpy.sort(scores)[::-1]
            last = ordered[k - 1]
            yield {
                "scores": scores.tolist(),
                "k": k,
                "top_lowest": sorted(lowest_first(scores)[:k].tolist()),
                "top_highest": sorted(highest_first(scores)[:k].tolist()),
                "top_sure": numpy.flatnonzero(scores > last).tolist(),
                "top_tied": numpy.flatnonzero(scores == last).tolist(),
                "top_margin": float(last - ordered[k]),
                "ranking_lowest": lowest_first(scores).tolist(),
                "ranking_highest": highest_first(scores).tolist(),
                # For each score the number of different scores above it.
                "places": numpy.unique(-scores, return_inverse=True)[1].tolist(),
                "ranking_margin": float(numpy.min(-numpy.diff(ordered))),
            }


print(json.dumps({"cases": list(cases())}, indent=1))
