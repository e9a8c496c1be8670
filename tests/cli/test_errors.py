"""docs/ERRORS.md, row by row: what nodl says, its exit code, and that the model that was there is as it was."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from model_bytes import Model
from program import NODL, SANITIZED, Program, domain

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "ERRORS.md"
NOBODY = 65534


def table(heading):
    """The rows below a heading: their cells, by the first."""
    part = DOCUMENT.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in part.splitlines()
            if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows[1:]}


REFUSED, FINE = {}, {}


def refused(what):
    return lambda scenario: REFUSED.setdefault(what, scenario)


def fine(what):
    return lambda scenario: FINE.setdefault(what, scenario)


class Scenario(Program):
    """A good input x.npy and a good model m.nodl, in a folder of their own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ready = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.ready)
        np.save(cls.ready / "x.npy", domain(0, 60))
        subprocess.run([NODL, "train", cls.ready / "x.npy", "--model", cls.ready / "m.nodl", "--atoms", "8",
                        "--batch-size", "20", "--max-births", "5"], check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        self.x, self.model = self.path("x.npy"), self.path("m.nodl")
        shutil.copy(self.ready / "x.npy", self.x)
        shutil.copy(self.ready / "m.nodl", self.model)

    def start(self, *arguments, **settings):
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **settings}
        return subprocess.run([NODL, *map(str, arguments)], **settings)

    def over(self, *inputs, **settings):
        """Training that would replace the model."""
        return self.start("train", *inputs, "--model", self.model, **settings)

    def file(self, name, data):
        self.path(name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def npy(self, array, name="bad.npy"):
        np.save(self.path(name), array, allow_pickle=True)
        return self.path(name)

    def as_nobody(self):
        """For root everything is allowed."""
        if os.getuid() == 0:
            self.folder.chmod(0o755)
            os.setgroups([])
            return {"user": NOBODY, "group": NOBODY}
        return {}


def with_addresses(limit):
    # Where liblinear loads OpenBLAS, that takes 128 MB a thread at once, or waits for them for ever.
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            "env": {**os.environ, "OPENBLAS_NUM_THREADS": "1"}, "timeout": 120}


@refused("an empty file")
def _(s):
    return s.over(s.file("bad.npy", ""))


@refused("an empty text file")
def _(s):
    return s.over(s.file("bad.csv", ""))


@refused("a header and no data")
def _(s):
    data = s.npy(np.ones((5, 24))).read_bytes()
    return s.over(s.file("bad.npy", data[:128]))


@refused("column names and no data")
def _(s):
    return s.over(s.file("bad.csv", "a,b,c\n"))


@refused("a file that is cut off")
def _(s):
    data = s.npy(np.ones((5, 24))).read_bytes()
    return s.over(s.file("bad.npy", data[:-8]))


@refused("a file of another kind than its name says")
def _(s):
    return s.over(s.file("bad.npy", "1,2,3\n4,5,6\n" * 9))


@refused("a name that tells no format")
def _(s):
    return s.over(s.file("bad.dat", "1,2,3\n"))


@refused("Python objects")
def _(s):
    return s.over(s.npy(np.array([[1, None]], object)))


@refused("complex numbers")
def _(s):
    return s.over(s.npy(np.ones((5, 24), complex)))


@refused("no samples")
def _(s):
    return s.over(s.npy(np.ones((0, 24))))


@refused("samples without numbers")
def _(s):
    return s.over(s.npy(np.ones((5, 0))))


@refused("rows of different widths")
def _(s):
    return s.over(s.file("bad.csv", "1,2,3\n4,5,6\n7,8\n"))


@refused("inputs of different widths")
def _(s):
    return s.over(s.x, s.npy(np.ones((5, 7))))


@refused("a value that is no number")
def _(s):
    return s.over(s.file("bad.csv", "1,2,3\n4,oops,6\n"))


@refused("a value that is not finite")
def _(s):
    x = domain(0, 60)
    x[41, 2] = np.nan
    return s.over(s.npy(x))


@refused("values of 1e300")
def _(s):
    x = domain(0, 60)
    x[41] *= 1e300
    return s.over(s.npy(x))


@refused("atoms of 1e300")
def _(s):
    return s.start("import", s.npy(np.full((2, 24), 1e300)), "--output", s.model)


@refused("codes too large for their sample")
def _(s):
    codes = np.full((5, 1 + s.json("info", s.model)["atoms"]), 1.0)
    codes[3] = 1.7e308
    return s.start("decode", s.npy(codes), "--model", s.model, "--output", s.path("r.npy"))


@refused("no sample that can be used")
def _(s):
    return s.over(s.npy(np.full((5, 24), np.nan)), "--bad-rows", "skip")


@refused("a model in the place of an input")
def _(s):
    return s.start("train", s.x, "--from", s.model, "--model", s.x)


