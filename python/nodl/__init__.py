"""Sparse dictionaries from endless streams: atoms are born, learn and die.

The estimators have scikit-learn's interface; models are those of the command line `nodl`.
"""

from . import metrics, prox
from ._core import DataError, InvalidOptions, ModelError, ResourceError, ShapeMismatch, __version__
from ._files import load, save
from ._neurogenetic import NeurogeneticDictionaryLearning
from ._online import OnlineDictionaryLearning
from ._sparse_encode import sparse_encode

__all__ = [
    "DataError",
    "InvalidOptions",
    "ModelError",
    "NeurogeneticDictionaryLearning",
    "OnlineDictionaryLearning",
    "ResourceError",
    "ShapeMismatch",
    "__version__",
    "load",
    "metrics",
    "prox",
    "save",
    "sparse_encode",
]
