"""python3 svc.py FEATURES.f32 LABELS.i32 d C gamma tol: prints what the fit took and its relative duality gap, as JSON."""

import json
import resource
import sys
import time

import numpy as np
from sklearn.svm import SVC

features, labels, d, C, gamma, tol = sys.argv[1:]
C, gamma = float(C), float(gamma)
X = np.fromfile(features, dtype=np.float32).reshape(-1, int(d)).astype(np.float64)
y = np.fromfile(labels, dtype=np.int32)
model = SVC(C=C, kernel="rbf", gamma=gamma, tol=float(tol), cache_size=512)  # as much as ours keeps
wall, cpu = time.perf_counter(), time.process_time()
model.fit(X, y)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

# Both objectives of what it found, from the kernel values of the support vectors.
V, a = X[model.support_], model.dual_coef_[0]
squares = (X**2).sum(1)[:, None] + (V**2).sum(1)[None] - 2 * X @ V.T
scores = np.exp(-gamma * np.maximum(squares, 0)) @ a
half = 0.5 * (a @ scores[model.support_])
margins = 1 - np.where(y == model.classes_[1], 1, -1) * (scores + model.intercept_[0])
primal, dual = C * np.maximum(margins, 0).sum() + half, np.abs(a).sum() - half
print(
    json.dumps(
        {
            "seconds": wall,
            "cpuSeconds": cpu,
            "peakBytes": peak,
            "epochs": int(np.sum(model.n_iter_)) / len(y),
            "relativeGap": (primal - dual) / primal,
        }
    )
)
