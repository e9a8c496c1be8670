"""What samples may be: every kind gives the same model, without copies that are not needed."""

import pathlib
import pickle
import tempfile
import tracemalloc
import unittest

import numpy as np
import pandas
import scipy.sparse as sp
from streams import SMALL, two_domains

from nodl import NeurogeneticDictionaryLearning, OnlineDictionaryLearning, sparse_encode

X = np.round(two_domains() * 1024) / 1024


def bytes_of(samples, **params):
    return pickle.dumps(NeurogeneticDictionaryLearning(**{**SMALL, **params}).fit(samples)._learner)


class Kinds(unittest.TestCase):
    def test_dense_kinds_are_one(self):
        expected = bytes_of(X)
        self.assertEqual(expected, bytes_of(np.asfortranarray(X)))
        self.assertEqual(expected, bytes_of(X.tolist()))
        self.assertEqual(expected, bytes_of(pandas.DataFrame(X)))
        self.assertEqual(expected, bytes_of(np.hstack([X, X])[:, :24]))
        self.assertEqual(expected, bytes_of(np.repeat(X, 2, axis=0)[::2]))
        self.assertEqual(expected, bytes_of(X.astype(np.float32), precision="float64"))
        self.assertEqual(bytes_of((X > 0).astype(np.int32)), bytes_of((X > 0).astype(float)))

    def test_iterator_of_batches(self):
        self.assertEqual(bytes_of(X), bytes_of(iter(np.split(X, 10))))
        with self.assertRaisesRegex(ValueError, "max_iter must be 1"):
            bytes_of(iter([X]), max_iter=2)
        with self.assertRaisesRegex(ValueError, "no batch"):
            bytes_of(iter([]))

    def test_memory_map(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.npy"
            np.save(path, X)
            self.assertEqual(bytes_of(X), bytes_of(np.load(path, mmap_mode="r")))
            bad = X.copy()
            bad[150, 3] = np.nan
            np.save(path, bad)
            with self.assertRaisesRegex(ValueError, "contains NaN"):
                bytes_of(np.load(path, mmap_mode="r"))

    def test_sparse_kinds_are_one(self):
        csr = sp.csr_matrix(X)
        expected = bytes_of(csr)
        self.assertEqual(expected, bytes_of(csr.tocsc()))
        self.assertEqual(expected, bytes_of(csr.tocoo()))
        wide = csr.copy()
        wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
        self.assertEqual(expected, bytes_of(wide))
        spread = csr.copy()
        spread.data = np.repeat(csr.data, 2)[::2]
        self.assertFalse(spread.data.flags.c_contiguous)
        self.assertEqual(expected, bytes_of(spread))
        unsorted = csr.copy()
        for a, b in zip(unsorted.indptr, unsorted.indptr[1:]):
            unsorted.indices[a:b] = unsorted.indices[a:b][::-1]
            unsorted.data[a:b] = unsorted.data[a:b][::-1]
        unsorted.has_sorted_indices = False
        before = unsorted.indices.copy()
        self.assertEqual(expected, bytes_of(unsorted))
        np.testing.assert_array_equal(unsorted.indices, before)

    def test_sparse_codes_as_dense_codes(self):
        csr = sp.csr_matrix(X)
        model = NeurogeneticDictionaryLearning(**SMALL, output="sparse").fit(X)
        codes = model.transform(csr)
        self.assertTrue(sp.isspmatrix_csr(codes))
        self.assertTrue(codes.has_canonical_format)
        dense = model.set_params(output="dense").transform(csr)
        np.testing.assert_array_equal(codes.toarray(), dense)
        np.testing.assert_allclose(model.transform(X), dense, rtol=1e-6, atol=1e-9)

    def test_sparse_codes_stay_as_they_are(self):
        model = NeurogeneticDictionaryLearning(**SMALL, output="sparse").fit(X)
        codes = model.transform(X)
        codes.data[::2] = 0
        before = codes.copy()
        back = model.inverse_transform(codes)
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(codes, name), getattr(before, name))
        np.testing.assert_array_equal(back, model.inverse_transform(codes.toarray()))

    def test_passes_and_shuffle(self):
        passes = NeurogeneticDictionaryLearning(**SMALL, max_iter=4).fit(X[:50])
        joined = NeurogeneticDictionaryLearning(**SMALL).fit(np.vstack([X[:50]] * 4))
        np.testing.assert_array_equal(passes.dictionary_, joined.dictionary_)
        self.assertEqual((passes.n_iter_, passes.n_steps_), (4, 10))
        shuffled = NeurogeneticDictionaryLearning(**SMALL, shuffle=True).fit(X)
        again = NeurogeneticDictionaryLearning(**SMALL, shuffle=True).fit(X)
        self.assertEqual(pickle.dumps(shuffled._learner), pickle.dumps(again._learner))
        self.assertNotEqual(pickle.dumps(shuffled._learner), bytes_of(X))


