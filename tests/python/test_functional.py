"""sparse_encode, prox and metrics against definitions and against scikit-learn."""

import unittest

import numpy as np
import scipy.sparse as sp
from scipy import optimize, stats
from sklearn.decomposition import sparse_encode as their_encode

import nodl
from nodl import metrics, prox

rng = np.random.default_rng(0)
D = rng.standard_normal((30, 20))
D /= np.linalg.norm(D, axis=1, keepdims=True)
X = rng.standard_normal((25, 20))


def objective(codes, alpha):
    return 0.5 * ((X - codes @ D) ** 2).sum(axis=1) + alpha * np.abs(codes).sum(axis=1)


class SparseEncode(unittest.TestCase):
    def test_lasso_as_scikit_learn(self):
        for algorithm in ("lasso_lars", "lasso_cd", "lars", "cd"):
            for positive in (False, True):
                ours = nodl.sparse_encode(X, D, algorithm=algorithm, alpha=0.2, positive=positive)
                theirs = their_encode(X, D, algorithm="lasso_cd", alpha=0.2, positive=positive,
                                      max_iter=20000)
                # Theirs stops at a duality gap of 1e-4: ours is the same minimum, only reached.
                gain = objective(theirs, 0.2) - objective(ours, 0.2)
                self.assertTrue(np.all(gain >= -1e-9) and np.all(gain <= 1e-3 * objective(ours, 0.2)))
                self.assertTrue(not positive or ours.min() >= 0)

    def test_omp_as_scikit_learn(self):
        ours = nodl.sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=4)
        theirs = their_encode(X, D, algorithm="omp", n_nonzero_coefs=4)
        np.testing.assert_allclose(ours, theirs, atol=1e-9)

    def test_counts_and_their_alphas(self):
        codes, alphas = nodl.sparse_encode(X, D, n_nonzero_coefs=5, return_alphas=True)
        self.assertTrue(np.all((codes != 0).sum(axis=1) <= 5))
        g = (X - codes @ D) @ D.T
        self.assertTrue(np.all(np.abs(g).max(axis=1) <= alphas * (1 + 1e-6)))
        both = nodl.sparse_encode(X, D, n_nonzero_coefs=5, positive=True)
        self.assertTrue(np.all(both >= 0) and np.all((both != 0).sum(axis=1) <= 5))

    def test_kinds_of_samples_and_codes(self):
        dense = nodl.sparse_encode(X, D, alpha=0.2)
        codes = nodl.sparse_encode(sp.csr_matrix(X), D, alpha=0.2, output="sparse")
        self.assertTrue(sp.issparse(codes))
        np.testing.assert_allclose(codes.toarray(), dense, atol=1e-6)
        single = nodl.sparse_encode(X.astype(np.float32), D, alpha=0.2, n_jobs=2)
        self.assertEqual(single.dtype, np.float32)
        np.testing.assert_allclose(single, dense, atol=1e-3)
        np.testing.assert_allclose(nodl.sparse_encode(X, 3 * D, alpha=0.2, atom_norm="unit"), dense,
                                   atol=1e-6)
        refit = nodl.sparse_encode(X, D, n_nonzero_coefs=3, refit=True)
        for x, code in zip(X, refit):
            support = np.flatnonzero(code)
            np.testing.assert_allclose(code[support], np.linalg.lstsq(D[support].T, x, rcond=None)[0])

    def test_options_as_numpys_scalars(self):
        for name in ("refit", "positive"):  # not both: a refit may change signs
            codes = nodl.sparse_encode(X, D, alpha=np.float32(0.25), lsqr_iterations=np.int64(20),
                                       **{name: np.bool_(True)})
            np.testing.assert_array_equal(
                codes, nodl.sparse_encode(X, D, alpha=0.25, **{name: True}))

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, "Positive constraint not supported for 'threshold'"):
            nodl.sparse_encode(X, D, algorithm="threshold", alpha=1, positive=True)
        with self.assertRaisesRegex(ValueError, "different numbers of features"):
            nodl.sparse_encode(X, D[:, :3], alpha=1)
        with self.assertRaisesRegex(nodl.InvalidOptions, "lambda is -1"):
            nodl.sparse_encode(X, D, alpha=-1)
        with self.assertRaisesRegex(nodl.InvalidOptions, "lambda is nan, must be a finite number"):
            nodl.sparse_encode(X, D, alpha=np.nan)
        with self.assertRaisesRegex(nodl.DataError, "atom 1 holds a number of size .*e.(199|200)"):
            nodl.sparse_encode(X, D * 1e200, alpha=1)
        with self.assertRaisesRegex(ValueError, "Input dictionary contains NaN"):
            nodl.sparse_encode(X, np.full_like(D, np.nan))

    def test_options_out_of_range(self):
        for wrong, said in ((dict(n_nonzero_coefs=0), "code_nonzeros is 0, must be at least 1"),
                            (dict(n_nonzero_coefs=-1), "code_nonzeros is -1, must be at least 1"),
                            (dict(n_nonzero_coefs=2.5), "code_nonzeros must be an integer"),
                            (dict(n_nonzero_coefs=2**40), "code_nonzeros is .*, must be below"),
                            (dict(lsqr_iterations=-1), "lsqr_iterations is -1"),
                            (dict(algorithm=["lars"]), "algorithm must be one of"),
                            (dict(n_jobs=0), "n_jobs == 0"),
                            (dict(n_jobs=4097), "n_jobs must be an integer of at most 4096"),
                            (dict(n_jobs=1.5), "n_jobs must be an integer of at most 4096")):
            with self.subTest(**wrong), self.assertRaisesRegex(ValueError, said):
                nodl.sparse_encode(X, D, **wrong)

    def test_the_core_takes_no_sparse_atoms(self):
        parts = (np.array([0, 1]), np.zeros(1, np.int32), np.ones(1), 20)
        for call in (lambda: nodl._core.encode64(X, parts, "{}", 1),
                     lambda: nodl._core.Learner64.from_atoms(parts, "{}", 1)):
            with self.assertRaisesRegex(TypeError, "atoms must be an array"):
                call()


