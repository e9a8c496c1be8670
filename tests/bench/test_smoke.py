"""The benchmark programs on tiny problems: that they run and what they write."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

WORKLOADS = os.environ["NODL_WORKLOADS"]
FIXED_KERNELS = os.environ["NODL_FIXED_KERNELS"]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          text=True).stdout


class Workloads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name)  # one for all: pictures are made once

    def measure(self, *arguments):
        file = self.path / "result.json"
        text = run(WORKLOADS, *arguments, "--cache", self.path / "cache", "--data",
                   self.path / "nothing", "--json", file)
        return text, json.loads(file.read_text())

    def test_dense_workloads_run_without_any_data(self):
        for precision in ("float64", "float32"):
            with self.subTest(precision):
                text, result = self.measure("P1", "P2", "P3", "P8", "--samples", 600, "--atoms", 40,
                                            "--precision", precision)
                self.assertEqual([run["id"] for run in result["runs"]], ["P1", "P2", "P3", "P8"])
                self.assertIn("P8", text)
                self.assertEqual(result["precision"], precision)
                self.assertGreater(result["gemm_flops"], 0)
                for one in result["runs"]:
                    self.assertEqual((one["dimension"], one["atoms"], one["samples"]),
                                     (144, 40, 600))
                    self.assertGreater(one["cpu_seconds"], 0)
                    self.assertTrue(0 < one["objective"] < 0.5)  # 0.5: all codes zero
                    self.assertGreater(one["code_nonzeros"], 0)
                    if result["counts_heap"]:
                        self.assertGreater(one["heap_bytes"], 0)
                    self.assertIn("gram", one["gemm_share"])

    def test_scaling_tells_a_share_of_each_workload(self):
        text, result = self.measure("P1", "P3", "P4", "--samples", 600, "--atoms", 40,
                                    "--scaling", 3)
        self.assertEqual([(one["id"], one["what"], one["rounds"]) for one in result],
                         [("P1", "train", 3), ("P3", "encode", 3)])  # P4 needs the images
        for one in result:
            self.assertTrue(0 < one["share_low"] <= one["share"] <= one["share_high"])
        self.assertEqual(text.count("of the gain of two processes"), 2)

    def test_growth_measures_four_sizes(self):
        _, result = self.measure("P8", "--samples", 64)
        self.assertEqual([run["atoms"] for run in result["runs"]], [256, 512, 1024, 2048])

    def test_paper_workloads_say_what_they_lack(self):
        text, result = self.measure("P4", "P5", "P6", "P7")
        self.assertTrue(all("no " in run["skipped"] for run in result["runs"]))
        self.assertEqual(text.count("skipped"), 4)

    def test_two_threads_learn_the_same_and_the_judge_agrees(self):
        objectives = []
        for threads in (1, 2):
            atoms = self.path / f"atoms{threads}.npy"
            _, result = self.measure("P1", "--samples", 600, "--atoms", 40, "--threads", threads,
                                     "--dictionary", atoms)
            judged = run(WORKLOADS, "P1", "--samples", 600, "--cache", self.path / "cache",
                         "--judge", atoms)
            objectives += [result["runs"][0]["objective"], float(judged)]
        for objective in objectives[1:]:
            self.assertAlmostEqual(objective, objectives[0], places=8)


class FixedKernels(unittest.TestCase):
    def test_all_run(self):
        names = run(FIXED_KERNELS).split()
        self.assertIn("encode_lambda/float32", names)
        for name in names:
            with self.subTest(name):
                run(FIXED_KERNELS, name)


if __name__ == "__main__":
    unittest.main()
