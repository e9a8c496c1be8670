"""One rival on one workload, in a process of its own: CPU seconds of the kernel alone, as JSON.

Started by bench/compare; reads the .npy files that nodl_workloads wrote.
"""

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np

LAMBDA = 0.1
BATCH = 512
IMAGE_BATCH = 200
IMAGE_NONZEROS = 200


def columns(path, dtype, count=None):
    """Samples or atoms as columns; SPAMS wants Fortran order."""
    return np.asfortranarray(np.load(path, mmap_mode="r")[:count].T, dtype=dtype)


def timed(work):
    start = time.process_time()
    value = work()
    return value, time.process_time() - start


class Spams:
    def __init__(self):
        import spams

        self.spams = spams

    def train(self, x, start):
        batches = math.ceil(x.shape[1] / BATCH)
        return self.spams.trainDL(x, D=start, lambda1=LAMBDA, batchsize=BATCH, iter=batches,
                                  numThreads=1, verbose=False)

    def encode(self, x, atoms):
        return self.spams.lasso(x, D=atoms, lambda1=LAMBDA, mode=2, numThreads=1)

    def encode_images(self, x, atoms):
        return self.spams.lasso(x, D=atoms, L=IMAGE_NONZEROS, lambda1=0.0, mode=2, numThreads=1)

    def train_images(self, x, start):
        """SPAMS cannot cap the nonzeros of LARS in training: a plain loop around its coder."""
        d = start.copy(order="F")
        k = d.shape[1]
        a, b = np.zeros((k, k), d.dtype), np.zeros(d.shape, d.dtype)
        for first in range(0, x.shape[1], IMAGE_BATCH):
            samples = np.asfortranarray(x[:, first:first + IMAGE_BATCH])
            codes = self.encode_images(samples, d).toarray()
            kept = max(0.0, 1 - samples.shape[1] / (first + 1))
            a = kept * a + codes @ codes.T
            b = kept * b + samples @ codes.T
            for j in np.flatnonzero(a.diagonal() > 0):
                u = d[:, j] + (b[:, j] - d @ a[:, j]) / a[j, j]
                d[:, j] = u / max(1.0, np.linalg.norm(u))
        return d


class ScikitLearn:
    def train(self, x, start):
        from sklearn.decomposition import MiniBatchDictionaryLearning

        learner = MiniBatchDictionaryLearning(
            n_components=start.shape[1], alpha=LAMBDA, max_iter=1, batch_size=BATCH,
            fit_algorithm="cd", dict_init=np.ascontiguousarray(start.T), shuffle=False, tol=0,
            max_no_improvement=None, n_jobs=1)
        return learner.fit(np.ascontiguousarray(x.T)).components_.T

    def encode(self, x, atoms):
        import scipy.sparse
        from sklearn.decomposition import sparse_encode

        codes = sparse_encode(np.ascontiguousarray(x.T), np.ascontiguousarray(atoms.T),
                              algorithm="lasso_cd", alpha=LAMBDA, n_jobs=1)
        return scipy.sparse.csc_matrix(codes.T)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rival", choices=["spams", "sklearn"])
    parser.add_argument("what", choices=["train", "encode", "train_images", "encode_images"])
    parser.add_argument("--precision", required=True)
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--atoms", type=Path, required=True)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--dictionary", type=Path)
    args = parser.parse_args()

    x = columns(args.input, args.precision, args.samples)
    atoms = columns(args.atoms, args.precision)
    rival = Spams() if args.rival == "spams" else ScikitLearn()
    made, seconds = timed(lambda: getattr(rival, args.what)(x, atoms))
    result = {"cpu_seconds": seconds, "samples": x.shape[1]}
    if args.what.startswith("train"):
        np.save(args.dictionary, np.ascontiguousarray(made.T))
    else:
        codes = made.astype(np.float64)
        error = x.astype(np.float64) - (codes.T @ atoms.T.astype(np.float64)).T
        penalty = LAMBDA if args.what == "encode" else 0
        cost = 0.5 * np.sum(error**2) + penalty * np.sum(np.abs(codes.data))
        result["objective"] = cost / x.shape[1]
        result["code_nonzeros"] = codes.nnz / x.shape[1]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