class Prox(unittest.TestCase):
    def test_the_three_steps_solve_their_problem(self):
        u, soft, group = rng.standard_normal(6), 0.3, 0.4
        d = prox.project_to_ball(prox.group_shrink(prox.soft_threshold(u, soft), group))

        def cost(v):
            return 0.5 * np.sum((v - u) ** 2) + soft * np.abs(v).sum() + group * np.linalg.norm(v)
        ball = optimize.NonlinearConstraint(lambda v: v @ v, 0, 1)
        best = optimize.minimize(cost, np.full(6, 0.1), constraints=[ball], method="SLSQP")
        self.assertLessEqual(cost(d), best.fun + 1e-8)
        self.assertLessEqual(np.linalg.norm(d), 1 + 1e-15)

    def test_inputs_stay_and_types_are_kept(self):
        u = rng.standard_normal(5).astype(np.float32)
        before = u.copy()
        self.assertEqual(prox.soft_threshold(u, 0.1).dtype, np.float32)
        np.testing.assert_array_equal(u, before)
        self.assertEqual(prox.group_shrink([1, 2], 0).dtype, np.float64)
        for method in ("exact", "bisection"):
            threshold = prox.threshold_for_count(rng.standard_normal(1000), 100, method=method)
            self.assertGreater(threshold, 0)

    def test_counts_at_and_beyond_the_ends(self):
        u = [5.0, -4.0, 3.0, 1.0]
        for kind in (np.float64, np.float32):
            column = np.array(u, dtype=kind)
            for count, expected in ((0, 5), (2, 3), (4, 0), (5, 0), (2**70, 0), (np.int8(4), 0)):
                self.assertEqual(prox.threshold_for_count(column, count), expected)
            self.assertAlmostEqual(prox.threshold_for_count(
                column, 0, method="bisection", count_tolerance=0), 5, delta=1e-3)
            for count in (4, 5, 2**70):
                self.assertEqual(prox.threshold_for_count(column, count, method="bisection"), 0)
        self.assertEqual(prox.threshold_for_count([], 0), 0)
        for method in ("exact", "bisection"):
            for count in (-1, -2**70, 1.5, "2", None, True):
                with self.assertRaisesRegex(ValueError, "count must be an integer of at least 0"):
                    prox.threshold_for_count(u, count, method=method)
        for core, more in ((nodl._core.threshold_by_selection, ()),
                           (nodl._core.threshold_by_bisection, (1e-4, 0.01))):
            with self.assertRaisesRegex(nodl.InvalidOptions, "count is -1, must be at least 0"):
                core(np.array(u), -1, *more)

    def test_columns_that_are_none(self):
        for name, step in (("u", lambda u: prox.soft_threshold(u, 1)),
                           ("u", lambda u: prox.threshold_for_count(u, 1)),
                           ("u", lambda u: prox.threshold_for_count(u, 1, method="bisection")),
                           ("v", lambda v: prox.group_shrink(v, 1)),
                           ("w", prox.project_to_ball)):
            for bad, said in (([np.nan, 1.0], f"Input {name} contains NaN"),
                              ([None, 1.0], f"Input {name} contains NaN"),
                              (np.float32([np.inf, 1]), f"Input {name} contains infinity"),
                              ([[1.0, 2.0]], f"{name} must have one dimension"),
                              (3.0, f"{name} must have one dimension"),
                              (["a"], "could not convert string to float"),
                              (np.array([1 + 2j]), "Complex data not supported")):
                with self.subTest(bad=bad), self.assertRaisesRegex(ValueError, said):
                    step(bad)
            with self.assertRaises(TypeError):
                step(sp.csr_matrix([[1.0]]))

    def test_norms_that_would_overflow(self):
        for step in (prox.project_to_ball, lambda v: prox.group_shrink(v, 1)):
            with self.assertRaisesRegex(ValueError, r"[vw] holds a number of size 1e\+200"):
                step([1.0, -1e200])
            self.assertTrue(np.all(np.isfinite(step(np.array([3e38, -3e38], dtype=np.float32)))))

    def test_numbers_below_0(self):
        u = [5.0, -4.0]
        for bad in (-1, np.nan, "1", None):
            for name, call in (("threshold", lambda: prox.soft_threshold(u, bad)),
                               ("penalty", lambda: prox.group_shrink(u, bad)),
                               ("tolerance", lambda: prox.threshold_for_count(
                                   u, 1, method="bisection", tolerance=bad)),
                               ("count_tolerance", lambda: prox.threshold_for_count(
                                   u, 1, method="bisection", count_tolerance=bad))):
                with self.assertRaisesRegex(ValueError, f"^{name} must be a number of at least 0"):
                    call()


