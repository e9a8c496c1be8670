"""SIGINT and SIGTERM: the batch is finished, the model is written, and going on gives what a run that
never stopped gives."""

import gzip
import json
import signal
import subprocess
import time
import unittest

import faults
from program import NODL, Program, domain


class Signals(Program):
    def setUp(self):
        super().setUp()
        self.data = self.save("x.npy", domain(0, 60000))
        self.model = self.path("m.nodl")

    def arguments(self, model):
        return ["train", self.data, "--model", model, "--batch-size", 100, "--atoms", 16,
                "--threads", 1]

    def wait_for_lines(self, path, count, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if path.exists() and path.read_bytes().count(b"\n") >= count:
                return
            time.sleep(0.005)
        self.fail(f"{path} did not grow to {count} lines")

    def interrupt(self, number, *more):
        events = self.path("e.jsonl")
        process = faults.start([*self.arguments(self.model), "--events", events, *more])
        self.wait_for_lines(events, 20, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode(), events

    def test_the_run_goes_on_where_it_was_interrupted(self):
        whole = self.path("whole.nodl")
        self.nodl(*self.arguments(whole))
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            with self.subTest(signal=number):
                self.model.unlink(missing_ok=True)
                self.path("e.jsonl").unlink(missing_ok=True)
                returned, out, err, events = self.interrupt(number)
                self.assertEqual((returned, out), (code, ""))
                progress = self.json("info", self.model)["progress"]
                self.assertFalse(progress["finished"])
                self.assertEqual(err, f"nodl: interrupted after batch {progress['batches']}; "
                                      f"go on with --resume from {self.model}\n")
                last = [json.loads(line) for line in events.read_text().splitlines()][-1]
                self.assertEqual(last["batch"], progress["batches"])
                self.assertLess(progress["batches"], 600)
                self.nodl(*self.arguments(self.model), "--resume", "--events", events)
                self.assertEqual(self.model.read_bytes(), whole.read_bytes())
                batches = [json.loads(line)["batch"] for line in events.read_text().splitlines()
                           if json.loads(line)["event"] == "batch"]
                self.assertEqual(batches, list(range(1, 601)))

    def test_nothing_is_written_before_the_first_batch(self):
        process = subprocess.Popen([NODL, "train", "-", "--format", "csv", "--model", self.model],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(b"1,2,3\n1,2,4\n")
        process.stdin.flush()
        self.wait_until_watched(process, signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err),
                         (143, b"nodl: interrupted before the first batch\n"))
        self.assertFalse(self.model.exists())

    def test_a_file_that_is_read_before_the_first_batch_is_not_read_to_its_end(self):
        # Its width is the largest index of 15 GB of text, which takes minutes to find.
        data = self.path("x.svm.gz")
        data.write_bytes(gzip.compress(b"1 1:1 2:2\n" * 5_000_000, 1) * 300)
        process = subprocess.Popen([NODL, "train", data, "--model", self.model],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_until_watched(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err),
                         (130, b"nodl: interrupted before the first batch\n"))
        self.assertFalse(self.model.exists())

    def test_an_evaluation_is_not_finished(self):
        # 9 GB of text take minutes to evaluate.
        endless = self.path("e.csv.gz")
        endless.write_bytes(gzip.compress((",".join(24 * ["1.5"]) + "\n").encode() * 300_000, 1) * 300)
        few = self.save("few.npy", domain(0, 60))
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            with self.subTest(signal=number):
                self.model.unlink(missing_ok=True)
                process = faults.start(["train", few, "--model", self.model, "--atoms", 8, "--eval", f"e={endless}",
                                        "--json"])
                deadline = time.monotonic() + 60
                while not self.model.exists():
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, err.decode()),
                                 (code, f"nodl: interrupted in the evaluation; {self.model} is written\n"))
                self.assertEqual(json.loads(out)["evals"], [])
                self.assertTrue(self.json("info", self.model)["progress"]["finished"])

    def test_encode_and_decode_leave_nothing_behind(self):
        self.nodl("train", self.save("few.npy", domain(0, 60)), "--model", self.model, "--atoms", 8,
                  "--atom-norm", "raw", "--max-births", 0, "--group-penalty", 0)
        out = self.path("out.npy")
        before = {path.name for path in self.folder.iterdir()}
        for command, width in [("encode", 24), ("decode", 8)]:
            with self.subTest(command=command):
                process = subprocess.Popen([NODL, command, "-", "--format", "csv", "--model", self.model, "--output",
                                            out], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                process.stdin.write((",".join(width * ["1"]) + "\n").encode() * 1500)  # more than a block
                process.stdin.flush()
                deadline = time.monotonic() + 60
                while not list(self.folder.glob(".out.npy.*.tmp")):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, err.decode()),
                                 (143, f"nodl: interrupted before {out} was written\n"))
                self.assertEqual({path.name for path in self.folder.iterdir()}, before)

    def test_a_second_signal_ends_the_program_at_once(self):
        process = subprocess.Popen([NODL, "train", "-", "--format", "csv", "--model", self.model],
                                   stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.wait_until_watched(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        self.assertIn(process.wait(timeout=60), (130, -signal.SIGINT))


if __name__ == "__main__":
    unittest.main()
