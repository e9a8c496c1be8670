"""Codes for a plain dictionary."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from . import _core
from ._checks import thread_count
from ._options import check_positive_coding, coder_named, json_of, plain
from ._samples import core_argument


def sparse_encode(
    X: Any,
    dictionary: Any,
    *,
    algorithm: str = "lasso_lars",
    alpha: Optional[float] = None,
    n_nonzero_coefs: Optional[int] = None,
    refit: bool = False,
    atom_norm: str = "raw",
    positive: bool = False,
    lsqr_iterations: int = 20,
    output: str = "dense",
    return_alphas: bool = False,
    n_jobs: Optional[int] = None,
) -> Any:
    """Codes of samples for a given dictionary.

    Parameters
    ----------
    X : {array-like, CSR or CSC matrix} of shape (n_samples, n_features)
        Samples.

    dictionary : array-like of shape (n_components, n_features)
        Atoms.

    algorithm : str, default='lasso_lars'
        'lars' (or 'lasso_lars'), 'cd' (or 'lasso_cd'): the LASSO ``1/2 ||x - D a||^2 + alpha
        ||a||_1``, exactly; 'omp'; 'threshold': a soft threshold of the least-squares code.

    alpha : float, default=None
        Weight of the l1 norm, or the threshold. Not with 'omp'.

    n_nonzero_coefs : int, default=None
        Nonzeros wanted in a code. With `alpha`: the code at `alpha`, or earlier on its path where
        the count is reached. Derived from the number of features if neither is given.

    refit : bool, default=False
        Least squares on the atoms that the coder chose.

    atom_norm : {'raw', 'unit', 'centered'}, default='raw'
        How atoms are normalised first. Codes are for the normalised atoms.

    positive : bool, default=False
        No negative coefficients; 'lars' and 'cd' only.

    lsqr_iterations : int, default=20
        Cap of LSQR where it is used; 0: none.

    output : {'dense', 'sparse'}, default='dense'
        An array, or a CSR matrix.

    return_alphas : bool, default=False
        Also return, for each sample, the `alpha` that its code is the LASSO solution for.

    n_jobs : int, default=None
        Threads; -1: all processors.

    Returns
    -------
    codes : ndarray or CSR matrix of shape (n_samples, n_components)
        The codes.

    alphas : ndarray of shape (n_samples,)
        Only with `return_alphas`.

    Examples
    --------
    >>> import numpy as np
    >>> from nodl import sparse_encode
    >>> sparse_encode([[3.0, -0.5]], np.eye(2), alpha=1.0)
    array([[2., 0.]])
    """
    if output not in ("dense", "sparse"):
        raise ValueError(f"output must be dense or sparse, got {output!r}")
    check_positive_coding(algorithm, positive)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    D = check_array(dictionary, dtype=X.dtype, order="C", input_name="dictionary")
    if D.shape[1] != X.shape[1]:
        raise ValueError(
            "Dictionary and X have different numbers of features:"
            f"dictionary.shape: {D.shape} X.shape{X.shape}"
        )
    options = {
        "coder": coder_named(algorithm, "algorithm"),
        "lambda": plain(alpha),
        "code_nonzeros": plain(n_nonzero_coefs),
        "refit": plain(refit),
        "atom_norm": atom_norm,
        "positive_code": plain(positive),
        "lsqr_iterations": plain(lsqr_iterations),
    }
    encode = _core.encode64 if X.dtype == np.float64 else _core.encode32
    indptr, indices, data, alphas = encode(
        core_argument(X), D, json_of(options), thread_count(n_jobs)
    )
    codes = sp.csr_matrix((data, indices, indptr), shape=(X.shape[0], len(D)))
    result = codes if output == "sparse" else codes.toarray()
    return (result, alphas) if return_alphas else result
