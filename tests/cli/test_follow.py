"""--follow: a file that grows is learned as far as it goes in whole batches, over any number of stops."""

import signal
import time
import unittest

import faults
from program import DATA, Program, domain


def lines(samples):
    return "".join(",".join(map(repr, row)) + "\n" for row in samples.tolist())


class Follow(Program):
    def setUp(self):
        super().setUp()
        self.x = domain(0, 100)
        self.data = self.path("x.csv")
        self.model = self.path("m.nodl")
        self.events = self.path("e.jsonl")

    def arguments(self, *more):
        return ["train", self.data, "--model", self.model, "--batch-size", 20, "--atoms", 8, *more]

    def append(self, text):
        with self.data.open("a") as file:
            file.write(text)

    def batches(self):
        if not self.events.exists():
            return 0
        return self.events.read_text().count('"event":"batch"')

    def wait_for(self, batches, process):
        deadline = time.monotonic() + 60
        while self.batches() < batches:
            self.assertIsNone(process.poll(), "it follows until it is told to stop")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def stop(self, process):
        time.sleep(0.3)  # what it must not learn it would have learned by now
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, err)

    def test_never_learns_a_short_batch(self):
        text = lines(self.x)
        cut = text.index("\n", len(text) // 2) + 7  # inside a row
        self.append(text[:cut])
        rows = text[:cut].count("\n")
        follow = self.arguments("--follow", "--resume", "--events", self.events)
        process = faults.start(follow)
        self.wait_for(rows // 20, process)
        self.stop(process)
        self.assertEqual(self.batches(), rows // 20)

        process = faults.start(follow)  # and grows while it is being followed
        time.sleep(0.2)
        self.append(text[cut:])
        self.wait_for(5, process)
        self.stop(process)
        self.assertEqual(self.json("info", self.model)["progress"]["samples"], 100)
        self.nodl(*self.arguments("--resume"))
        followed = self.model.read_bytes()
        self.model.unlink()
        self.nodl(*self.arguments())
        self.assertEqual(self.model.read_bytes(), followed)

    def test_a_file_that_is_rotated_costs_no_batch(self):
        self.append(lines(self.x))
        process = faults.start(self.arguments("--follow", "--events", self.events))
        self.wait_for(5, process)
        self.data.rename(self.path("x.csv.1"))
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err.decode()), (
            DATA, f"nodl: {self.data}: was removed or replaced while it was followed; all before is in {self.model}\n"))
        progress = self.json("info", self.model)["progress"]
        self.assertEqual((progress["batches"], progress["finished"]), (5, False))


if __name__ == "__main__":
    unittest.main()