@refused("two outputs in one file")
def _(s):
    return s.over(s.x, "--events", s.model)


@refused("values beyond float32 in float32")
def _(s):
    x = domain(0, 60)
    x[41] = 1e39
    return s.over(s.npy(x), "--precision", "float32")


@refused("data of another width than the model's")
def _(s):
    return s.start("encode", s.npy(np.ones((5, 7))), "--model", s.model, "--output", s.path("c.npz"))


@refused("an input that is not there")
def _(s):
    return s.over(s.path("none.npy"))


@refused("an input that may not be read")
def _(s):
    s.x.chmod(0)
    return s.over(s.x, **s.as_nobody())


@refused("a pipe that ends in the middle of the data")
def _(s):
    with open(s.file("part", s.x.read_bytes()[:5000])) as part:
        return s.over("-", "--format", "npy", stdin=part)


@refused("a pipe of unknown format")
def _(s):
    return s.over("-", stdin=subprocess.DEVNULL)


@refused("no full batch where the rest is dropped")
def _(s):
    return s.over(s.npy(domain(0, 19)), "--batch-size", 20, "--last-batch", "drop")


@refused("a model that is not there")
def _(s):
    return s.start("info", s.path("none.nodl"))


@refused("a file that is no model")
def _(s):
    return s.start("info", s.x)


@refused("a model that is cut off")
def _(s):
    return s.start("info", s.file("bad.nodl", s.model.read_bytes()[:-64]))


@refused("a damaged model")
def _(s):
    data = bytearray(s.model.read_bytes())
    data[-100] ^= 1
    return s.start("train", s.x, "--from", s.file("bad.nodl", bytes(data)), "--model", s.model)


@refused("a model of a later version")
def _(s):
    later = Model(s.model.read_bytes())
    later.version = 2
    return s.start("info", s.file("bad.nodl", later.to_bytes()))


@refused("learning on from a slim model")
def _(s):
    s.nodl("export", s.model, "--slim", "--output", s.path("slim.nodl"))
    return s.over(s.x, "--from", s.path("slim.nodl"))


@refused("an unknown flag")
def _(s):
    return s.over(s.x, "--code-nonzero", 3)


@refused("an unknown command")
def _(s):
    return s.start("trian", s.x)


@refused("a flag out of range")
def _(s):
    return s.over(s.x, "--batch-size", 0)


@refused("no atoms")
def _(s):
    return s.over(s.x, "--atoms", 0)


@refused("a name that is none of the names")
def _(s):
    return s.over(s.x, "--coder", "lasso")


@refused("a seed that is too large")
def _(s):
    return s.over(s.x, "--seed", 2 ** 64)


@refused("a memory that fades, and not how fast")
def _(s):
    return s.over(s.x, "--memory", "half-life")


@refused("two evaluation sets of one name")
def _(s):
    return s.over(s.x, "--eval", f"a={s.x}", "--eval", "a=other.npy")


@refused("a pipe as an evaluation set")
def _(s):
    os.mkfifo(s.path("p.csv"))
    return s.over(s.x, "--eval", f"a={s.path('p.csv')}", timeout=60)


@refused("a value of another kind")
def _(s):
    return s.over(s.x, "--atoms", "many")


@refused("flags that contradict each other")
def _(s):
    return s.over(s.x, "--coder", "omp", "--lambda", 1)


@refused("a memory limit below what the first atoms take")
def _(s):
    return s.over(s.x, "--memory-limit", "64K")


@refused("a config file that is no JSON")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", "{"))


@refused("a number in a config file that no float64 holds")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", '{"lambda": 1e999}'))


@refused("an empty config file")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", ""))


@refused("a config file that is nested too deeply")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", '{"rows": ' + 200000 * "[" + 200000 * "]" + "}"))


@refused("a key that stands twice in a config file")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", '{"seed": 1, "seed": 2}'))


@refused("a value out of range in a config file")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", '{"batch_size": 0}'))


@refused("a negated name in a config file")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", '{"no_refit": true}'))


@refused("a flag's value in a config file")
def _(s):
    return s.over(s.x, "--config", s.file("c.json", '{"threads": "many"}'))


@refused("a whole number that is none")
def _(s):
    return s.over(s.x, "--checkpoint-every", "abc")


@refused("other initial atoms than those of the model")
def _(s):
    return s.over(s.x, "--from", s.model, "--atoms", 20)


@refused("nothing to code")
def _(s):
    return s.start("encode", s.x, "--model", s.model, "--output", s.path("c.npz"), "--rows", "5:5")


@refused("nothing to import")
def _(s):
    return s.start("import", s.x, "--output", s.model, "--rows", "0:0")


@refused("an export in the place of its model")
def _(s):
    return s.start("export", s.model, "--output", s.model)


