"""A dictionary of image patches, and an image without the noise that was added to it.

The picture is made here: textures with edges. The number of atoms is not given.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.image import extract_patches_2d, reconstruct_from_patches_2d

from nodl import NeurogeneticDictionaryLearning

rng = np.random.default_rng(3)
y, x = np.mgrid[:96, :96] / 96
image = np.sin(40 * x * (y + 0.5)) * (y < 0.5) + np.sign(np.sin(30 * (x + y))) * (y >= 0.5)
image = (image + 1) / 2
noisy = image + 0.2 * rng.standard_normal(image.shape)

patches = extract_patches_2d(noisy, (8, 8)).reshape(-1, 64)
means = patches.mean(axis=1)
order = rng.permutation(len(patches))
model = NeurogeneticDictionaryLearning(
    20, code_nonzeros=4, atom_nonzeros=64, birth_threshold=0.8, max_births=10, max_atoms=120,
    birth_init="residual", refit=True, transform_algorithm="omp", transform_n_nonzero_coefs=2)
model.fit(patches[order])

clean = model.inverse_transform(model.transform(patches), mean=means)
denoised = reconstruct_from_patches_2d(clean.reshape(-1, 8, 8), image.shape)


def psnr(other):
    return -10 * np.log10(np.mean((image - other) ** 2))


print(f"{model.n_components_} atoms; PSNR noisy {psnr(noisy):.1f} dB, denoised {psnr(denoised):.1f} dB")
assert psnr(denoised) > psnr(noisy) + 3

figure = plt.figure(figsize=(9, 3))
for place, (title, picture) in enumerate(
        [("image", image), ("with noise", noisy), ("denoised", denoised)]):
    axes = figure.add_subplot(1, 4, place + 1)
    axes.imshow(picture, cmap="gray", vmin=-0.2, vmax=1.2)
    axes.set_title(title, fontsize=9)
    axes.axis("off")
shown = sorted(model.components_, key=lambda atom: -atom @ atom)[:36]
tiles = np.full((6 * 9, 6 * 9), np.nan)
for i, atom in enumerate(shown):
    a, b = 9 * (i // 6), 9 * (i % 6)
    tiles[a:a + 8, b:b + 8] = atom.reshape(8, 8) / (np.abs(atom).max() + 1e-12)
axes = figure.add_subplot(1, 4, 4)
axes.imshow(tiles, cmap="RdBu", vmin=-1, vmax=1)
axes.set_title("atoms", fontsize=9)
axes.axis("off")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "image_patches.png", dpi=60)