class Refusals(unittest.TestCase):
    def test_scikit_learns_messages(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        bad = X.copy()
        bad[3, 3] = np.nan
        for call in (model.fit, model.partial_fit, model.transform, model.score):
            with self.assertRaisesRegex(ValueError, "Input X contains NaN"):
                call(bad)
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        for call in (model.partial_fit, model.transform):
            with self.assertRaisesRegex(ValueError, "X has 5 features, but .* is expecting 24"):
                call(X[:, :5])
            with self.assertRaisesRegex(ValueError, "Expected 2D array"):
                call(X[0])
            with self.assertRaisesRegex(ValueError, "Found array with 0 sample"):
                call(X[:0])

    def test_bad_sparse_matrices_are_refused_not_read(self):
        def malformed(indptr, indices, values=1):
            matrix = sp.csr_matrix((2, 24))
            matrix.indptr = np.array(indptr, dtype=np.int64)
            matrix.indices, matrix.data = np.array(indices), np.ones(values)
            return matrix
        model = OnlineDictionaryLearning(24, batch_size=20).fit(X)
        calls = (bytes_of, lambda bad: bytes_of(bad, shuffle=True), model.partial_fit,
                 model.transform, model.score, lambda bad: sparse_encode(bad, np.eye(24), alpha=1),
                 model.inverse_transform)
        for part, bad in (("index", malformed([0, 1, 1], [24])),
                          ("index", malformed([0, 1, 1], [-1])),
                          ("index", malformed([0, 1, 1], [2**32 + 5])),  # 5 in 32 bits
                          ("indptr", malformed([0, 5, 5], [1])),
                          ("indptr", malformed([0, 3, 3], [1, 2, 3])),  # one number
                          ("indptr", malformed([0, 1, 0], [1])),
                          ("indptr", malformed([0, -1, 0], [1])),
                          ("indptr", malformed([1, 1, 1], [1])),
                          ("indptr", malformed([0, 1], [1])),
                          ("indptr", malformed([0], [1])),
                          ("indptr", malformed([], [1]))):
            for call in calls:
                with self.assertRaisesRegex(ValueError, f"sparse matrix is malformed: .*{part}"):
                    call(bad)

    def test_more_features_than_an_index_can_count(self):
        for features in (2**31, 2**33):
            with self.assertRaisesRegex(ValueError, f"samples have {features} features"):
                bytes_of(sp.csr_matrix((3, features)))


class Copies(unittest.TestCase):
    def peak(self, call):
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_no_copy_of_the_samples(self):
        rng = np.random.default_rng(0)
        model = OnlineDictionaryLearning(4, code_nonzeros=2, batch_size=500, max_sweeps=1)
        for dtype in (np.float64, np.float32):
            big = rng.standard_normal((20000, 40)).astype(dtype)
            for samples in (big, np.asfortranarray(big)):
                self.assertLess(self.peak(lambda: model.fit(samples)), big.nbytes / 4)
            sparse = sp.random(20000, 400, density=0.05, format="csr", random_state=0).astype(dtype)
            stored = sparse.data.nbytes + sparse.indices.nbytes
            self.assertLess(self.peak(lambda: model.fit(sparse)), stored / 4)


if __name__ == "__main__":
    unittest.main()
