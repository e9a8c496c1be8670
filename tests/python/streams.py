"""Small data for the tests of the package."""

import numpy as np


def domain(which, samples, dimension=24, seed=0):
    """Samples made of a few hidden directions that live in one half of the coordinates."""
    rng = np.random.default_rng([seed, which])
    half = dimension // 2
    directions = rng.random((6, half))
    x = np.zeros((samples, dimension))
    x[:, which * half:(which + 1) * half] = rng.exponential(size=(samples, 6)) @ directions
    return x


def two_domains(samples=100, dimension=24, seed=0):
    return np.concatenate([domain(0, samples, dimension, seed), domain(1, samples, dimension, seed)])


SMALL = dict(n_components=8, batch_size=20, max_births=5)
