"""What happened while learning: the records of the command line's ``--events``."""

from __future__ import annotations

import collections
import sys
import time
from typing import Any, Iterable


class EventLog:
    """The last `limit` events; a stream may be endless."""

    def __init__(self, limit: int) -> None:
        self._events: collections.deque[dict[str, Any]] = collections.deque(maxlen=limit)

    def add(self, record: dict[str, Any], births: Iterable[tuple], deaths: Iterable[tuple]) -> None:
        self._events.append(record)
        batch = record["batch"]
        for atom, threshold, reason in births:
            self._events.append(
                {
                    "event": "birth",
                    "batch": batch,
                    "id": atom,
                    "correlation": record["birth_correlation"],
                    "threshold": threshold,
                    "reason": reason,
                }
            )
        for atom, birth_batch, uses in deaths:
            self._events.append(
                {
                    "event": "death",
                    "batch": batch,
                    "id": atom,
                    "age_batches": batch - birth_batch,
                    "uses": uses,
                    "reason": "group_penalty" if uses else "unused",
                }
            )

    def records(self) -> list[dict[str, Any]]:
        return list(self._events)

    def frame(self) -> Any:
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "events_frame() needs pandas, which is not installed; events_ has the same events "
                "as a list of dicts"
            ) from None
        return pandas.json_normalize(self.records(), sep="_")


class ProgressLine:
    """One line on standard error that is written over, as terminals and notebooks show it."""

    def __init__(self, verbose: int, total: int) -> None:
        self._on = bool(verbose)
        self._total = total
        self._begin = time.monotonic()
        self._next = 0.0

    def show(self, record: dict[str, Any], last: bool = False) -> None:
        now = time.monotonic()
        if not self._on or (now < self._next and not last):
            return
        self._next = now + 0.2
        rate = record["samples_seen"] / max(1e-9, now - self._begin)
        of = f"/{self._total}" if self._total else ""
        sys.stderr.write(
            f"\r[nodl] batch {record['batch']}{of}: {record['atoms']} atoms, "
            f"pearson {record['pearson_after']:.3f}, {rate:,.0f} samples/s" + ("\n" if last else "")
        )
        sys.stderr.flush()
