# What `nodl reproduce` runs for the curves of scikit-learn: SAMPLES.npy ATOMS.npy ESTIMATOR K BATCH SEED
import sys
import warnings

import numpy as np
from sklearn.decomposition import MiniBatchDictionaryLearning, MiniBatchNMF

samples, out, estimator, k, batch, seed = sys.argv[1:]
X = np.load(samples)
common = dict(n_components=int(k), batch_size=int(batch), random_state=int(seed))
if estimator == "MiniBatchNMF":
    model = MiniBatchNMF(**common)
elif estimator == "MiniBatchDictionaryLearning":
    X -= X.mean(axis=1, keepdims=True)  # as nodl codes: all but the mean grey
    model = MiniBatchDictionaryLearning(alpha=0.1, fit_algorithm="cd", **common)
else:
    sys.exit(f"no estimator is called {estimator}")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for first in range(0, len(X), int(batch)):
        model.partial_fit(X[first:first + int(batch)])
np.save(out, np.ascontiguousarray(model.components_))
