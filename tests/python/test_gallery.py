"""Every example of the gallery runs, keeps what it asserts, and draws its picture."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NODL_SOURCE"])


class Gallery(unittest.TestCase):
    def test_examples(self):
        examples = sorted((SOURCE / "python/examples").glob("*.py"))
        self.assertEqual(len(examples), 5)
        guide = (SOURCE / "docs/PYTHON.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            for example in examples:
                with self.subTest(example.stem):
                    picture = pathlib.Path(folder) / (example.stem + ".png")
                    run = subprocess.run([sys.executable, example, picture], capture_output=True,
                                         text=True, cwd=folder)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))
                    self.assertTrue((SOURCE / "docs/gallery" / picture.name).is_file())
                    self.assertIn(f"gallery/{picture.name}", guide)


if __name__ == "__main__":
    unittest.main()
