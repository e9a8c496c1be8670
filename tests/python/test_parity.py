"""The package and the command line are one learner: byte-identical models, equal codes."""

import inspect
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.sparse as sp
from streams import two_domains

import nodl
from nodl import NeurogeneticDictionaryLearning, OnlineDictionaryLearning
from nodl._options import estimator_params

NODL = os.environ.get("NODL", "nodl")
X = two_domains()


class Program(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        np.save(self.path("x.npy"), X)

    def path(self, name):
        return self.folder / name

    def nodl(self, *arguments):
        run = subprocess.run([NODL, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def train(self, *flags, samples="x.npy", model="cli.nodl"):
        self.nodl("train", self.path(samples), "--model", self.path(model), *flags)
        return self.path(model).read_bytes()

    def saved(self, estimator, model="python.nodl"):
        nodl.save(estimator, self.path(model))
        return self.path(model).read_bytes()


class Models(Program):
    def assert_same(self, flags, estimator, samples=X, name="x.npy"):
        self.assertEqual(self.train(*flags, samples=name), self.saved(estimator.fit(samples)))

    def test_defaults(self):
        self.assert_same([], NeurogeneticDictionaryLearning())
        self.assert_same(["--preset", "released", "--batch-size", 40],
                         NeurogeneticDictionaryLearning(preset="released", batch_size=40))

    def test_fixed_size(self):
        self.assert_same(["--method", "odl", "--atoms", 9, "--batch-size", 30],
                         OnlineDictionaryLearning(9, batch_size=30))

    def test_scikit_learns_names(self):
        self.assert_same(
            ["--atoms", 7, "--lambda", 0.3, "--coder", "cd", "--passes", 3, "--seed", 5,
             "--batch-size", 32, "--atom-norm", "unit", "--half-life", 100, "--scale", "unit",
             "--center", "--birth-init", "residual", "--tolerance", 0.01],
            NeurogeneticDictionaryLearning(
                7, alpha=0.3, fit_algorithm="cd", max_iter=3, random_state=5, batch_size=32,
                atom_norm="unit", half_life=100, scale="unit", center=True, birth_init="residual",
                tolerance=0.01))

    def test_positive(self):
        self.assert_same(
            ["--positive-code", "--positive-dict", "--atom-norm", "unit", "--batch-size", 25],
            NeurogeneticDictionaryLearning(
                positive_code=True, positive_dict=True, atom_norm="unit", batch_size=25))

    def test_single_precision(self):
        np.save(self.path("f.npy"), X.astype(np.float32))
        self.assert_same(["--precision", "float32", "--batch-size", 50],
                         NeurogeneticDictionaryLearning(batch_size=50), X.astype(np.float32), "f.npy")

    def test_sparse_samples(self):
        sp.save_npz(self.path("x.npz"), sp.csr_matrix(X))
        self.assert_same(["--batch-size", 50], NeurogeneticDictionaryLearning(batch_size=50),
                         sp.csr_matrix(X), "x.npz")

    def test_separate_passes_drop_the_last_batch(self):
        self.assert_same(
            ["--inputs", "separate", "--last-batch", "drop", "--passes", 2, "--batch-size", 30],
            NeurogeneticDictionaryLearning(
                inputs="separate", last_batch="drop", max_iter=2, batch_size=30))

    def test_initial_dictionary(self):
        D = np.random.default_rng(1).standard_normal((6, 24))
        np.save(self.path("D.npy"), D)
        self.nodl("import", self.path("D.npy"), "--output", self.path("start.nodl"))
        self.assert_same(["--from", self.path("start.nodl"), "--batch-size", 20],
                         NeurogeneticDictionaryLearning(dict_init=D, batch_size=20))

    def test_freeze(self):
        first = NeurogeneticDictionaryLearning(batch_size=20).fit(X[:100])
        self.saved(first, "first.nodl")
        np.save(self.path("rest.npy"), X[100:])
        expected = self.train("--from", self.path("first.nodl"), "--method", "odl", samples="rest.npy")
        first.freeze()
        for batch in np.split(X[100:], 5):
            first.partial_fit(batch)
        first._learner.finish()
        self.assertEqual(expected, self.saved(first))


class Files(Program):
    def test_load_and_save_bit_for_bit(self):
        for flags in ([], ["--preset", "released", "--batch-size", 50],
                      ["--precision", "float32", "--lambda", 0.2, "--scale", "unit"]):
            before = self.train(*flags)
            model = nodl.load(self.path("cli.nodl"))
            self.assertEqual(before, self.saved(model))
            # The parameters of a loaded estimator are those that learn the same model again.
            self.assertEqual(before, self.saved(model.fit(X)))

    def test_kinds_of_paths(self):
        model = NeurogeneticDictionaryLearning().fit(X)
        expected = self.saved(model)
        name = os.fsencode(self.path("m")) + b"\xff.nodl"  # no text in any encoding
        for path in (name, os.fsdecode(name), pathlib.Path(os.fsdecode(name))):
            nodl.save(model, path)
            self.assertEqual(self.saved(nodl.load(path)), expected)
            os.remove(name)

    def test_learning_on_with_a_loaded_model(self):
        self.train("--batch-size", 20)
        model = nodl.load(self.path("cli.nodl"))
        expected = self.train("--from", self.path("cli.nodl"), model="on.nodl")
        for batch in np.split(X, 10):
            model.partial_fit(batch)
        model._learner.finish()
        self.assertEqual(expected, self.saved(model))

    def test_a_slim_model_codes_and_refuses_to_learn(self):
        self.train("--slim")
        model = nodl.load(self.path("cli.nodl"))
        self.assertEqual(model.transform(X).shape, (200, model.n_components_))
        with self.assertRaisesRegex(nodl.ModelError, "no training state"):
            model.partial_fit(X)

    def test_refusals(self):
        with self.assertRaisesRegex(nodl.ModelError, "nowhere.nodl"):
            nodl.load(self.path("nowhere.nodl"))
        self.path("x.nodl").write_bytes(b"no model")
        with self.assertRaises(nodl.ModelError):
            nodl.load(self.path("x.nodl"))
        model = NeurogeneticDictionaryLearning().fit(X)
        with self.assertRaises(nodl.ResourceError):
            nodl.save(model, self.path("no") / "folder" / "m.nodl")
        for call in (nodl.load, model.save, lambda path: nodl.save(model, path)):
            with self.assertRaisesRegex(ValueError, "null byte"):
                call(str(self.path("m.nodl")) + "\0.nodl")
        self.assertFalse(self.path("m.nodl").exists())


class Events(Program):
    def test_the_records_of_the_command_line(self):
        self.train("--batch-size", 20, "--atoms", 8, "--max-births", 5, "--group-penalty", 0.3,
                   "--half-life", 40, "--events", self.path("events.jsonl"))
        theirs = [json.loads(line) for line in self.path("events.jsonl").read_text().splitlines()]
        ours = NeurogeneticDictionaryLearning(
            8, batch_size=20, max_births=5, group_penalty=0.3, half_life=40).fit(X).events_
        self.assertEqual({event["event"] for event in ours}, {"batch", "birth", "death"})
        for event in theirs:
            if event["event"] == "batch":
                self.assertEqual(event.pop("bad_rows"), 0)
                self.assertEqual(event.pop("input"), str(self.path("x.npy")))
        for event in ours + theirs:
            if event["event"] == "batch":
                seconds = event.pop("seconds")
                self.assertEqual(list(seconds), ["code", "birth", "memory", "update", "other"])
                self.assertTrue(all(value >= 0 for value in seconds.values()))
        self.assertEqual(ours, theirs)


class Codes(Program):
    def test_encode_evaluate_decode(self):
        self.train("--batch-size", 20, "--max-atoms", 40)
        model = nodl.load(self.path("cli.nodl"))
        for flags, params in (
                ([], {}),
                (["--coder", "omp", "--code-nonzeros", 3],
                 dict(transform_algorithm="omp", transform_n_nonzero_coefs=3)),
                (["--coder", "cd", "--lambda", 0.5],
                 dict(transform_algorithm="lasso_cd", transform_alpha=0.5))):
            model.set_params(**{"transform_algorithm": None, "transform_alpha": None,
                                "transform_n_nonzero_coefs": None, **params})
            for layout in ("atoms", "slots"):
                model.set_params(output="dense" if layout == "atoms" else "slots")
                self.nodl("encode", self.path("x.npy"), "--model", self.path("cli.nodl"), "--output",
                          self.path("codes.npy"), "--layout", layout, *flags)
                codes = np.load(self.path("codes.npy"))
                np.testing.assert_array_equal(codes[:, :-1], model.transform(X))
            measures = json.loads(self.nodl("evaluate", self.path("x.npy"), "--model",
                                            self.path("cli.nodl"), "--json", *flags))["inputs"][0]
            for name, value in nodl.metrics.evaluate(model, X).items():
                self.assertAlmostEqual(measures[name], value, places=12, msg=name)
        self.nodl("decode", self.path("codes.npy"), "--model", self.path("cli.nodl"), "--output",
                  self.path("back.npy"), "--layout", "slots")
        np.testing.assert_allclose(np.load(self.path("back.npy")),
                                   model.inverse_transform(codes[:, :-1], mean=codes[:, -1]),
                                   rtol=1e-12, atol=1e-12)
        for kind in (np.asarray, sp.csr_matrix):  # the mean in the last column
            np.testing.assert_array_equal(np.load(self.path("back.npy")),
                                          model.inverse_transform(kind(codes)))


    def test_codes_are_refused_in_the_same_words(self):
        self.train("--batch-size", 20, "--max-atoms", 40)
        model = nodl.load(self.path("cli.nodl")).set_params(output="slots")
        free = next(slot for slot in range(40) if slot not in model.slots_)
        unused, overflow = np.zeros((2, 3, 41))
        unused[1, free] = 1
        overflow[2, model.slots_] = 1e308
        for codes, said in ((unused, f"a code uses column {free + 1}, which has no atom"),
                            (overflow, "code 3: its sample would not be finite")):
            with self.assertRaises(nodl.DataError) as refusal:
                model.inverse_transform(codes)
            self.assertEqual(str(refusal.exception), said)
            np.save(self.path("bad.npy"), codes)
            run = subprocess.run(
                [NODL, "decode", "bad.npy", "--model", "cli.nodl", "--output", "back.npy",
                 "--layout", "slots"], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual((run.returncode, run.stderr), (3, f"nodl: bad.npy: {said}\n"))


class Names(unittest.TestCase):
    def test_every_option_is_a_parameter_with_the_same_default(self):
        paper = json.loads(nodl._core.preset_options("paper"))
        released = json.loads(nodl._core.preset_options("released"))
        defaults = {name: parameter.default for name, parameter
                    in inspect.signature(NeurogeneticDictionaryLearning).parameters.items()}
        ours = estimator_params(paper)
        theirs = estimator_params(released)
        for name, value in ours.items():
            with self.subTest(name):
                self.assertIn(name, defaults)
                if defaults[name] is None:
                    derived = value in (None, 0)  # from the number of features
                    self.assertTrue(derived or value != theirs[name] or name in
                                    ("memory", "last_atom", "remove_dead"), name)
                else:
                    self.assertEqual(defaults[name], value)
                    self.assertEqual(value, theirs[name], "a preset must be able to change it")


if __name__ == "__main__":
    unittest.main()
