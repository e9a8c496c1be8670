"""From parameters of the estimators to options of the core, under the core's names."""

from __future__ import annotations

import functools
import json
import math
from typing import Any, Mapping

from . import _core

# scikit-learn's name -> the core's; all other options have one name everywhere.
_CORE_NAMES = {
    "n_components": "atoms",
    "alpha": "lambda",
    "fit_algorithm": "coder",
    "max_iter": "passes",
}
# Parameters that do not say what is learned.
_NOT_OPTIONS = {
    "preset", "precision", "random_state", "dict_init", "shuffle", "tol", "max_no_improvement",
    "transform_algorithm", "transform_alpha", "transform_n_nonzero_coefs", "transform_max_iter",
    "split_sign", "output", "max_events", "n_jobs", "verbose", "callback",
}  # fmt: skip

CODERS = {
    "lars": "lars",
    "lasso_lars": "lars",
    "cd": "cd",
    "lasso_cd": "cd",
    "omp": "omp",
    "threshold": "threshold",
}


@functools.lru_cache(maxsize=None)
def _preset(name: str) -> Mapping[str, Any]:
    return json.loads(_core.preset_options(name))


def coder_named(algorithm: str, parameter: str) -> str:
    if not isinstance(algorithm, str) or algorithm not in CODERS:
        raise ValueError(f"{parameter} must be one of {sorted(CODERS)}, got {algorithm!r}")
    return CODERS[algorithm]


def check_positive_coding(algorithm: str, positive: bool) -> None:
    if positive and coder_named(algorithm, "algorithm") not in ("lars", "cd"):
        raise ValueError(f"Positive constraint not supported for '{algorithm}' coding method.")


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's, for JSON."""
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


def json_of(options: Mapping[str, Any]) -> str:
    """Options as the core reads them; JSON has no NaN and no infinity."""
    for name, value in options.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise _core.InvalidOptions(f"{name} is {value}, must be a finite number")
    return json.dumps(options)


def bytes_of(size: Any) -> int:
    """A number of bytes, also as text such as 512M or 2G."""
    if not isinstance(size, str):
        return size
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    try:
        number = float(size[:-1] if size[-1:] in units else size)
        return int(number * units.get(size[-1:], 1))
    except (ValueError, OverflowError):
        raise ValueError(f"memory_limit must be a size such as 512M or 2G, not {size!r}") from None


def core_options(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Options of the core for the parameters of an estimator; ``None`` leaves the preset's."""
    options = dict(_preset(str(params["preset"])))
    given = {
        _CORE_NAMES.get(name, name): plain(value)
        for name, value in params.items()
        if name not in _NOT_OPTIONS and value is not None
    }
    if "coder" in given:
        given["coder"] = coder_named(given["coder"], "fit_algorithm")
    if "memory_limit" in given:
        given["memory_limit"] = bytes_of(given["memory_limit"])
    if given.get("scale") == "unit":
        given["scale"], given["scale_to_unit"] = 1.0, True
    if "half_life" in given:
        given.setdefault("memory", "half-life")
        if given["memory"] != "half-life":
            raise ValueError("half_life needs the memory half-life, not " + given["memory"])
    unknown = set(given) - set(options)
    if unknown:
        raise ValueError(f"no option of the core: {sorted(unknown)}")
    options.update(given)
    options["seed"] = seed
    return options


def transform_layer(estimator: Any) -> str:
    """What the ``transform_*`` parameters change in the model's own coding options, as JSON."""
    layer: dict[str, Any] = {}
    algorithm = estimator.transform_algorithm
    alpha = plain(estimator.transform_alpha)
    count = plain(estimator.transform_n_nonzero_coefs)
    if algorithm is not None:
        layer["coder"] = coder_named(algorithm, "transform_algorithm")
        if layer["coder"] == "omp":
            layer["lambda"] = None
    if alpha is not None or count is not None:
        layer["lambda"], layer["code_nonzeros"] = alpha, count
    if estimator.transform_max_iter is not None:
        layer["lsqr_iterations"] = plain(estimator.transform_max_iter)
    return json_of(layer) if layer else ""


def estimator_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of an estimator for the options of a model: what `core_options` undoes."""
    names = {core: name for name, core in _CORE_NAMES.items()}
    params = {names.get(core, core): value for core, value in options.items()}
    params["random_state"] = params.pop("seed")
    if params.pop("scale_to_unit"):
        params["scale"] = "unit"
    if params["memory"] != "half-life":
        params["half_life"] = None
    return params
