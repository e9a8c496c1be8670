"""Builds the extension `nodl._core` with CMake; everything else is in pyproject.toml.

NODL_CMAKE_ARGS adds arguments to CMake's, for example -DNODL_NATIVE=ON. NODL_BUILD_DIR names a
build tree to use, configured with -DNODL_PYTHON=ON, instead of a new one.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    text = (ROOT / "include/nodl/version.h").read_text()
    return re.search(r'define NODL_VERSION "([^"]+)"', text).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        build = os.environ.get("NODL_BUILD_DIR") or self.configured()
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        subprocess.run(["cmake", "--build", build, "--target", "nodl_python"], check=True)
        built, = (pathlib.Path(build) / "python/nodl").glob("_core.*.so")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target.parent / built.name))

    def configured(self):
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             "-DNODL_BUILD_CLI=OFF", "-DNODL_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
             *shlex.split(os.environ.get("NODL_CMAKE_ARGS", ""))],
            check=True)
        return build


setup(version=version(),
      ext_modules=[Extension("nodl._core", sources=[])],
      cmdclass={"build_ext": CMakeBuild})
