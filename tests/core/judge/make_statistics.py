# SPDX-License-Identifier: Apache-2.0
"""Makes statistics.json: what SciPy, scikit-learn and NumPy say of made-up scores, decisions and differences.

python3 make_statistics.py > statistics.json      (scipy 1.17.1, scikit-learn 1.9.1, numpy 2.4.6)
"""

import itertools
import json

import numpy
import scipy.stats
import sklearn.metrics

random = numpy.random.default_rng(7)


def scores():
    for count, digits in [(2, 3), (9, 1), (40, 1), (200, 6)]:
        truth = random.integers(0, 2, count)
        truth[:2] = [0, 1]
        score = numpy.round(random.normal(truth, 1.0), digits)  # few digits: ties
        yield {
            "truth": truth.tolist(),
            "score": score.tolist(),
            "auc": sklearn.metrics.roc_auc_score(truth, score),
        }


def decisions():
    for count, classes in [(3, 2), (30, 3), (200, 10)]:
        truth = random.integers(0, classes, count)
        decision = numpy.where(random.random(count) < 0.7, truth, random.integers(0, classes + 1, count))
        present = sorted(set(truth) | set(decision))
        yield {
            "truth": truth.tolist(),
            "decision": decision.tolist(),
            "classes": [int(one) for one in present],
            "f1": sklearn.metrics.f1_score(truth, decision, labels=present, average=None).tolist(),
            "macro": sklearn.metrics.f1_score(truth, decision, average="macro"),
        }


def losses():
    for count, classes in [(4, 2), (50, 5)]:
        probabilities = random.dirichlet(numpy.ones(classes), count)
        truth = random.integers(0, classes, count)
        yield {
            "of_truth": probabilities[numpy.arange(count), truth].tolist(),
            "log_loss": sklearn.metrics.log_loss(truth, probabilities, labels=list(range(classes))),
        }


def stability(reference, trial, bins):
    ends = numpy.unique(numpy.quantile(reference, numpy.arange(1, bins) / bins))
    shares = []
    for values in (reference, trial):
        counts = numpy.bincount(numpy.digitize(values, ends, right=True), minlength=len(ends) + 1)
        shares.append(numpy.maximum(counts, 0.5) / len(values))
    return float(numpy.sum((shares[1] - shares[0]) * numpy.log(shares[1] / shares[0])))


def distributions():
    for count, other, shift, digits in [(1, 1, 1.0, 2), (10, 7, 0.3, 1), (200, 150, 0.2, 6), (50, 50, 5.0, 2), (30, 30, 0.0, 0)]:
        reference = numpy.round(random.normal(0, 1, count), digits)
        trial = numpy.round(random.normal(shift, 1, other), digits)
        yield {
            "reference": reference.tolist(),
            "trial": trial.tolist(),
            "ks": float(scipy.stats.ks_2samp(reference, trial).statistic),
            "stability": {str(bins): stability(reference, trial, bins) for bins in (2, 10)},
        }


def splits():
    for one, other in [(0, 1), (1, 0), (5, 5), (3, 9), (0, 12), (40, 70), (900, 1100), (3, 2000)]:
        yield {"one": one, "other": other, "p": scipy.stats.binomtest(one, one + other, 0.5).pvalue}


def differences():
    for values, margin in [
        ([0.001, -0.004], 0.01),
        ([0.002, -0.001, 0.0, -0.003, 0.001], 0.005),
        ([-0.012, -0.009, -0.011, -0.008, -0.010], 0.01),
        ([-0.03, 0.02, 0.01, -0.05, 0.0], 0.01),
        ([0.1, 0.2, 0.15, 0.3, 0.12, 0.22], 0.0),
    ]:
        alpha = 0.05
        test = scipy.stats.ttest_1samp(values, -margin, alternative="greater")
        low = scipy.stats.ttest_1samp(values, 0.0, alternative="greater").confidence_interval(1 - alpha).low
        means = numpy.array([numpy.mean(ways) for ways in itertools.product(values, repeat=len(values))])
        yield {
            "values": values,
            "margin": margin,
            "alpha": alpha,
            "t_low": float(low),
            "t_p": float(test.pvalue),
            "bootstrap_low": float(numpy.quantile(means, alpha)),
        }


def many():
    values = random.normal(0.001, 0.01, 40)
    means = random.choice(values, (400_000, 40)).mean(axis=1)
    return {"values": values.tolist(), "bootstrap_low": float(numpy.quantile(means, 0.05)), "mean": float(values.mean())}


print(json.dumps({name: list(make()) for name, make in [
    ("scores", scores), ("decisions", decisions), ("losses", losses), ("distributions", distributions),
    ("splits", splits), ("differences", differences)]} | {"many": many()}, indent=1))
