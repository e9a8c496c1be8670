"""A checkpoint that is killed or fails at any of its system calls: the model before stays whole,
nothing is left over, and going on gives what a run that never stopped gives."""

import time
import unittest

import faults
from program import RESOURCE, Program, domain

CRASHED = -9


@unittest.skipIf(faults.FAULTS == "", "no library of faults in this build")
class CheckpointFaults(Program):
    def setUp(self):
        super().setUp()
        data = self.save("x.npy", domain(0, 60))
        self.model = self.path("m.nodl")
        self.events = self.path("e.jsonl")
        self.train_arguments = ["train", data, "--model", self.model, "--batch-size", 20,
                                "--atoms", 8, "--checkpoint-every", 1, "--threads", 1]
        self.nodl(*self.train_arguments)
        self.whole = self.model.read_bytes()
        self.model.unlink()
        self.calls = faults.calls_of(self.train_arguments, "m.nodl", self.path("calls"))
        self.path("calls").unlink()
        self.files = {"x.npy"}
        self.tried = 0
        self.addCleanup(self.tell)

    def tell(self):
        if self.tried > 0:
            print(f"{self.tried} fault points", end=" ", flush=True)

    def names(self):
        return {path.name for path in self.folder.iterdir()}

    def fault(self, kind, at):
        self.tried += 1
        if self.model.exists():
            self.model.unlink()
        return faults.run_with_fault(self.train_arguments, "m.nodl", kind, at)

    def expect_whole_model_or_none(self):
        if self.model.exists():
            self.nodl("info", self.model, "--verify")

    def expect_same_end(self):
        self.nodl(*self.train_arguments, "--resume")
        self.assertEqual(self.model.read_bytes(), self.whole)
        self.assertEqual(self.names(), self.files | {"m.nodl"})

    def test_writer_makes_the_calls_that_durability_needs(self):
        one = ["open", "flock", "write", "fsync", "rename", "close", "fsync", "close"]
        trial = ["open", "flock", "unlink", "close"]  # before the first batch: can the model be written at all?
        # Every checkpoint but the first replaces a file, and keeps its permissions.
        self.assertEqual([call for call in self.calls if call != "fchmod"], trial + one * 4)

    def test_killed_between_any_two_calls(self):
        for at in range(1, len(self.calls) + 1):
            with self.subTest(at=at, call=self.calls[at - 1]):
                code, _ = self.fault("kill", at)
                self.assertEqual(code, CRASHED)
                self.expect_whole_model_or_none()
                self.expect_same_end()

    def test_killed_inside_any_write(self):
        for at, call in enumerate(self.calls, 1):
            if call != "write":
                continue
            with self.subTest(at=at):
                code, _ = self.fault("torn", at)
                self.assertEqual(code, CRASHED)
                self.expect_whole_model_or_none()
                self.expect_same_end()

    def test_disk_full_at_any_call(self):
        for at, call in enumerate(self.calls, 1):
            if call not in ("open", "write", "fsync", "rename"):
                continue
            with self.subTest(at=at, call=call):
                code, err = self.fault("full", at)
                if code == 0:  # the folder's sync, which comes after the model is in place
                    self.assertEqual((call, self.calls[at - 2]), ("fsync", "close"))
                else:
                    self.assertEqual(code, RESOURCE)
                    self.assertEqual(
                        err, f"nodl: {self.model}: cannot be written: No space left on device\n")
                self.expect_whole_model_or_none()
                self.assertLessEqual(self.names(), self.files | {"m.nodl"})
                self.expect_same_end()

    def test_training_does_not_wait_for_the_disk(self):
        self.model.unlink()
        data = self.save("long.npy", domain(0, 400))
        arguments = ["train", data, "--model", self.model, "--batch-size", 20, "--atoms", 8,
                     "--checkpoint-every", 15, "--threads", 1, "--events", self.events]
        sync = self.calls.index("fsync") + 1
        process = faults.start(arguments, LD_PRELOAD=faults.FAULTS, NODL_FAULT_FILE="m.nodl",
                               NODL_FAULT_KIND="slow", NODL_FAULT_AT=sync)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:  # the last batch is learned before the first checkpoint
            if self.events.exists() and '"batch":20,' in self.events.read_text():
                break
            time.sleep(0.01)
        self.assertFalse(self.model.exists())
        process.communicate()
        self.assertEqual(process.returncode, 0)

    def test_error_at_any_call(self):
        for at, call in enumerate(self.calls, 1):
            with self.subTest(at=at, call=call):
                code, err = self.fault("error", at)
                if code != 0:
                    self.assertEqual(code, RESOURCE)
                    self.assertEqual(err,
                                     f"nodl: {self.model}: cannot be written: Input/output error\n")
                else:  # what does not decide whether the file is whole
                    self.assertTrue(call in ("flock", "fchmod", "close", "unlink")
                                    or (call, self.calls[at - 2]) == ("fsync", "close"), call)
                self.expect_whole_model_or_none()
                self.assertLessEqual(self.names(), self.files | {"m.nodl"})
                self.expect_same_end()


if __name__ == "__main__":
    unittest.main()
