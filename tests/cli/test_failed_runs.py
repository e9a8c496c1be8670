"""A run that ends before its first batch leaves what an earlier run told of itself."""

import json
import unittest

import numpy as np

from program import DATA, RESOURCE, Program, domain


class FailedRuns(Program):
    def setUp(self):
        super().setUp()
        self.events = self.path("e.jsonl")
        self.good = self.save("x.npy", domain(0, 100))
        bad = domain(0, 100)
        bad[3, 2] = np.nan
        self.bad = self.save("bad.npy", bad)

    def batches(self):
        lines = [json.loads(line) for line in self.events.read_text().splitlines()]
        return [line["batch"] for line in lines if line["event"] == "batch"]

    def test_events_stay(self):
        model = self.train(self.good, "--events", self.events)
        before = self.events.read_bytes(), model.read_bytes()
        self.train(self.bad, "--events", self.events, code=DATA)
        self.assertEqual((self.events.read_bytes(), model.read_bytes()), before)
        self.nodl("report", self.events, "--model", model, "--output", self.path("r.html"))

    def test_events_are_replaced_by_the_first_batch(self):
        self.train(self.good, "--events", self.events)
        late = domain(0, 100)
        late[45, 2] = np.nan  # in the third batch
        self.train(self.save("late.npy", late), "--events", self.events, code=DATA)
        self.assertEqual(self.batches(), [1, 2])

    def test_no_empty_events_are_left_behind(self):
        self.train(self.bad, "--events", self.events, code=DATA)
        self.assertFalse(self.events.exists())
        self.events.write_bytes(b"")  # was there
        self.train(self.bad, "--events", self.events, code=DATA)
        self.assertTrue(self.events.exists())

    def test_events_of_a_run_that_is_to_be_resumed_stay(self):
        part = self.save("part.npy", domain(0, 100)[:60])
        self.train(part, "--events", self.events)
        lines = self.events.read_text()
        # As a run leaves them that was killed after its last checkpoint.
        lines += '{"event":"batch","batch":4}\n{"event":"ba'
        self.events.write_text(lines)
        bad = domain(0, 100)
        bad[65, 2] = np.nan
        self.train(self.save("grown.npy", bad), "--events", self.events, "--resume", code=DATA)
        self.assertEqual(self.events.read_text(), lines)
        self.train(self.good, "--events", self.events, "--resume")
        self.assertEqual(self.batches(), [1, 2, 3, 4, 5])

    def test_the_quarantine_stays(self):
        flags, file = ["--bad-rows", "quarantine"], self.path("m.nodl.bad-rows.jsonl")
        self.train(self.bad, *flags)
        before = file.read_bytes()
        self.assertEqual(json.loads(before)["row"], 4)
        self.train(self.good, *flags, "--rows", "500:", code=DATA)
        self.assertEqual(file.read_bytes(), before)
        self.train(self.save("none.npy", np.full((5, 24), np.nan)), *flags, code=DATA)  # tells why there is no batch
        self.assertEqual(file.read_text().count("none.npy"), 5)
        self.train(self.good, *flags)  # has no bad rows
        self.assertEqual(file.read_bytes(), b"")

    def test_events_that_cannot_be_written_are_known_before_the_first_batch(self):
        self.train(self.bad, "--events", self.path("none/e.jsonl"), code=RESOURCE)


if __name__ == "__main__":
    unittest.main()
