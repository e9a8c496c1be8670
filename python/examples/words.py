"""A sparse word matrix that is never densified: atoms are topics.

The texts are the docstrings of Python's standard library, one function a text: no download.
"""

import importlib
import inspect
import pkgutil
import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from nodl import NeurogeneticDictionaryLearning

MODULES = ["email", "http", "json", "logging", "unittest", "asyncio", "xml", "html", "urllib",
           "concurrent", "multiprocessing", "sqlite3", "ctypes", "collections"]


def texts():
    found = []
    for package in MODULES:
        module = importlib.import_module(package)
        names = [package] + [m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []),
                                                                  package + ".")]
        for name in names:
            if "__main__" in name or "windows" in name or "test" in name:
                continue
            try:
                part = importlib.import_module(name)
            except ImportError:
                continue
            for _, thing in inspect.getmembers(part):
                if inspect.isclass(thing) or inspect.isfunction(thing):
                    members = [thing, *(f for _, f in inspect.getmembers(thing, inspect.isfunction))]
                    found += [d for d in map(inspect.getdoc, members) if d and len(d) > 80]
    return sorted(set(found))


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    corpus = texts()
vectorizer = TfidfVectorizer(stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5)
X = vectorizer.fit_transform(corpus)
words = vectorizer.get_feature_names_out()
order = np.random.default_rng(0).permutation(X.shape[0])

model = NeurogeneticDictionaryLearning(
    30, code_nonzeros=5, atom_nonzeros=15, batch_size=100, max_iter=3, max_births=10, max_atoms=80,
    atom_norm="unit", positive_dict=True, positive_code=True, init="sample", output="sparse")
codes = model.fit(X[order]).transform(X)
weight = np.asarray(codes.sum(axis=0)).ravel()
strongest = np.argsort(-weight)[:8]
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} in a text; "
      f"{model.n_components_} atoms, {codes.nnz / X.shape[0]:.1f} in a code")
atoms = model.components_
for j in strongest:
    print("  ", " ".join(words[np.argsort(-atoms[j])[:8]]))
assert atoms.min() >= 0 and codes.data.min() > 0

figure, axes = plt.subplots(2, 4, figsize=(9, 4))
for axis, j in zip(axes.ravel(), strongest):
    top = np.argsort(-atoms[j])[:6][::-1]
    axis.barh(words[top], atoms[j][top], color="C0")
    axis.tick_params(labelsize=7)
    axis.set_xticks([])
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "words.png", dpi=80)
