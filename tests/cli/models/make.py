#!/usr/bin/env python3
"""make.py NODL VERSION: small models of this program and what they give, for test_old_models.py."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).parent
DIMENSION = 8
KINDS = {"float64_sparse": ["--atom-nonzeros", "3", "--precision", "float64"],
         "float32_dense": ["--atom-nonzeros", str(DIMENSION), "--precision", "float32", "--atom-norm", "unit",
                           "--coder", "omp", "--half-life", "100"]}


def main(program, version):
    rng = np.random.default_rng(1)
    directions = rng.integers(-3, 4, (5, DIMENSION)) * (rng.random((5, DIMENSION)) < 0.5)
    stream = np.round(rng.exponential(size=(80, 5)) @ directions + 0.1 * rng.normal(size=(80, DIMENSION)), 2)
    samples = stream[:4]
    with tempfile.TemporaryDirectory() as folder:
        x, codes, D = f"{folder}/x.npy", f"{folder}/c.npy", f"{folder}/D.npy"
        for kind, flags in KINDS.items():
            def nodl(*arguments):
                return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True).stdout
            model = HERE / f"version{version}_{kind}.nodl"
            np.save(x, stream)
            nodl("train", x, "--model", model, "--batch-size", 20, "--atoms", 4, "--max-births", 3,
                 "--code-nonzeros", 2, *flags)
            np.save(x, samples)
            nodl("encode", x, "--model", model, "--output", codes)
            nodl("export", model, "--output", D)
            info = json.loads(nodl("info", model, "--json"))
            info = {name: value for name, value in info.items() if name != "sections"}
            known = {"info": info, "samples": samples.tolist(), "codes": np.load(codes).tolist(),
                     "dictionary": np.load(D).tolist()}
            model.with_suffix(".json").write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
