"""Report pages, looked at in headless Chromium. NODL names the program."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

import browser
from program import SANITIZED

NODL = os.environ.get("NODL", "nodl")

# Everything that a reader would miss if it were not there.
LOOK = """
  const ink = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return colours.size;
  };
  const wide = Array.from(document.querySelectorAll("main *")).filter(
    (e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, details, .u-over, .u-under"));
  return {
    title: document.querySelector("h1").textContent,
    theme: document.documentElement.dataset.theme,
    background: getComputedStyle(document.body).backgroundColor,
    drawn: Number(document.documentElement.dataset.drawn),
    error: document.documentElement.dataset.error || null,
    canvases: Array.from(document.querySelectorAll("canvas"), ink),
    headings: Array.from(document.querySelectorAll("h3"), (h) => h.textContent),
    rows: Array.from(document.querySelectorAll("table.data tbody tr"),
                     (row) => Array.from(row.cells, (cell) => cell.textContent)),
    facts: Object.fromEntries(Array.from(document.querySelectorAll(".facts > div"),
                     (d) => [d.querySelector("dt").textContent, d.querySelector("dd").firstChild.textContent])),
    wide: wide.map((e) => e.className || e.tagName),
    foreign: Array.from(document.querySelectorAll("[src], link[href]"), (e) => e.src || e.href),
  };
"""

# Hides a line by its name in the legend, zooms, and changes the theme.
USE = """
  const legend = document.querySelector(".u-legend");
  const name = legend.querySelectorAll("tr")[1];
  name.querySelector("th").click();
  const hidden = name.classList.contains("u-off");
  name.querySelector("th").click();
  const shown = !name.classList.contains("u-off");
  const ticks = document.querySelectorAll(".u-over").length;

  const over = document.querySelector(".u-over");
  const box = over.getBoundingClientRect();
  const mouse = (type, share) => over.dispatchEvent(new MouseEvent(type, {
    bubbles: true, clientX: box.left + share * box.width, clientY: box.top + box.height / 2, button: 0,
    buttons: 1, movementX: 1 }));  // uPlot ignores moves that do not move
  const tick = () => new Promise((done) => setTimeout(done, 50));
  const picture = () => document.querySelector(".uplot canvas").toDataURL();
  // Frames come when the machine finds time for them: drag until one shows the zoom.
  const drag = async () => {
    const before = picture();
    mouse("mousemove", 0.2);
    mouse("mousedown", 0.2);
    mouse("mousemove", 0.6);
    await tick();
    document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, clientX: box.left + 0.6 * box.width, clientY: box.top + 5 }));
    for (let wait = 0; wait < 10 && picture() === before; ++wait) await tick();
    return picture() !== before;
  };
  let zoomed = false;
  for (let attempt = 0; attempt < 10 && !zoomed; ++attempt) {
    await tick();
    zoomed = await drag();
  }
  mouse("mousemove", 0.5);
  await tick();
  const hover = legend.querySelectorAll(".u-value")[1].textContent;

  const theme = document.documentElement.dataset.theme;
  document.getElementById("theme").click();
  return { hidden, shown, zoomed, hover, ticks, changed: theme !== document.documentElement.dataset.theme };
