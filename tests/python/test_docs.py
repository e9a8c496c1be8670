"""Doctests, type stubs, and what the documentation says of parameters."""

import ast
import doctest
import importlib
import inspect
import os
import pathlib
import unittest

import nodl
from nodl import NeurogeneticDictionaryLearning, OnlineDictionaryLearning, _core

SOURCE = pathlib.Path(os.environ["NODL_SOURCE"])


class Documentation(unittest.TestCase):
    def test_examples_in_docstrings(self):
        run = 0
        for path in (SOURCE / "python/nodl").glob("*.py"):
            name = "nodl" if path.stem == "__init__" else "nodl." + path.stem
            results = doctest.testmod(importlib.import_module(name), verbose=False)
            self.assertEqual(results.failed, 0, name)
            run += results.attempted
        self.assertGreater(run, 25)

    def test_examples_in_the_guide(self):
        results = doctest.testfile(str(SOURCE / "docs/PYTHON.md"), module_relative=False, verbose=False)
        self.assertEqual(results.failed, 0)
        self.assertGreater(results.attempted, 10)

    def test_every_parameter_is_documented(self):
        names = inspect.signature(NeurogeneticDictionaryLearning).parameters
        text = inspect.getdoc(NeurogeneticDictionaryLearning)
        for name in names:
            self.assertRegex(text, rf"(?m)^(\w+, )*{name}(, \w+)* : ", name)
        for name, parameter in inspect.signature(OnlineDictionaryLearning).parameters.items():
            self.assertEqual(parameter.default, names[name].default, name)

    def test_public_functions_say_what_they_do(self):
        for name in nodl.__all__:
            thing = getattr(nodl, name)
            if name != "__version__" and not (inspect.isclass(thing) and issubclass(thing, Exception)):
                self.assertTrue(inspect.getdoc(thing), name)

    def test_stubs_name_what_there_is(self):
        stub = ast.parse((SOURCE / "python/nodl/_core.pyi").read_text())
        named, methods = set(), set()
        for node in stub.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                named.add(node.name)
            if isinstance(node, ast.ClassDef) and node.name == "_Learner":
                methods = {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
        self.assertEqual({n for n in vars(_core) if not n.startswith("_")}, named - {"_Learner"})
        self.assertEqual({n for n in vars(_core.Learner64) if not n.startswith("_")},
                         methods - {"__init__"})


if __name__ == "__main__":
    unittest.main()
