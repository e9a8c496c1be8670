"""ODL: the same learner with a dictionary of fixed size."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from ._estimator import DictionaryEstimator


class OnlineDictionaryLearning(DictionaryEstimator):
    """Online dictionary learning with a fixed number of atoms (Mairal et al.).

    :class:`NeurogeneticDictionaryLearning` with ``max_births=0`` and ``group_penalty=0``, bit for
    bit; the command line's ``--method odl``. All parameters are explained there.

    Examples
    --------
    >>> import numpy as np
    >>> from nodl import OnlineDictionaryLearning
    >>> X = np.random.default_rng(0).standard_normal((400, 16))
    >>> model = OnlineDictionaryLearning(12, alpha=0.5, atom_norm="unit").fit(X)
    >>> model.transform(X[:3]).shape
    (3, 12)
    """

    def __init__(
        self,
        n_components: Optional[int] = None,
        *,
        alpha: Optional[float] = None,
        code_nonzeros: Optional[int] = None,
        batch_size: int = 200,
        max_iter: int = 1,
        fit_algorithm: Optional[str] = None,
        refit: bool = False,
        atom_norm: str = "centered",
        memory: Optional[str] = None,
        half_life: Optional[float] = None,
        atom_nonzeros: Optional[int] = None,
        max_sweeps: Optional[int] = None,
        tolerance: Optional[float] = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        center: bool = False,
        scale: Union[float, str] = 1.0,
        init: str = "random",
        preset: str = "paper",
        precision: Optional[str] = None,
        random_state: Any = 0,
        dict_init: Any = None,
        shuffle: bool = False,
        tol: float = 0.0,
        max_no_improvement: Optional[int] = None,
        transform_algorithm: Optional[str] = None,
        transform_alpha: Optional[float] = None,
        transform_n_nonzero_coefs: Optional[int] = None,
        transform_max_iter: Optional[int] = None,
        split_sign: bool = False,
        output: str = "dense",
        max_events: int = 10000,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Callable[[dict], Any]] = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.code_nonzeros = code_nonzeros
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.fit_algorithm = fit_algorithm
        self.refit = refit
        self.atom_norm = atom_norm
        self.memory = memory
        self.half_life = half_life
        self.atom_nonzeros = atom_nonzeros
        self.max_sweeps = max_sweeps
        self.tolerance = tolerance
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.center = center
        self.scale = scale
        self.init = init
        self.preset = preset
        self.precision = precision
        self.random_state = random_state
        self.dict_init = dict_init
        self.shuffle = shuffle
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.transform_algorithm = transform_algorithm
        self.transform_alpha = transform_alpha
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_max_iter = transform_max_iter
        self.split_sign = split_sign
        self.output = output
        self.max_events = max_events
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    _layouts = ("dense", "sparse")  # the columns never change

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), "max_births": 0, "group_penalty": 0.0}
