"""Same inputs, options and seed give the same model file, however the numbers came in."""

import gzip

import numpy as np
import scipy.io
import scipy.sparse
from program import Program, domain


class SameBits(Program):
    def setUp(self):
        super().setUp()
        samples = np.concatenate([domain(0, 50), domain(1, 45)])
        self.samples = np.round(samples * 1024) / 1024  # the same in every format

    def csv(self, name, samples):
        np.savetxt(self.path(name), samples, delimiter=",", fmt="%.17g")
        return self.path(name)

    def test_dense_formats(self):
        expected = self.bytes(self.save("x.npy", self.samples))
        self.assertEqual(expected, self.bytes(self.csv("x.csv", self.samples)))
        self.assertEqual(expected, self.bytes(self.save("fortran.npy", np.asfortranarray(self.samples))))
        self.assertEqual(expected, self.bytes(self.save("columns.npy", self.samples.T), "--transpose"))
        self.path("x.csv.gz").write_bytes(gzip.compress(self.path("x.csv").read_bytes()))
        self.assertEqual(expected, self.bytes(self.path("x.csv.gz")))

    def test_float32_file_is_its_numbers(self):
        single = self.samples.astype(np.float32)
        self.assertEqual(self.bytes(self.save("f.npy", single)),
                         self.bytes(self.save("d.npy", single.astype(np.float64))))

    def test_sparse_formats(self):
        matrix = scipy.sparse.csr_matrix(self.samples)
        scipy.io.mmwrite(self.path("x.mtx"), matrix, precision=17)
        scipy.sparse.save_npz(self.path("csr.npz"), matrix)
        scipy.sparse.save_npz(self.path("csc.npz"), matrix.tocsc())
        expected = self.bytes(self.path("csr.npz"))
        self.assertEqual(expected, self.bytes(self.path("csc.npz")))
        self.assertEqual(expected, self.bytes(self.path("x.mtx")))

    def test_threads(self):
        x = self.save("x.npy", self.samples)
        for options in [[], ["--preset", "released"], ["--coder", "cd", "--precision", "float32"],
                        ["--birth-init", "residual"], ["--method", "odl*"]]:
            with self.subTest(options):
                self.assertEqual(self.bytes(x, "--threads", 1, *options), self.bytes(x, "--threads", 2, *options))
        sparse = self.path("x.npz")
        scipy.sparse.save_npz(sparse, scipy.sparse.csr_matrix(self.samples))
        self.assertEqual(self.bytes(sparse, "--threads", 1), self.bytes(sparse, "--threads", 2))

    def test_how_a_stream_is_cut_into_inputs(self):
        whole = self.bytes(self.save("x.npy", self.samples))
        for cuts in [[1], [20, 40], [7, 8, 93]]:
            parts = [self.save(f"part{i}.npy", part) for i, part in enumerate(np.split(self.samples, cuts))]
            self.assertEqual(whole, self.bytes(*parts))

    def test_standard_input(self):
        expected = self.bytes(self.save("x.npy", self.samples))
        self.nodl("train", "-", "--format", "csv", "--model", self.path("m.nodl"), "--batch-size", 20, "--atoms", 8,
                  "--max-births", 5, stdin=self.csv("x.csv", self.samples).read_bytes())
        self.assertEqual(expected, self.path("m.nodl").read_bytes())

    def test_what_does_not_change_the_result_is_not_kept(self):
        x = self.save("x.npy", self.samples)
        expected = self.bytes(x)
        self.assertEqual(expected, self.bytes(x, "--checkpoint-every", 2, "--events", self.path("e"), "--eval",
                                              f"x={x}", "--progress", "on", model="elsewhere.nodl"))

    def test_seeds_differ(self):
        x = self.save("x.npy", self.samples)
        self.assertNotEqual(self.bytes(x, "--seed", 1), self.bytes(x, "--seed", 2))
