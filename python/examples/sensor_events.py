"""A drifting sensor stream: each new operating mode is a few births and one line in the events.

Spectra of a machine with three modes; the third appears late, and the second drifts slowly.
"""

import collections
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from nodl import NeurogeneticDictionaryLearning

rng = np.random.default_rng(1)
frequency = np.arange(80)


def spectra(mode, n, drift=0.0):
    lines = {0: [8, 24], 1: [35 + drift, 50], 2: [14, 66, 72]}[mode]
    power = rng.uniform(0.5, 1.5, (n, len(lines)))
    peaks = np.exp(-0.5 * (frequency - np.reshape(lines, (-1, 1))) ** 2 / 2)
    return power @ peaks + 0.02 * rng.standard_normal((n, 80))


schedule = [0] * 20 + [1] * 20 + [0, 1] * 10 + [2] * 20
model = NeurogeneticDictionaryLearning(
    4, code_nonzeros=3, atom_nonzeros=12, birth_threshold=0.85, max_births=6, max_atoms=12,
    half_life=2000, atom_norm="unit", birth_init="residual", output="slots")
shown = []
for t, mode in enumerate(schedule):
    batch = spectra(mode, 40, drift=0.03 * t)
    model.partial_fit(batch)
    shown.append(np.abs(model.transform(batch)).mean(axis=0))

births = collections.Counter(e["batch"] for e in model.events_ if e["event"] == "birth")
print("births by batch:", dict(births))
print(f"{model.n_components_} atoms at the end, in {len(shown[0])} slots")
assert max(births) >= 61, "the third mode went unnoticed"

figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 4.5), height_ratios=[1, 2])
batches = [e for e in model.events_ if e["event"] == "batch"]
top.plot([e["batch"] for e in batches], [e["pearson_before"] for e in batches], "C0", lw=1,
         label="correlation before learning")
for batch in births:
    top.axvline(batch, color="C3", lw=0.5 + births[batch] / 3, alpha=0.5)
top.legend(fontsize=7)
bottom.imshow(np.transpose(shown), aspect="auto", origin="lower", cmap="magma",
              extent=(0.5, len(schedule) + 0.5, 0, len(shown[0])))
bottom.set_ylabel("slot")
bottom.set_xlabel("batch (red: births)")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "sensor_events.png", dpi=80)
