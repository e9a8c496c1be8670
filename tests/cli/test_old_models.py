"""Model files of earlier versions (models/) load, code and learn on as when they were written.

models/make.py made them; a new version of the format, or a release that writes other bytes, adds files and changes none.
"""

import json
import pathlib

import numpy as np
from program import Program

MODELS = pathlib.Path(__file__).parent / "models"


class OldModels(Program):
    def each(self):
        models = sorted(MODELS.glob("*.nodl"))
        self.assertGreaterEqual(len(models), 2)
        for model in models:
            with self.subTest(model.name):
                yield model, json.loads(model.with_suffix(".json").read_text())

    def test_hold_what_they_held(self):
        for model, known in self.each():
            info = self.json("info", model, "--verify")
            for name in ["format_version", "precision", "dimension", "atoms", "sparse_atoms", "training_state",
                         "method", "progress"]:
                self.assertEqual(info[name], known["info"][name], name)
            # Options that are newer have their defaults.
            self.assertEqual({name: info["options"][name] for name in known["info"]["options"]},
                             known["info"]["options"])
            D = self.export(model)
            self.assertEqual(D.dtype.name, info["precision"])
            np.testing.assert_array_equal(D, np.array(known["dictionary"], D.dtype))

    def test_code_as_they_did(self):
        for model, known in self.each():
            x = self.save("x.npy", np.array(known["samples"]))
            self.nodl("encode", x, "--model", model, "--output", self.path("c.npy"))
            # Rounding may differ between processors and versions, nothing else.
            error = 1e-9 if known["info"]["precision"] == "float64" else 1e-4
            np.testing.assert_allclose(np.load(self.path("c.npy")), known["codes"], rtol=0, atol=error)

    def test_learn_on(self):
        for model, known in self.each():
            x = self.save("x.npy", np.array(known["samples"]))
            learned = self.path("m.nodl")
            self.nodl("train", x, "--model", learned, "--from", model)
            progress = self.json("info", learned)["progress"]
            self.assertEqual(progress["samples"], known["info"]["progress"]["samples"] + len(known["samples"]))
