"""kill -9 at random moments, over methods, coders, precisions, formats and numbers of threads: the
run that goes on, killed as often as it may be, ends with the bytes of one that was never stopped.

NODL_KILLS sets how many kills there are; 300 unless told."""

import gzip
import json
import os
import subprocess
import unittest

import numpy as np
import scipy.io
import scipy.sparse
import sklearn.datasets

import faults
from program import Program, domain

KILLS = int(os.environ.get("NODL_KILLS", "300"))
IN_WRITES = 10  # one of so many kills is aimed at a checkpoint's system calls

METHODS = ["nodl", "nodl+", "nodl-", "odl", "odl*", "random"]
CODERS = [["--coder", "lars"], ["--coder", "cd"], ["--coder", "omp", "--code-nonzeros", 4],
          ["--coder", "threshold", "--code-nonzeros", 4], ["--coder", "lars", "--lambda", 0.2]]
PRECISIONS = ["float64", "float32"]
FORMATS = ["npy", "fortran.npy", "csv", "tsv", "csv.gz", "csv.zst", "mtx", "npz", "svm", "raw"]
THREADS = [(1, 1), (1, 2), (2, 1)]
VARIANTS = [[], ["--preset", "released"], ["--atom-nonzeros", 5], ["--memory", "mairal"],
            ["--passes", 2], ["--half-life", 300, "--birth-init", "residual"],
            ["--center", "--scale", "unit"], ["--refit"]]


def write(path, samples, form):
    if form == "npy":
        np.save(path, samples)
    elif form == "fortran.npy":
        np.save(path, np.asfortranarray(samples))
    elif form in ("csv", "tsv", "csv.gz", "csv.zst"):
        separator = "\t" if form == "tsv" else ","
        text = "\n".join(separator.join(map(repr, row)) for row in samples.tolist()) + "\n"
        data = gzip.compress(text.encode()) if form == "csv.gz" else text.encode()
        if form == "csv.zst":
            data = subprocess.run(["zstd"], input=data, capture_output=True, check=True).stdout
        path.write_bytes(data)
    elif form == "svm":
        sklearn.datasets.dump_svmlight_file(samples, np.zeros(len(samples)), str(path),
                                            zero_based=False)
    elif form == "raw":
        path.write_bytes(samples.astype("<f8").tobytes())
    elif form == "mtx":
        scipy.io.mmwrite(path, scipy.sparse.coo_matrix(samples))
    else:
        scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(samples))


def settings():
    """As many as the longest list needs, each value of each list several times."""
    for i in range(30):
        yield {"method": METHODS[i % 6], "coder": CODERS[i // 2 % 5],
               "precision": PRECISIONS[i // 3 % 2], "format": FORMATS[i % 10],
               "threads": THREADS[i % 3 if i % 2 else i // 5 % 3], "variant": VARIANTS[i % 8]}


class Kills(Program):
    def setUp(self):
        super().setUp()
        self.killed = 0
        self.killed_in_writes = 0
        self.model = self.path("m.nodl")
        self.events = self.path("e.jsonl")

    def inputs(self, form):
        paths = [self.path(f"{part}.{form}") for part in (0, 1)]
        for part, path in enumerate(paths):
            if not path.exists():
                write(path, domain(part, 230), form)
        return paths

    def arguments(self, setting, model, threads):
        shape = {"raw": ["--dtype", "f8", "--columns", 24], "svm": ["--columns", 24]}
        return ["train", *self.inputs(setting["format"]), *shape.get(setting["format"], []),
                "--model", model, "--method",
                setting["method"], *setting["coder"], "--precision", setting["precision"],
                *setting["variant"], "--batch-size", 20, "--atoms", 8, "--max-births", 5,
                "--threads", threads, "--seed", 3]

    def kill(self, arguments, share, seconds):
        aimed = faults.FAULTS != "" and self.killed % IN_WRITES == 0
        if aimed:
            at = 1 + int(share * 60)
            code, err = faults.run_with_fault(arguments, "m.nodl", "kill", at)
            self.assertIn(code, (0, -9), err)
            was_killed = code != 0
            self.killed_in_writes += was_killed
        else:
            was_killed = faults.run_and_kill(arguments, share * seconds)
        self.killed += was_killed
        return was_killed

    def chain(self, setting, moments, whole, seconds, batches):
        """Kills and resumes until the run is done; no more than 20 times."""
        for path in (self.model, self.events):
            path.unlink(missing_ok=True)
        for turn in range(20):
            arguments = self.arguments(setting, self.model, setting["threads"][turn % 2])
            arguments += ["--checkpoint-every", 1 + turn % 2, "--resume", "--events", self.events]
            if not self.kill(arguments, next(moments), seconds):
                break
            if self.model.exists():
                self.nodl("info", self.model, "--verify")
        self.nodl(*arguments)
        self.assertEqual(self.model.read_bytes(), whole)
        self.assertEqual([path.name for path in self.folder.glob(".*")], [])
        events = [json.loads(line) for line in self.events.read_text().splitlines()]
        seen = [event["batch"] for event in events if event["event"] == "batch"]
        self.assertEqual(seen, list(range(1, batches + 1)))
        for kind in ("birth", "death"):
            ids = [event["id"] for event in events if event["event"] == kind]
            self.assertEqual(len(ids), len(set(ids)))

    def test_resume_is_as_if_it_had_never_stopped(self):
        all_settings = list(settings())
        for key in all_settings[0]:  # nothing is left out
            values = {"coder": CODERS, "method": METHODS, "precision": PRECISIONS,
                      "format": FORMATS, "threads": THREADS, "variant": VARIANTS}[key]
            self.assertEqual([v for v in values if v not in [s[key] for s in all_settings]], [])
        moments = faults.moments(1)
        each = -(-KILLS // len(all_settings))
        for number, setting in enumerate(all_settings):
            with self.subTest(**setting):
                other = self.path("whole.nodl")
                arguments = self.arguments(setting, other, 1)
                seconds = faults.seconds_of([*arguments, "--checkpoint-every", 1])
                self.nodl(*arguments)
                batches = json.loads(self.nodl("info", other, "--json").out)["progress"]["batches"]
                while self.killed < each * (number + 1):
                    self.chain(setting, moments, other.read_bytes(), seconds, batches)
        print(f"{self.killed} kills, {self.killed_in_writes} of them inside a checkpoint's "
              f"system calls; {len(all_settings)} settings compared byte by byte")
        self.assertGreaterEqual(self.killed, KILLS)
        if faults.FAULTS != "":
            self.assertGreaterEqual(self.killed_in_writes, KILLS // IN_WRITES)


if __name__ == "__main__":
    unittest.main()
