"""How well codes represent samples. Defined for all inputs: a correlation with a constant is 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from . import _core
from ._checks import require_squares

__all__ = ["evaluate", "explained_variance", "pearson", "spearman"]


def _pairs(X: Any, Y: Any) -> tuple[np.ndarray, np.ndarray]:
    X = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X")
    Y = check_array(Y, dtype=X.dtype, order="C", input_name="Y")
    if X.shape != Y.shape:
        raise ValueError(f"X has shape {X.shape}, Y {Y.shape}")
    require_squares("X", X)
    require_squares("Y", Y)
    return X, Y


def pearson(X: Any, Y: Any) -> np.ndarray:
    """Pearson correlation of each row of `X` with that row of `Y`.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features)
        Samples and their reconstructions.

    Returns
    -------
    r : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from nodl import metrics
    >>> metrics.pearson([[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0]])
    array([1.])
    """
    X, Y = _pairs(X, Y)
    return np.array([_core.pearson(x, y) for x, y in zip(X, Y)])


def spearman(X: Any, Y: Any) -> np.ndarray:
    """Spearman correlation (Pearson's of average ranks) of each row of `X` with that of `Y`.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features)
        Samples and their reconstructions.

    Returns
    -------
    r : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from nodl import metrics
    >>> metrics.spearman([[1.0, 2.0, 30.0]], [[2.0, 40.0, 41.0]])
    array([1.])
    """
    X, Y = _pairs(X, Y)
    return np.array([_core.spearman(x, y) for x, y in zip(X, Y)])


def explained_variance(X: Any, Y: Any) -> float:
    """``1 - sum |x - y|^2 / sum |x - mean(x)|^2``, pooled over samples.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples, n_features)
        Samples and their reconstructions.

    Returns
    -------
    variance : float

    Examples
    --------
    >>> from nodl import metrics
    >>> metrics.explained_variance([[0.0, 2.0]], [[0.0, 1.0]])
    0.5
    """
    X, Y = _pairs(X, Y)
    X = X.astype(np.float64, copy=False)  # squares of large float32 numbers would overflow
    deviation = float(np.sum((X - X.mean(axis=1, keepdims=True)) ** 2))
    error = float(np.sum((X - Y) ** 2))
    return 1 - error / deviation if deviation > 0 else 0.0


def evaluate(model: Any, X: Any) -> dict[str, Any]:
    """What ``nodl evaluate`` says of samples: means over them of all measures.

    Parameters
    ----------
    model : estimator
        A fitted estimator.

    X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    measures : dict
        samples, pearson, spearman, mse, explained_variance, code_nonzeros.
    """
    return model._evaluate(X)
