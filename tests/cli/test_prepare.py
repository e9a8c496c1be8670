"""nodl prepare: pictures and texts to matrices. NODL names the program."""

import gzip
import unittest

import numpy as np
import scipy.io
from PIL import Image

from program import DATA, RESOURCE, USAGE, Program


def picture(width, height, seed):
    """Waves and noise, so that a filter that skips pixels is found out."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = 127 + 90 * np.sin(x / 3 + seed) * np.cos(y / 5)
    return np.clip(waves[..., None] + rng.normal(0, 40, (height, width, 3)), 0, 255).astype(np.uint8)


class Images(Program):
    def setUp(self):
        super().setUp()
        self.photos = self.path("photos")
        (self.photos / "more").mkdir(parents=True)
        for i, (name, size) in enumerate([("a.png", (57, 41)), ("b.JPG", (64, 200)), ("more/c.jpeg", (20, 9)),
                                          ("d.png", (32, 32))]):
            Image.fromarray(picture(*size, i)).save(self.photos / name, "png" if "png" in name else "jpeg")
        Image.fromarray(picture(30, 50, 9)[..., 0]).save(self.photos / "e.jpg")  # grey
        Image.fromarray(np.dstack([picture(30, 50, 9), np.full((50, 30), 7, np.uint8)])).save(self.photos / "f.png")

    def expected(self, name, size):
        image = Image.open(self.photos / name)
        image = image if image.mode == "L" else image.convert("RGB")
        image = image.resize(size, Image.BICUBIC)
        return np.asarray(image if image.mode == "L" else image.convert("L")).reshape(-1)

    def test_gives_the_bytes_of_pillow(self):
        out = self.path("x.npy")
        self.nodl("prepare", "images", self.photos, "--size", "32x20", "--output", out)
        x = np.load(out)
        self.assertEqual((x.dtype, x.shape), (np.uint8, (6, 32 * 20)))
        for row, name in zip(x, ["a.png", "b.JPG", "d.png", "e.jpg", "f.png", "more/c.jpeg"]):
            np.testing.assert_array_equal(row, self.expected(name, (32, 20)), name)

    def test_unreadable_pictures_are_named_and_left_out(self):
        (self.photos / "bad.jpg").write_bytes((self.photos / "b.JPG").read_bytes()[:50])
        (self.photos / "worse.png").write_text("no picture")
        (self.photos / "notes.txt").write_text("not looked at")
        run = self.nodl("prepare", "images", self.photos, "--size", "8x8", "--output", self.path("x.npy"))
        self.assertEqual(np.load(self.path("x.npy")).shape[0], 6)
        self.assertIn("bad.jpg", run.err)
        self.assertIn("worse.png", run.err)
        self.assertNotIn("notes.txt", run.err)

    def test_train_and_test_share_no_picture_and_follow_the_seed(self):
        def draw(seed):
            self.nodl("prepare", "images", self.photos, "--size", "8x8", "--train", 3, "--test", 2, "--seed", seed,
                      "--output", self.path("x_{}_8.npy"))
            return np.load(self.path("x_train_8.npy")), np.load(self.path("x_test_8.npy"))
        train, test = draw(1)
        self.assertEqual((len(train), len(test)), (3, 2))
        self.assertEqual(len({row.tobytes() for row in np.vstack([train, test])}), 5)
        np.testing.assert_array_equal(train, draw(1)[0])
        self.assertTrue(any((train != draw(seed)[0]).any() for seed in range(2, 6)))

    def test_list_gives_names_and_order(self):
        self.path("list").write_text("d.png\na.png\n")
        self.nodl("prepare", "images", self.photos, "--size", "8x8", "--list", self.path("list"),
                  "--output", self.path("x.npy"))
        x = np.load(self.path("x.npy"))
        np.testing.assert_array_equal(x[0], self.expected("d.png", (8, 8)))
        np.testing.assert_array_equal(x[1], self.expected("a.png", (8, 8)))

    def test_says_what_is_wrong(self):
        out = self.path("x.npy")
        self.nodl("prepare", "images", self.photos, "--size", "32", "--output", out, code=USAGE)
        self.nodl("prepare", "images", self.photos, "--size", "8x8", "--train", 3, "--output", out, code=USAGE)
        self.nodl("prepare", "images", self.photos, "--size", "8x8", "--train", 30, "--test", 30, "--output", out,
                  code=DATA)
        self.nodl("prepare", "images", self.path("nowhere"), "--size", "8x8", "--output", out, code=DATA)
        self.assertFalse(out.exists())
        run = self.nodl("prepare", "images", self.photos, "--size", "8x8", "--output", self.path("x.csv"), code=USAGE)
        self.assertIn("x.csv: expected a name that ends in .npy", run.err)
        self.assertFalse(self.path("x.csv").exists())


def count_plainly(texts, general, window=5):
    """Steps 1-5 of the recipe, written as plainly as possible."""
    def tokens(text):
        words = []
        for line in text.splitlines():
            kept = "".join(c for c in line if c == " " or (c.isascii() and c.isalpha())).lower().split()
            words += kept if len(kept) > 3 else []
        return words
    stream = [w for text in texts for w in tokens(text)]
    dropped = {w for text in general for w in tokens(text)}
    vocabulary = [w for w in dict.fromkeys(stream) if w not in dropped]
    index = {w: i for i, w in enumerate(vocabulary)}
    counts = np.zeros((len(vocabulary),) * 2)
    for p, word in enumerate(stream):
        for other in stream[max(0, p - window):p + window + 1]:
            if word in index and other in index:
                counts[index[word], index[other]] += 1
    return vocabulary, counts


class Text(Program):
    ONE = ("Atoms are born when the world changes.\r\nToo short a\nA world-wide web of Atoms, 12 atoms; caf\u00e9 atoms\n"
           "\tthe deaths of atoms make room for atoms\n")
    TWO = "Codes of samples are sparse codes, and the codes change the atoms of the world"
    GENERAL = "the of and are when a for it was"

    def setUp(self):
        super().setUp()
        self.path("one.txt").write_bytes(self.ONE.encode())
        self.path("two.txt.gz").write_bytes(gzip.compress(self.TWO.encode()))
        self.path("general.txt").write_text(self.GENERAL)

    def test_counts_as_the_recipe_says(self):
        out = self.path("c.mtx")
        self.nodl("prepare", "text", self.path("one.txt"), self.path("two.txt.gz"), "--general",
                  self.path("general.txt"), "--output", out)
        vocabulary, counts = count_plainly([self.ONE, self.TWO], [self.GENERAL])
        np.testing.assert_array_equal(scipy.io.mmread(out).toarray(), counts)
        rows = [line.split("\t") for line in self.path("vocabulary.tsv").read_text().splitlines()]
        self.assertEqual([row[1] for row in rows], vocabulary)
        self.assertEqual([int(row[0]) for row in rows], list(range(1, len(vocabulary) + 1)))
        self.assertEqual(rows[0][2], "one")

    def test_says_what_is_wrong(self):
        self.nodl("prepare", "text", self.path("missing.txt"), "--output", self.path("c.mtx"), code=DATA)
        self.nodl("prepare", "text", self.path("general.txt"), "--general", self.path("general.txt"),
                  "--output", self.path("c.mtx"), code=DATA)
        self.assertFalse(self.path("c.mtx").exists())

    def test_what_is_no_text_is_refused(self):
        np.save(self.path("x.npy"), np.ones((5, 4)))
        self.path("z.txt.zst").write_bytes(b"\x28\xb5\x2f\xfd" + 99 * b"words of a text ")
        for file, found in [("x.npy", "the byte 0 at place 8"), ("z.txt.zst", "zstd")]:
            for inputs in [[self.path(file)], [self.path("one.txt"), "--general", self.path(file)]]:
                run = self.nodl("prepare", "text", *inputs, "--output", self.path("c.mtx"), code=DATA)
                self.assertIn(f"{file}: expected text, plain or as .gz, found {found}", run.err)

    def test_outputs_are_checked_before_anything_is_written(self):
        one, out = self.path("one.txt"), self.path("c.mtx")
        run = self.nodl("prepare", "text", one, "--output", out, "--vocabulary", out, code=USAGE)
        self.assertIn("--output and --vocabulary are the same file", run.err)
        for name in ["vocabulary.tsv", "z.npy"]:
            run = self.nodl("prepare", "text", one, "--output", self.path(name), code=USAGE)
            self.assertIn(f"{name}: expected a name that ends in .mtx or .npz\n", run.err)
            self.assertFalse(self.path(name).exists())
        run = self.nodl("prepare", "text", one, "--output", out, "--vocabulary", one, code=USAGE)
        self.assertIn("--vocabulary would replace", run.err)
        self.assertEqual(one.read_bytes(), self.ONE.encode())
        self.nodl("prepare", "text", one, "--output", out, "--vocabulary", self.path("none/v.tsv"), code=RESOURCE)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"one.txt", "two.txt.gz", "general.txt"})

    def test_several_general_texts(self):
        self.path("more.txt").write_text("atoms codes samples world")
        both = [["--general", "general.txt", "more.txt"], ["--general", "general.txt", "--general", "more.txt"]]
        vocabulary, _ = count_plainly([self.ONE], [self.GENERAL, "atoms codes samples world"])
        for general in both:
            names = [name if name.startswith("--") else self.path(name) for name in general]
            self.nodl("prepare", "text", self.path("one.txt"), *names, "--output", self.path("c.mtx"))
            rows = [line.split("\t")[1] for line in self.path("vocabulary.tsv").read_text().splitlines()]
            self.assertEqual(rows, vocabulary)


if __name__ == "__main__":
    unittest.main()
