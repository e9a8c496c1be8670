"""--max-atoms and --memory-limit are hard, say so in the events, and the real memory keeps to the limit."""

import json
import os
import subprocess
import unittest

import numpy as np
from program import NODL, SANITIZED, USAGE, Program, domain


class Limits(Program):
    def events(self, *flags):
        self.nodl("train", self.x, "--model", self.path("m.nodl"), "--events", self.path("e.jsonl"), "--births",
                  "always", "--method", "nodl+", "--atoms", 8, "--max-births", 7, "--batch-size", 20, *flags)
        lines = self.path("e.jsonl").read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["event"] == "batch"]

    def setUp(self):
        super().setUp()
        self.x = self.save("x.npy", domain(0, 100))

    def test_max_atoms(self):
        events = self.events("--max-atoms", 20)
        self.assertEqual([e["atoms"] for e in events], [15, 20, 20, 20, 20])
        self.assertEqual([e["denied"] for e in events], [0, 2, 7, 7, 7])
        self.assertEqual([e["denied_by"] for e in events], ["none"] + 4 * ["max_atoms"])

    def test_memory_limit(self):
        limits = {}
        for size in ["400K", "700K", "1M"]:
            events = self.events("--memory-limit", size, "--max-atoms", 1000, "--passes", 6)
            limits[size] = events[-1]["atoms"]
            self.assertEqual(events[-1]["denied_by"], "memory_limit")
            self.assertEqual([e["born"] + e["denied"] for e in events], [7] * len(events))
            self.assertTrue(all(e["denied_by"] == "none" for e in events if e["denied"] == 0))
        self.assertLess(limits["400K"], limits["700K"])
        self.assertEqual(self.json("info", self.path("m.nodl"))["options"]["memory_limit"], 1 << 20)

    def test_is_the_same_in_every_spelling(self):
        def learned(*flags):
            self.events(*flags)
            return self.path("m.nodl").read_bytes()
        self.path("c.json").write_text('{"memory_limit": 524288}')
        self.path("d.json").write_text('{"memory_limit": "512K"}')
        expected = learned("--memory-limit", "512K")
        for flags in [("--memory-limit", 524288), ("--memory-limit", "0.5M"), ("--config", self.path("c.json")),
                      ("--config", self.path("d.json")), ("--memory-limit", "512K", "--threads", 3)]:
            self.assertEqual(learned(*flags), expected, flags)
        self.assertNotEqual(learned(), expected)
        self.assertEqual(learned("--memory-limit", 0), learned())

    def test_refusals(self):
        for size in ["lots", "5X", "-1", "1e300", "", "1 M", "5MM", "nan"]:
            run = self.nodl("train", self.x, "--model", self.path("m.nodl"), f"--memory-limit={size}", code=USAGE)
            self.assertRegex(run.err, r"\Anodl: --memory-limit(: 1 required SIZE missing| must be a size such as 512M or 2G, not )")
        run = self.nodl("train", self.x, "--model", self.path("m.nodl"), "--memory-limit", "90K", "--atoms", 50,
                        code=USAGE)
        self.assertRegex(run.err, r"--memory-limit is 92160 bytes, must be at least \d+ for 50 atoms of 24 numbers")
        self.assertFalse(self.path("m.nodl").exists())

    @unittest.skipIf(SANITIZED, "sanitizers need more memory")
    def test_the_process_keeps_to_it(self):
        """Peak memory, with a checkpoint after every batch: the limit, and some megabytes for the program itself."""
        x = self.save("wide.npy", np.random.default_rng(0).normal(size=(150, 500)))
        limit = 128 << 20  # much more than this script has, which counts until the program has started
        run = subprocess.Popen([NODL, "train", x, "--model", self.path("m.nodl"), "--births", "always", "--method", "nodl+",
                                "--threads", "1", "--checkpoint-every", "1", "--batch-size", "50", "--code-nonzeros", "10",
                                "--max-sweeps", "2", "--atoms", "10", "--max-births", "1500", "--max-atoms", "10000",
                                "--memory-limit", str(limit), "--atom-nonzeros", "500"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = status
        self.assertEqual(status, 0)
        self.assertGreater(self.json("info", self.path("m.nodl"))["atoms"], 1000)
        self.assertLess(usage.ru_maxrss * 1024, limit + (30 << 20))
        self.assertGreater(usage.ru_maxrss * 1024, limit / 2)
