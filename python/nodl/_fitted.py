"""What an estimator tells of its model."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted


class FittedAttributes:
    """Attributes that are there once ``fit`` or ``partial_fit`` was called, always up to date."""

    _learner: Any
    _events: Any

    @property
    def components_(self) -> np.ndarray:
        """Atoms as coding uses them, one a row."""
        return self._fitted("components_").atoms(True)

    @property
    def dictionary_(self) -> np.ndarray:
        """Atoms as they are learned (D), one a row."""
        return self._fitted("dictionary_").atoms(False)

    @property
    def n_components_(self) -> int:
        """Number of atoms."""
        return self._fitted("n_components_").size()

    @property
    def atom_ids_(self) -> np.ndarray:
        """The permanent id of each atom."""
        return self._fitted("atom_ids_").records()["id"]

    @property
    def slots_(self) -> np.ndarray:
        """The column of each atom with ``output="slots"``."""
        return self._fitted("slots_").records()["slot"]

    @property
    def A_(self) -> np.ndarray:
        """Memory of the codes, of shape (n_components_, n_components_)."""
        return self._fitted("A_").A()

    @property
    def B_(self) -> np.ndarray:
        """Memory of samples and codes, of shape (n_features, n_components_)."""
        return self._fitted("B_").B().T

    @property
    def n_steps_(self) -> int:
        """Batches learned."""
        return self._fitted("n_steps_").progress()["batches"]

    @property
    def n_samples_seen_(self) -> int:
        """Samples learned from."""
        return self._fitted("n_samples_seen_").progress()["samples"]

    @property
    def events_(self) -> list[dict[str, Any]]:
        """Batches, births and deaths, one dict each."""
        self._fitted("events_")
        return self._events.records()

    def events_frame(self) -> Any:
        """`events_` as a pandas frame, which needs pandas.

        Returns
        -------
        events : pandas.DataFrame
            One row an event; seconds by stage in columns of their own (``seconds_code``, ...).
        """
        check_is_fitted(self)
        return self._events.frame()

    @property
    def options_(self) -> dict[str, Any]:
        """Every option of the model under the core's name, with nothing left to derive."""
        return json.loads(self._fitted("options_").options())

    def _fitted(self, name: str) -> Any:
        if "_learner" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        return self._learner
