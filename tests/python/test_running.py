"""A fit from outside: signals, threads, progress, and the benchmark's script."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
from streams import SMALL, two_domains

from nodl import NeurogeneticDictionaryLearning, OnlineDictionaryLearning

SOURCE = pathlib.Path(os.environ["NODL_SOURCE"])
X = two_domains()


class Running(unittest.TestCase):
    def test_control_c_stops_between_batches(self):
        model = OnlineDictionaryLearning(8, batch_size=20, max_iter=10**6)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            model.fit(X)
        timer.join()
        self.assertGreater(model.n_steps_, 0)
        self.assertEqual(model.n_samples_seen_, 20 * model.n_steps_)
        self.assertTrue(np.all(np.isfinite(model.transform(X))))

    def test_other_threads_run_meanwhile(self):
        samples = np.random.default_rng(0).standard_normal((4000, 100))
        turns, done = [0], threading.Event()

        def count():
            while not done.is_set():
                turns[0] += 1
                time.sleep(1e-4)
        counter = threading.Thread(target=count)
        model = OnlineDictionaryLearning(100, alpha=0.5, atom_norm="unit")
        core = model.partial_fit(samples[:100])._learner
        counter.start()
        before = turns[0]
        core.learn(samples, True)  # one call of the core, some tenths of a second
        after = turns[0]
        done.set()
        counter.join()
        self.assertGreater(after - before, 20)

    def test_many_threads_share_one_model(self):
        model = NeurogeneticDictionaryLearning(**SMALL).fit(X)
        expected, failures = model.transform(X), []

        def use():
            for _ in range(20):
                if not np.array_equal(model.transform(X), expected):
                    failures.append(1)
        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_progress_is_one_line(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            NeurogeneticDictionaryLearning(**SMALL, verbose=1).fit(X)
        self.assertRegex(said.getvalue(), r"\r\[nodl\] batch 10/10: \d+ atoms, pearson 0\.\d+, .*\n\Z")
        with contextlib.redirect_stderr(io.StringIO()) as quiet:
            NeurogeneticDictionaryLearning(**SMALL).fit(X)
        self.assertEqual(quiet.getvalue(), "")

    def test_benchmark_runs(self):
        run = subprocess.run([sys.executable, SOURCE / "bench/estimators.py", "--samples", "600",
                              "--json"], capture_output=True, text=True,
                             env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)
        for comparison in result["transform"]:
            self.assertLess(comparison["nodl_objective"], comparison["sklearn_objective"] + 1e-6)


if __name__ == "__main__":
    unittest.main()
