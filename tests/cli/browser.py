"""Opens a page in headless Chromium and asks it questions."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium")

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--enable-logging=stderr",
    "--virtual-time-budget=10000",
    "--window-size=1000,1400",
]

# Runs `question`, which returns something that JSON can hold, after the page's own scripts.
ASK = """
<script>
window.addEventListener("load", async () => {
  const answer = document.createElement("pre");
  answer.id = "answer";
  try {
    answer.textContent = JSON.stringify(await (async () => { %s })());
  } catch (error) {
    answer.textContent = JSON.stringify({ failed: String(error) });
  }
  document.body.append(answer);
});
</script>
</body>
"""


class Answer:
    def __init__(self, value, dom, messages):
        self.value = value
        self.dom = dom
        self.messages = messages  # what the page wrote to the console, errors included


def ask(page, question, theme="light"):
    """What the JavaScript function body `question` returns on the page."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "page.html")
        before, _, after = text.rpartition("</body>")
        copy.write_text(before + ASK % question + after, encoding="utf-8")
        run = subprocess.run(
            [CHROMIUM, *FLAGS, f"--user-data-dir={folder}/profile", "--dump-dom", f"{copy.as_uri()}#{theme}"],
            capture_output=True,
            text=True,
            timeout=120,
        )
    found = re.search(r'<pre id="answer">(.*?)</pre>', run.stdout, re.DOTALL)
    if not found:
        raise AssertionError(f"the page did not answer:\n{run.stderr[-2000:]}")
    messages = [line for line in run.stderr.splitlines() if ":CONSOLE" in line]
    return Answer(json.loads(html.unescape(found.group(1))), run.stdout, messages)
