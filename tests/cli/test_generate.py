"""The seeded streams of `nodl generate two-domain`. NODL names the program."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

NODL = os.environ.get("NODL", "nodl")
NAMES = ["first_train", "first_test", "second_train", "second_test"]


class Generate(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def generate(self, *options, code=0):
        folder = self.folder / "_".join(map(str, options)).replace("--", "")
        run = subprocess.run([NODL, "generate", "two-domain", "--output", folder, *map(str, options)],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, code, run.stderr)
        if code != 0:
            self.assertFalse(folder.exists())
            return run
        self.assertEqual(sorted(p.stem for p in folder.iterdir()), sorted(NAMES))
        return {name: np.load(folder / f"{name}.npy") for name in NAMES}

    def test_defaults_are_the_stream_of_the_paper(self):
        for name, samples in self.generate().items():
            self.assertEqual((samples.shape, samples.dtype), ((100, 1024), np.float64))
            self.assertEqual(set(np.unique(samples)), {0.0, 1.0})
            np.testing.assert_array_equal(samples.sum(axis=1), 51)
            other = slice(512, None) if name.startswith("first") else slice(0, 512)
            self.assertFalse(samples[:, other].any())

    def test_places_are_uniform_without_replacement(self):
        samples = self.generate("--samples", 4000, "--dimension", 20, "--nonzeros", 3)["first_train"][:, :10]
        np.testing.assert_array_equal(samples.sum(axis=1), 3)
        # Each place is taken with chance 0.3: five standard deviations of a mean of 4000.
        np.testing.assert_allclose(samples.mean(axis=0), 0.3, atol=5 * np.sqrt(0.3 * 0.7 / 4000))

    def test_a_sample_does_not_depend_on_how_many_there_are(self):
        for kind in ["paper", "latent"]:
            few = self.generate("--kind", kind, "--samples", 7, "--test", 3)
            many = self.generate("--kind", kind, "--samples", 70, "--test", 30)
            for name in NAMES:
                np.testing.assert_array_equal(few[name], many[name][: len(few[name])])

    def test_the_seed_decides(self):
        for kind in ["paper", "latent"]:
            zero = self.generate("--kind", kind)
            one = self.generate("--kind", kind, "--seed", 1)
            again = self.generate("--kind", kind, "--seed", 0)
            for name in NAMES:
                np.testing.assert_array_equal(zero[name], again[name])
                self.assertFalse(np.array_equal(zero[name], one[name]))

    def test_samples_are_all_different(self):
        for kind in ["paper", "latent"]:
            files = self.generate("--kind", kind)
            for domain, half in [("first", slice(0, 512)), ("second", slice(512, None))]:
                both = np.vstack([files[f"{domain}_train"], files[f"{domain}_test"]])
                self.assertEqual(len(np.unique(both, axis=0)), 200)
            # Nor is the second domain the first one moved.
            self.assertFalse(np.array_equal(files["first_train"][:, :512], files["second_train"][:, 512:]))

    def test_latent_samples_share_a_hidden_dictionary(self):
        files = self.generate("--kind", "latent", "--samples", 400)
        for domain, half, other in [("first", slice(0, 512), slice(512, None)),
                                    ("second", slice(512, None), slice(0, 512))]:
            train, test = files[f"{domain}_train"], files[f"{domain}_test"]
            self.assertFalse(train[:, other].any())
            # 40 atoms span them up to noise: what they span in training, test samples live in.
            directions = np.linalg.svd(train[:, half], full_matrices=False)[2][:40]
            rest = test[:, half] - test[:, half] @ directions.T @ directions
            explained = 1 - (rest**2).sum() / (test**2).sum()
            self.assertGreater(explained, 0.9)

    def test_impossible_wishes_are_usage_errors(self):
        run = self.generate("--dimension", 20, "--nonzeros", 11, code=2)
        self.assertIn("nonzeros is 11, must be between 1 and a domain's coordinates, 10", run.stderr)
        run = self.generate("--samples", 0, code=2)
        self.assertEqual(run.stderr, "nodl: --samples: expected a whole number of at least 1, found 0; "
                                     "see nodl generate two-domain --help\n")
        self.generate("--kind", "other", code=2)
        self.generate("--seed", -1, code=2)

    def test_a_place_that_cannot_be_written_is_said(self):
        file = self.folder / "file"
        file.write_text("")
        run = subprocess.run([NODL, "generate", "two-domain", "--output", file / "x"], capture_output=True)
        self.assertEqual(run.returncode, 5)
        self.assertEqual(file.read_text(), "")


if __name__ == "__main__":
    unittest.main()
