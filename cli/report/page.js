// Draws the page from the JSON in #data: a title and a list of blocks. report_page.h says what each
// block holds; `blocks` below has one function for each kind.
(() => {
  "use strict";
  const root = document.documentElement;
  const fail = (error) => { root.dataset.error = String(error && error.message || error); };
  window.addEventListener("error", (event) => fail(event.error || event.message));

  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = [];
  let printing = false;

  // --- Elements and numbers

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children.filter((child) => child));
    return node;
  }

  // Text in which `this` is code.
  function prose(tag, text, attributes = {}) {
    const node = element(tag, attributes);
    text.split("`").forEach((part, i) => node.append(i % 2 ? element("code", {}, part) : part));
    return node;
  }

  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();

  function number(value, digits) {
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") return String(value);
    const fixed = digits === undefined
      ? (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))))
      : value.toFixed(digits);
    const [whole, fraction] = fixed.split(".");
    const digitCount = whole.replace("-", "").length;
    const grouped = (digitCount > 4 ? whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f") : whole)
      .replace("-", "−");
    return fraction === undefined ? grouped : grouped + "." + fraction;
  }

  // --- Charts

  function figure(block) {
    return element("figure", {},
      element("h3", {}, block.title),
      block.caption ? prose("p", block.caption, { class: "caption" }) : null);
  }

  // Grey stretches of the x axis with their names above them.
  function drawBands(u, bands) {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top - 18 * ratio, bbox.width, bbox.height + 18 * ratio);
    ctx.clip();
    ctx.font = `${12 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textBaseline = "bottom";
    for (const band of bands) {
      const left = Math.max(u.valToPos(band.from, "x", true), bbox.left);
      const right = Math.min(u.valToPos(band.to, "x", true), bbox.left + bbox.width);
      if (right <= left) continue;
      if (band.shade) {
        ctx.fillStyle = colour("band");
        ctx.fillRect(left, bbox.top, right - left, bbox.height);
      }
      ctx.fillStyle = colour("line");
      ctx.fillRect(Math.round(left), bbox.top - 16 * ratio, ratio, bbox.height + 16 * ratio);
      if (band.label && ctx.measureText(band.label).width < right - left - 8 * ratio) {
        ctx.fillStyle = colour("soft");
        ctx.fillText(band.label, left + 5 * ratio, bbox.top - 3 * ratio);
      }
    }
    ctx.restore();
  }

  // What a line is known to within: between low and high.
  function drawSpreads(u, block) {
    const { ctx, bbox } = u;
    block.series.forEach((s, i) => {
      if (!s.low || !u.series[i + 1].show) return;
      const at = block.x.values.map((_, k) => k).filter((k) => s.low[k] !== null);
      if (at.length === 0) return;
      const x = (k) => u.valToPos(block.x.values[k], "x", true);
      const y = (v) => u.valToPos(v, "y", true);
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.beginPath();
      at.forEach((k, n) => (n ? ctx.lineTo(x(k), y(s.high[k])) : ctx.moveTo(x(k), y(s.high[k]))));
      at.slice().reverse().forEach((k) => ctx.lineTo(x(k), y(s.low[k])));
      ctx.closePath();
      ctx.globalAlpha = 0.18;
      ctx.fillStyle = colour("c" + s.colour);
      ctx.fill();
      ctx.restore();
    });
  }

  function paths(series) {
    if (series.kind === "bars") return uPlot.paths.bars({ size: [0.9, 14], align: 0 });
    if (series.kind === "steps") return uPlot.paths.stepped({ align: 1 });
    if (series.kind === "points") return () => null;
    if (series.kind === "dots") return uPlot.paths.linear();
    return undefined;
  }

  function chartOptions(block, width, shown) {
    const x = block.x.values;
    // Half of the smallest distance on both sides, so that the outer bars are whole.
    let step = Infinity;
    for (let i = 1; i < x.length; ++i) step = Math.min(step, x[i] - x[i - 1]);
    if (step === Infinity) step = 1;
    const axis = (extra) => ({
      stroke: () => colour("soft"),
      font: `12px ${getComputedStyle(document.body).fontFamily}`,
      labelFont: `12px ${getComputedStyle(document.body).fontFamily}`,
      grid: { stroke: () => colour("grid"), width: 1 },
      ticks: { show: false },
      ...extra,
    });
    const digits = block.y.digits;
    const series = block.series.map((s, i) => ({
      label: s.name,
      stroke: () => colour("c" + s.colour),
      fill: s.kind === "bars" ? () => colour("c" + s.colour) : undefined,
      width: s.kind === "bars" ? 0 : 2 - 0.5 * (s.thin ? 1 : 0),
      dash: s.dash ? [5, 4] : undefined,
      paths: paths(s),
      points: {
        show: s.kind === "points" || s.kind === "dots",
        size: s.kind === "points" ? 7 : 6,
        width: s.kind === "points" ? 1.5 : 1,
        fill: () => colour(s.kind === "points" ? "paper" : "c" + s.colour),
      },
      spanGaps: s.kind === "dots",
      show: shown ? shown[i] : true,
      // What the reader sees in the legend: the number itself, not where a stack put it.
      value: (u, _, index, at) =>
        at === null || at === undefined ? "" : number(plain(s.values[at], s), digits),
    }));
    const low = block.y.min, high = block.y.max;
    return {
      width,
      height: block.height || 200,
      padding: [block.bands ? 20 : 8, 12, 0, 0],
      cursor: {
        sync: block.group ? { key: block.group, setSeries: false } : undefined,
        drag: { x: true, y: false },
        y: false,
        points: { size: 7 },
      },
      legend: { live: true, markers: { fill: (u, i) => colour("c" + block.series[i - 1].colour) } },
      scales: {
        x: { time: false, range: (u, min, max) => [
          Math.max(min, x[0]) - step / 2, Math.min(max, x[x.length - 1]) + step / 2] },
        y: { range: (u, min, max) => {
          const bottom = low !== undefined ? low : min === null ? 0 : min;
          const top = high !== undefined ? high : max === null ? 1 : max;
          const margin = 0.08 * (top - bottom) || 1;
          return [low !== undefined || bottom === 0 ? bottom : bottom - margin,
                  high !== undefined ? high : top + margin];
        } },
      },
      axes: [
        axis({ label: block.x.label, labelSize: 18, size: 26, space: 60, values: (u, v) => v.map((n) => number(n)) }),
        axis({ label: block.y.label, labelSize: 20, size: 52, space: 32,
               values: (u, v) => v.map((n) => number(block.mirrored ? Math.abs(n) : n)) }),
      ],
      series: [{ value: (u, v) => (v === null ? "" : `${block.x.name} ${number(v)}`) }, ...series],
      bands: block.stacked
        ? block.series.map((s, i) => ({
            series: i === 0 ? undefined : [i + 1, i], fill: () => colour("c" + s.colour) })).slice(1)
        : undefined,
      hooks: { drawClear: [(u) => {
        if (block.bands) drawBands(u, block.bands);
        drawSpreads(u, block);
      }] },
    };
  }

  // Deaths are drawn below the axis and read as a count.
  const plain = (value, s) => (s.below && value !== null ? Math.abs(value) : value);

  function chartData(block) {
    const columns = block.series.map((s) =>
      s.below ? s.values.map((v) => (v === null ? null : -v)) : s.values.slice());
    if (block.stacked) {
      for (let i = 1; i < columns.length; ++i) {
        columns[i] = columns[i].map((v, at) => (v || 0) + (columns[i - 1][at] || 0));
      }
    }
    return [block.x.values, ...columns];
  }

  // On paper: what fits between the margins of an A4 or a letter page.
  const widthOf = (chart) => (printing ? 660 : Math.max(240, chart.host.clientWidth));

  function drawChart(chart) {
    const width = widthOf(chart);
    const shown = chart.plot && chart.plot.series.slice(1).map((s) => s.show);
    if (chart.plot) chart.plot.destroy();
    chart.plot = new uPlot(chartOptions(chart.block, width, shown), chartData(chart.block), chart.host);
  }

  // --- Blocks

  const blocks = {
    heading: (block) => element("h2", {}, block.text),

    text: (block) => {
      const nodes = document.createDocumentFragment();
      for (const paragraph of block.paragraphs) nodes.append(prose("p", paragraph));
      return nodes;
    },

    code: (block) => element("pre", {}, element("code", {}, block.text)),

    facts: (block) => {
      const list = element("dl", { class: "facts" });
      for (const fact of block.facts) {
        list.append(element("div", {},
          element("dt", {}, fact.name),
          element("dd", {}, number(fact.value, fact.digits),
            fact.note ? element("div", { class: "note" }, fact.note) : null)));
      }
      return list;
    },

    table: (block) => {
      const table = element("table", { class: "data" });
      const head = element("thead");
      if (block.columns.some((column) => column.group)) {
        const groups = element("tr", { class: "groups" });
        for (let i = 0; i < block.columns.length;) {
          const group = block.columns[i].group;
          let span = 1;
          while (group && i + span < block.columns.length && block.columns[i + span].group === group) ++span;
          groups.append(element("th", { colspan: span, class: group ? "group" : "" },
            group ? element("span", {}, group) : ""));
          i += span;
        }
        head.append(groups);
      }
      const titles = element("tr");
      for (const column of block.columns) titles.append(element("th", { scope: "col" }, column.name));
      head.append(titles);
      const body = element("tbody");
      for (const row of block.rows) {
        const line = element("tr");
        row.cells.forEach((cell, i) => {
          const tone = row.tones && row.tones[i];
          const node = element("td", tone ? { class: tone } : {});
          if (i === 0 && row.colour !== undefined) {
            node.append(element("span", { class: "key", style: `background: var(--c${row.colour})` }));
          }
          node.append(number(cell, block.columns[i].digits));
          if (i === 0 && row.note) node.append(" ", element("span", { class: "note" }, row.note));
          line.append(node);
        });
        body.append(line);
      }
      table.append(head, body);
      return element("div", { class: "scroll" }, table);
    },

    chart: (block) => {
      const node = figure(block);
      const host = element("div", { class: "plot", role: "img", "aria-label": block.title });
      node.append(host);
      charts.push({ block, host, plot: null });
      return node;
    },

    columns: (block) => {
      const grid = element("div", { class: "columns" });
      for (const inner of block.blocks) grid.append(blocks[inner.type](inner));
      return grid;
    },

    // Statements and what became of them.
    verdicts: (block) => {
      const list = element("ol", { class: "verdicts" });
      for (const row of block.rows) {
        const outcomes = element("div", { class: "outcomes" });
        const details = element("details", block.open ? { open: "" } : {}, element("summary", {}, "the numbers"));
        for (const outcome of row.outcomes) {
          outcomes.append(element("div", {},
            element("span", { class: "name" }, outcome.name),
            element("span", { class: "verdict " + outcome.tone }, outcome.verdict)));
          if (!outcome.numbers) continue;
          const lines = element("ul");
          for (const line of outcome.numbers.split("\n")) lines.append(element("li", {}, line));
          details.append(element("div", {}, element("h4", {}, outcome.name), lines));
        }
        list.append(element("li", {},
          element("div", { class: "claim" },
            prose("p", `${row.number}. ${row.statement}`),
            element("p", { class: "place" }, row.place),
            row.remark ? prose("p", row.remark, { class: "remark" }) : null,
            details.children.length > 1 ? details : null),
          outcomes));
      }
      return list;
    },

    // Grey pictures.
    rasters: (block) => {
      const node = figure(block);
      const grid = element("div", { class: "rasters",
        style: `grid-template-columns: repeat(${block.columns}, ${block.width ? block.width + "px" : "1fr"})` });
      for (const picture of block.pictures) {
        const { width, height, grey } = picture.raster;
        const canvas = element("canvas", { width, height, role: "img", "aria-label": picture.title });
        const bytes = atob(grey);
        const ctx = canvas.getContext("2d");
        const image = ctx.createImageData(width, height);
        for (let i = 0; i < bytes.length; ++i) {
          const level = bytes.charCodeAt(i);
          image.data.set([level, level, level, 255], 4 * i);
        }
        ctx.putImageData(image, 0, 0);
        rasters.push(canvas);
        grid.append(element("div", {}, canvas, element("div", { class: "below" }, picture.title)));
      }
      node.append(grid);
      return node;
    },

    download: (block) => {
      const link = element("a", { download: block.file, class: "download" }, block.label);
      link.href = URL.createObjectURL(new Blob([block.text], { type: "text/csv" }));
      return element("p", {}, link);
    },

    // Shares of a whole as one bar.
    parts: (block) => {
      const node = figure(block);
      const bar = element("div", { class: "parts", role: "img", "aria-label": block.title });
      const legend = element("ul", { class: "legend" });
      const sum = block.parts.reduce((total, part) => total + part.value, 0) || 1;
      for (const part of block.parts) {
        bar.append(element("span", {
          style: `flex: ${part.value} 0 0; background: var(--c${part.colour})`,
          title: part.name,
        }));
        legend.append(element("li", {},
          element("span", { class: "key", style: `background: var(--c${part.colour})` }),
          part.name,
          element("span", { class: "value" },
            `${number(part.value, block.digits)} ${block.unit} · ${number(100 * part.value / sum, 0)} %`)));
      }
      node.append(bar, legend);
      return node;
    },

    // Which coordinates (downwards) each atom (to the right) uses.
    supports: (block) => {
      const node = figure(block);
      const grid = element("div", { class: "spies" });
      for (const picture of block.pictures) {
        const canvas = element("canvas", { class: "support" });
        const sides = element("div", { class: "sides" });
        for (const side of block.sides) {
          sides.append(element("span", { style: `flex: ${side.size} 0 0` }, side.label));
        }
        grid.append(element("div", { class: "spy" },
          picture.title && element("h3", {},
            picture.colour !== undefined
              ? element("span", { class: "key", style: `background: var(--c${picture.colour})` }) : null,
            picture.title),
          element("div", { class: "row" }, sides, canvas,
            element("div", { class: "below" }, picture.below))));
        pictures.push({ canvas, picture, rows: block.rows, sides: block.sides });
      }
      node.append(grid);
      return node;
    },

    options: (block) => {
      const list = element("dl", { class: "options" });
      for (const [name, value] of block.options) {
        list.append(element("div", {}, element("dt", {}, name), element("dd", {}, String(value))));
      }
      return element("details", {}, element("summary", {}, block.title), list);
    },
  };

  const pictures = [];
  const rasters = [];

  function drawPicture({ canvas, picture, rows, sides }) {
    // Several coordinates share a pixel: it is inked if one of them is used.
    const height = Math.min(rows, 240);
    const cell = Math.max(1, Math.round(600 / Math.max(1, picture.atoms.length)));
    canvas.width = Math.max(1, picture.atoms.length) * cell;
    canvas.height = height;
    canvas.style.height = height + "px";
    const ctx = canvas.getContext("2d");
    ctx.fillStyle = colour("paper");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.fillStyle = colour("c" + (picture.colour || 0));
    picture.atoms.forEach((atom, j) => {
      for (const i of atom) ctx.fillRect(j * cell, Math.floor(i * height / rows), cell, 1);
    });
    ctx.fillStyle = colour("soft");
    let at = 0;
    for (const side of sides.slice(0, -1)) {
      at += side.size;
      ctx.fillRect(0, Math.round(at * height / rows), canvas.width, 1);
    }
  }

  // --- The page

  const themeButton = element("button", { id: "theme", type: "button", title: "Light or dark",
    "aria-label": "Light or dark" });
  themeButton.innerHTML = '<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">' +
    '<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5"/>' +
    '<path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/></svg>';

  const page = document.getElementById("page");
  page.append(element("header", {},
    element("h1", {}, data.title),
    data.subtitle ? prose("p", data.subtitle, { class: "subtitle" }) : null,
    themeButton));
  for (const block of data.blocks) page.append(blocks[block.type](block));
  page.append(element("footer", {}, data.footer +
    (charts.length ? " Drag across a chart to zoom, double-click to go back, click a name to hide its line." : "")));

  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = { "#dark": "dark", "#light": "light" }[location.hash] || null;

  function draw() {
    root.dataset.theme = printing ? "light" : chosen || (dark.matches ? "dark" : "light");
    charts.forEach(drawChart);
    pictures.forEach(drawPicture);
    root.dataset.drawn = charts.length + pictures.length + rasters.length;
  }

  themeButton.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    draw();
  });
  dark.addEventListener("change", draw);
  window.addEventListener("beforeprint", () => { printing = true; draw(); });
  window.addEventListener("afterprint", () => { printing = false; draw(); });
  let width = 0;
  new ResizeObserver(() => {
    if (printing || page.clientWidth === width) return;
    width = page.clientWidth;
    for (const chart of charts) {
      chart.plot.setSize({ width: widthOf(chart), height: chart.block.height || 200 });
    }
  }).observe(page);

  draw();
})();