class Metrics(unittest.TestCase):
    def test_correlations_as_scipy(self):
        Y = X + rng.standard_normal(X.shape)
        np.testing.assert_allclose(metrics.pearson(X, Y), [stats.pearsonr(x, y)[0] for x, y in zip(X, Y)])
        np.testing.assert_allclose(metrics.spearman(X, Y), [stats.spearmanr(x, y)[0] for x, y in zip(X, Y)])
        np.testing.assert_array_equal(metrics.pearson(X, np.ones_like(X)), 0)

    def test_large_numbers(self):
        big = np.array([[1e30, 2e30, 4e30]], dtype=np.float32)
        for measure in (metrics.pearson, metrics.spearman, metrics.explained_variance):
            self.assertAlmostEqual(float(measure(big, big)), 1)
            for x, y, name in ((X * 1e200, X, "X"), (X, X * 1e200, "Y")):
                with self.assertRaisesRegex(ValueError, f"{name} holds a number of size"):
                    measure(x, y)
            with self.assertRaisesRegex(ValueError, "Input Y contains NaN"):
                measure(X, np.full_like(X, np.nan))

    def test_evaluation_of_a_model(self):
        model = nodl.OnlineDictionaryLearning(10).fit(X)
        measures = metrics.evaluate(model, X)
        back = model.inverse_transform(model.transform(X), mean=X.mean(axis=1))
        self.assertAlmostEqual(measures["explained_variance"], metrics.explained_variance(X, back))
        self.assertAlmostEqual(measures["pearson"], metrics.pearson(X, back).mean())
        self.assertAlmostEqual(measures["mse"], ((X - back) ** 2).mean())
        self.assertEqual(model.score(X), measures["explained_variance"])


if __name__ == "__main__":
    unittest.main()
