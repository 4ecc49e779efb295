"""python3 pythonVersions.py: the version of scikit-learn, and the names or files of the BLAS it computes with, as JSON.

Fails where it cannot be fitted as lbfgs.py does."""

import json
import os
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    model = LogisticRegression(C=1.0, fit_intercept=False, solver="lbfgs", max_iter=2, tol=1e-6)
    assert model.fit(np.eye(3), [0, 1, 2]).coef_.shape == (3, 3)


def named():
    from threadpoolctl import threadpool_info

    found = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return sorted({f"{pool['internal_api']} {pool['version']}" for pool in found})


def mapped():
    words = ("openblas", "mkl", "blis", "atlas", "accelerate", "libblas", "libcblas")
    with open("/proc/self/maps") as maps:
        files = {os.path.realpath(line.split()[-1]) for line in maps if "/" in line}
    return sorted(file for file in files if any(word in os.path.basename(file).lower() for word in words))


blas = []
for look in (named, mapped):
    try:
        blas = blas or look()
    except (ImportError, OSError):
        pass
print(json.dumps({"version": sklearn.__version__, "blas": blas}))
