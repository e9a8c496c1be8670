"""--resume: the right place of the right inputs, or a clear refusal."""

import json
import subprocess
import unittest

import numpy as np

from program import DATA, MODEL, NODL, USAGE, Program, domain


class Resume(Program):
    def setUp(self):
        super().setUp()
        self.x = domain(0, 130)
        self.data = self.save("x.npy", self.x)
        self.model = self.path("m.nodl")

    def resume(self, *arguments, code=0):
        return self.nodl("train", *arguments, "--model", self.model, "--batch-size", 20, "--atoms",
                         8, "--max-births", 5, "--resume", code=code)

    def expect_refused(self, wanted, *arguments, code=DATA):
        before = self.model.read_bytes()
        run = self.resume(*arguments, code=code)
        self.assertRegex(run.err, wanted)
        self.assertEqual(self.model.read_bytes(), before)

    def test_inputs_that_changed_are_refused(self):
        self.train(self.data)
        fewer = self.save("fewer.npy", self.x[:100])
        self.expect_refused("x.npy|fewer.npy: the inputs hold fewer samples than were learned by",
                            fewer)
        last = self.x.copy()
        last[-1, 0] += 1e-9
        changed = self.save("last.npy", last)
        self.expect_refused("last.npy: the inputs differ from the last batch learned by", changed)
        first = self.x.copy()
        first[0, 0] += 1e-9
        changed = self.save("first.npy", first)
        self.resume(changed)  # the last batch is the same
        self.expect_refused("first.npy: the inputs differ from those learned by", changed,
                            "--verify-inputs")
        self.resume(self.data, "--verify-inputs")

    def test_the_samples_count_and_not_their_files(self):
        self.train(self.data)
        before = self.model.read_bytes()
        a, b = self.save("a.npy", self.x[:33]), self.path("b.csv")
        np.savetxt(b, self.x[33:], delimiter=",", fmt="%.17g")
        self.resume(a, b, "--verify-inputs")
        self.assertEqual(self.model.read_bytes(), before)

    def test_a_finished_run_is_left_as_it_is(self):
        self.train(self.data)
        before = self.model.stat()
        run = self.resume(self.data)
        self.assertIn("nothing left to do", run.out)
        after = self.model.stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_inputs_that_have_grown_are_learned_from_where_it_stopped(self):
        self.train(self.data)
        grown = self.save("grown.npy", np.vstack([self.x, domain(0, 50, seed=9)]))
        events = self.path("e.jsonl")
        self.resume(grown, "--events", events)
        progress = self.json("info", self.model)["progress"]
        self.assertEqual((progress["samples"], progress["batches"], progress["finished"]),
                         (180, 10, True))
        sizes = [json.loads(line)["samples"] for line in events.read_text().splitlines()
                 if json.loads(line)["event"] == "batch"]
        self.assertEqual(sizes, [20, 20, 10])

    def test_events_may_go_to_a_pipe_or_a_device(self):
        self.train(self.save("part.npy", self.x[:60]))
        run = subprocess.run([NODL, "train", self.data, "--model", self.model, "--batch-size", "20", "--atoms", "8",
                              "--max-births", "5", "--resume", "--events", "/dev/stdout"],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = [line for line in run.stdout.splitlines() if line.startswith('{"event":"batch"')]
        self.assertEqual([json.loads(line)["batch"] for line in lines], [4, 5, 6, 7])
        self.resume(self.save("grown.npy", np.vstack([self.x, domain(0, 20, seed=9)])), "--events", "/dev/null")

    def test_events_that_are_none_are_replaced(self):
        self.train(self.save("part.npy", self.x[:60]))
        events = self.path("e.jsonl")
        events.write_text('{"batch":"x"}\n{"batch":2}\n')
        self.resume(self.data, "--events", events)
        self.assertEqual(json.loads(events.read_text().splitlines()[0])["batch"], 4)

    def test_standard_input_is_fed_from_its_beginning(self):
        lines = "".join(",".join(map(repr, row)) + "\n" for row in self.x.tolist())
        half = "".join(lines.splitlines(keepends=True)[:60])
        arguments = ["train", "-", "--format", "csv", "--batch-size", 20, "--atoms", 8]
        self.nodl(*arguments, "--model", self.path("whole.nodl"), stdin=lines.encode())
        self.nodl(*arguments, "--model", self.model, stdin=half.encode())
        self.nodl(*arguments, "--model", self.model, "--resume", stdin=lines.encode())
        self.assertEqual(self.model.read_bytes(), self.path("whole.nodl").read_bytes())
        run = self.nodl(*arguments, "--model", self.model, "--resume", stdin=half.encode(),
                        code=DATA)
        self.assertIn("fewer samples", run.err)

    def test_what_cannot_be_resumed_is_refused(self):
        self.train(self.data)
        self.expect_refused("seed is 5 here and 0 in", self.data, "--seed", 5, code=USAGE)
        run = self.train(self.data, "--verify-inputs", code=USAGE)
        self.assertEqual(run.err, "nodl: --verify-inputs needs --resume\n")
        wide = self.save("wide.npy", np.ones((40, 30)))
        self.expect_refused("samples have 30 numbers, the model's have 24", wide)
        self.model.write_bytes(self.model.read_bytes()[:-1])
        self.expect_refused("m.nodl", self.data, code=MODEL)

    def test_a_run_that_learns_on_from_another_model(self):
        first = self.train(self.data, model="first.nodl")
        second = self.save("second.npy", domain(1, 90))
        whole = self.bytes(second, "--from", first, model="whole.nodl")
        self.train(self.save("part.npy", domain(1, 90)[:60]), "--from", first)
        self.resume(second, "--from", first)
        self.assertEqual(self.model.read_bytes(), whole)
        stored = self.json("info", self.model)
        self.assertEqual(stored["progress"]["samples"], 220)
        self.assertEqual(stored["stream"]["samples"], 220)
        third = self.train(self.save("third.npy", domain(0, 300)), model="third.nodl")
        self.expect_refused("m.nodl: is not a run that began with .*third.nodl", second, "--from",
                            third, code=MODEL)


if __name__ == "__main__":
    unittest.main()
