"""scikit-learn's early stopping: a dictionary, or a quality, that no longer changes."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np


class EarlyStopping:
    """Decides after each batch of ``fit`` whether to go on.

    The first pass (or 100 batches) is always made. Then learning stops where the dictionary
    changed by at most `tol` (Frobenius norm over atoms, no birth or death), or where the smoothed
    error ``1 - pearson_after`` has had no new minimum for `patience` batches.
    """

    def __init__(self, tol: float, patience: Optional[int], n: int, batch_size: int) -> None:
        self._tol = tol
        self._patience = patience
        self._n = n
        self._warm_up = min(100, n / batch_size)
        self._atoms: Optional[np.ndarray] = None
        self._ids: Optional[np.ndarray] = None
        self._error: Optional[float] = None
        self._least = np.inf
        self._waited = 0

    def reason(self, learner: Any, record: dict[str, Any]) -> str:
        """Why to stop; empty to go on."""
        settled = self._tol > 0 and self._settled(learner)
        if record["batch"] <= self._warm_up:
            return ""
        if settled:
            return "small dictionary change"
        if self._patience is not None and self._stagnates(record):
            return "lack of improvement"
        return ""

    def _settled(self, learner: Any) -> bool:
        old, old_ids = self._atoms, self._ids
        self._atoms, self._ids = learner.atoms(False), learner.records()["id"]
        if old is None or old_ids is None or not np.array_equal(old_ids, self._ids):
            return False
        return float(np.linalg.norm(self._atoms - old)) / max(1, len(old)) <= self._tol

    def _stagnates(self, record: dict[str, Any]) -> bool:
        error = 1 - record["pearson_after"]
        weight = min(1.0, record["samples"] / (self._n + 1))
        self._error = error if self._error is None else (1 - weight) * self._error + weight * error
        if self._error < self._least:
            self._least, self._waited = self._error, 0
        else:
            self._waited += 1
        return self._waited >= self._patience
