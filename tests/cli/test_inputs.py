"""What an input may be: every format, folders, patterns, pipes, files with bad rows."""

import gzip
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import numpy as np
import scipy.sparse

from program import DATA, NODL, RESOURCE, USAGE, Program, domain


class Inputs(Program):
    def setUp(self):
        super().setUp()
        self.samples = np.vstack([domain(0, 60), domain(1, 50)])
        self.samples[3] = 0

    def text(self, separator=",", samples=None):
        samples = self.samples if samples is None else samples
        return "".join(separator.join(map(repr, row)) + "\n" for row in samples.tolist())

    def write(self, name, data):
        self.path(name).parent.mkdir(exist_ok=True)
        self.path(name).write_bytes(data.encode() if isinstance(data, str) else data)
        return self.path(name)

    def svm(self):
        return "".join("1 " + " ".join(f"{i + 1}:{x!r}" for i, x in enumerate(row) if x) + "\n"
                       for row in self.samples.tolist())

    def test_formats_give_the_same_model(self):
        dense = self.bytes(self.save("x.npy", self.samples))
        raw = self.write("x.raw", self.samples.tobytes())
        packed = subprocess.run(["zstd", "-c"], input=self.text().encode(), capture_output=True, check=True).stdout
        for arguments in [(self.save("f.npy", np.asfortranarray(self.samples)),),
                          (self.save("b.npy", self.samples.astype(">f8")),),
                          (self.save("t.npy", self.samples.T), "--transpose"),
                          (self.write("x.csv", self.text()),),
                          (self.write("x.tsv.gz", gzip.compress(self.text("\t").encode())),),
                          (self.write("x.csv.zst", packed),),
                          (self.write("t.csv", self.text(samples=self.samples.T)), "--transpose"),
                          (raw, "--dtype", "f8", "--columns", 24),
                          (self.write("x.dat", self.samples.astype(">f8").tobytes()), "--format", "raw",
                           "--dtype", ">f8", "--columns", 24)]:
            self.assertEqual(dense, self.bytes(*arguments), arguments)

    def test_sparse_formats_give_the_same_model(self):
        csr = scipy.sparse.csr_matrix(self.samples)
        scipy.sparse.save_npz(self.path("x.npz"), csr)
        expected = self.bytes(self.path("x.npz"))
        coo = csr.tocsc().tocoo()  # by columns: not in the order of the samples
        for name, matrix in [("csc.npz", csr.tocsc()), ("coo.npz", coo)]:
            for compressed in (False, True):
                scipy.sparse.save_npz(self.path(name), matrix, compressed=compressed)
                self.assertEqual(expected, self.bytes(self.path(name)), name)
        entries = "".join(f"{i + 1} {j + 1} {x!r}\n" for i, j, x in zip(coo.row, coo.col, coo.data.tolist()))
        mtx = self.write("x.mtx", f"%%MatrixMarket matrix coordinate real general\n110 24 {coo.nnz}\n{entries}")
        self.assertEqual(expected, self.bytes(mtx))
        svm = self.write("x.svm", self.svm())
        self.assertEqual(expected, self.bytes(svm, "--columns", 24))
        self.assertEqual(expected, self.bytes(svm))

    def test_folders_and_patterns_are_files_in_the_order_of_their_names(self):
        whole = self.bytes(self.save("x.npy", self.samples))
        names = ["B.npy", "a10.npy", "a2.npy"]  # bytewise
        for name, part in zip(names, np.split(self.samples, [30, 70])):
            self.path("parts").mkdir(exist_ok=True)
            self.save(f"parts/{name}", part)
        self.write("parts/notes.txt", "not an input")
        self.write("parts/.hidden.npy", "neither")
        self.assertEqual(whole, self.bytes(self.path("parts")))
        self.assertEqual(whole, self.bytes(self.path("parts/*.npy")))
        report = self.json("evaluate", self.path("parts/a*.npy"), "--model", self.path("other.nodl"))
        self.assertEqual([i["samples"] for i in report["inputs"]], [40, 40])
        self.path("empty").mkdir()
        self.assertIn("holds no file", self.train(self.path("empty"), code=DATA).err)
        self.assertIn("no file matches", self.train(self.path("parts/*.csv"), code=DATA).err)
        run = self.nodl("encode", self.path("parts"), "--model", self.path("other.nodl"), "--output",
                        self.path("c.npz"), code=USAGE)
        self.assertIn("expected one file, found 3", run.err)

    def test_standard_input(self):
        model = self.train(self.save("x.npy", self.samples))
        scipy.sparse.save_npz(self.path("x.npz"), scipy.sparse.csc_matrix(self.samples))
        expected = self.json("evaluate", self.path("x.npy"), "--model", model)["inputs"][0]["mse"]
        for data, flags in [(self.path("x.npy").read_bytes(), ["--format", "npy"]),
                            (self.path("x.npz").read_bytes(), ["--format", "npz"]),
                            (gzip.compress(self.text().encode()), ["--format", "csv"]),
                            (self.svm().encode(), ["--format", "svm", "--columns", 24]),
                            (self.samples.tobytes(), ["--format", "raw", "--dtype", "f8", "--columns", 24])]:
            run = self.nodl("evaluate", "-", *flags, "--model", model, "--json", stdin=data)
            report = json.loads(run.out)["inputs"][0]
            self.assertEqual(report["name"], "-")
            self.assertAlmostEqual(report["mse"], expected, delta=1e-9)
        for flags, said in [([], "needs --format"), (["--format", "svm"], "needs --columns"),
                            (["--format", "csv", "--passes", 2], "only once")]:
            run = self.nodl("train", "-", *flags, "--model", self.path("m"), code=USAGE, stdin=b"1 1:1\n")
            self.assertIn(said, run.err)
        run = self.nodl("train", "-", self.path("x.npy"), "--format", "npy", "--model", self.path("m"), code=USAGE,
                        stdin=b"")
        self.assertIn("must be the only input", run.err)

    def test_a_model_tells_the_columns(self):
        model = self.train(self.save("x.npy", self.samples), model="seen.nodl")
        narrow = self.write("y.svm", "1 1:1 2:3.5\n1 3:2\n")
        raw = self.write("y.raw", self.samples[:5].tobytes())
        for path, flags, samples in [(narrow, [], 2), (raw, ["--dtype", "f8"], 5)]:
            run = self.nodl("encode", path, *flags, "--model", model, "--output", self.path("c.npz"), "--json")
            self.assertEqual(json.loads(run.out)["samples"], samples)
            self.assertEqual(self.json("evaluate", path, *flags, "--model", model)["inputs"][0]["samples"], samples)
            self.nodl("train", path, *flags, "--from", model, "--model", self.path("n.nodl"))
        self.nodl("train", "-", "--format", "svm", "--from", model, "--model", self.path("n.nodl"),
                  stdin=b"1 1:1 2:3.5\n")
        self.train(self.path("x.npy"), "--eval", f"y={narrow}")
        wide = self.write("w.svm", "1 25:1\n")
        run = self.nodl("encode", wide, "--model", model, "--output", self.path("c.npz"), code=DATA)
        self.assertIn("expected an index from 1 to 24, found '25:1'", run.err)

    def test_flags_that_do_not_suit(self):
        npy, raw = self.save("x.npy", self.samples), self.write("x.raw", self.samples.tobytes())
        for arguments, said in [((npy, "--columns", 3), "--columns is for raw, .svm"),
                                ((npy, "--dtype", "f4"), "--dtype is for raw"),
                                ((npy, "--missing", "zero"), "--missing is for .csv"),
                                ((raw,), "needs --columns"),
                                ((raw, "--columns", 24), "needs --dtype"),
                                ((raw, "--columns", 24, "--dtype", "c8"), "dtype must be"),
                                ((npy, "--follow"), "cannot grow"),
                                ((npy, "--bad-rows", "keep"), "stop|skip|quarantine"),
                                ((npy, "--quarantine", "q"), "needs --bad-rows quarantine"),
                                ((self.write("x.csv", "1,2\n"), "--follow", "--passes", 2), "--follow")]:
            self.assertIn(said, self.train(*arguments, code=USAGE).err)
        self.assertIn("found 1 bytes after the last",
                      self.train(self.write("y.raw", self.samples.tobytes() + b"x"), "--columns", 24, "--dtype",
                                 "f8", code=DATA).err)

    def test_missing_numbers(self):
        path = self.write("x.csv", "a,b\n" + "1,2\n,NA\n3,4\n" * 10)
        self.assertIn("row 3, column 1: expected a number, found an empty field", self.train(path, code=DATA).err)
        zeros = self.save("x.npy", np.tile([[1.0, 2], [0, 0], [3, 4]], (10, 1)))
        self.assertEqual(self.bytes(zeros), self.bytes(path, "--missing", "zero"))

    def test_bad_rows(self):
        good = self.bytes(self.save("x.npy", self.samples))
        lines = self.text().splitlines(keepends=True)
        lines.insert(100, "1,2\n")
        lines.insert(50, lines[50].replace(",", ",x", 1))
        lines.insert(7, "nan" + lines[7][lines[7].index(","):])
        path = self.write("x.csv", "".join(lines))
        self.assertIn("x.csv: row 8, column 1: expected a finite number, found nan", self.train(path, code=DATA).err)
        self.assertEqual(good, self.bytes(path, "--bad-rows", "skip"))
        self.assertEqual(good, self.bytes(path, "--bad-rows", "quarantine", "--passes", 1))
        written = self.path("other.nodl.bad-rows.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in written]
        self.assertEqual([(r["row"], r.get("column"), r["reason"]) for r in rows],
                         [(8, 1, "not_finite"), (52, 2, "not_a_number"), (103, 3, "wrong_width")])
        self.assertEqual([r["input"] for r in rows], [str(path)] * 3)
        self.assertEqual(rows[2]["text"], "1,2")
        report = self.json("train", path, "--model", self.path("j.nodl"), "--bad-rows", "quarantine", "--quarantine",
                           self.path("q"), "--batch-size", 20, "--passes", 2)
        self.assertEqual(report["bad_rows"], {"total": 3, "not_finite": 1, "too_large": 0, "not_a_number": 1, "missing": 0,
                                              "wrong_width": 1, "bad_index": 0})
        self.assertEqual(report["samples"], 220)
        self.assertEqual(self.path("q").read_text().splitlines(), written)
        out = self.nodl("train", path, "--model", self.path("j.nodl"), "--bad-rows", "skip").out
        self.assertIn("bad rows 3: 1 not finite, 1 not a number, 1 wrong width\n", out)
        self.train(path, "--bad-rows", "quarantine", "--quarantine", "/nonexistent/q", code=RESOURCE)

    def test_numbers_that_are_too_large_are_bad_rows(self):
        good = self.bytes(self.save("x.npy", self.samples))
        with_large = np.insert(self.samples, [7, 40], self.samples[[1, 2]] * 1e300, axis=0)
        sparse = scipy.sparse.csr_matrix(with_large)
        scipy.sparse.save_npz(self.path("l.npz"), sparse)
        for path in [self.save("l.npy", with_large), self.save("f.npy", np.asfortranarray(with_large)),
                     self.write("l.csv", self.text(samples=with_large))]:
            self.assertRegex(self.train(path, code=DATA).err,
                             r": row 8, column 1: expected a number of at most 1e\+140 in size, found [0-9.]+e\+\d+$")
            self.assertEqual(good, self.bytes(path, "--bad-rows", "skip"))
            self.assertEqual(good, self.bytes(path, "--bad-rows", "quarantine"))
            rows = [json.loads(line) for line in self.path("other.nodl.bad-rows.jsonl").read_text().splitlines()]
            self.assertEqual([(r["row"], r["column"], r["reason"]) for r in rows],
                             [(8, 1, "too_large"), (42, 1, "too_large")])
        report = self.json("train", self.path("l.npz"), "--model", self.path("j.nodl"), "--bad-rows", "skip")
        self.assertEqual((report["samples"], report["bad_rows"]["too_large"]), (110, 2))
        # Where they are divided by their norm they can be used.
        report = self.json("train", self.path("l.npy"), "--model", self.path("j.nodl"), "--scale", "unit")
        self.assertEqual(report["samples"], 112)

    def test_nothing_that_can_be_used(self):
        nothing = self.write("x.csv", "nan,1\n1,inf\n")
        for arguments in [(nothing, "--bad-rows", "skip"), (self.save("x.npy", self.samples), "--rows", "500:")]:
            self.assertIn("not one sample in the inputs to learn from; see --rows and --bad-rows",
                          self.train(*arguments, code=DATA).err)
        self.assertFalse(self.path("m.nodl").exists())

    def test_an_input_is_never_replaced(self):
        x, e = self.save("x.npy", self.samples), self.save("e.npy", self.samples)
        model, codes = self.train(x), self.path("c.npy")
        self.nodl("encode", x, "--model", model, "--output", codes)
        link = self.path("link.npy")
        link.symlink_to(x)
        config = self.write("c.json", "{}")
        kept = {file: file.read_bytes() for file in [x, e, model, codes, config]}
        train = ["train", x, "--atoms", 8]
        for arguments, said in [
                ([*train, "--model", x], f"--model would replace {x}, which is an input"),
                ([*train, "--model", link], "--model would replace"),
                (["train", self.folder / "x*.npy", "--model", x], "--model would replace"),
                ([*train, "--model", e, "--eval", f"e={e}"], "--model would replace"),
                ([*train, "--model", config, "--config", config], "--model would replace"),
                ([*train, "--model", self.path("n"), "--events", x], "--events would replace"),
                ([*train, "--model", self.path("n"), "--events", model, "--from", model], "--events would replace"),
                ([*train, "--model", self.path("n"), "--bad-rows", "quarantine", "--quarantine", x],
                 "--quarantine would replace"),
                ([*train, "--model", self.path("n"), "--events", self.folder / "." / "n"],
                 "--model and --events are the same file"),
                (["encode", x, "--model", model, "--output", x], "--output would replace"),
                (["decode", codes, "--model", model, "--output", codes], "--output would replace"),
                (["import", x, "--output", x], "--output would replace")]:
            self.assertIn(said, self.nodl(*arguments, code=USAGE).err)
        for file, before in kept.items():
            self.assertEqual(file.read_bytes(), before, file)
        self.assertFalse(self.path("n").exists())
        self.train(x, "--from", model)  # in place

    def wait_for_batches(self, events, count):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            lines = events.read_text().splitlines() if events.exists() else []
            if sum('"event":"batch"' in line.replace(" ", "") for line in lines) >= count:
                return
            time.sleep(0.05)
        self.fail(f"no {count} batches: {lines}")

    def test_a_file_that_grows(self):
        lines = self.text().splitlines(keepends=True)
        path, events = self.write("x.csv", "".join(lines[:30])), self.path("events.jsonl")
        flags = ["--batch-size", "20", "--atoms", "8", "--max-births", "5"]
        command = ["train", path, "--model", self.path("m.nodl"), "--follow", "--resume", *flags]
        child = subprocess.Popen([NODL, *map(str, command), "--events", str(events)], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        self.wait_for_batches(events, 1)
        with open(path, "a") as file:
            for piece in ["".join(lines[30:44]), lines[44][:9], lines[44][9:]]:
                file.write(piece)
                file.flush()
        self.wait_for_batches(events, 2)
        child.send_signal(signal.SIGTERM)
        self.assertIn(b"interrupted after batch 2", child.communicate(timeout=60)[1])
        self.assertEqual(child.returncode, 143)
        # What is left is learned when the file is whole.
        self.nodl("train", path, "--model", self.path("m.nodl"), "--resume", *flags)
        self.assertEqual(self.path("m.nodl").read_bytes(), self.bytes(path))

    def test_standard_input_is_read_from_its_beginning_or_not_at_all(self):
        model = self.train(self.write("x.csv", self.text()))
        with open(self.path("x.csv"), "rb") as file:
            arguments = [NODL, "evaluate", "-", "--format", "csv", "--model", str(model)]
            self.assertEqual(subprocess.run(arguments, stdin=file, capture_output=True).returncode, 0)
            os.lseek(file.fileno(), 10, os.SEEK_SET)
            run = subprocess.run(arguments, stdin=file, capture_output=True, text=True)
            self.assertEqual(run.returncode, USAGE)
            self.assertIn("10 bytes of the file were read already", run.stderr)

    def test_standard_input_may_be_a_socket(self):
        model = self.train(self.save("x.npy", self.samples))
        ours, theirs = socket.socketpair()
        child = subprocess.Popen([NODL, "evaluate", "-", "--format", "csv", "--model", str(model), "--json"],
                                 stdin=theirs, stdout=subprocess.PIPE)
        theirs.close()
        ours.sendall(self.text().encode())
        ours.close()
        self.assertEqual(json.loads(child.communicate(timeout=60)[0])["inputs"][0]["samples"], len(self.samples))

    def test_a_file_that_is_cut_short_while_it_is_read(self):
        path = self.save("x.npy", np.tile(self.samples, (1000, 1)))  # takes seconds to learn
        child = subprocess.Popen([NODL, "train", str(path), "--model", str(self.path("m.nodl"))],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while str(path) not in pathlib.Path(f"/proc/{child.pid}/maps").read_text():
            self.assertIsNone(child.poll())
            time.sleep(0.005)
        os.truncate(path, 0)
        self.assertIn(b"could not be read to its end", child.communicate(timeout=60)[1])
        self.assertEqual(child.returncode, 3)

    def test_a_pipe_that_says_nothing_is_interrupted(self):
        child = subprocess.Popen([NODL, "train", "-", "--format", "csv", "--model", str(self.path("m.nodl"))],
                                 stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdin.write(b"1,2\n3")
        child.stdin.flush()
        self.wait_until_watched(child, signal.SIGINT)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=60), 130)
        child.stdin.close()
        self.assertIn(b"interrupted before the first batch", child.stderr.read())
        child.stderr.close()
        self.assertFalse(self.path("m.nodl").exists())

    def test_bad_rows_of_a_resumed_run_stand_once(self):
        lines = self.text().splitlines(keepends=True)
        lines.insert(5, "x\n")
        path = self.write("x.csv", "".join(lines[:60]))
        flags = ["--bad-rows", "quarantine"]
        self.train(path, *flags)
        self.write("x.csv", "".join(lines) + "y\n")
        self.train(path, *flags, "--resume")
        rows = [json.loads(line)["row"] for line in self.path("m.nodl.bad-rows.jsonl").read_text().splitlines()]
        self.assertEqual(rows, [6, 112])

    def test_temporary_files_need_a_place(self):
        path = self.write("t.csv", self.text(samples=self.samples.T))
        run = subprocess.run([NODL, "train", path, "--transpose", "--model", self.path("m.nodl")],
                             env={"TMPDIR": "/nonexistent"}, capture_output=True)
        self.assertEqual(run.returncode, RESOURCE)
        self.assertIn(b"/nonexistent", run.stderr)