"""


def nodl(*arguments, code=0):
    run = subprocess.run([NODL, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != code:
        raise AssertionError(f"{arguments}: exit code {run.returncode}, expected {code}\n{run.stderr}")
    return run


def needs_chromium(test):
    return unittest.skipUnless(browser.CHROMIUM, "chromium is not installed")(test)


class Page(unittest.TestCase):
    def check(self, answer, charts, pictures):
        self.assertEqual(answer.messages, [])
        look = answer.value
        self.assertIsNone(look["error"])
        self.assertEqual(look["drawn"], charts + pictures)
        self.assertEqual(len(look["canvases"]), charts + pictures)
        for colours in look["canvases"]:
            self.assertGreater(colours, 1, "a canvas is empty")
        self.assertEqual(look["foreign"], [], "the page needs other files")
        self.assertEqual(look["wide"], [], "something sticks out to the right")


class RunReport(Page):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        data = cls.folder / "data"
        nodl("generate", "two-domain", "--kind", "latent", "--dimension", 120, "--nonzeros", 15,
             "--samples", 300, "--output", data)
        cls.events = cls.folder / "run.jsonl"
        cls.model = cls.folder / "m.nodl"
        nodl("train", data / "first_train.npy", data / "second_train.npy", "--model", cls.model,
             "--events", cls.events, "--batch-size", 20)
        cls.page = cls.folder / "report.html"
        nodl("report", cls.events, "--model", cls.model, "--output", cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @needs_chromium
    def test_draws_everything(self):
        answer = browser.ask(self.page, LOOK)
        for title in ["How well samples are represented", "Size of the dictionary", "Births and deaths",
                      "Where the time went", "Seconds per batch, by stage"]:
            self.assertIn(title, answer.value["headings"])
        pictures = answer.value["headings"].count("Where the atoms live")
        uses = answer.value["headings"].count("Who does the work")
        self.check(answer, charts=4 + uses, pictures=pictures)
        self.assertEqual(answer.value["facts"]["Samples"], "600")

    @needs_chromium
    def test_numbers_are_those_of_the_events(self):
        batches = [e for e in map(json.loads, self.events.read_text().splitlines()) if e["event"] == "batch"]
        facts = browser.ask(self.page, LOOK).value["facts"]
        self.assertEqual(facts["Atoms"], str(batches[-1]["atoms"]))
        self.assertEqual(facts["Births"], str(sum(e["born"] for e in batches)))
        self.assertEqual(facts["Deaths"], str(sum(e["died"] for e in batches)))

    @needs_chromium
    def test_dark_is_dark(self):
        light = browser.ask(self.page, LOOK, "light").value
        dark = browser.ask(self.page, LOOK, "dark")
        self.assertEqual(dark.messages, [])
        self.assertEqual((light["theme"], dark.value["theme"]), ("light", "dark"))
        self.assertNotEqual(light["background"], dark.value["background"])

    @needs_chromium
    def test_reader_can_hide_zoom_hover_and_change_the_theme(self):
        answer = browser.ask(self.page, USE)
        self.assertEqual(answer.messages, [])
        for deed in ["hidden", "shown", "zoomed", "changed"]:
            self.assertTrue(answer.value[deed], f"{deed}: {answer.value}")
        self.assertRegex(answer.value["hover"], r"^−?[01]\.\d{3}$")

    @needs_chromium
    def test_works_without_a_model(self):
        page = self.folder / "events-only.html"
        nodl("report", self.events, "--output", page)
        self.check(browser.ask(page, LOOK), charts=4, pictures=0)

    @needs_chromium
    def test_shows_atoms_as_pictures_and_by_their_words(self):
        page = self.folder / "atoms.html"
        words = self.folder / "words.tsv"
        words.write_text("".join(f"{i + 1}\tword{i}\ttext\n" for i in range(120)))
        nodl("report", self.events, "--model", self.model, "--shape", "10x12", "--vocabulary", words, "--output", page)
        answer = browser.ask(page, LOOK)
        atoms = int(answer.value["facts"]["Atoms"])
        self.assertEqual((answer.messages, answer.value["error"]), ([], None))
        self.assertEqual(len([c for c in answer.value["canvases"] if c > 1]), len(answer.value["canvases"]))
        self.assertEqual(len(answer.value["rows"]), min(atoms, 100))
        self.assertRegex(answer.value["rows"][0][0], r"^(−?word\d+ ?)+$")
        uses = [int(row[3].replace("\u202f", "")) for row in answer.value["rows"]]
        self.assertEqual(uses, sorted(uses, reverse=True))

    def test_shape_and_vocabulary_must_fit_the_model(self):
        page = self.folder / "none.html"
        nodl("report", self.events, "--model", self.model, "--shape", "10x10", "--output", page, code=3)
        nodl("report", self.events, "--model", self.model, "--shape", "ten", "--output", page, code=2)
        nodl("report", self.events, "--shape", "10x12", "--output", page, code=2)
        empty = self.folder / "empty.tsv"
        empty.touch()
        for words, said in [(empty, "is empty"), (self.folder, "cannot be read"),
                            (self.folder / "no.tsv", "cannot be read")]:
            run = nodl("report", self.events, "--model", self.model, "--vocabulary", words, "--output", page, code=3)
            self.assertEqual(run.stderr, f"nodl: {words}: {said}\n")
        self.assertFalse(page.exists())

    def test_says_which_line_is_no_event(self):
        events = self.folder / "broken.jsonl"
        events.write_text(self.events.read_text() + "oops\n")
        run = nodl("report", events, "--output", self.folder / "none.html", code=3)
        self.assertRegex(run.stderr, r"\Anodl: \S+broken.jsonl, line \d+: expected an event of `nodl train --events`: "
                                     r"parse error at [^\n]+\n\Z")

    @needs_chromium
    def test_a_name_cannot_break_out_of_the_page(self):
        name = '</script><script>document.title = "broken"</script><!--'
        lines = self.events.read_text().splitlines()
        events = self.folder / "evil.jsonl"
        with events.open("w") as file:
            for i, line in enumerate(lines):
                event = json.loads(line)
                if "input" in event:
                    event["input"] = name if i % 2 else name + "2"
                file.write(json.dumps(event) + "\n")
        page = self.folder / "evil.html"
        nodl("report", events, "--output", page)
        answer = browser.ask(page, "return document.title")
        self.assertEqual((answer.value, answer.messages), ("Training run", []))

    @needs_chromium
    def test_long_runs_become_a_bounded_page(self):
        event = json.loads(self.events.read_text().splitlines()[0])
        events = self.folder / "long.jsonl"
        with events.open("w") as file:
            for i in range(1, 5002):
                event.update(batch=i, samples=10, born=1, died=1)
                file.write(json.dumps(event) + "\n")
        page = self.folder / "long.html"
        nodl("report", events, "--output", page)
        answer = browser.ask(page, LOOK)
        self.check(answer, charts=4, pictures=0)
        self.assertEqual(answer.value["facts"]["Samples"], "50\u202f010")
        self.assertEqual(answer.value["facts"]["Births"], "5001")
        self.assertLess(page.stat().st_size, 1_000_000)

    def test_half_a_last_line_is_left_out(self):
        events = self.folder / "killed.jsonl"
        events.write_text(self.events.read_text() + '{"event": "batch", "ba')
        nodl("report", events, "--output", self.folder / "killed.html")

    def test_says_what_is_wrong_with_the_events(self):
        events = self.folder / "bad.jsonl"
        events.write_text('{"event": "birth", "batch": 1, "id": 3}\nnonsense\n{"event": "batch"}\n')
        page = self.folder / "none.html"
        run = nodl("report", events, "--output", page, code=3)
        self.assertIn(f"{events}, line 2", run.stderr)
        run = nodl("report", self.folder / "missing.jsonl", "--output", page, code=3)
        self.assertIn("missing.jsonl", run.stderr)
        events.write_text("")
        nodl("report", events, "--output", page, code=3)
        nodl("report", self.events, "--model", self.events, "--output", page, code=4)
        self.assertFalse(page.exists())

    def test_the_page_replaces_no_input(self):
        before = self.events.read_bytes()
        run = nodl("report", self.events, "--output", self.events, code=2)
        self.assertIn("--output would replace", run.stderr)
        self.assertEqual(self.events.read_bytes(), before)

    def test_leaves_the_old_page_if_the_new_one_cannot_be_written(self):
        nodl("report", self.events, "--output", self.folder / "no" / "such" / "page.html", code=5)
        nodl("report", code=2)


class Demo(Page):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name, "made", "for", "it")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cls.result = json.loads(nodl("demo", "--json", "--output", cls.folder).stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cls.cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @unittest.skipIf(SANITIZED, "sanitizers take their time")
    def test_takes_less_than_a_minute(self):
        self.assertLess(self.cpu_seconds, 60)

    def test_fixed_size_loses_new_domains_and_nodl_keeps_all(self):
        odl, nodl_run, *others = self.result["runs"]
        self.assertEqual((odl["name"], nodl_run["name"]), ("odl", "nodl"))
        for domain in ["first", "second", "third"]:
            self.assertGreater(nodl_run["pearson"][domain], 0.95)
        self.assertGreater(odl["pearson"]["first"], 0.95)
        self.assertEqual(odl["pearson"]["second"], 0)  # Lemma 1
        self.assertEqual(odl["pearson"]["third"], 0)
        for run in [odl, *others]:
            self.assertGreaterEqual(run["atoms"], nodl_run["atoms"])  # fair: never the smaller one
            self.assertLess(run["pearson"]["third"], nodl_run["pearson"]["third"] - 0.1)
            self.assertEqual((run["births"], run["deaths"]), (0, 0))
        self.assertGreater(nodl_run["births"], 0)
        self.assertGreater(nodl_run["deaths"], 0)

    @needs_chromium
    def test_page_shows_the_course_and_the_table(self):
        answer = browser.ask(self.folder / "report.html", LOOK)
        self.check(answer, charts=5, pictures=2)
        rows = answer.value["rows"]
        self.assertEqual(len(rows), len(self.result["runs"]))
        for row, run in zip(rows, self.result["runs"]):
            self.assertIn(run["name"], row[0])
            shown = [f"{run['pearson'][d]:.3f}".replace("-", "−")
                     for d in ["first", "second", "third"]]
            self.assertEqual(row[1:4], shown)
            self.assertEqual(row[4:7], [str(run[n]) for n in ["atoms", "births", "deaths"]])

    @needs_chromium
    def test_page_can_be_used(self):
        answer = browser.ask(self.folder / "report.html", USE, "dark")
        self.assertEqual(answer.messages, [])
        for deed in ["hidden", "shown", "zoomed", "changed"]:
            self.assertTrue(answer.value[deed], f"{deed}: {answer.value}")


if __name__ == "__main__":
    unittest.main()
