"""Codes of fixed width: a column means one atom for as long as that atom lives."""

import numpy as np
import scipy.sparse
from program import DATA, USAGE, Program, domain


class Layout(Program):
    def codes(self, model, name, *flags):
        self.nodl("encode", self.path("x.npy"), "--model", model, "--output", self.path(name), *flags)
        return self.path(name)

    def setUp(self):
        super().setUp()
        self.samples = np.concatenate([domain(0, 60), domain(1, 60)])
        self.save("x.npy", self.samples)
        self.first = self.train(self.save("a.npy", self.samples[:60]), "--max-atoms", 30,
                                "--group-penalty", 0.2)
        self.second = self.path("second.nodl")
        self.nodl("train", self.save("b.npy", self.samples[60:]), "--from", self.first, "--model",
                  self.second)

    def test_slots_hold_the_same_codes_in_max_atoms_columns(self):
        plain = np.load(self.codes(self.first, "plain.npy"))
        slots = np.load(self.codes(self.first, "slots.npy", "--layout", "slots"))
        self.assertEqual(slots.shape, (120, 31))  # and the mean
        np.testing.assert_array_equal(slots[:, -1], plain[:, -1])
        used = np.flatnonzero(np.any(slots[:, :-1] != 0, axis=0))
        kept = np.flatnonzero(np.any(plain[:, :-1] != 0, axis=0))
        self.assertEqual(sorted(map(bytes, slots[:, used].T)), sorted(map(bytes, plain[:, kept].T)))
        sparse = scipy.sparse.load_npz(self.codes(self.first, "slots.npz", "--layout", "slots"))
        np.testing.assert_array_equal(sparse.toarray(), slots)
        self.assertTrue(sparse.has_sorted_indices)

    def test_the_width_stays_while_atoms_come_and_go(self):
        widths = {np.load(self.codes(model, "c.npy", "--layout", "slots")).shape[1]
                  for model in (self.first, self.second)}
        self.assertEqual(widths, {31})
        sizes = [self.json("info", model)["atoms"] for model in (self.first, self.second)]
        self.assertNotEqual(*sizes)

    def test_decode_undoes_both(self):
        back = []
        for layout in ("atoms", "slots"):
            codes = self.codes(self.second, "c.npy", "--layout", layout)
            self.nodl("decode", codes, "--model", self.second, "--output", self.path("back.npy"),
                      "--layout", layout)
            back.append(np.load(self.path("back.npy")))
        np.testing.assert_allclose(*back, rtol=1e-12, atol=1e-12)

    def test_refusals(self):
        run = self.nodl("encode", self.path("x.npy"), "--model", self.first, "--output",
                        self.path("c.npy"), "--layout", "columns", code=USAGE)
        self.assertIn("--layout must be atoms|slots", run.err)
        codes = np.zeros((1, 31))
        free = np.load(self.codes(self.second, "c.npy", "--layout", "slots"))
        codes[0, 29] = 1
        self.assertFalse(free[:, 29].any())
        run = self.nodl("decode", self.save("bad.npy", codes), "--model", self.second, "--output",
                        self.path("back.npy"), "--layout", "slots", code=DATA)
        self.assertRegex(run.err, r"bad.npy: .*column 30, which has no atom")


class Positive(Program):
    def test_flags(self):
        x = self.save("x.npy", np.abs(domain(0, 60)) + domain(1, 60))
        model = self.train(x, "--positive-dict", "--positive-code", "--atom-norm", "unit")
        self.assertGreaterEqual(self.export(model).min(), 0)
        self.nodl("encode", x, "--model", model, "--output", self.path("c.npy"))
        self.assertGreaterEqual(np.load(self.path("c.npy")).min(), 0)
        self.nodl("encode", x, "--model", model, "--output", self.path("c.npy"), "--no-positive-code")
        self.assertLess(np.load(self.path("c.npy")).min(), 0)

    def test_refusals(self):
        x = self.save("x.npy", domain(0, 60))
        for flags, message in (
                (["--positive-dict"], "--positive-dict is on, must be off with --atom-norm centered"),
                (["--positive-code", "--coder", "omp"], "off with the coders omp and threshold"),
                (["--positive-code", "--refit"], "off with refit")):
            self.assertIn(message, self.train(x, *flags, code=USAGE).err)