def report_with_words(s, words):
    s.start("train", s.x, "--model", s.path("r.nodl"), "--events", s.path("e.jsonl"))
    return s.start("report", s.path("e.jsonl"), "--model", s.model, "--vocabulary", words, "--output", s.path("r.html"))


@refused("a vocabulary without words")
def _(s):
    return report_with_words(s, s.file("words.txt", ""))


@refused("a folder as vocabulary")
def _(s):
    s.path("words").mkdir()
    return report_with_words(s, s.path("words"))


@refused("counts of words under a name that is not .mtx or .npz")
def _(s):
    return s.start("prepare", "text", s.file("t.txt", "some words of a text"), "--output", s.path("c.npy"))


@refused("a slim model under a name that is not .nodl")
def _(s):
    return s.start("export", s.model, "--slim", "--output", s.path("d.csv"))


@refused("a text that is none")
def _(s):
    return s.start("prepare", "text", s.x, "--output", s.path("c.mtx"))


@refused("pictures under a name that is not .npy")
def _(s):
    return s.start("prepare", "images", s.folder, "--size", "8x8", "--output", s.path("p.csv"))


@refused("a device in the place of the model")
def _(s):
    return s.start("train", s.x, "--model", "/dev/null")


@refused("a name too long for a model that is being written")
def _(s):
    return s.start("train", s.x, "--model", s.path(245 * "m" + ".nodl"))


@refused("resuming with another option")
def _(s):
    return s.over(s.x, "--resume", "--seed", 3, "--atoms", 8, "--batch-size", 20, "--max-births", 5)


@refused("a folder that is not there")
def _(s):
    return s.start("train", s.x, "--model", s.path("none/m.nodl"))


@refused("a folder that may not be written to")
def _(s):
    settings = s.as_nobody()
    s.folder.chmod(0o555)
    return s.over(s.x, **settings)


@refused("a full disk")
def _(s):
    """A disk of the size that is in use, or files that must not grow where none can be made."""
    wide = ["--atoms", 200, "--max-births", 0, "--group-penalty", 0]
    disk = s.path("disk")
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "nodl-test", disk], capture_output=True)
    if made.returncode == 0:
        try:
            shutil.copy(s.model, disk / "m.nodl")
            run = s.start("train", s.x, *wide, "--model", disk / "m.nodl")
            s.assertEqual((disk / "m.nodl").read_bytes(), s.model.read_bytes())
            s.assertEqual([file.name for file in disk.iterdir()], ["m.nodl"])
        finally:
            subprocess.run(["umount", disk], check=True)
        run.stderr = run.stderr.replace("disk/", "")
        return run
    return s.over(s.x, *wide, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))


@refused("no memory left")
def _(s):
    if SANITIZED:
        s.skipTest("limited address space")
    return s.over(s.x, "--atoms", 20000, "--max-births", 0, **with_addresses(1 << 30))


@refused("a closed standard output")
def _(s):
    return s.start("info", s.model, stdout=None, preexec_fn=lambda: os.close(1))


@refused("a standard output that nobody reads")
def _(s):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return s.start("info", s.model, stdout=writing)
    finally:
        os.close(writing)


@refused("a standard output on a full disk")
def _(s):
    with open("/dev/full", "w") as full:
        return s.start("info", s.model, stdout=full)


class Refused(Scenario):
    def check(self, what):
        code, said = table("Refused")[what]
        before = self.model.read_bytes()
        run = REFUSED[what](self)
        self.folder.chmod(0o755)
        self.assertEqual(run.returncode, int(code), run.stderr)
        line = run.stderr.replace(f"{self.folder}/", "")
        pattern = re.escape(said.strip("`").replace("\\|", "|")).replace(r"\.\.\.", "[^\n]+")
        self.assertRegex(line, rf"\Anodl: {pattern}\n\Z")
        self.assertFalse(run.stdout)
        self.assertEqual(self.model.read_bytes(), before)
        self.assertEqual([file.name for file in self.folder.iterdir() if file.name.endswith(".tmp")], [])

    @unittest.skipIf(SANITIZED, "limited address space")
    def test_little_memory_never_hangs_nor_crashes(self):
        x = self.npy(np.random.default_rng(0).normal(size=(100, 300)))
        codes = set()
        for threads in [1, 4]:
            for megabytes in [64, 72, 80, 100, 120, 200, 400, 1000]:
                before = self.model.read_bytes()
                run = self.over(x, "--atoms", 900, "--max-births", 0, "--threads", threads, "--max-sweeps", 2,
                                "--code-nonzeros", 5, **with_addresses(megabytes << 20))
                codes.add(run.returncode)
                if run.returncode == 0:
                    continue
                self.assertEqual(run.returncode, 5, run.stderr)
                self.assertRegex(run.stderr, r"\Anodl: (out of memory|threads cannot be started: [^\n]+)\n\Z")
                self.assertEqual(self.model.read_bytes(), before)
        self.assertEqual(codes, {0, 5})

    def test_every_row_is_tested(self):
        self.assertEqual(set(table("Refused")), set(REFUSED))
        self.assertEqual(set(table("Odd but fine")), set(FINE))


