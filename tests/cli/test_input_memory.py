"""Ten times the input takes the same memory, in every format."""

import io
import pathlib
import re
import subprocess
import time
import unittest
import zipfile

import numpy as np

from program import NODL, SANITIZED, Program

DIMENSION = 32
MEGABYTE = 1 << 20
# What may differ between two runs that do the same: the heap's and the page cache's moods.
SLACK = 6 * MEGABYTE


@unittest.skipIf(SANITIZED, "sanitizers keep freed memory for a while")
class InputMemory(Program):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)
        self.block = rng.integers(0, 9, (500, DIMENSION)).astype(float)
        self.model = self.path("m.nodl")
        self.nodl("train", self.save("x.npy", self.block), "--model", self.model, "--atoms", 2, "--max-births", 0,
                  "--code-nonzeros", 1, "--max-sweeps", 1)

    def peak(self, *arguments):
        """Largest resident set of `nodl evaluate`, in bytes. (ru_maxrss would begin with this process' own.)"""
        child = subprocess.Popen([NODL, "evaluate", *map(str, arguments), "--model", self.model, "--threads", "1"],
                                 stdout=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            except OSError:
                continue
            found = re.search(r"VmHWM:\s+(\d+) kB", status)
            peak = max(peak, 1024 * int(found[1]) if found and "Name:\tnodl" in status else 0)
            time.sleep(0.002)
        self.assertEqual(child.returncode, 0, arguments)
        return peak

    def compare(self, name, write, *flags, sizes=(1, 10)):
        peaks = []
        for size in sizes:
            write(self.path(name), size)
            peaks.append(self.peak(self.path(name), *flags))
        in_file = self.path(name).stat().st_size
        self.path(name).unlink()
        print(f"{name} {' '.join(map(str, flags))}: {[round(p / MEGABYTE) for p in peaks]} MiB,"
              f" the larger file {in_file / MEGABYTE:.0f} MiB")
        self.assertLess(peaks[1], peaks[0] + SLACK, name)

    def blocks(self, text, head=lambda size: b""):
        def write(path, size):
            with open(path, "wb") as file:
                file.write(head(size))
                for _ in range(size):
                    file.write(text)
        return write

    def test_dense(self):
        rows = "".join(",".join(map(str, row)) + "\n" for row in self.block).encode()
        self.compare("x.csv", self.blocks(rows * 8))
        self.compare("x.npy", lambda path, size: np.save(path, np.tile(self.block, (50 * size, 1))))
        self.compare("f.npy", lambda path, size: np.save(
            path, np.asfortranarray(np.tile(self.block, (50 * size, 1)))))
        self.compare("x.raw", self.blocks(self.block.astype("u1").tobytes() * 40), "--dtype", "u1", "--columns",
                     DIMENSION)
        self.compare("t.csv", lambda path, size: path.write_bytes((b"1.5,2" * 10000 * size + b"\n") * DIMENSION),
                     "--transpose")
        array = b"%%MatrixMarket matrix array real general\n"
        self.compare("a.mtx", lambda path, size: path.write_bytes(
            array + f"{20000 * size} {DIMENSION}\n".encode() + b"1\n0\n" * (10000 * DIMENSION * size)))

    def test_sparse(self):
        places = [(i, j) for i in range(2000) for j in range(DIMENSION)]
        sorted_entries = "".join(f"{i + 1} {j + 1} 1\n" for i, j in places).encode()
        svm = "".join("1 " + " ".join(f"{j + 1}:2" for j in range(DIMENSION)) + "\n" for _ in range(2000)).encode()
        self.compare("x.svm", self.blocks(svm))
        # Each block of entries begins with the first sample again: nothing is sorted, places repeat.
        head = "%%MatrixMarket matrix coordinate integer {}\n"
        count = len(places) * 13  # more than are sorted in memory
        self.compare("x.mtx", self.blocks(sorted_entries * 13, lambda size: (
            head.format("general") + f"2000 {DIMENSION} {count * size}\n").encode()))
        square = "".join(f"{i + 1} {j + 1} 1\n" for i in range(DIMENSION) for j in range(i + 1)).encode()
        half = DIMENSION * (DIMENSION + 1) // 2
        self.compare("s.mtx", self.blocks(square * 1000, lambda size: (
            head.format("symmetric") + f"{DIMENSION} {DIMENSION} {1000 * half * size}\n").encode()))

    def test_npz(self):
        def sparse(form, compressed, entries):
            def write(path, size):
                rows = entries // DIMENSION * size
                majors, minors = (rows, DIMENSION) if form == "csr" else (DIMENSION, rows)
                arrays = {"format": np.array(form.encode()), "shape": np.array([rows, DIMENSION]),
                          "indptr": np.arange(majors + 1) * minors,
                          "indices": np.tile(np.arange(minors, dtype="i4"), majors),
                          "data": np.ones(majors * minors, "f4")}
                kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
                with zipfile.ZipFile(path, "w", kind) as archive:
                    for name, array in arrays.items():
                        out = io.BytesIO()
                        np.save(out, array)
                        archive.writestr(f"{name}.npy", out.getvalue())
            return write
        for compressed in (False, True):
            self.compare("csr.npz", sparse("csr", compressed, 400_000))
        self.compare("csc.npz", sparse("csc", True, 800_000))
