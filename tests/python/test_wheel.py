"""`pip install --no-build-isolation .` offline, and a package that needs neither sources nor compiler.

The wheel takes the extension of the build tree under test; that a new tree can be configured as
setup.py does it is checked apart, without compiling everything a second time.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NODL_SOURCE"])
BUILD = os.environ["NODL_BUILD"]
PARTS = ["pyproject.toml", "setup.py", "CMakeLists.txt", "include", "src", "cmake", "python",
         "docs/PYTHON.md"]
USE = """
import numpy as np, nodl
X = np.random.default_rng(0).standard_normal((300, 16))
codes = nodl.NeurogeneticDictionaryLearning(8, max_atoms=30, output="slots").fit_transform(X)
assert codes.shape == (300, 30)
print(nodl.__file__, nodl.__version__)
"""


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.tree = self.folder / "tree"
        for part in PARTS:
            copy = self.tree / part
            copy.parent.mkdir(parents=True, exist_ok=True)
            if (SOURCE / part).is_dir():
                shutil.copytree(SOURCE / part, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(SOURCE / part, copy)

    def test_installs_and_runs_elsewhere(self):
        run(sys.executable, "-m", "venv", "--system-site-packages", self.folder / "venv")
        python = self.folder / "venv/bin/python"
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", ".", cwd=self.tree,
            env={**clean, "NODL_BUILD_DIR": BUILD})
        shutil.rmtree(self.tree)
        said = run(python, "-c", USE, cwd="/", env={"PATH": "/nonexistent"})
        self.assertIn(str(self.folder / "venv"), said)
        installed, = (self.folder / "venv").glob("lib/python*/site-packages/nodl")
        for name in ("py.typed", "_core.pyi"):
            self.assertTrue((installed / name).is_file(), name)

    def test_a_new_tree_can_be_configured(self):
        run("cmake", "-S", self.tree, "-B", self.folder / "new", "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", "-DNODL_BUILD_CLI=OFF", "-DNODL_PYTHON=ON",
            f"-DPython_EXECUTABLE={sys.executable}")
        self.assertIn("python/nodl/_core.", (self.folder / "new/build.ninja").read_text())


if __name__ == "__main__":
    unittest.main()