class Fine(Scenario):
    def learned(self, samples, *flags):
        """Training succeeds and leaves a model of finite numbers that loads, evaluates and encodes."""
        x = self.npy(np.asarray(samples, float))
        run = self.over(x, "--json", *flags)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "")
        result = json.loads(run.stdout)
        self.assertEqual(result["samples"], len(samples))
        for name, section in Model(self.model.read_bytes()).sections.items():
            self.assertTrue(np.isfinite(section.array()).all(), name)
        evaluation = self.json("evaluate", x, "--model", self.model)["inputs"][0]
        for name in ["pearson", "spearman", "mse", "explained_variance", "code_nonzeros"]:
            self.assertTrue(np.isfinite(evaluation[name]), (name, evaluation))
        self.nodl("encode", x, "--model", self.model, "--output", self.path("c.npy"))
        codes = np.load(self.path("c.npy"))
        self.assertTrue(np.isfinite(codes).all())
        return {**result, **evaluation, "codes": codes}


@fine("one sample")
def _(t):
    t.assertEqual(t.learned(domain(0, 1))["batches"], 1)


@fine("fewer samples than a batch")
def _(t):
    t.assertEqual(t.learned(domain(0, 30))["batches"], 1)


@fine("samples of one number")
def _(t):
    for norm in ["raw", "unit", "centered"]:
        t.learned(np.arange(50.0)[:, None] - 20, "--atom-norm", norm)


@fine("more atoms than numbers in a sample")
def _(t):
    t.assertGreater(t.learned(domain(0, 300), "--atoms", 100, "--method", "nodl+")["atoms"], 24)


@fine("more atoms than samples")
def _(t):
    t.assertGreater(t.learned(domain(0, 20), "--atoms", 40, "--method", "nodl+")["atoms"], 20)


def nothing_learned(t, result):
    t.assertEqual((result["births"], result["pearson"], result["code_nonzeros"]), (0, 0, 0))


@fine("nothing but zeros")
def _(t):
    nothing_learned(t, t.learned(np.zeros((50, 24))))


@fine("constant rows")
def _(t):
    result = t.learned(np.outer(np.arange(50), np.ones(24)))
    nothing_learned(t, result)
    np.testing.assert_allclose(result["codes"][:, -1], np.arange(50))  # the column of the means


@fine("equal rows")
def _(t):
    t.assertGreater(t.learned(np.tile(domain(0, 1), (300, 1)))["pearson"], 0.9)


@fine("values of 1e-300")
def _(t):
    nothing_learned(t, t.learned(domain(0, 60) * 1e-300))


@fine("denormal values")
def _(t):
    nothing_learned(t, t.learned(domain(0, 60) * 1e-310))


@fine("large and small values that can be squared")
def _(t):
    usual = t.learned(domain(0, 300))
    for coder in ["lars", "cd", "omp", "threshold"]:
        for scale in [1e138, 1e-138]:
            result = t.learned(domain(0, 300) * scale, "--coder", coder)
            t.assertAlmostEqual(result["pearson"], usual["pearson"], delta=1e-3)
            t.assertAlmostEqual(result["atoms"], usual["atoms"], delta=5)
    for scale in [10.0 ** e for e in range(-165, -135)]:  # through the range where digits get lost
        t.learned(domain(0, 60) * scale)


@fine("the whole range of float32 in float32")
def _(t):
    usual = t.learned(domain(0, 300))
    for scale in [1e37, 1e-37]:
        result = t.learned(domain(0, 300) * scale, "--precision", "float32")
        t.assertAlmostEqual(result["pearson"], usual["pearson"], delta=1e-3)


for number, what in enumerate(REFUSED):
    setattr(Refused, f"test_{number:02}_{re.sub('[^a-z0-9]+', '_', what.lower())}",
            lambda self, what=what: self.check(what))
for number, what in enumerate(FINE):
    setattr(Fine, f"test_{number:02}_{re.sub('[^a-z0-9]+', '_', what.lower())}",
            lambda self, scenario=FINE[what]: scenario(self))


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:  # what each row says, to write the document by
        Scenario.setUpClass()
        for what, scenario in REFUSED.items():
            instance = Refused("test_every_row_is_tested")
            instance.setUp()
            run = scenario(instance)
            instance.folder.chmod(0o755)
            line = run.stderr.replace(f"{instance.folder}/", "").strip().removeprefix("nodl: ").replace("|", "\\|")
            print(f"| {what} | {run.returncode} | `{line}` |")
            instance.doCleanups()
    else:
        unittest.main()
