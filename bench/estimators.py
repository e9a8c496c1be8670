#!/usr/bin/python3
"""nodl's estimators against scikit-learn's: same data, same process, one thread, same objective.

    OPENBLAS_NUM_THREADS=1 PYTHONPATH=build/dev/python bench/estimators.py [--samples N] [--json]

`fit`: MiniBatchDictionaryLearning(fit_algorithm="cd") and OnlineDictionaryLearning learn the same
samples in the same batches and order, once. Objective: the mean over other samples of
1/2 ||x - D'a||^2 + alpha ||a||_1, with exact codes and atoms of unit norm. `transform`: codes of
those samples by lasso_cd in the same dictionary. Calls: microseconds that the estimator adds to a
batch of one sample, beyond the core's own work.
"""

import argparse
import json
import time
import warnings

import numpy as np
from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode

import nodl


def patches(samples, side, seed):
    """Patches of smooth textures with edges, each minus its mean, of unit size on average."""
    rng = np.random.default_rng(seed)
    size = 256
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(size), np.fft.fftfreq(size)))
    frequency[0, 0] = 1
    image = np.fft.ifft2(np.fft.fft2(rng.standard_normal((size, size))) / frequency).real
    for _ in range(60):  # straight edges
        angle, offset, height = rng.uniform(0, np.pi), rng.uniform(-128, 128), rng.normal()
        y, x = np.mgrid[:size, :size] - size / 2
        image += height * image.std() * 0.3 * (x * np.cos(angle) + y * np.sin(angle) > offset)
    at = rng.integers(0, size - side, (samples, 2))
    X = np.stack([image[i:i + side, j:j + side].ravel() for i, j in at])
    X -= X.mean(axis=1, keepdims=True)
    return X / np.sqrt((X**2).sum(axis=1).mean()) * 3


def objective(X, D, alpha):
    D = D / np.maximum(np.linalg.norm(D, axis=1, keepdims=True), 1e-12)
    codes = nodl.sparse_encode(X, D, alpha=alpha)
    return float((0.5 * ((X - codes @ D) ** 2).sum(axis=1) + alpha * np.abs(codes).sum(axis=1)).mean())


def timed(call):
    begin = time.process_time()  # one thread: of no account who else uses the machine
    result = call()
    return time.process_time() - begin, result


def compare_fit(X, test, atoms, alpha, batch):
    common = dict(n_components=atoms, alpha=alpha, batch_size=batch, max_iter=1, random_state=0)
    theirs, them = timed(lambda: MiniBatchDictionaryLearning(
        **common, fit_algorithm="cd", shuffle=False, tol=0, max_no_improvement=None).fit(X))
    # Dense atoms of unit norm and one sweep a batch: what scikit-learn does.
    ours, us = timed(lambda: nodl.OnlineDictionaryLearning(
        **common, fit_algorithm="cd", atom_norm="unit", atom_nonzeros=X.shape[1], memory="mairal",
        init="sample", max_sweeps=1).fit(X))
    return {"samples": len(X), "features": X.shape[1], "atoms": atoms, "alpha": alpha,
            "batch": batch, "sklearn_seconds": theirs, "nodl_seconds": ours,
            "speedup": theirs / ours, "sklearn_objective": objective(test, them.components_, alpha),
            "nodl_objective": objective(test, us.dictionary_, alpha)}


def compare_transform(X, D, alpha):
    theirs, a = timed(lambda: sparse_encode(X, D, algorithm="lasso_cd", alpha=alpha))
    ours, b = timed(lambda: nodl.sparse_encode(X, D, algorithm="lasso_cd", alpha=alpha))
    value = [float((0.5 * ((X - c @ D) ** 2).sum() + alpha * np.abs(c).sum()) / len(X)) for c in (a, b)]
    return {"samples": len(X), "sklearn_seconds": theirs, "nodl_seconds": ours,
            "speedup": theirs / ours, "sklearn_objective": value[0], "nodl_objective": value[1]}


def call_overhead(X):
    model = nodl.OnlineDictionaryLearning(8, alpha=0.5, atom_norm="unit").fit(X[:200, :16])
    one, core = np.ascontiguousarray(X[:1, :16]), model._learner

    def microseconds(call, repeats=2000):
        best = np.inf
        for _ in range(5):
            best = min(best, timed(lambda: [call() for _ in range(repeats)])[0])
        return best / repeats * 1e6
    return {"partial_fit": microseconds(lambda: model.partial_fit(one)) - microseconds(lambda: core.learn(one, True)),
            "transform": microseconds(lambda: model.transform(one))
            - microseconds(lambda: core.encode_dense(one, "", False, False))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    X, test = np.split(patches(arguments.samples + 5000, 8, 0), [arguments.samples])
    result = {"fit": [compare_fit(X, test, atoms, 0.3, 256) for atoms in (64, 128)]}
    D = test[:128] / np.linalg.norm(test[:128], axis=1, keepdims=True)
    result["transform"] = [compare_transform(test, D, alpha) for alpha in (0.1, 0.3)]
    result["overhead_microseconds"] = call_overhead(X)
    if arguments.json:
        print(json.dumps(result))
        return
    for kind in ("fit", "transform"):
        for r in result[kind]:
            print(f"{kind:9} {r['samples']} samples: scikit-learn {r['sklearn_seconds']:.2f} s "
                  f"(objective {r['sklearn_objective']:.4f}), nodl {r['nodl_seconds']:.2f} s "
                  f"({r['nodl_objective']:.4f}): {r['speedup']:.1f}x")
    print("overhead  of a call with one sample: partial_fit {partial_fit:.1f} us, "
          "transform {transform:.1f} us".format(**result["overhead_microseconds"]))


if __name__ == "__main__":
    main()
