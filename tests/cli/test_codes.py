"""encode, decode, evaluate, export, import: codes and dictionaries in and out."""

import numpy as np
import scipy.io
import scipy.sparse
import scipy.stats
from program import Program, domain


class Codes(Program):
    def setUp(self):
        super().setUp()
        self.samples = np.concatenate([domain(0, 60), domain(1, 60)]) + 0.5
        self.x = self.save("x.npy", self.samples)

    def encode(self, model, name="codes.npz", *arguments, x=None):
        self.nodl("encode", x or self.x, "--model", model, "--output", self.path(name), *arguments)
        return self.path(name)

    def decode(self, codes, model, *arguments):
        self.nodl("decode", codes, "--model", model, "--output", self.path("y.npy"), *arguments)
        return np.load(self.path("y.npy"))

    def test_codes_times_dictionary(self):
        for norm in ["raw", "unit", "centered"]:
            for precision, tolerance in [("float64", 1e-12), ("float32", 1e-5)]:
                with self.subTest(norm=norm, precision=precision):
                    model = self.train(self.x, "--atom-norm", norm, "--precision", precision)
                    codes = scipy.sparse.load_npz(self.encode(model)).toarray()
                    D = self.export(model, "--coding")
                    self.assertEqual(codes.shape, (120, len(D) + (norm == "centered")))
                    expected = codes[:, :len(D)] @ D
                    if norm == "centered":
                        np.testing.assert_allclose(codes[:, -1], self.samples.mean(axis=1), rtol=1e-6)
                        expected += codes[:, -1:]
                    decoded = self.decode(self.path("codes.npz"), model)
                    self.assertEqual(decoded.dtype, np.dtype(precision))
                    np.testing.assert_allclose(decoded, expected, atol=tolerance * 10)

    def test_export_gives_atoms_as_coding_uses_them(self):
        model = self.train(self.x)
        D, D1 = self.export(model), self.export(model, "--coding")
        centered = D - D.mean(axis=1, keepdims=True)
        norms = np.linalg.norm(centered, axis=1, keepdims=True)
        np.testing.assert_allclose(D1, centered / norms, atol=1e-12)

    def test_output_formats_hold_the_same_codes(self):
        model = self.train(self.x)
        expected = scipy.sparse.load_npz(self.encode(model)).toarray()
        np.testing.assert_array_equal(np.load(self.encode(model, "c.npy")), expected)
        np.testing.assert_array_equal(np.loadtxt(self.encode(model, "c.csv"), delimiter=","), expected)
        np.testing.assert_array_equal(scipy.io.mmread(self.encode(model, "c.mtx")).toarray(), expected)
        reference = self.decode(self.path("codes.npz"), model)
        for name in ["c.npy", "c.csv", "c.mtx"]:
            np.testing.assert_array_equal(self.decode(self.path(name), model), reference)

    def test_sparse_samples_give_the_codes_of_their_dense_copy(self):
        model = self.train(self.x)
        sparse = domain(0, 40)
        scipy.sparse.save_npz(self.path("s.npz"), scipy.sparse.csr_matrix(sparse))
        a = np.load(self.encode(model, "a.npy", x=self.path("s.npz")))
        b = np.load(self.encode(model, "b.npy", x=self.save("s.npy", sparse)))
        np.testing.assert_allclose(a, b, atol=1e-9)

    def test_blocks_and_threads_do_not_show(self):
        model = self.train(self.x)
        many = np.tile(self.samples, (20, 1))  # more than one block of 1024
        codes = np.load(self.encode(model, "many.npy", "--threads", 2, x=self.save("many_x.npy", many)))
        few = np.load(self.encode(model, "few.npy", "--threads", 1))
        np.testing.assert_array_equal(codes, np.tile(few, (20, 1)))

    def test_flags_override_the_models_coding(self):
        # Dense atoms that never die: of sparse ones rounding leaves one, two or four here.
        model = self.train(self.x, "--atom-nonzeros", 24, "--group-penalty", 0)
        for flags, nonzeros in [(["--code-nonzeros", 2], 2), (["--coder", "omp", "--code-nonzeros", 1], 1)]:
            result = self.json("encode", self.x, "--model", model, "--output", self.path("c.npz"), *flags)
            self.assertEqual(result["code_nonzeros"], nonzeros)
        raw = self.encode(model, "raw.npz", "--atom-norm", "raw")
        codes = scipy.sparse.load_npz(raw)
        D = self.export(model)
        self.assertEqual(codes.shape[1], len(D))
        np.testing.assert_allclose(self.decode(raw, model, "--atom-norm", "raw"), codes @ D, atol=1e-10)

    def test_encode_json(self):
        model = self.train(self.x)
        result = self.json("encode", self.x, "--model", model, "--output", self.path("c.npz"))
        codes = scipy.sparse.load_npz(self.path("c.npz"))
        self.assertEqual((result["samples"], result["columns"]), codes.shape)
        self.assertEqual(result["atoms"], result["columns"] - 1)
        self.assertAlmostEqual(result["code_nonzeros"], codes[:, :-1].nnz / 120)
        for kind in ["wall_seconds", "cpu_seconds"]:
            self.assertEqual(set(result[kind]), {"total", "read", "code", "write"})

    def test_preprocessing_belongs_to_the_model(self):
        model = self.train(self.x, "--center", "--scale", "unit", "--atom-norm", "raw")
        prepared = self.samples - self.samples.mean(axis=1, keepdims=True)
        prepared /= np.linalg.norm(prepared, axis=1, keepdims=True)
        y = self.decode(self.encode(model, "c.npy"), model)
        mse = self.json("evaluate", self.x, "--model", model)["inputs"][0]["mse"]
        self.assertAlmostEqual(mse, np.mean((prepared - y) ** 2), places=10)

    def test_evaluate_agrees_with_its_definitions(self):
        model = self.train(self.x)
        result = self.json("evaluate", self.x, "--model", model)
        self.assertEqual(set(result), {"atoms", "atoms_alive", "inputs"})
        evaluation = result["inputs"][0]
        self.assertEqual(set(evaluation), {"name", "samples", "pearson", "spearman", "mse", "explained_variance",
                                           "code_nonzeros"})
        self.assertEqual((evaluation["name"], evaluation["samples"]), (str(self.x), 120))
        codes = np.load(self.encode(model, "c.npy"))
        y = self.decode(self.path("c.npy"), model)
        x = self.samples
        self.assertAlmostEqual(evaluation["mse"], np.mean((x - y) ** 2), places=10)
        deviation = np.sum((x - x.mean(axis=1, keepdims=True)) ** 2)
        self.assertAlmostEqual(evaluation["explained_variance"], 1 - np.sum((x - y) ** 2) / deviation, places=10)
        self.assertAlmostEqual(evaluation["code_nonzeros"], np.count_nonzero(codes[:, :-1]) / 120)
        for name, correlation in [("pearson", scipy.stats.pearsonr), ("spearman", scipy.stats.spearmanr)]:
            mean = np.mean([correlation(a, b)[0] for a, b in zip(x, y)])
            self.assertAlmostEqual(evaluation[name], mean, places=9)

    def test_evaluate_several_inputs_for_people(self):
        model = self.train(self.x)
        lines = self.nodl("evaluate", self.x, self.save("z.npy", domain(1, 9)), "--model", model).out.splitlines()
        self.assertRegex(lines[0], r"\d+ atoms, \d+ alive")
        self.assertEqual(lines[2].split()[:3], ["input", "samples", "Pearson"])
        self.assertEqual(len(lines), 5)

    def test_import_is_the_way_back(self):
        D = np.random.default_rng(0).normal(size=(9, 24)) * 3  # wider than norm 1: kept as it is
        for name in ["D.npy", "D.csv"]:
            np.savetxt(self.path("D.csv"), D, delimiter=",", fmt="%.17g")
            np.save(self.path("D.npy"), D)
            self.nodl("import", self.path(name), "--output", self.path("i.nodl"), "--atom-norm", "raw",
                      "--coder", "omp", "--code-nonzeros", 4)
            np.testing.assert_array_equal(self.export(self.path("i.nodl")), D)
        info = self.json("info", self.path("i.nodl"))
        self.assertEqual((info["atoms"], info["options"]["coder"], info["training_state"]), (9, "omp", True))
        self.assertEqual(np.count_nonzero(np.load(self.encode(self.path("i.nodl"), "c.npy")), axis=1).max(), 4)
        self.nodl("train", self.x, "--from", self.path("i.nodl"), "--model", self.path("t.nodl"))
        self.assertEqual(self.json("info", self.path("t.nodl"))["progress"]["samples"], 120)

    def test_import_keeps_sparse_atoms_sparse(self):
        D = scipy.sparse.random(9, 24, 0.2, random_state=0, format="csr")
        scipy.sparse.save_npz(self.path("D.npz"), D)
        self.nodl("import", self.path("D.npz"), "--output", self.path("i.nodl"), "--precision", "float32")
        info = self.json("info", self.path("i.nodl"))
        self.assertEqual((info["sparse_atoms"], info["precision"]), (9, "float32"))
        self.nodl("export", self.path("i.nodl"), "--output", self.path("E.npz"))
        np.testing.assert_allclose(scipy.sparse.load_npz(self.path("E.npz")).toarray(), D.toarray(), rtol=1e-6)
