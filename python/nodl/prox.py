"""The proximal steps of Algorithm 1: how an atom becomes sparse, dies, and stays in the ball.

Each function returns a new array and works on one column (an atom).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core

__all__ = ["group_shrink", "project_to_ball", "soft_threshold", "threshold_for_count"]


def _column(u: Any, copy: bool) -> np.ndarray:
    u = np.asarray(u)
    dtype = u.dtype if u.dtype in (np.float32, np.float64) else np.float64
    return np.array(u, dtype=dtype, order="C", copy=copy)


def soft_threshold(u: Any, threshold: float) -> np.ndarray:
    """Step 15: ``sign(u) max(|u| - threshold, 0)``.

    Parameters
    ----------
    u : array-like of shape (n_features,)
        A column.

    threshold : float
        By how much magnitudes shrink.

    Returns
    -------
    v : ndarray of shape (n_features,)

    Examples
    --------
    >>> from nodl import prox
    >>> prox.soft_threshold([3.0, -1.0, 0.5], 1.0)
    array([2., 0., 0.])
    """
    v = _column(u, copy=True)
    _core.soft_threshold(v, threshold)
    return v


def group_shrink(v: Any, penalty: float) -> np.ndarray:
    """Step 16: ``v max(1 - penalty / ||v||, 0)``; a short column becomes exactly zero.

    Parameters
    ----------
    v : array-like of shape (n_features,)
        A column.

    penalty : float
        By how much its norm shrinks.

    Returns
    -------
    w : ndarray of shape (n_features,)

    Examples
    --------
    >>> from nodl import prox
    >>> prox.group_shrink([3.0, 4.0], 2.5)
    array([1.5, 2. ])
    >>> prox.group_shrink([0.3, 0.4], 2.5)
    array([0., 0.])
    """
    w = _column(v, copy=True)
    _core.group_shrink(w, penalty)
    return w


def project_to_ball(w: Any) -> np.ndarray:
    """Step 17: ``w / max(1, ||w||)``.

    Parameters
    ----------
    w : array-like of shape (n_features,)
        A column.

    Returns
    -------
    d : ndarray of shape (n_features,)

    Examples
    --------
    >>> from nodl import prox
    >>> prox.project_to_ball([3.0, 4.0])
    array([0.6, 0.8])
    """
    d = _column(w, copy=True)
    _core.project_to_ball(d)
    return d


def threshold_for_count(
    u: Any,
    count: int,
    *,
    method: str = "exact",
    tolerance: float = 1e-4,
    count_tolerance: float = 0.01,
) -> float:
    """A threshold that leaves `count` nonzeros.

    Parameters
    ----------
    u : array-like of shape (n_features,)
        A column.

    count : int
        Nonzeros wanted.

    method : {'exact', 'bisection'}, default='exact'
        By selection (ties stay together), or by Alg. 2 of the paper.

    tolerance, count_tolerance : float, default=1e-4, 0.01
        Where the bisection stops.

    Returns
    -------
    threshold : float

    Examples
    --------
    >>> from nodl import prox
    >>> prox.threshold_for_count([5.0, -4.0, 3.0, 1.0], 2)
    3.0
    """
    column = _column(u, copy=False)
    if method == "exact":
        return _core.threshold_by_selection(column, count)
    if method == "bisection":
        return _core.threshold_by_bisection(column, count, tolerance, count_tolerance)
    raise ValueError(f"method must be exact or bisection, got {method!r}")
