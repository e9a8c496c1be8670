"""The model file from outside: its documented layout, damage, checkpoints, resuming."""

import json
import pathlib
import random
import re

import numpy as np
from program import DATA, MODEL, USAGE, Program, domain

FORMAT = pathlib.Path(__file__).parents[2] / "docs" / "FORMAT.md"


class ModelFile(Program):
    def setUp(self):
        super().setUp()
        self.x = self.save("x.npy", np.concatenate([domain(0, 70), domain(1, 55)]))

    def test_is_as_the_documentation_reads_it(self):
        code = re.search(r"```python\n(.*?)```", FORMAT.read_text(), re.DOTALL).group(1)
        documented = {}
        exec(code, documented)
        model = self.train(self.x)
        header, sections = documented["sections"](model)
        info = self.json("info", model)
        self.assertEqual(header["options"], info["options"])
        self.assertEqual([s["name"] for s in info["sections"]], list(sections))
        D = self.export(model)
        starts = sections["dictionary.sparse.starts"][0]
        rebuilt = np.zeros((len(starts) - 1, D.shape[1]))
        for j in range(len(rebuilt)):
            part = slice(starts[j], starts[j + 1])
            rebuilt[j, sections["dictionary.sparse.indices"][0, part]] = sections["dictionary.sparse.values"][0, part]
        np.testing.assert_array_equal(np.concatenate([rebuilt, sections["dictionary.dense"]]), D)
        A = sections["training.A"]
        np.testing.assert_array_equal(A, A.T)
        self.assertEqual(sections["training.B"].shape, D.shape)

    def test_info_for_people(self):
        model = self.train(self.x)
        text = self.nodl("info", model, "--verify").out
        for part in ["125 samples in 7 batches", "method     nodl", "batch_size", "training.A", "every checksum"]:
            self.assertIn(part, text)
        self.assertTrue(self.json("info", model, "--verify")["verified"])

    def test_every_damage_is_refused(self):
        whole = self.train(self.x).read_bytes()
        damaged = self.path("damaged.nodl")
        rng = random.Random(0)
        cuts = {0, 1, 63, 64, len(whole) - 1} | {rng.randrange(len(whole)) for _ in range(45)}
        commands = [("info", damaged), ("evaluate", self.x, "--model", damaged),
                    ("encode", self.x, "--model", damaged, "--output", self.path("c.npz")),
                    ("export", damaged, "--output", self.path("c.npy")),
                    ("train", self.x, "--model", self.path("n.nodl"), "--from", damaged),
                    ("train", self.x, "--model", damaged, "--resume"),
                    ("decode", self.x, "--model", damaged, "--output", self.path("c.npy"))]

        def refused(data, number):
            damaged.write_bytes(data)
            run = self.nodl(*commands[number % len(commands)], code=MODEL)
            self.assertIn("damaged.nodl: ", run.err)
        for number, cut in enumerate(sorted(cuts)):
            refused(whole[:cut], number)
        for number in range(200):
            data = bytearray(whole)
            bit = rng.randrange(8 * len(whole))
            data[bit // 8] ^= 1 << bit % 8
            refused(bytes(data), number)
        refused(whole + bytes(64), 0)
        self.assertFalse(self.path("c.npz").exists() or self.path("c.npy").exists() or self.path("n.nodl").exists())

    def test_checkpoints_are_whole_models(self):
        """A run that fails half way leaves its last checkpoint, and --resume goes on from there."""
        samples = np.concatenate([domain(0, 70), domain(1, 55)])
        np.savetxt(self.path("good.csv"), samples, delimiter=",", fmt="%.17g")
        lines = self.path("good.csv").read_text().splitlines()
        lines[90] = lines[90].replace(lines[90].split(",")[0], "oops", 1)
        self.path("bad.csv").write_text("\n".join(lines) + "\n")
        options = ["--checkpoint-every", 2, "--events", self.path("e.jsonl")]
        expected = self.train(self.path("good.csv"), *options, model="expected.nodl").read_bytes()
        expected_events = self.events()
        for resume in [[], ["--resume"]]:  # with no model yet, --resume starts at the beginning
            self.path("m.nodl").unlink(missing_ok=True)
            said = self.train(self.path("bad.csv"), *options, *resume, code=DATA).err
            self.assertIn("bad.csv: row 91, column 1", said)
            progress = self.json("info", self.path("m.nodl"))["progress"]
            self.assertEqual((progress["batches"], progress["samples"], progress["finished"]), (4, 80, False))
            self.train(self.path("good.csv"), *options, "--resume")
            self.assertEqual(self.path("m.nodl").read_bytes(), expected)
            self.assertEqual(self.events(), expected_events)

    def events(self):
        """All events, without their times and paths."""
        events = [json.loads(line) for line in self.path("e.jsonl").read_text().splitlines()]
        for event in events:
            event.pop("seconds", None)
            event.pop("input", None)
        return events

    def test_a_finished_run_stays_as_it_is(self):
        model = self.train(self.x)
        before = model.read_bytes(), model.stat().st_mtime_ns
        self.train(self.x, "--resume")
        self.assertEqual((model.read_bytes(), model.stat().st_mtime_ns), before)

    def test_resume_keeps_to_its_options_and_inputs(self):
        model = self.train(self.x)
        before = model.read_bytes()
        self.assertIn("seed is 3 here and 0 in", self.train(self.x, "--resume", "--seed", 3, code=USAGE).err)
        self.assertIn("precision", self.train(self.x, "--resume", "--precision", "float32", code=USAGE).err)
        self.train(self.save("wide.npy", np.ones((9, 5))), "--resume", code=DATA)
        self.assertIn("--from", self.train(self.x, "--resume", "--from", model, code=USAGE).err)
        self.assertEqual(model.read_bytes(), before)

    def test_resume_of_a_run_that_learned_on(self):
        start = self.train(self.x, model="start.nodl")
        samples = domain(1, 80, seed=7)
        more = self.save("more.npy", samples)
        options = ["--from", start, "--checkpoint-every", 1]
        expected = self.bytes(more, *options)
        samples[65, 3] = np.nan
        self.train(self.save("bad.npy", samples), *options, code=DATA)
        self.train(more, *options, "--resume")
        self.assertEqual(self.path("m.nodl").read_bytes(), expected)

    def test_precision_of_from_is_kept(self):
        start = self.train(self.x, "--precision", "float32", model="start.nodl")
        self.train(self.x, "--from", start, "--precision", "float64", code=USAGE)
        self.assertEqual(self.json("info", self.train(self.x, "--from", start))["precision"], "float32")
