# SPDX-License-Identifier: Apache-2.0
"""Makes trivial.json: what scikit-learn's LinearRegression and LogisticRegression(C = 1) over StandardScaler say of
made-up rows.

python3 make_trivial.py > trivial.json      (scikit-learn 1.9.1, numpy 2.4.6)
"""

import json

import numpy
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler

random = numpy.random.default_rng(11)


def float32(values):
    return numpy.asarray(values, dtype=numpy.float32).astype(numpy.float64)


def regression(rows, columns):
    x = float32(random.normal(0, 1, (rows, columns)) * [10.0**i for i in range(columns)] + 3)
    y = float32(x @ random.normal(0, 1, columns) + 5 + random.normal(0, 1, rows))
    new = float32(random.normal(0, 1, (4, columns)))
    return {"x": x.tolist(), "y": y.tolist(), "new": new.tolist(), "output": LinearRegression().fit(x, y).predict(new).tolist()}


def classes(rows, columns, count):
    y = random.integers(0, count, rows)
    y[:count] = range(count)
    x = float32(random.normal(0, 1, (rows, columns)) + y[:, None])
    new = float32(random.normal(1, 1, (4, columns)))
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=1.0, tol=1e-12, max_iter=100000, solver="lbfgs").fit(scaler.transform(x), y)
    return {
        "x": x.tolist(),
        "y": y.tolist(),
        "new": new.tolist(),
        "probability": model.predict_proba(scaler.transform(new)).tolist(),
    }


print(
    json.dumps(
        {"regression": [regression(12, 3), regression(4, 6)], "classes": [classes(20, 3, 2), classes(30, 2, 4)]},
        indent=1,
    )
)
