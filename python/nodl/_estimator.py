"""The estimators: scikit-learn's contract over the core's learner."""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._events import EventLog, ProgressLine
from ._fitted import FittedAttributes
from ._options import check_positive_coding, core_options, transform_layer
from ._samples import Rows, Step, core_argument, schedule
from ._stopping import EarlyStopping


class DictionaryEstimator(
    FittedAttributes, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """What the estimators have in common; they differ in their parameters only."""

    _layouts = ("dense", "sparse", "slots")

    # -- learning ---------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> "DictionaryEstimator":
        """Learn from the beginning: `max_iter` passes over the samples, batch by batch.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features), or an iterator
            Samples. An iterator gives batches, each of them learned as one, whatever its length.

        y : Ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self : object
            The estimator. After Ctrl-C, too, it is fitted: with the batches learned so far.
        """
        self._check_params()
        if hasattr(X, "__next__"):
            return self._fit_batches(X)
        mapped = isinstance(X, np.memmap)  # read once: each batch is checked as it comes
        X = self._validated(X, reset=True, finite=not mapped)
        self._start(X.dtype, X.shape[1])
        options = json.loads(self._learner.options())
        separate, drop_last = options["inputs"] == "separate", options["last_batch"] == "drop"
        n, size, passes = X.shape[0], options["batch_size"], options["passes"]
        order = np.random.RandomState(self._seed % 2**32).permutation(n) if self.shuffle else None
        rows = Rows(X, order)
        stopping = EarlyStopping(self.tol, self.max_no_improvement, n, size)
        progress = ProgressLine(self.verbose, passes * n // size)
        record: Optional[dict[str, Any]] = None
        for step in schedule(n, size, passes, separate, drop_last):
            record = self._learn(rows.take(step), step, checked=not mapped)
            progress.show(record)
            self.n_iter_ = step.iteration
            why = stopping.reason(self._learner, record)
            if why:
                if self.verbose:
                    print(f"Converged ({why}) at step {record['batch']}")
                break
        if record is None:
            raise ValueError(f"not one full batch of {size} in {n} samples; see last_batch")
        progress.show(record, last=True)
        self._learner.finish()
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "DictionaryEstimator":
        """Learn from one more batch: exactly one turn of the loop, whatever the batch's length.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features)
            The batch.

        y : Ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self : object
            The estimator.
        """
        fresh = not hasattr(self, "_learner")
        if fresh:
            self._check_params()
        if fresh or not self._is_ready(X):
            X = self._validated(X, reset=fresh)
        if fresh:
            self._start(X.dtype, X.shape[1])
        self._learn(core_argument(X))
        return self

    def _fit_batches(self, batches: Iterator[Any]) -> "DictionaryEstimator":
        if self.max_iter != 1:
            raise ValueError("an iterator of batches can be read only once: max_iter must be 1")
        progress, record = ProgressLine(self.verbose, 0), None
        for batch in batches:
            X = self._validated(batch, reset=record is None)
            if record is None:
                self._start(X.dtype, X.shape[1])
            record = self._learn(core_argument(X))
            progress.show(record)
        if record is None:
            raise ValueError("the iterator gave no batch")
        progress.show(record, last=True)
        self._learner.finish()
        return self

    def _learn(
        self, samples: Any, step: Optional[Step] = None, checked: bool = True
    ) -> dict[str, Any]:
        if not checked and not self._finite(samples):
            assert_all_finite(samples, estimator_name=type(self).__name__, input_name="X")
        if step is not None and step.starts_call:
            self._learner.begin_call()
        watched = self.max_events or self.verbose or self.callback or self.max_no_improvement
        record, born, deaths = self._learner.learn(samples, bool(watched))
        if self.max_events:
            self._events.add(record, born, deaths)
        if self.callback is not None:
            self.callback({**record, "estimator": self})
        return record

    def freeze(self) -> "DictionaryEstimator":
        """From now on no atom is born and none dies; those that are there still learn.

        What comes after the estimator in a pipeline then sees columns that never change. The next
        ``fit`` starts a new model, which is not frozen.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self)
        self._learner.freeze()
        return self

    # -- coding -----------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """Codes of samples, in the columns that `output` asks for.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        codes : ndarray or CSR matrix of shape (n_samples, n_columns)
            The codes: one column an atom (``output="dense"``, ``"sparse"``) or one a slot.
        """
        check_is_fitted(self)
        if not self._is_ready(X):
            X = self._validated(X, reset=False)
        samples, layer = core_argument(X), transform_layer(self)
        self._learner.set_threads(self._threads())
        if self.output != "sparse":
            return self._learner.encode_dense(
                samples, layer, self.output == "slots", bool(self.split_sign)
            )
        indptr, indices, data = self._learner.encode_sparse(samples, layer, bool(self.split_sign))
        codes = sp.csr_matrix((X.shape[0], self._n_features_out), dtype=self._dtype)
        small = indptr[-1] <= np.iinfo(np.int32).max
        codes.indptr = indptr.astype(np.int32) if small else indptr
        codes.indices = indices if small else indices.astype(np.int64)
        codes.data = data
        return codes

    def inverse_transform(self, codes: Any, mean: Any = None) -> np.ndarray:
        """Samples back from codes.

        Parameters
        ----------
        codes : {array-like, sparse matrix} of shape (n_samples, n_columns)
            Codes in the columns of ``transform``. Codes by the command line's ``nodl encode`` have
            the samples' means in one last column more where atoms are centred; it is used.

        mean : array-like of shape (n_samples,), default=None
            The samples' means. With centred atoms (``atom_norm="centered"``, the default) codes
            say nothing of them: without `mean`, reconstructions have mean 0.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Reconstructions of the (centred, scaled) samples.
        """
        check_is_fitted(self)
        codes = check_array(codes, accept_sparse="csr", dtype=self._dtype, order="C")
        if self.split_sign and codes.shape[1] == self._n_features_out:
            half = self._n_features_out // 2
            codes = codes[:, :half] - codes[:, half:]
        if self.output == "slots":
            codes = codes[:, self._learner.records()["slot"]]
        codes = sp.csr_matrix(codes)
        codes.eliminate_zeros()
        samples = self._learner.decode(core_argument(codes))
        if mean is not None:
            samples += np.asarray(mean, dtype=samples.dtype).reshape(-1, 1)
        return samples

    def score(self, X: Any, y: Any = None) -> float:
        """Explained variance of the reconstructions: 1 is perfect, 0 as good as samples' means.

        ``1 - sum |x - x^|^2 / sum |x - mean(x)|^2`` over all samples, as `nodl evaluate` says it.

        Parameters
        ----------
        X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features)
            Samples.

        y : Ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        score : float
            The explained variance.
        """
        return self._evaluate(X)["explained_variance"]

    def _evaluate(self, X: Any) -> dict[str, Any]:
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        self._learner.set_threads(self._threads())
        return self._learner.evaluate(core_argument(X), transform_layer(self))

    # -- files ------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Write the model file that ``nodl train`` would have written.

        Parameters
        ----------
        path : str or path-like
            The file; replaced atomically.
        """
        check_is_fitted(self)
        self._learner.save(str(path))

    # -- inside -----------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner")

    @property
    def _n_features_out(self) -> int:
        width = self._learner.slots() if self.output == "slots" else self._learner.size()
        return 2 * width if self.split_sign else width

    def _core_params(self) -> dict[str, Any]:
        return self.get_params(deep=False)

    def _check_params(self) -> None:
        if self.output not in self._layouts:
            raise ValueError(f"output must be one of {self._layouts}, got {self.output!r}")
        if self.output == "slots" and self.max_atoms is None:
            raise ValueError('output="slots" has max_atoms columns: give max_atoms')
        if self.precision not in (None, "float32", "float64"):
            raise ValueError(f"precision must be float32 or float64, got {self.precision!r}")
        for algorithm in (self.fit_algorithm, self.transform_algorithm):
            if algorithm is not None:
                check_positive_coding(algorithm, self.positive_code)

    def _start(self, dtype: np.dtype, n_features: int) -> None:
        if isinstance(self.random_state, (int, np.integer)):
            self._seed = int(self.random_state)
        else:
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        params = self._core_params()
        self._dtype = np.dtype(dtype)
        kind = _core.Learner64 if self._dtype == np.float64 else _core.Learner32
        if self.dict_init is not None:
            atoms = check_array(self.dict_init, dtype=self._dtype, order="C")
            if params["n_components"] not in (None, len(atoms)):
                raise ValueError(
                    f"dict_init has {len(atoms)} atoms, n_components is {params['n_components']}"
                )
            if atoms.shape[1] != n_features:
                raise ValueError(
                    f"dict_init has {atoms.shape[1]} features, samples have {n_features}"
                )
            params["n_components"] = len(atoms)
        options = json.dumps(core_options(params, self._seed))
        if self.dict_init is not None:
            self._learner = kind.from_atoms(atoms, options, self._threads())
        else:
            self._learner = kind(n_features, options, self._threads())
        self._events = EventLog(self.max_events)
        self.n_iter_ = 1

    def _threads(self) -> int:
        return 1 if self.n_jobs is None else effective_n_jobs(self.n_jobs)

    def _validated(self, X: Any, reset: bool, finite: bool = True) -> Any:
        if not reset:
            dtype: Any = self._dtype
        elif self.precision is not None:
            dtype = np.dtype(self.precision)
        else:
            dtype = [np.float64, np.float32]
        return self._validate_data(
            X, reset=reset, accept_sparse="csr", dtype=dtype, force_all_finite=finite
        )

    def _finite(self, samples: Any) -> bool:
        check = _core.all_finite64 if self._dtype == np.float64 else _core.all_finite32
        return check(samples)

    def _is_ready(self, X: Any) -> bool:
        """Whether scikit-learn's validation, slow for one sample, would find nothing to do."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype == self._dtype
            and X.flags.c_contiguous
            and X.shape[1] == self.n_features_in_
            and X.shape[0] > 0
            and not hasattr(self, "feature_names_in_")
            and self._finite(X)
        )

    def _more_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": [np.float64, np.float32]}
