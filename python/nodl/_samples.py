"""Batches of samples as the core takes them: C-order arrays, or the parts of a CSR matrix."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp


def _require_well_formed(X: Any) -> None:
    """What SciPy does not look at, though it and the conversion to 32 bits below rely on it."""
    indptr, stored = X.indptr, min(len(X.indices), len(X.data))
    rises = len(indptr) == X.shape[0] + 1 and indptr[0] == 0 and np.all(indptr[:-1] <= indptr[1:])
    if not rises or indptr[-1] > stored:
        raise ValueError("the sparse matrix is malformed: its indptr")
    used = X.indices[: indptr[-1]]
    if len(used) and (used.min() < 0 or used.max() >= X.shape[1]):
        raise ValueError("the sparse matrix is malformed: an index outside its columns")


def core_argument(X: Any) -> Any:
    """`X` (validated, 2-d or CSR) without a copy where its layout allows."""
    if not sp.issparse(X):
        return np.ascontiguousarray(X)
    _require_well_formed(X)
    if not X.has_canonical_format:
        X = X.copy()  # the caller's matrix stays as it is
        X.sum_duplicates()
    return (
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.data),
        X.shape[1],
    )


class Step(NamedTuple):
    """One batch of a stream over `n` rows: pieces of rows, one after the other."""

    pieces: list[tuple[int, int]]
    starts_call: bool  # a training call of its own begins (``inputs="separate"``)
    iteration: int  # the pass, from 1, that the batch ends in


def schedule(n: int, batch_size: int, passes: int, separate: bool, drop_last: bool) -> Iterator[Step]:
    """The batches of the command line: in one stream a batch may span two passes."""
    if separate:
        for iteration in range(1, passes + 1):
            for start in range(0, n, batch_size):
                stop = min(n, start + batch_size)
                if stop - start == batch_size or not drop_last:
                    yield Step([(start, stop)], start == 0, iteration)
        return
    total = n * passes
    for first in range(0, total, batch_size):
        last = min(total, first + batch_size)
        if last - first < batch_size and drop_last:
            return
        pieces = []
        at = first
        while at < last:
            stop = min(last, (at // n + 1) * n)
            pieces.append((at % n, at % n + stop - at))
            at = stop
        yield Step(pieces, first == 0, (last - 1) // n + 1)


class Rows:
    """Rows of an array or a CSR matrix, in their order or in another."""

    def __init__(self, X: Any, order: Optional[np.ndarray] = None) -> None:
        self._X = X
        self._order = order
        self._parts = core_argument(X) if sp.issparse(X) else None

    def take(self, step: Step) -> Any:
        """The rows of a batch, as the core takes them."""
        if self._order is not None:
            return core_argument(self._X[np.concatenate([self._order[a:b] for a, b in step.pieces])])
        if len(step.pieces) > 1:
            parts = [self._X[a:b] for a, b in step.pieces]
            joined = np.concatenate(parts) if self._parts is None else sp.vstack(parts, format="csr")
            return core_argument(joined)
        start, stop = step.pieces[0]
        if self._parts is None:
            return core_argument(self._X[start:stop])
        indptr, indices, data, columns = self._parts
        return indptr[start : stop + 1], indices, data, columns
