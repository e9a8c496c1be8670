"""A stream of any length takes the memory of a short one."""

import json
import pathlib
import re
import subprocess
import unittest


from program import NODL, SANITIZED, Program, domain

COLUMNS = 64


def blocks(count, samples=5000):
    """The domain changes with every block."""
    parts = [domain(which, samples, COLUMNS, seed).astype("<f4").tobytes()
             for seed in range(4) for which in (0, 1)]
    for i in range(count):
        yield parts[i % len(parts)]


@unittest.skipIf(SANITIZED, "sanitizers keep freed memory for a while")
class Endless(Program):
    def peak(self, count):
        """Highest resident memory in KiB, and what the run printed."""
        process = subprocess.Popen(
            [NODL, "train", "-", "--format", "raw", "--dtype", "f4", "--columns", str(COLUMNS),
             "--model", str(self.path("m.nodl")), "--atoms", "8", "--max-atoms", "48",
             "--max-births", "10", "--precision", "float32", "--checkpoint-every", "20",
             "--threads", "2", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for block in blocks(count):
            process.stdin.write(block)
        # Not the usage that wait4() tells: it begins with what the parent had at the fork.
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
        out, _ = process.communicate()
        self.assertEqual(process.returncode, 0)
        return peak, json.loads(out)

    def test_memory_does_not_depend_on_the_length(self):
        short, summary = self.peak(10)
        self.assertEqual(summary["samples"], 50_000)
        long, summary = self.peak(100)
        self.assertEqual(summary["samples"], 500_000)
        print(f"peak memory: {short} KiB for 13 MB, {long} KiB for 128 MB")
        self.assertLess(long, short * 1.02 + 1024)


if __name__ == "__main__":
    unittest.main()
