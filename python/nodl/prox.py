"""The proximal steps of Algorithm 1: how an atom becomes sparse, dies, and stays in the ball.

Each function returns a new array and works on one column (an atom).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from . import _core
from ._checks import require_at_least_0, require_squares, require_whole_number

__all__ = ["group_shrink", "project_to_ball", "soft_threshold", "threshold_for_count"]


def _column(name: str, u: Any, copy: bool = True) -> np.ndarray:
    column = check_array(
        u,
        dtype=[np.float64, np.float32],
        order="C",
        copy=copy,
        ensure_2d=False,
        ensure_min_samples=0,
        input_name=name,
    )
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got an array of shape {column.shape}")
    return column


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
    require_at_least_0("threshold", threshold)
    v = _column("u", u)
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
    require_at_least_0("penalty", penalty)
    w = _column("v", v)
    require_squares("v", w)
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
    d = _column("w", w)
    require_squares("w", d)
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
    column = _column("u", u, copy=False)
    require_whole_number("count", count, 0)
    count = min(int(count), len(column))  # any more is the same
    if method == "exact":
        return _core.threshold_by_selection(column, count)
    if method == "bisection":
        require_at_least_0("tolerance", tolerance)
        require_at_least_0("count_tolerance", count_tolerance)
        return _core.threshold_by_bisection(column, count, tolerance, count_tolerance)
    raise ValueError(f"method must be exact or bisection, got {method!r}")
