"""nodl reproduce: studies, their cache, their page. NODL names the program."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import browser
from program import DATA, NODL, USAGE, Program
from test_report import LOOK, Page, needs_chromium


def fake_images(folder, side, samples):
    """Smooth blobs with the names of the paper's sets."""
    rng = np.random.default_rng(side)
    y, x = np.mgrid[0:side, 0:side] / side
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for name in ["oxford", "flowers", "animals"]:
        for split in ["train", "test"]:
            a, b, c = rng.random((3, samples, 1, 1))
            image = np.exp(-((x - a) ** 2 + (y - b) ** 2) / (0.02 + 0.2 * c)) * 200
            np.save(folder / "images" / f"{name}_{split}_{side}.npy",
                    (image + rng.integers(0, 50, image.shape)).astype(np.uint8).reshape(samples, -1))


class Synthetic(Page):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name, "out")
        run = subprocess.run([NODL, "reproduce", "5", "16", "--quick", "--output", cls.folder, "--seeds", "2", "--json",
                              "--progress", "on"],
                             capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        cls.results = json.loads(run.stdout)
        cls.progress = run.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def verdict(self, claim, preset):
        return next(c["verdict"] for c in self.results["claims"] if (c["id"], c["preset"]) == (claim, preset))

    def test_lemma_1_and_the_main_claim_hold(self):
        for preset in ["paper", "released"]:
            self.assertEqual(self.verdict("lemma-1", preset), "holds")
            self.assertEqual(self.verdict("synthetic-new", preset), "holds")

    def test_claims_without_runs_have_no_verdict(self):
        self.assertEqual(self.verdict("nodl-beats-odl-old", "paper"), "not tested")

    def test_results_name_what_could_not_be_compared(self):
        for claim in self.results["claims"]:
            for check in claim["checks"]:
                self.assertIsInstance(check["not_comparable"], list)
                self.assertLessEqual(len(check["untested"]), len(check["not_comparable"]))

    def test_table_of_verdicts_for_the_documentation(self):
        script = pathlib.Path(__file__).parents[2] / "scripts" / "verdicts"
        table = subprocess.run([sys.executable, script, self.folder / "results.json"], capture_output=True, text=True)
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertRegex(table.stdout, r"\| holds \|.*\(.*; \d+ of \d+\)")

    def test_one_page_and_the_results_beside_it(self):
        self.assertEqual([p.name for p in self.folder.rglob("*.html")], ["report.html"])
        self.assertEqual(json.loads((self.folder / "results.json").read_text()), self.results)

    def test_progress_says_how_far_it_is(self):
        self.assertRegex(self.progress, r"0 of \d+ runs\n")
        self.assertRegex(self.progress, r"(\d+) of \1 runs")

    def test_seeds_give_intervals(self):
        curve = next(c for c in self.results["curves"] if c["curve"] == "NODL (sparse)")
        number = curve["points"][0]["numbers"]["pearson.second"]
        self.assertEqual(len(number["values"]), 2)
        self.assertGreater(number["half_width"], 0)

    def test_again_takes_no_run(self):
        before = {p: p.stat().st_mtime_ns for p in (self.folder / "runs").iterdir()}
        run = subprocess.run([NODL, "reproduce", "5", "16", "--quick", "--output", self.folder, "--seeds", "2",
                              "--progress", "on"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0)
        self.assertEqual({p: p.stat().st_mtime_ns for p in (self.folder / "runs").iterdir()}, before)
        self.assertIn("were there", run.stderr)

    def test_report_makes_the_page_again(self):
        page = self.folder.parent / "again.html"
        subprocess.run([NODL, "report", self.folder, "--output", page], check=True)
        self.assertEqual(page.read_bytes(), (self.folder / "report.html").read_bytes())

    @needs_chromium
    def test_page_shows_verdicts_and_figures(self):
        answer = browser.ask(self.folder / "report.html", LOOK)
        # Four charts of Fig. 5 and three of each half of Fig. 16, for two presets; supports of D for two methods
        # and two presets, and the two domains.
        self.check(answer, charts=2 * (4 + 2 * 3), pictures=4 + 2)
        verdicts = browser.ask(self.folder / "report.html",
                               'return Array.from(document.querySelectorAll(".verdict"), (v) => v.textContent)').value
        self.assertGreater(verdicts.count("holds"), 4)
        link = browser.ask(self.folder / "report.html", """
          const link = document.querySelector("a.download");
          return { name: link.download, text: await (await fetch(link.href)).text() }""").value
        self.assertEqual(link["name"], "synthetic.csv")
        self.assertIn("paper,\"\",\"NODL (sparse)\",25,pearson.second,", link["text"])

    @needs_chromium
    def test_page_is_dark_where_asked(self):
        answer = browser.ask(self.folder / "report.html", LOOK, "dark")
        self.assertEqual((answer.messages, answer.value["theme"]), ([], "dark"))


class Data(Program):
    def test_interrupted_study_goes_on(self):
        arguments = [NODL, "reproduce", "5", "--quick", "--output", self.path("out"), "--threads", "1", "--progress", "on"]
        run = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        runs = self.path("out") / "runs"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (runs.is_dir() and any(runs.glob("*.json"))):
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
        run.wait()
        done = {p.name: p.read_bytes() for p in runs.glob("*.json")}
        self.assertGreater(len(done), 0)
        self.assertFalse((self.path("out") / "report.html").exists())
        again = self.nodl(*arguments[1:])
        self.assertIn(f"({len(done)} were there)", again.err)
        for name, text in done.items():
            self.assertEqual((runs / name).read_bytes(), text)

    def test_reads_the_folder_of_images(self):
        fake_images(self.path("data"), 32, 420)
        run = self.json("reproduce", "--quick", "--data", self.path("data"), "--output", self.path("out"),
                        "--preset", "released", "19")
        curves = {c["curve"] for c in run["curves"]}
        self.assertEqual(curves, {"NODL", "ODL", "ODL*"})
        for curve in run["curves"]:
            for point in curve["points"]:
                self.assertGreater(point["numbers"]["pearson.flowers"]["mean"], 0)
        page = (self.path("out") / "report.html").read_text()
        self.assertIn("Everything is run with preset `released`", page)
        self.assertIn("nodl reproduce 19 --data DIR --preset released --quick", page)
        for text in ["run twice", "preset paper", "preset `paper`"]:
            self.assertNotIn(text, page)

    def test_reads_words_that_prepare_text_counted(self):
        letters = "abcdefghijkl"
        for text, first in [("ml", "m"), ("it", "i"), ("neuro", "n")]:
            words = ["".join([first, *(letters[n // 12 ** k % 12] for k in range(3))]) for n in range(1700)]
            lines = [" ".join(words[i:i + 10]) for i in range(0, len(words), 5)]
            self.path(text + ".txt").write_text("\n".join(lines))
        matrix = self.path("data") / "nlp" / "cooccurrence.mtx"
        matrix.parent.mkdir(parents=True)
        texts = [self.path(name + ".txt") for name in ["ml", "it", "neuro"]]
        self.nodl("prepare", "text", *texts, "--output", matrix)
        study = ["reproduce", "4", "--quick", "--data", self.path("data"), "--output", self.path("out"), "--preset", "paper"]
        run = self.json(*study)
        self.assertIn("ODL (dense)", {c["curve"] for c in run["curves"]})
        matrix.with_name("vocabulary.tsv").unlink()
        self.assertIn("vocabulary.tsv: is missing", self.nodl(*study, code=DATA).err)

    def test_of_all_and_ours_what_has_no_data_is_left_out_and_named(self):
        for figures in [["ours"], ["16", "all"]]:
            run = self.nodl("reproduce", *figures, "--quick", "--preset", "paper", "--output", self.path("out"))
            self.assertRegex(run.err, r"nodl: left out: Ours needs --data DIR with ")
            setting = json.loads((self.path("out") / "results.json").read_text())["setting"]
            self.assertIn("return", setting["studies"])
            self.assertNotIn("residual-births", setting["studies"])
        for figures in [["ours", "residual-births"], ["all", "2"]]:  # asked for by name or number
            self.nodl("reproduce", *figures, "--quick", "--output", self.path("out"), code=DATA)

    def test_says_what_is_missing_and_how_to_get_it(self):
        run = self.nodl("reproduce", "2", "--quick", "--output", self.path("out"), code=DATA)
        for part in ["--data DIR", "animals_train_32.npy", "vgg/data/oxbuildings", "nodl prepare images"]:
            self.assertIn(part, run.err)
        run = self.nodl("reproduce", "4", "--data", self.path("nowhere"), "--output", self.path("out"), code=DATA)
        self.assertIn("nodl prepare text", run.err)
        run = self.nodl("reproduce", "27", "--output", self.path("out"), code=USAGE)
        figures = ", ".join(map(str, range(1, 27)))
        self.assertRegex(run.err, rf"\Anodl: there is no figure 27; there are {figures}, [a-z, -]+, ours and all\n\Z")
        names = run.err.split("26, ")[1].split(", ours")[0].split(", ")
        self.assertEqual(names, sorted(names))
        self.assertFalse(self.path("out").exists())


if __name__ == "__main__":
    unittest.main()
