"""The estimators: scikit-learn's contract over the core's learner."""

from __future__ import annotations

import json
import sys
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._checks import path_bytes, require_at_least_0, require_whole_number, thread_count
from ._events import EventLog, ProgressLine
from ._fitted import FittedAttributes
from ._options import check_positive_coding, core_options, json_of, plain, transform_layer
from ._samples import Rows, Step, core_argument, schedule
from ._stopping import EarlyStopping


class _Start(NamedTuple):
    """A model that has learned nothing yet.

    The estimator takes it over with its first batch: a call that fails before leaves the estimator
    as it was.
    """

    given: Any  # the first samples, as they came,
    X: Any  # and validated
    learner: Any
    events: EventLog
    seed: int


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
        start = self._start(X, finite=not mapped)
        options = json.loads(start.learner.options())
        separate, drop_last = options["inputs"] == "separate", options["last_batch"] == "drop"
        n, size, passes = start.X.shape[0], options["batch_size"], options["passes"]
        order = np.random.RandomState(start.seed % 2**32).permutation(n) if self.shuffle else None
        rows = Rows(start.X, order)
        stopping = EarlyStopping(self.tol, self.max_no_improvement, n, size)
        progress = ProgressLine(self.verbose, passes * n // size)
        record: Optional[dict[str, Any]] = None
        why = ""
        for step in schedule(n, size, passes, separate, drop_last):
            first = start if record is None else None
            record = self._learn(rows.take(step), first, step, checked=not mapped)
            progress.show(record)
            self.n_iter_ = step.iteration
            why = stopping.reason(self._learner, record)
            if why:
                break
        if record is None:
            raise ValueError(f"not one full batch of {size} in {n} samples; see last_batch")
        progress.show(record, last=True)
        if why and self.verbose:
            print(f"Converged ({why}) at step {record['batch']}", file=sys.stderr)
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
        if not hasattr(self, "_learner"):
            self._check_params()
            start = self._start(X)
            self._learn(core_argument(start.X), start)
            return self
        if not self._is_ready(X):
            X = self._validated(X)
        self._learn(core_argument(X))
        return self

    def _fit_batches(self, batches: Iterator[Any]) -> "DictionaryEstimator":
        if self.max_iter != 1:
            raise ValueError("an iterator of batches can be read only once: max_iter must be 1")
        progress, record = ProgressLine(self.verbose, 0), None
        for batch in batches:
            start = self._start(batch) if record is None else None
            X = self._validated(batch) if start is None else start.X
            record = self._learn(core_argument(X), start)
            progress.show(record)
        if record is None:
            raise ValueError("the iterator gave no batch")
        progress.show(record, last=True)
        self._learner.finish()
        return self

    def _learn(
        self,
        samples: Any,
        start: Optional[_Start] = None,
        step: Optional[Step] = None,
        checked: bool = True,
    ) -> dict[str, Any]:
        """One batch, the first of a new model if there is a `start`."""
        learner = self._learner if start is None else start.learner
        if not checked and not _finite(samples):
            assert_all_finite(samples, estimator_name=type(self).__name__, input_name="X")
        learner.set_threads(self._threads())
        if step is not None and step.starts_call:
            learner.begin_call()
        watched = self.max_events or self.verbose or self.callback or self.max_no_improvement
        record, births, deaths = learner.learn(samples, bool(watched))
        if start is not None:
            self._take_over(start)
        if self.max_events:
            self._events.add(record, births, deaths)
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
        self._check_output()
        if not self._is_ready(X):
            X = self._validated(X)
        samples, layer = core_argument(X), transform_layer(self)
        self._learner.set_threads(self._threads())
        if self.output != "sparse":
            return self._learner.encode_dense(
                samples, layer, self.output == "slots", bool(self.split_sign)
            )
        indptr, indices, data, columns = self._learner.encode_sparse(
            samples, layer, bool(self.split_sign)
        )
        codes = sp.csr_matrix((X.shape[0], columns), dtype=self._dtype)
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

        Raises
        ------
        ValueError
            As ``nodl decode`` refuses them: codes that use a slot without an atom, and codes whose
            samples would not be finite.
        """
        check_is_fitted(self)
        self._check_output()
        codes = check_array(
            codes, accept_sparse="csr", dtype=self._dtype, order="C", input_name="codes"
        )
        if self.split_sign and codes.shape[1] == self._n_features_out:
            half = codes.shape[1] // 2
            codes = codes[:, :half] - codes[:, half:]
        samples = self._learner.decode(core_argument(codes), self.output == "slots")
        if mean is not None:
            if codes.shape[1] > self._code_width:
                raise ValueError("the last column of the codes is the mean: mean must be None")
            _add_means(samples, mean)
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
        X = self._validated(X)
        self._learner.set_threads(self._threads())
        return self._learner.evaluate(core_argument(X), transform_layer(self))

    # -- files ------------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Write the model file that ``nodl train`` would have written.

        Parameters
        ----------
        path : str, bytes or path-like
            The file; replaced atomically.
        """
        check_is_fitted(self)
        self._learner.save(path_bytes(path))

    # -- inside -----------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner")

    @property
    def _code_width(self) -> int:
        return self._learner.slots() if self.output == "slots" else self._learner.size()

    @property
    def _n_features_out(self) -> int:
        return 2 * self._code_width if self.split_sign else self._code_width

    def _core_params(self) -> dict[str, Any]:
        return self.get_params(deep=False)

    def _check_output(self) -> None:
        if self.output not in self._layouts:
            raise ValueError(f"output must be one of {self._layouts}, got {self.output!r}")

    def _check_params(self) -> None:
        self._check_output()
        if self.output == "slots" and self.max_atoms is None:
            raise ValueError('output="slots" has max_atoms columns: give max_atoms')
        if self.precision not in (None, "float32", "float64"):
            raise ValueError(f"precision must be float32 or float64, got {self.precision!r}")
        for name in ("n_components", "code_nonzeros", "atom_nonzeros", "max_atoms"):
            if plain(getattr(self, name, None)) == 0:  # to the core that says: derive it
                raise ValueError(f"{name} is 0, must be at least 1, or None to derive it")
        require_whole_number("max_events", self.max_events, 0)
        require_at_least_0("tol", self.tol)
        if self.max_no_improvement is not None:
            require_whole_number("max_no_improvement", self.max_no_improvement, 1)
        for algorithm in (self.fit_algorithm, self.transform_algorithm):
            if algorithm is not None:
                check_positive_coding(algorithm, self.positive_code)

    def _start(self, given: Any, finite: bool = True) -> _Start:
        X = self._validated_first(given, finite)
        n_features = X.shape[1]
        if n_features > np.iinfo(np.int32).max:
            raise ValueError(f"samples have {n_features} features, expected fewer than 2^31")
        if isinstance(self.random_state, (int, np.integer)):
            seed = int(self.random_state)
        else:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        params = self._core_params()
        kind = _core.Learner64 if X.dtype == np.float64 else _core.Learner32
        if self.dict_init is not None:
            atoms = check_array(
                self.dict_init, dtype=X.dtype, order="C", input_name="dict_init"
            )
            if params["n_components"] not in (None, len(atoms)):
                raise ValueError(
                    f"dict_init has {len(atoms)} atoms, n_components is {params['n_components']}"
                )
            if atoms.shape[1] != n_features:
                raise ValueError(
                    f"dict_init has {atoms.shape[1]} features, samples have {n_features}"
                )
            params["n_components"] = len(atoms)
        options = json_of(core_options(params, seed))
        if self.dict_init is not None:
            learner = kind.from_atoms(atoms, options, self._threads())
        else:
            learner = kind(n_features, options, self._threads())
        return _Start(given, X, learner, EventLog(self.max_events), seed)

    def _take_over(self, start: _Start) -> None:
        self._check_feature_names(start.given, reset=True)
        self._check_n_features(start.X, reset=True)
        self._dtype = np.dtype(start.X.dtype)
        self._seed = start.seed
        self._events = start.events
        self.n_iter_ = 1
        self._learner = start.learner

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _validated(self, X: Any) -> Any:
        return self._validate_data(X, reset=False, accept_sparse="csr", dtype=self._dtype)

    def _validated_first(self, X: Any, finite: bool) -> Any:
        """Samples of a new model, whose features are not noted yet: see `_Start`."""
        either = [np.float64, np.float32]
        return check_array(
            X,
            accept_sparse="csr",
            dtype=either if self.precision is None else np.dtype(self.precision),
            force_all_finite=finite,
            estimator=self,
            input_name="X",
        )

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
            and _finite(X)
        )

    def _more_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": [np.float64, np.float32]}


def _add_means(samples: np.ndarray, mean: Any) -> None:
    mean = check_array(
        mean, dtype=samples.dtype, ensure_2d=False, ensure_min_samples=0, input_name="mean"
    ).reshape(-1)
    if len(mean) != len(samples):
        raise ValueError(f"mean has {len(mean)} numbers, there are {len(samples)} codes")
    with np.errstate(over="ignore"):
        samples += mean[:, None]
    if not _finite(samples):
        first = np.flatnonzero(~np.isfinite(samples).all(axis=1))[0]
        raise _core.DataError(f"code {first + 1}: its sample would not be finite")


def _finite(X: np.ndarray) -> bool:
    check = _core.all_finite64 if X.dtype == np.float64 else _core.all_finite32
    return check(X)
