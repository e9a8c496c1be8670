"""A stream that changes its domain: scikit-learn's fixed dictionary against one that grows.

Samples of the first domain, then of a second one with other coordinates. Now and
then both models reconstruct unseen samples of both domains.
"""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import MiniBatchDictionaryLearning

from nodl import NeurogeneticDictionaryLearning, metrics

rng = np.random.default_rng(0)
hidden = rng.random((2, 15, 32)) * (rng.random((2, 15, 32)) < 0.3)


def samples(domain, n):
    X = np.zeros((n, 64))
    codes = rng.exponential(size=(n, 15)) * (rng.random((n, 15)) < 0.2)
    X[:, 32 * domain:32 * domain + 32] = codes @ hidden[domain] + 0.01 * rng.standard_normal((n, 32))
    return X


test = [samples(0, 50), samples(1, 50)]
stream = [samples(domain, 50) for domain in (0, 1) for _ in range(20)]

growing = NeurogeneticDictionaryLearning(20, code_nonzeros=8, atom_nonzeros=16, atom_norm="raw")
fixed = MiniBatchDictionaryLearning(40, alpha=0.05, batch_size=50, random_state=0,
                                    transform_algorithm="lasso_lars")
course = {"growing": [], "fixed": []}
looked, atoms = [], []
for t, batch in enumerate(stream):
    growing.partial_fit(batch)
    atoms.append(growing.n_components_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fixed.partial_fit(batch)
        if t % 4 != 3:
            continue
        back = [fixed.transform(X) @ fixed.components_ for X in test]
    course["fixed"].append([metrics.pearson(X, Y).mean() for X, Y in zip(test, back)])
    course["growing"].append([metrics.evaluate(growing, X)["pearson"] for X in test])
    looked.append(t)

for name, (old, new) in ((name, values[-1]) for name, values in course.items()):
    print(f"{name:8} first domain {old:.3f}, second domain {new:.3f}")
print(f"atoms {atoms[0]} -> {atoms[-1]}")
assert min(course["growing"][-1]) > 0.9

figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 4.5), height_ratios=[2, 1])
for name, style in (("growing", "-"), ("fixed", "--")):
    label = {"growing": "nodl", "fixed": "scikit-learn"}[name]
    top.plot(looked, [c[0] for c in course[name]], "C0" + style, label=f"{label}, first domain")
    top.plot(looked, [c[1] for c in course[name]], "C1" + style, label=f"{label}, second domain")
top.axvline(19.5, color="grey", lw=0.5)
top.set_ylabel("Pearson, unseen samples")
top.legend(fontsize=7)
bottom.step(range(len(atoms)), atoms, "C2", where="mid")
bottom.set_ylabel("atoms (nodl)")
bottom.set_xlabel("batch")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "two_domains.png", dpi=80)
