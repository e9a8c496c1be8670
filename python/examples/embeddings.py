"""Embeddings compressed online: 64 float32 numbers become a few atom numbers and coefficients.

Unit vectors that live on a few low-dimensional subspaces; new subspaces appear as the stream goes.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from nodl import NeurogeneticDictionaryLearning

rng = np.random.default_rng(5)
planes = [np.linalg.qr(rng.standard_normal((64, 3)))[0].T for _ in range(16)]


def embeddings(n, known):
    which = rng.integers(known, size=n)
    X = np.stack([rng.standard_normal(3) @ planes[w] for w in which])
    X += 0.03 * rng.standard_normal(X.shape)
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)


test = embeddings(1000, 16)
nearest = np.argsort(-(test @ test.T), axis=1)[:, 1:6]
model = NeurogeneticDictionaryLearning(
    32, code_nonzeros=4, atom_nonzeros=64, birth_threshold=0.98, max_births=20, max_atoms=256,
    birth_init="residual", atom_norm="unit", group_penalty=0.01, refit=True, output="sparse")
course = []
for t in range(60):
    model.partial_fit(embeddings(200, 4 + t // 5))
    if t % 6 == 5:
        codes = model.transform(test)
        back = model.inverse_transform(codes)
        back /= np.maximum(np.linalg.norm(back, axis=1, keepdims=True), 1e-12)
        found = np.argsort(-(back @ back.T), axis=1)[:, 1:6]
        recall = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(nearest, found)])
        size = codes.nnz / len(test) * (2 + 4)  # a 16-bit atom number and a float32
        course.append((t + 1, model.n_components_, np.mean(np.sum(back * test, axis=1)), recall, size))

for t, atoms, cosine, recall, size in course[::3]:
    print(f"batch {t:3}: {atoms:3} atoms, cosine {cosine:.3f}, neighbours kept {recall:.2f}, "
          f"{64 * 4 / size:.0f}x smaller")
assert course[-1][2] > 0.9

t, atoms, cosine, recall, size = np.transpose(course)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
left.plot(t, cosine, "C0", label="cosine to the original")
left.plot(t, recall, "C1", label="5 nearest neighbours kept")
left.set_ylim(0, 1.02)
left.set_xlabel("batch")
left.legend(fontsize=7)
right.step(t, atoms, "C2", where="mid")
right.set_ylabel("atoms")
right.set_xlabel("batch")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "embeddings.png", dpi=80)
