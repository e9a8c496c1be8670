"""Model files of the command line."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np

from . import _core
from ._checks import path_bytes
from ._estimator import DictionaryEstimator
from ._events import EventLog
from ._neurogenetic import NeurogeneticDictionaryLearning
from ._options import estimator_params


def load(path: Any, *, n_jobs: Any = None) -> NeurogeneticDictionaryLearning:
    """An estimator from a model file of ``nodl train`` (or `save`), ready to code and learn on.

    Parameters
    ----------
    path : str, bytes or path-like
        The model file.

    n_jobs : int, default=None
        Threads of the estimator.

    Returns
    -------
    model : NeurogeneticDictionaryLearning
        Fitted; its parameters are the model's options.

    Examples
    --------
    >>> import numpy as np, os, tempfile, nodl
    >>> X = np.random.default_rng(0).standard_normal((300, 16))
    >>> model = nodl.NeurogeneticDictionaryLearning(8).fit(X)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.nodl")
    >>> nodl.save(model, path)
    >>> again = nodl.load(path)
    >>> bool(np.all(again.transform(X) == model.transform(X)))
    True
    """
    learner = _core.load(path_bytes(path), 1)
    known = inspect.signature(NeurogeneticDictionaryLearning).parameters
    model = NeurogeneticDictionaryLearning(
        **{
            name: value
            for name, value in estimator_params(json.loads(learner.options())).items()
            if name in known
        }
    )
    model.n_jobs = n_jobs
    model._learner = learner
    model._dtype = np.dtype(np.float64 if isinstance(learner, _core.Learner64) else np.float32)
    model.precision = model._dtype.name
    model._seed = model.random_state
    model._events = EventLog(model.max_events)
    model.n_features_in_ = learner.dimension()
    model.n_iter_ = 1
    return model


def save(model: DictionaryEstimator, path: Any) -> None:
    """Write a fitted estimator as the model file that the command line reads.

    The same samples, options and seed give the same bytes as ``nodl train``.

    Parameters
    ----------
    model : estimator
        A fitted estimator.

    path : str, bytes or path-like
        The file; replaced atomically.
    """
    model.save(path)
