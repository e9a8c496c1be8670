"""Small good files of every format for the fuzzer to start from: seeds.py NODL FOLDER"""

import gzip
import io
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse

ROWS = np.array([[1.25, 0, -3e7, 0.5], [0, 12, 0, 0], [7, 8, 9, 1e-300]])
CHOICES = [0, 1, 2, 16, 64 + 2, 32 + 1]  # of options; see fuzz_reader.cpp


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz(matrix, compressed):
    out = io.BytesIO()
    scipy.sparse.save_npz(out, matrix, compressed=compressed)
    return out.getvalue()


def text(separator, quote=""):
    return "".join(separator.join(f"{quote}{x}{quote}" for x in row) + "\n" for row in ROWS)


def mtx(kind, field="real", symmetry="general"):
    head = f"%%MatrixMarket matrix {kind} {field} {symmetry}\n% comment\n"
    if kind == "array":
        values = [[0.5, -2, 3], [1, 4], [2]] if symmetry == "symmetric" else ROWS.T
        return head + ("3 3\n" if symmetry == "symmetric" else "3 4\n") + "".join(f"{x}\n" for v in values for x in v)
    entries = [(3, 1, 7), (1, 1, 2.5), (2, 2, -1), (3, 2, 4)]
    lines = [f"{i} {j}" + ("" if field == "pattern" else f" {x}") for i, j, x in entries]
    return head + "3 3 4\n" + "\n".join(lines) + "\n"


def zstd(data):
    return subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout


def model(nodl, *flags):
    with tempfile.TemporaryDirectory() as folder:
        x, m = pathlib.Path(folder, "x.npy"), pathlib.Path(folder, "m.nodl")
        np.save(x, np.tile(ROWS[:, :3], (4, 1)) % 7)
        subprocess.run([nodl, "train", x, "--model", m, "--batch-size", "4", "--atoms", "2",
                        *flags],
                       check=True, capture_output=True)
        return m.read_bytes()


def seeds(nodl):
    csr = scipy.sparse.csr_matrix(ROWS)
    csv = text(",").encode()
    yield "npy", [npy((ROWS % 50).astype(t)) for t in ["f8", ">f4", "f2", "i2"]] + [npy(np.asfortranarray(ROWS))]
    yield "csv", [csv, b"\xef\xbb\xbfa,\"b\n,\",c,d\r\n1,NA,,4\r\n\r\n" + text(",", '"').encode(),
                  gzip.compress(csv), zstd(csv)]
    yield "tsv", [text("\t").encode(), b"1\t2\n3\tnan\n"]
    yield "mtx", [mtx(*kind).encode() for kind in [
        ("coordinate",), ("coordinate", "pattern"), ("coordinate", "integer", "symmetric"),
        ("coordinate", "real", "skew-symmetric"), ("array",), ("array", "real", "symmetric")]] + [
            gzip.compress(mtx("coordinate").encode())]
    yield "npz", [npz(make(csr), c) for make in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix,
                                                 scipy.sparse.coo_matrix) for c in (False, True)]
    yield "svmlight", [b"1 1:0.5 3:2 # good\n-1,2 qid:3 2:1e3 2:1\n\n# none\n2:4\n", b"0\n1 5:nan\n"]
    yield "raw", [ROWS.tobytes(), ROWS.astype("f4").tobytes()]
    yield "model", [model(nodl), model(nodl, "--atom-nonzeros", "1", "--precision", "float32"),
                    model(nodl, "--max-atoms", "4", "--center", "--slim")]
    yield "options", [b"{}", b'{"batch_size": 20, "lambda": 0.1, "coder": "cd", "center": true}']


def main(nodl, folder):
    for name, files in seeds(nodl):
        corpus = pathlib.Path(folder, name)
        corpus.mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(files):
            choices = CHOICES if name not in ("model", "options") else [None]
            for choice in choices:
                front = b"" if choice is None else bytes([choice])
                pathlib.Path(corpus, f"seed{i}-{choice}").write_bytes(front + data)


if __name__ == "__main__":
    main(*sys.argv[1:])
