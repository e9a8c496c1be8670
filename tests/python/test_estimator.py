"""scikit-learn's contract: check_estimator, pipelines, searches, clones, pickles, copies."""

import collections
import copy
import io
import pickle
import sys
import unittest
import unittest.mock
import warnings

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from streams import SMALL, domain, two_domains

from nodl import (
    DataError, InvalidOptions, NeurogeneticDictionaryLearning, OnlineDictionaryLearning)

X = two_domains()


class Contract(unittest.TestCase):
    def check(self, estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(estimator)

    def test_neurogenetic(self):
        self.check(NeurogeneticDictionaryLearning())

    def test_online(self):
        self.check(OnlineDictionaryLearning())

    def test_lasso_codes_at_a_lambda(self):
        self.check(NeurogeneticDictionaryLearning(alpha=0.1, fit_algorithm="cd", atom_norm="unit"))

    def test_positive(self):
        self.check(NeurogeneticDictionaryLearning(
            positive_code=True, positive_dict=True, atom_norm="unit", max_iter=2))

    def test_slots(self):
        self.check(NeurogeneticDictionaryLearning(max_atoms=50, output="slots", split_sign=True))

    def test_sparse_codes(self):
        self.check(NeurogeneticDictionaryLearning(output="sparse"))


class Composition(unittest.TestCase):
    def test_pipeline_and_grid_search(self):
        y = np.repeat([0, 1], 100)
        pipeline = make_pipeline(
            NeurogeneticDictionaryLearning(max_atoms=40, output="slots", batch_size=20),
            LogisticRegression(max_iter=1000))
        search = GridSearchCV(
            pipeline, {"neurogeneticdictionarylearning__birth_threshold": [0.5, 0.9]}, cv=2)
        order = np.random.default_rng(0).permutation(200)
        search.fit(X[order], y[order])
        self.assertGreater(search.best_score_, 0.95)

    def test_own_score_chooses(self):
        search = GridSearchCV(OnlineDictionaryLearning(batch_size=20), {"n_components": [1, 12]}, cv=2)
        order = np.random.default_rng(0).permutation(200)
        self.assertEqual(search.fit(X[order]).best_params_, {"n_components": 12})

    def test_clone_has_the_parameters_and_not_the_model(self):
        model = NeurogeneticDictionaryLearning(**SMALL, dict_init=None).fit(X)
        other = clone(model)
        self.assertEqual(other.get_params(), model.get_params())
        self.assertFalse(hasattr(other, "components_"))

    def test_set_output_and_names(self):
        model = OnlineDictionaryLearning(5, batch_size=20).set_output(transform="pandas").fit(X)
        frame = model.transform(X[:4])
        self.assertEqual(list(frame.columns), [f"onlinedictionarylearning{i}" for i in range(5)])

    def test_parallel_workers(self):
        model = NeurogeneticDictionaryLearning(**SMALL, n_jobs=2).fit(X)
        expected = model.transform(X)
        for backend in ("loky", "threading", "multiprocessing"):
            parts = joblib.Parallel(n_jobs=2, backend=backend)(
                joblib.delayed(model.transform)(X[i:i + 50]) for i in range(0, 200, 50))
            np.testing.assert_allclose(np.concatenate(parts), expected, rtol=1e-9, atol=1e-12)


class Copies(unittest.TestCase):
    def assert_resumes(self, duplicate):
        model = NeurogeneticDictionaryLearning(**SMALL)
        for batch in np.split(X[:100], 5):
            model.partial_fit(batch)
        twin = duplicate(model)
        for batch in np.split(X[100:], 5):
            model.partial_fit(batch)
            twin.partial_fit(batch)
        self.assertEqual(pickle.dumps(model._learner), pickle.dumps(twin._learner))
        self.assertEqual(*([event.get("id") for event in each.events_] for each in (model, twin)))
        self.assertGreater(len(model.events_), 10)

    def test_pickle(self):
        self.assert_resumes(lambda model: pickle.loads(pickle.dumps(model)))

    def test_deep_copy(self):
        self.assert_resumes(copy.deepcopy)

    def test_joblib_file(self):
        def through_file(model):
            file = io.BytesIO()
            joblib.dump(model, file)
            file.seek(0)
            return joblib.load(file)
        self.assert_resumes(through_file)

    def test_a_damaged_pickle_is_refused(self):
        learner = NeurogeneticDictionaryLearning(**SMALL).fit(X)._learner
        data = bytearray(pickle.dumps(learner))
        data[len(data) // 2] ^= 1
        with self.assertRaises(Exception):
            pickle.loads(bytes(data))


class Learning(unittest.TestCase):
    def test_grows_for_a_new_domain_and_keeps_the_old(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        self.assertGreater(model.score(domain(0, 50, seed=0)), 0.5)
        self.assertGreater(model.score(domain(1, 50, seed=0)), 0.5)
        kinds = collections.Counter(event["event"] for event in model.events_)
        self.assertEqual(kinds["birth"] - kinds["death"], model.n_components_ - 8)
        births = [event for event in model.events_ if event["event"] == "birth"]
        self.assertEqual({birth["reason"] for birth in births}, {"low_correlation"})
        self.assertTrue(all(birth["correlation"] <= birth["threshold"] for birth in births))

    def test_codes_times_components_reconstruct(self):
        for norm in ("raw", "unit", "centered"):
            for extra in ({}, {"output": "sparse"}, {"output": "slots", "max_atoms": 60},
                          {"split_sign": True}):
                with self.subTest(norm=norm, **extra):
                    model = NeurogeneticDictionaryLearning(**SMALL, atom_norm=norm, **extra).fit(X)
                    codes = model.transform(X)
                    mean = X.mean(axis=1) if norm == "centered" else None
                    back = model.inverse_transform(codes, mean=mean)
                    plain = clone(model).set_params(output="dense", split_sign=False).fit(X)
                    expected = plain.transform(X) @ plain.components_
                    if mean is not None:
                        expected += mean[:, None]
                    np.testing.assert_allclose(back, expected, rtol=1e-10, atol=1e-10)

    def test_interrupt_leaves_a_usable_model(self):
        def stop(event):
            if event["batch"] == 3:
                raise KeyboardInterrupt
        model = NeurogeneticDictionaryLearning(**SMALL, callback=stop)
        with self.assertRaises(KeyboardInterrupt):
            model.fit(X)
        self.assertEqual(model.n_steps_, 3)
        self.assertEqual(model.transform(X).shape, (200, model.n_components_))
        model.set_params(callback=None).partial_fit(X[60:80])
        self.assertEqual(model.n_steps_, 4)

    def test_partial_fit_is_one_batch(self):
        model = NeurogeneticDictionaryLearning(**SMALL)
        for n in (1, 7, 192):
            model.partial_fit(X[:n])
        self.assertEqual((model.n_steps_, model.n_samples_seen_), (3, 200))

    def test_early_stopping(self):
        quiet = dict(n_components=8, batch_size=20, max_iter=200)
        full = OnlineDictionaryLearning(**{**quiet, "max_iter": 3}).fit(X)
        self.assertEqual((full.n_iter_, full.n_steps_), (3, 30))
        self.assertLess(OnlineDictionaryLearning(**quiet, tol=1e-2).fit(X).n_steps_, 2000)
        self.assertLess(OnlineDictionaryLearning(**quiet, max_no_improvement=5).fit(X).n_steps_, 2000)

    def test_freeze(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X[:100])
        ids = model.atom_ids_.tolist()
        before = model.dictionary_
        model.freeze()
        for batch in np.split(X[100:], 5):
            model.partial_fit(batch)
        self.assertEqual(model.atom_ids_.tolist(), ids)
        self.assertGreater(np.abs(model.dictionary_ - before).max(), 0)

    def test_events_are_bounded(self):
        model = NeurogeneticDictionaryLearning(**SMALL, max_events=7).fit(X)
        self.assertEqual(len(model.events_), 7)
        unwatched = NeurogeneticDictionaryLearning(**SMALL, max_events=0).fit(X)
        self.assertEqual(len(unwatched.events_), 0)
        self.assertEqual(pickle.dumps(unwatched._learner), pickle.dumps(model._learner))

    def test_events_as_a_frame(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        self.assertIsInstance(model.events_, list)
        frame = model.events_frame()
        self.assertEqual(frame["event"].tolist(), [event["event"] for event in model.events_])
        self.assertEqual(frame["seconds_update"][0], model.events_[0]["seconds"]["update"])
        self.assertNotIn("seconds", frame)
        with self.assertRaises(NotFittedError):
            clone(model).events_frame()

    def test_without_pandas(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):  # as if not installed
            self.assertGreater(len(model.events_), 10)
            with self.assertRaisesRegex(ImportError, "events_frame.. needs pandas, which is not"):
                model.events_frame()

    def test_threads_do_not_change_bits(self):
        one = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        two = NeurogeneticDictionaryLearning(**SMALL, n_jobs=2).fit(X)
        self.assertEqual(pickle.dumps(one._learner), pickle.dumps(two._learner))


class Failures(unittest.TestCase):
    def test_a_first_call_that_fails_leaves_it_unfitted(self):
        model = NeurogeneticDictionaryLearning(**SMALL)
        for call in (model.fit, model.partial_fit, lambda bad: model.fit(iter([bad, X]))):
            with self.assertRaises(DataError):
                call(X * 1e200)
            self.assertFalse(hasattr(model, "n_features_in_"))
            with self.assertRaises(NotFittedError):
                model.transform(X)
        with self.assertRaisesRegex(ValueError, "not one full batch"):
            model.set_params(last_batch="drop").fit(X[:5])
        self.assertFalse(hasattr(model, "components_"))
        self.assertEqual(model.partial_fit(X[:, :5]).n_features_in_, 5)

    def test_a_fit_that_fails_keeps_the_model_before(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        expected, parameters = model.transform(X), model.get_params()
        wide = np.hstack([X, X])
        for wrong, samples in ((dict(birth_threshold=5), wide), (dict(max_events=-1), wide),
                               ({}, wide * 1e200), (dict(dict_init=np.eye(3)), wide)):
            with self.subTest(**wrong), self.assertRaises(ValueError):
                model.set_params(**wrong).fit(samples)
            model.set_params(**parameters)
            self.assertEqual(model.n_features_in_, 24)
            np.testing.assert_array_equal(model.transform(X), expected)
        self.assertEqual(model.fit(wide).n_features_in_, 48)
        self.assertEqual(model.transform(wide).shape, (200, model.n_components_))

    def test_callback_of_the_first_batch_sees_a_fitted_model(self):
        seen = []
        NeurogeneticDictionaryLearning(
            **SMALL, callback=lambda event: seen.append(event["estimator"].n_steps_)).fit(X[:40])
        self.assertEqual(seen, [1, 2])


class Refusals(unittest.TestCase):
    def refuses(self, message, **params):
        with self.assertRaisesRegex(ValueError, message):
            NeurogeneticDictionaryLearning(**params).fit(X)

    def test_bad_parameters(self):
        self.refuses("birth_threshold is 2, must be between -1 and 1", birth_threshold=2)
        self.refuses("max_atoms", output="slots")
        self.refuses("output must be one of", output="rows")
        self.refuses("preset must be paper|released", preset="old")
        self.refuses("atom_norm must be raw|unit|centered", atom_norm="l2")
        self.refuses("fit_algorithm must be one of", fit_algorithm="fista")
        self.refuses("absent with the coder omp", fit_algorithm="omp", alpha=1.0)
        self.refuses("Positive constraint not supported for 'omp'", positive_code=True,
                     fit_algorithm="omp")
        self.refuses("positive_dict is on, must be off with atom_norm centered", positive_dict=True)
        self.refuses("memory_limit must be a size such as 512M or 2G", memory_limit="much")
        self.refuses("memory_limit is 2048 bytes, must be at least", memory_limit="2K")
        self.refuses("half_life needs the memory", half_life=3, memory="sum")
        self.refuses("dict_init has 24 atoms", dict_init=np.eye(24), n_components=3)
        self.refuses("dict_init has 3 features", dict_init=np.eye(3))
        self.refuses("lambda is nan, must be a finite number", alpha=np.nan)
        self.refuses("lambda is inf, must be a finite number", alpha=np.float32(np.inf))
        self.refuses("preset must be paper|released, not None", preset=None)
        self.refuses("fit_algorithm must be one of", fit_algorithm=["lars"])
        self.refuses("Input dict_init contains NaN", dict_init=np.full((8, 24), np.nan))

    def test_zero_is_no_way_to_say_none(self):
        for name in ("n_components", "code_nonzeros", "atom_nonzeros", "max_atoms"):
            for zero in (0, np.int64(0), 0.0):
                self.refuses(f"^{name} is 0, must be at least 1, or None to derive it",
                             **{name: zero})
            self.refuses("must be at least 1", **{name: -1})
            self.refuses("must be an integer", **{name: 2.5})
            NeurogeneticDictionaryLearning(**{name: None}).fit(X)
            if name != "max_atoms":
                for learn in ("fit", "partial_fit"):
                    with self.assertRaisesRegex(ValueError, f"{name} is 0, must be at least 1"):
                        getattr(OnlineDictionaryLearning(**{name: 0}), learn)(X)
        self.refuses("n_components is 0", n_components=0, dict_init=np.eye(24))

    def test_parameters_that_the_core_does_not_know(self):
        for wrong in (-1, 2.5, None, True):
            self.refuses("max_events must be an integer of at least 0", max_events=wrong)
        for wrong in (-1, 0, 2.5, "a"):
            self.refuses("max_no_improvement must be an integer of at least 1",
                         max_no_improvement=wrong)
        for wrong in (-1, np.nan, "a", None):
            self.refuses("tol must be a number of at least 0", tol=wrong)
        for wrong in (4097, 10**12, 1.5, "a"):
            self.refuses("n_jobs must be an integer of at most 4096", n_jobs=wrong)
        for wrong in (-1, 2**64):
            self.refuses("seed must be an integer of at least 0", random_state=wrong)

    def test_parameters_of_coding(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X).set_params(output="rows")
        for call in (model.transform, model.inverse_transform):
            with self.assertRaisesRegex(ValueError, "output must be one of"):
                call(X)
        for wrong, said in ((dict(transform_n_nonzero_coefs=0), "code_nonzeros is 0"),
                            (dict(transform_n_nonzero_coefs=-1), "code_nonzeros is -1"),
                            (dict(transform_max_iter=-1), "lsqr_iterations is -1")):
            with self.assertRaisesRegex(InvalidOptions, said):
                NeurogeneticDictionaryLearning(**SMALL, **wrong).fit(X).transform(X)

    def test_atoms_whose_squares_overflow(self):
        with self.assertRaisesRegex(DataError, "atom 2 holds a number of size 1e.200, "):
            OnlineDictionaryLearning(dict_init=np.diag([1, 1e200] + [1] * 22)).fit(X)

    def test_codes_of_another_width(self):
        model = NeurogeneticDictionaryLearning(**SMALL, max_atoms=40, output="slots").fit(X)
        for columns in (7, 39, 42, 70):
            message = f"codes have {columns} columns, the model's have 40, or 41 with the mean"
            with self.assertRaisesRegex(ValueError, message):
                model.inverse_transform(np.zeros((3, columns)))
        self.assertEqual(model.inverse_transform(np.zeros((3, 41))).shape, (3, 24))
        model = NeurogeneticDictionaryLearning(
            **SMALL, max_atoms=40, output="slots", atom_norm="unit").fit(X)
        with self.assertRaisesRegex(ValueError, "codes have 41 columns, the model's have 40$"):
            model.inverse_transform(np.zeros((3, 41)))  # there is no mean

    def test_codes_that_use_a_slot_without_an_atom(self):
        model = NeurogeneticDictionaryLearning(**SMALL, max_atoms=40, output="slots").fit(X)
        codes = model.transform(X[:5])
        free = next(slot for slot in range(40) if slot not in model.slots_)
        codes[3, free] = 1e-300
        for kind in (np.asarray, sp.csr_matrix):
            with self.assertRaisesRegex(
                    DataError, f"^a code uses column {free + 1}, which has no atom$"):
                model.inverse_transform(kind(codes))

    def test_codes_whose_samples_would_not_be_finite(self):
        for dtype, huge in ((np.float64, 1e308), (np.float32, 3e38)):
            model = NeurogeneticDictionaryLearning(
                dict_init=np.ones((24, 24)), atom_norm="raw", frozen=True).fit(X.astype(dtype))
            codes = np.zeros((3, 24), dtype=dtype)
            codes[:, 5] = huge
            self.assertEqual(model.inverse_transform(codes).max(), dtype(huge))
            with self.assertRaisesRegex(DataError, "^code 3: its sample would not be finite$"):
                model.inverse_transform(codes, mean=[0, 0, huge])
            codes[1] = huge
            for kind in (np.asarray, sp.csr_matrix):
                with self.assertRaisesRegex(DataError, "^code 2: its sample would not be finite$"):
                    model.inverse_transform(kind(codes))
        with self.assertRaisesRegex(ValueError, "Input codes contains NaN"):
            model.inverse_transform(np.full((1, 24), np.nan))

    def test_means(self):
        model = OnlineDictionaryLearning(8, batch_size=20).fit(X)
        codes = np.ones((3, 8))
        for wrong, said in (([1.0], "mean has 1 numbers, there are 3 codes"),
                            (5.0, "mean has 1 numbers, there are 3 codes"),
                            (np.ones((3, 2)), "mean has 6 numbers, there are 3 codes"),
                            ([1, np.nan, 1], "Input mean contains NaN"),
                            (["a", "b", "c"], "could not convert string to float")):
            with self.subTest(mean=wrong), self.assertRaisesRegex(ValueError, said):
                model.inverse_transform(codes, mean=wrong)
        with self.assertRaisesRegex(ValueError, "last column of the codes is the mean"):
            model.inverse_transform(np.ones((3, 9)), mean=np.ones(3))
        np.testing.assert_array_equal(model.inverse_transform(codes, mean=np.ones((3, 1))),
                                      model.inverse_transform(codes, mean=[1, 1, 1]))

    def test_alpha_of_transform(self):
        model = NeurogeneticDictionaryLearning(**SMALL, transform_alpha=np.inf).fit(X)
        with self.assertRaisesRegex(InvalidOptions, "lambda is inf, must be a finite number"):
            model.transform(X)


if __name__ == "__main__":
    unittest.main()
