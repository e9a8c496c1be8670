"""Codes of the command line against scikit-learn's, on the same dictionaries.

Our objective must never be above that of `lasso_lars` or `lasso_cd` by more than 1e-8 relative; on
Gaussian dictionaries they agree to 1e-6; OMP chooses the same atoms as `orthogonal_mp_gram`.
NODL names the program. Skips where scikit-learn is not installed.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

try:
    import numpy as np
    import scipy.sparse
    from sklearn.decomposition import sparse_encode
    from sklearn.linear_model import Lasso, lars_path, orthogonal_mp_gram
except ImportError as missing:
    raise unittest.SkipTest(f"not installed: {missing.name}")

NODL = os.environ.get("NODL", "nodl")


def unit_rows(D):
    return D / np.linalg.norm(D, axis=1, keepdims=True)


def dictionaries():
    """Atoms are rows, as in files and in scikit-learn."""
    random = np.random.default_rng(1)
    gaussian = unit_rows(random.standard_normal((40, 60)))
    common = random.standard_normal(50)
    noise = random.standard_normal((30, 50))
    correlated = unit_rows(np.sqrt(0.99) * common + np.sqrt(0.01) * noise)
    deficient = unit_rows(random.standard_normal((60, 25)))
    low_rank = unit_rows(random.standard_normal((30, 6)) @ random.standard_normal((6, 40)))
    once = unit_rows(random.standard_normal((15, 30)))
    return {
        "gaussian": gaussian,
        "correlated": correlated,
        "rank-deficient": deficient,
        "low rank": low_rank,
        "duplicated": np.vstack([once, once]),
        "not normalised": random.standard_normal((20, 30)) * 10.0 ** random.uniform(-1, 1, (20, 1)),
    }


def objective(D, X, codes, lam):
    """1/2 |x - a D|^2 + lambda |a|_1, one number a sample."""
    residual = X - codes @ D
    return 0.5 * (residual**2).sum(axis=1) + lam * np.abs(codes).sum(axis=1)


class Program:
    """A model made of a plain dictionary, and codes in it."""

    def __init__(self, folder, D):
        self.folder = pathlib.Path(folder)
        np.save(self.folder / "D.npy", D)
        self.run("import", "D.npy", "--output", "m.nodl", "--atom-norm", "raw")

    def run(self, *arguments):
        done = subprocess.run(
            [NODL, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        if done.returncode != 0:
            raise AssertionError(f"nodl {' '.join(arguments)}: {done.returncode}\n{done.stderr}")
        return done.stdout

    def encode(self, X, *options):
        np.save(self.folder / "X.npy", X)
        self.run("encode", "X.npy", "--model", "m.nodl", "--output", "codes.npz", *options)
        return scipy.sparse.load_npz(self.folder / "codes.npz").toarray()


class Comparison(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        warnings.simplefilter("ignore")  # scikit-learn tells of its own trouble to converge

    def samples(self, D, seed=2):
        random = np.random.default_rng(seed)
        X = random.standard_normal((6, D.shape[1]))
        X[3] = D[0] - 0.5 * D[len(D) // 2] + 2 * D[-1]
        return X


class LassoTest(Comparison):
    def best_of_sklearn(self, D, X, lam):
        """Objectives by name. Its Lasso has 1 / (2 n_samples) |..|^2, n_samples our dimension;
        sparse_encode corrects for that itself."""
        m = D.shape[1]
        found = {
            name: objective(D, X, sparse_encode(X, D, algorithm=name, alpha=lam, max_iter=10000), lam)
            for name in ("lasso_lars", "lasso_cd")
        }
        tight = np.zeros((len(X), len(D)))
        path = np.zeros((len(X), len(D)))
        for i, x in enumerate(X):
            solver = Lasso(alpha=lam / m, fit_intercept=False, tol=1e-13, max_iter=200000)
            tight[i] = solver.fit(D.T, x).coef_
            path[i] = lars_path(D.T, x, method="lasso", alpha_min=lam / m)[2][:, -1]
        found["Lasso, tight"] = objective(D, X, tight, lam)
        found["lars_path"] = objective(D, X, path, lam)
        return found

    def test_objective_is_never_above_sklearns(self):
        for name, D in dictionaries().items():
            with tempfile.TemporaryDirectory() as folder:
                program = Program(folder, D)
                X = self.samples(D)
                lambda_max = np.abs(X @ D.T).max()
                for fraction in (0.5, 0.1, 0.01):
                    lam = fraction * lambda_max
                    theirs = self.best_of_sklearn(D, X, lam)
                    for coder in ("lars", "cd"):
                        codes = program.encode(X, "--coder", coder, "--lambda", repr(lam))
                        ours = objective(D, X, codes, lam)
                        for rival, values in theirs.items():
                            with self.subTest(dictionary=name, coder=coder, rival=rival, lam=lam):
                                self.assertTrue((ours <= values * (1 + 1e-8)).all(), ours / values - 1)

    def test_gaussian_dictionaries_agree(self):
        D = dictionaries()["gaussian"]
        program = Program(self.temporary.name, D)
        X = self.samples(D)
        for lam in (1.0, 0.3, 0.05):
            theirs = self.best_of_sklearn(D, X, lam)
            for coder in ("lars", "cd"):
                codes = program.encode(X, "--coder", coder, "--lambda", repr(lam))
                for rival in ("lasso_lars", "Lasso, tight", "lars_path"):
                    with self.subTest(coder=coder, rival=rival, lam=lam):
                        np.testing.assert_allclose(
                            objective(D, X, codes, lam), theirs[rival], rtol=1e-6
                        )

    def test_path_stops_where_sklearns_path_has_that_many_nonzeros(self):
        D = dictionaries()["gaussian"]
        program = Program(self.temporary.name, D)
        X = self.samples(D)
        generic = [i for i in range(len(X)) if i != 3]  # not the one made of three atoms
        codes = program.encode(X, "--coder", "lars", "--code-nonzeros", "7")
        for i in generic:
            _, _, coefficients = lars_path(D.T, X[i], method="lasso")
            counts = (np.abs(coefficients) > 1e-12).sum(axis=0)
            stop = np.argmax(counts > 7) - 1  # the last breakpoint before an eighth enters
            np.testing.assert_allclose(codes[i], coefficients[:, stop], atol=1e-8)
            self.assertEqual((codes[i] != 0).sum(), 7)


class OmpTest(Comparison):
    def test_supports_agree(self):
        for name in ("gaussian", "rank-deficient", "correlated", "not normalised"):
            D = dictionaries()[name]
            with tempfile.TemporaryDirectory() as folder:
                program = Program(folder, D)
                X = self.samples(D)
                X[3] = X[2] + 0.1 * X[1]  # no sample that a few atoms explain exactly
                for count in (1, 3, 10):
                    codes = program.encode(X, "--coder", "omp", "--code-nonzeros", str(count))
                    theirs = orthogonal_mp_gram(D @ D.T, D @ X.T, n_nonzero_coefs=count).T
                    for i in range(len(X)):
                        with self.subTest(dictionary=name, count=count, sample=i):
                            self.assertEqual(
                                set(np.flatnonzero(codes[i])), set(np.flatnonzero(theirs[i]))
                            )
                            np.testing.assert_allclose(codes[i], theirs[i], rtol=1e-6, atol=1e-9)

    def test_lambda_is_a_usage_error(self):
        program = Program(self.temporary.name, dictionaries()["gaussian"])
        np.save(program.folder / "X.npy", self.samples(dictionaries()["gaussian"]))
        done = subprocess.run(
            [NODL, "encode", "X.npy", "--model", "m.nodl", "--output", "codes.npz",
             "--coder", "omp", "--lambda", "0.1"],
            cwd=program.folder, capture_output=True, text=True, timeout=120,
        )
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
