"""NODL as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from ._estimator import DictionaryEstimator


class NeurogeneticDictionaryLearning(DictionaryEstimator):
    """Online dictionary learning whose dictionary grows and shrinks with the data.

    Atoms are born when a batch is badly represented and die when a group penalty finds them
    useless (Garg, Rish, Cecchi, Lozano: Neurogenesis-Inspired Dictionary Learning). Codes solve

        min_a 1/2 ||x - D a||^2 + alpha ||a||_1

    or follow its path to a wanted number of nonzeros. Options have the names, defaults and results
    of the command line (docs/PARAMETERS.md); where scikit-learn has a name for one, that is used.
    ``None`` means: as the preset says, or derived from the number of features.

    Parameters
    ----------
    n_components : int, default=None
        Initial number of atoms (`atoms`). Births and deaths change it.

    alpha : float, default=None
        Weight of the l1 norm (`lambda`), scaled as in scikit-learn's objective above: a sum over
        coordinates, not a mean. Alone, it switches `code_nonzeros` off.

    code_nonzeros : int, default=None
        Nonzeros wanted in a code. Derived if neither this nor `alpha` is given.

    batch_size : int, default=200
        Samples learned from at a time by ``fit``.

    max_iter : int, default=1
        Passes of ``fit`` over the samples (`passes`).

    fit_algorithm : {'lars', 'cd', 'omp', 'threshold'}, default=None
        How samples are coded (`coder`); the preset 'paper' says 'lars'.

    refit : bool, default=False
        Least squares on the atoms that the coder chose.

    atom_norm : {'raw', 'unit', 'centered'}, default='centered'
        How atoms are normalised for coding.

    lsqr_iterations : int, default=20
        Cap of LSQR where it is used; 0: none.

    bisection_tolerance, bisection_count_tolerance : float, default=1e-4, 0.01
        Where the search of Alg. 2 stops.

    births : {'conditional', 'always'}, default='conditional'
        Births in badly represented batches only, or in every batch.

    birth_metric : {'pearson', 'spearman'}, default=None
        How well a batch is represented.

    birth_threshold : float, default=0.9
        Correlation below which atoms are born.

    max_births : int, default=50
        Births in one batch, at most.

    birth_init : {'random', 'sample', 'residual'}, default='random'
        What newborn atoms look like.

    first_batch_births : bool, default=None
        Births in the first batch.

    birth_rate : {'fresh', 'carried'}, default=None
        What follows a well represented batch.

    max_atoms : int, default=None
        Hard cap on the number of atoms. The width of codes with ``output="slots"``, which needs it.

    memory_limit : int or str, default=0
        Hard cap on the bytes that learning takes, such as '512M' or '2G'; 0: none.

    memory : {'sum', 'mairal', 'half-life'}, default=None
        What A and B keep of the past.

    half_life : float, default=None
        Samples after which half is forgotten; implies that memory.

    atom_nonzeros : int, default=None
        Nonzeros of an atom.

    group_penalty : float, default=0.03
        Penalty that kills useless atoms; 0: none die.

    atom_threshold, unused_atoms, dead_atoms, last_atom, remove_dead : str, default=None
        The hard cases of the update; see docs/PARAMETERS.md.

    redraw_dead : bool, default=False
        Zero atoms are drawn anew (ODL*).

    max_sweeps : int, default=None
        Sweeps over the atoms in one batch, at most.

    tolerance : float, default=None
        Largest change of an entry in a sweep at which sweeping stops. Not `tol`.

    positive_code, positive_dict : bool, default=False
        No negative numbers in codes ('lars' and 'cd' only), in atoms (not with centered ones).

    center : bool, default=False
        Subtract from each sample its own mean.

    scale : float or 'unit', default=1.0
        Multiply each sample by a factor, or divide it by its norm.

    init : {'random', 'sample'}, default='random'
        Initial atoms: drawn, or samples of the first batch.

    inputs : {'joined', 'separate'}, default=None
        With several passes: one stream, or each pass a training call of its own.

    last_batch : {'use', 'drop'}, default=None
        What becomes of a last batch that is not full.

    frozen : bool, default=False
        Read and report, change nothing (the method `random`).

    preset : {'paper', 'released'}, default='paper'
        What ``None`` means: the paper as printed, or the authors' released code.

    precision : {'float32', 'float64'}, default=None
        Numbers of the model; those of the first samples if None.

    random_state : int, RandomState instance or None, default=0
        The seed; None draws one.

    dict_init : array-like of shape (n_components, n_features), default=None
        Initial atoms.

    shuffle : bool, default=False
        Learn from the rows in a random order, the same in every pass. Off: a stream has an order.

    tol : float, default=0.0
        ``fit`` stops where a batch changes the dictionary by at most this; 0: never.

    max_no_improvement : int, default=None
        ``fit`` stops after so many batches without a better smoothed correlation.

    transform_algorithm : str, default=None
        Coder of ``transform``: 'lars' (or 'lasso_lars'), 'cd' (or 'lasso_cd'), 'omp', 'threshold';
        that of ``fit`` if None.

    transform_alpha : float, default=None
        `alpha` of ``transform``.

    transform_n_nonzero_coefs : int, default=None
        `code_nonzeros` of ``transform``.

    transform_max_iter : int, default=None
        `lsqr_iterations` of ``transform``. The LASSO coders are exact and have no cap.

    split_sign : bool, default=False
        Positive and negative parts of codes in columns of their own.

    output : {'dense', 'sparse', 'slots'}, default='dense'
        Codes: an array with a column for each atom; a CSR matrix; an array with `max_atoms`
        columns, of which an atom keeps its own for life and dead ones are zero.

    max_events : int, default=10000
        Events that `events_` keeps; the oldest go first.

    n_jobs : int, default=None
        Threads; -1: all processors. They do not change the result.

    verbose : int, default=0
        Whether to show progress on standard error.

    callback : callable, default=None
        Called after each batch with its event (a dict), which has the estimator under
        'estimator'.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Atoms as coding uses them: codes times these, plus the samples' means where atoms are
        centered, reconstruct.

    dictionary_ : ndarray of shape (n_components_, n_features)
        Atoms as they are learned (D).

    n_components_ : int
        Number of atoms now.

    n_features_in_ : int
        Number of features.

    n_iter_ : int
        Passes made by ``fit``.

    n_steps_, n_samples_seen_ : int
        Batches learned, samples learned from.

    atom_ids_, slots_ : ndarray of shape (n_components_,)
        The permanent id of each atom, and its column with ``output="slots"``.

    events_ : list of dict
        Batches, births and deaths, as the command line's ``--events`` tells them;
        ``events_frame()`` makes a pandas frame of them.

    A_, B_ : ndarray of shape (n_components_, n_components_), (n_features, n_components_)
        The memories of Alg. 1.

    options_ : dict
        Every option of the model under the core's name.

    Examples
    --------
    >>> import numpy as np
    >>> from nodl import NeurogeneticDictionaryLearning
    >>> rng = np.random.default_rng(0)
    >>> atoms = rng.standard_normal((20, 30)) * (rng.random((20, 30)) < 0.3)
    >>> X = rng.standard_normal((600, 20)) * (rng.random((600, 20)) < 0.1) @ atoms
    >>> model = NeurogeneticDictionaryLearning(n_components=5, code_nonzeros=5, max_atoms=60)
    >>> codes = model.fit_transform(X)
    >>> codes.shape == (600, model.n_components_)
    True
    >>> bool(model.n_components_ > 5)  # atoms were born
    True
    >>> X_hat = codes @ model.components_ + X.mean(axis=1, keepdims=True)
    >>> np.allclose(X_hat, model.inverse_transform(codes, mean=X.mean(axis=1)))
    True
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
        lsqr_iterations: int = 20,
        bisection_tolerance: float = 1e-4,
        bisection_count_tolerance: float = 0.01,
        births: str = "conditional",
        birth_metric: Optional[str] = None,
        birth_threshold: float = 0.9,
        max_births: int = 50,
        birth_init: str = "random",
        first_batch_births: Optional[bool] = None,
        birth_rate: Optional[str] = None,
        max_atoms: Optional[int] = None,
        memory_limit: Union[int, str] = 0,
        memory: Optional[str] = None,
        half_life: Optional[float] = None,
        atom_nonzeros: Optional[int] = None,
        group_penalty: float = 0.03,
        atom_threshold: Optional[str] = None,
        unused_atoms: Optional[str] = None,
        dead_atoms: Optional[str] = None,
        last_atom: Optional[str] = None,
        remove_dead: Optional[str] = None,
        redraw_dead: bool = False,
        max_sweeps: Optional[int] = None,
        tolerance: Optional[float] = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        center: bool = False,
        scale: Union[float, str] = 1.0,
        init: str = "random",
        inputs: Optional[str] = None,
        last_batch: Optional[str] = None,
        frozen: bool = False,
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
        self.lsqr_iterations = lsqr_iterations
        self.bisection_tolerance = bisection_tolerance
        self.bisection_count_tolerance = bisection_count_tolerance
        self.births = births
        self.birth_metric = birth_metric
        self.birth_threshold = birth_threshold
        self.max_births = max_births
        self.birth_init = birth_init
        self.first_batch_births = first_batch_births
        self.birth_rate = birth_rate
        self.max_atoms = max_atoms
        self.memory_limit = memory_limit
        self.memory = memory
        self.half_life = half_life
        self.atom_nonzeros = atom_nonzeros
        self.group_penalty = group_penalty
        self.atom_threshold = atom_threshold
        self.unused_atoms = unused_atoms
        self.dead_atoms = dead_atoms
        self.last_atom = last_atom
        self.remove_dead = remove_dead
        self.redraw_dead = redraw_dead
        self.max_sweeps = max_sweeps
        self.tolerance = tolerance
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.center = center
        self.scale = scale
        self.init = init
        self.inputs = inputs
        self.last_batch = last_batch
        self.frozen = frozen
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
