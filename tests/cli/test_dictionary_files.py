"""Dictionaries and slim models in and out: the same bits on every way."""

import numpy as np
from program import MODEL, USAGE, Program, domain


class DictionaryFiles(Program):
    def setUp(self):
        super().setUp()
        self.x = self.save("x.npy", np.concatenate([domain(0, 70), domain(1, 55)]))

    def codes(self, model):
        self.nodl("encode", self.x, "--model", model, "--output", self.path("c.npy"))
        return np.load(self.path("c.npy"))

    def each(self):
        """Learned models: both precisions, sparse and dense atoms."""
        for precision in ["float64", "float32"]:
            for nonzeros in [5, 24]:
                with self.subTest(precision=precision, nonzeros=nonzeros):
                    model = self.train(self.x, "--precision", precision, "--atom-nonzeros", nonzeros)
                    info = self.json("info", model)
                    self.assertEqual(info["sparse_atoms"], info["atoms"] if nonzeros == 5 else 0)
                    yield model, precision

    def test_a_dictionary_goes_out_and_in_unchanged(self):
        for model, precision in self.each():
            for name in ["D.npy", "D.csv", "D.npz", "D.mtx"]:
                imported, again = self.path("i.nodl"), self.path("again.npy")
                self.nodl("export", model, "--output", self.path(name))
                self.nodl("import", self.path(name), "--output", imported, "--precision", precision)
                self.nodl("export", imported, "--output", again)
                D = self.export(model)
                self.assertEqual(D.dtype.name, precision)
                self.assertEqual(np.load(again).dtype, D.dtype)
                self.assertEqual(np.load(again).tobytes(), D.tobytes(), name)
                if name == "D.npy":
                    np.testing.assert_allclose(self.codes(imported), self.codes(model), rtol=1e-5, atol=1e-6)

    def test_an_imported_model_keeps_how_it_codes(self):
        imported = self.path("i.nodl")
        self.export(self.train(self.x))
        self.nodl("import", self.path("D.npy"), "--output", imported, "--positive-code", "--atom-norm", "unit")
        self.assertTrue(self.json("info", imported)["options"]["positive_code"])
        codes = self.codes(imported)
        self.assertGreater(np.count_nonzero(codes), 0)
        self.assertGreaterEqual(codes.min(), 0)

    def test_slim_models_code_and_do_not_learn(self):
        for model, precision in self.each():
            slim, trained = self.path("slim.nodl"), self.path("trained.nodl")
            self.nodl("export", model, "--slim", "--output", slim)
            self.train(self.x, "--precision", precision, "--atom-nonzeros",
                       self.json("info", model)["options"]["atom_nonzeros"], "--slim", model=trained.name)
            self.assertEqual(slim.read_bytes(), trained.read_bytes())
            self.assertLess(slim.stat().st_size, model.stat().st_size)
            np.testing.assert_array_equal(self.codes(slim), self.codes(model))
            self.assertEqual(self.export(slim).tobytes(), self.export(model).tobytes())
            info = self.json("info", slim, "--verify")
            self.assertFalse(info["training_state"])
            self.assertEqual([s["name"] for s in info["sections"] if s["name"].startswith("training")], [])
            said = self.nodl("train", self.x, "--from", slim, "--model", self.path("n.nodl"), code=MODEL).err
            self.assertIn("slim.nodl: has no training state", said)
        self.nodl("export", model, "--slim", "--coding", "--output", slim, code=USAGE)

    def test_slim_leaves_checkpoints_whole_and_a_finished_run_alone(self):
        samples = np.concatenate([domain(0, 70), domain(1, 55)])
        options = ["--slim", "--checkpoint-every", 2]
        expected = self.bytes(self.x, *options)
        samples[100, 3] = np.nan
        self.train(self.save("bad.npy", samples), *options, code=3)
        self.assertTrue(self.json("info", self.path("m.nodl"))["training_state"])
        for _ in range(2):  # the second time there is nothing left to do
            self.train(self.x, *options, "--resume")
            self.assertEqual(self.path("m.nodl").read_bytes(), expected)
        grown = self.save("grown.npy", np.concatenate([np.load(self.x), domain(1, 40, seed=3)]))
        self.assertIn("has no training state", self.train(grown, *options, "--resume", code=MODEL).err)
        self.assertEqual(self.path("m.nodl").read_bytes(), expected)
