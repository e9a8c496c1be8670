"""What neither scikit-learn nor the core checks of parameters and numbers."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np
from joblib import effective_n_jobs

_MOST_THREADS = 4096  # as the command line has it
_LARGEST = 1e140  # as the core has it for samples


def require_whole_number(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")


def require_at_least_0(name: str, value: Any) -> None:
    if not isinstance(value, numbers.Real) or not value >= 0:  # NaN is not, either
        raise ValueError(f"{name} must be a number of at least 0, got {value!r}")


def require_squares(name: str, X: np.ndarray) -> None:
    """Finite numbers whose squares, and sums of them, are finite too."""
    largest = max(X.max(), -X.min()) if X.size else 0
    if largest > _LARGEST:
        raise ValueError(
            f"{name} holds a number of size {largest:g}, expected at most {_LARGEST:g}: "
            "its square would overflow"
        )


def thread_count(n_jobs: Any) -> int:
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or n_jobs > _MOST_THREADS:
        raise ValueError(f"n_jobs must be an integer of at most {_MOST_THREADS}, got {n_jobs!r}")
    return effective_n_jobs(int(n_jobs))


def path_bytes(path: Any) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:  # the system would take what stands before it for the name
        raise ValueError("embedded null byte")
    return name
