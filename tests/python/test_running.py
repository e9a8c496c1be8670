"""A fit from outside: signals, threads, forks, progress, and the benchmark's script."""

import contextlib
import io
import json
import os
import pathlib
import pickle
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


def learner_in_use():
    """A model, and a thread that holds its lock for some tenths of a second."""
    samples = np.random.default_rng(0).standard_normal((4000, 100))
    model = OnlineDictionaryLearning(100, alpha=0.5, atom_norm="unit").partial_fit(samples[:100])
    learning = threading.Thread(target=model.partial_fit, args=(samples,))
    learning.start()
    time.sleep(0.05)
    return model, learning


def turns_of_another_thread_during(call):
    """How often a thread that only counts and sleeps got its turn while the call ran."""
    turns, done = [0], threading.Event()

    def count():
        while not done.is_set():
            turns[0] += 1
            time.sleep(1e-4)
    counter = threading.Thread(target=count)
    counter.start()
    before = turns[0]
    call()
    after = turns[0]
    done.set()
    counter.join()
    return after - before


def threads():
    """The threads of this process; one that was joined is listed until the kernel has let it go."""
    seen = []
    while seen[-3:] != [len(os.listdir("/proc/self/task"))] * 3:
        seen.append(len(os.listdir("/proc/self/task")))
        time.sleep(0.05)
    return seen[-1]


def in_child(call):
    """What a forked child does: 0 if the call returns, 2 for RuntimeError, -SIGALRM if it hangs."""
    child = os.fork()
    if child == 0:
        code = 1
        signal.alarm(20)
        try:
            call()
            code = 0
        except RuntimeError:
            code = 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


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
        model = OnlineDictionaryLearning(100, alpha=0.5, atom_norm="unit")
        core = model.partial_fit(samples[:100])._learner
        # One call of the core, some tenths of a second.
        self.assertGreater(turns_of_another_thread_during(lambda: core.learn(samples, True)), 20)

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

    def test_codes_while_atoms_are_born_and_die(self):
        rng = np.random.default_rng(0)
        samples = np.abs(rng.standard_normal((100, 20)))
        for output in ("dense", "sparse", "slots"):
            model = NeurogeneticDictionaryLearning(
                5, max_atoms=60, output=output, births="always", max_births=20, group_penalty=3.0,
                half_life=2.0, code_nonzeros=5, atom_nonzeros=10).partial_fit(samples)
            wrong, turns, done = [], [0], threading.Event()

            def use():
                while not done.is_set():
                    codes = model.transform(samples)
                    if output == "slots" and codes.shape[1] != 60:
                        wrong.append(codes.shape)
                    if output == "sparse" and codes.nnz and codes.indices.max() >= codes.shape[1]:
                        wrong.append(codes.indices.max())
                    turns[0] += 1
            user = threading.Thread(target=use, daemon=True)
            user.start()
            sizes = set()
            for _ in range(25):
                model.partial_fit(np.abs(rng.standard_normal((5, 20))))
                sizes.add(model.n_components_)
            self.assertTrue(user.is_alive())  # no call of it raised
            done.set()
            user.join()
            self.assertEqual(wrong, [], output)
            self.assertGreater(turns[0], 0)
            self.assertGreater(len(sizes), 1)

    def test_who_waits_for_the_model_lets_other_threads_run(self):
        model, learning = learner_in_use()
        turns = turns_of_another_thread_during(lambda: model.atom_ids_)
        learning.join()
        self.assertGreater(turns, 20)

    def test_n_jobs_counts_for_learning_on(self):
        model = NeurogeneticDictionaryLearning(**SMALL).partial_fit(X)
        before = threads()
        model.set_params(n_jobs=2).partial_fit(X)
        self.assertEqual(threads() - before, 1)
        twin = pickle.loads(pickle.dumps(model)).partial_fit(X)
        self.assertEqual(threads() - before, 2)
        twin.set_params(n_jobs=None).partial_fit(X)
        self.assertEqual(threads() - before, 1)

    def test_a_forked_child_has_its_own_model(self):
        model = NeurogeneticDictionaryLearning(**SMALL, n_jobs=2).fit(X)
        models = [model, pickle.loads(pickle.dumps(model)).partial_fit(X)]
        self.assertEqual(in_child(lambda: model.partial_fit(X).transform(X)), 0)
        self.assertEqual(in_child(models.pop), 0)  # ends a model whose threads are the parent's
        self.assertEqual(model.transform(X).shape, (200, model.n_components_))

    def test_a_fork_while_learning_is_an_error_in_the_child(self):
        model, learning = learner_in_use()
        self.assertEqual(in_child(lambda: model.transform(np.ones((1, 100)))), 2)
        learning.join()
        self.assertEqual(in_child(lambda: model.transform(np.ones((1, 100)))), 0)

    def test_progress_is_one_line(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            NeurogeneticDictionaryLearning(**SMALL, verbose=1).fit(X)
        self.assertRegex(said.getvalue(), r"\r\[nodl\] batch 10/10: \d+ atoms, pearson 0\.\d+, .*\n\Z")
        with contextlib.redirect_stderr(io.StringIO()) as quiet:
            NeurogeneticDictionaryLearning(**SMALL).fit(X)
        self.assertEqual(quiet.getvalue(), "")

    def test_early_stopping_says_so_behind_the_progress(self):
        model = OnlineDictionaryLearning(8, batch_size=20, max_iter=200, tol=1e-2, verbose=1)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                model.fit(X)
        self.assertRegex(said.getvalue(),
                         r"samples/s\nConverged \(small dictionary change\) at step \d+\n\Z")
        self.assertEqual(out.getvalue(), "")

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
