"""python3 lbfgs.py FEATURES.f32 LABELS.i32 WEIGHTS.f64 d C steps: prints what the fit took, as JSON."""

import json
import resource
import sys
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("ignore")  # that it stops at the steps allowed is what is asked for
features, labels, out, d, C, steps = sys.argv[1:]
X = np.fromfile(features, dtype=np.float32).reshape(-1, int(d)).astype(np.float64)
y = np.fromfile(labels, dtype=np.int32)
model = LogisticRegression(
    C=float(C), fit_intercept=False, solver="lbfgs", max_iter=int(steps), tol=1e-6  # of three classes or more it is multinomial
)
wall, cpu = time.perf_counter(), time.process_time()
model.fit(X, y)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
model.coef_.astype(np.float64).tofile(out)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seconds": wall, "cpuSeconds": cpu, "peakBytes": peak, "epochs": int(model.n_iter_.max())}))
