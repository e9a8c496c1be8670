"""The program under test and small data for it. NODL names the program."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

NODL = os.environ.get("NODL", "nodl")

# Who starts the tests in the background of a shell lets them ignore SIGINT, and what they start inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Built with a sanitizer, which needs terabytes of addresses and much memory.
SANITIZED = any(name in pathlib.Path(shutil.which(NODL)).read_bytes() for name in [b"__asan_init", b"__tsan_init"])

USAGE, DATA, MODEL, RESOURCE = 2, 3, 4, 5  # exit codes


def domain(which, samples, dimension=24, seed=0):
    """Samples made of a few hidden directions that live in one half of the coordinates."""
    rng = np.random.default_rng([seed, which])
    half = dimension // 2
    directions = rng.random((6, half))
    x = np.zeros((samples, dimension))
    x[:, which * half:(which + 1) * half] = rng.exponential(size=(samples, 6)) @ directions
    return x


class Program(unittest.TestCase):
    def setUp(self):
        # In memory where the system offers that: syncing thousands of small files is slow.
        in_memory = "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK)
        scratch = tempfile.TemporaryDirectory(dir="/dev/shm" if in_memory else None)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def path(self, name):
        return self.folder / name

    def save(self, name, samples):
        np.save(self.path(name), samples)
        return self.path(name)

    def nodl(self, *arguments, code=0, stdin=None):
        run = subprocess.run([NODL, *map(str, arguments)], capture_output=True, input=stdin)
        run.out, run.err = run.stdout.decode(), run.stderr.decode()
        self.assertEqual(run.returncode, code, f"{arguments}\n{run.out}\n{run.err}")
        if code != 0:
            self.assertRegex(run.err, r"\Anodl: [^\n]+\n\Z")
            self.assertEqual(run.out, "")
        return run

    def wait_until_watched(self, process, number):
        """Until the program has a handler for the signal; on a busy machine that takes its time."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            caught = int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16)
            if caught >> (number - 1) & 1:
                return
            time.sleep(0.02)
        self.fail("the program does not watch for signals")

    def json(self, *arguments):
        return json.loads(self.nodl(*arguments, "--json").out)

    def train(self, *arguments, model="m.nodl", code=0):
        """Trains on small batches with few atoms; returns the model's path, or what was said."""
        run = self.nodl("train", *arguments, "--model", self.path(model), "--batch-size", 20,
                        "--atoms", 8, "--max-births", 5, code=code)
        return self.path(model) if code == 0 else run

    def bytes(self, *arguments, model="other.nodl"):
        return self.train(*arguments, model=model).read_bytes()

    def export(self, model, *arguments):
        self.nodl("export", model, "--output", self.path("D.npy"), *arguments)
        return np.load(self.path("D.npy"))
