// All charts of the selected case: they share the case, the theme and the policies that are shown.

class Charts {
  constructor(data) {
    this.data = data;
    this.policies = new Map(data.policies.map((style) => [style.label, style]));
    this.hidden = new Set();
    this.drawn = new Map(); // place -> chart
    this.number = 0;
  }

  get case() { return this.data.cases[this.number]; }

  start() {
    this.legend();
    this.choose("pareto-x", () => this.pareto());
    this.choose("pareto-y", () => this.pareto());
    this.choose("user-policy", () => this.users());
    for (const id of ["node-policy", "node-resource"]) {
      if (document.getElementById(id)) this.choose(id, () => this.nodes());
    }
    theme.listeners.push(() => this.redraw());
    let width = innerWidth, timer = 0;
    addEventListener("resize", () => {
      if (innerWidth === width || theme.printing) return; // a phone's address bar comes and goes
      width = innerWidth;
      clearTimeout(timer);
      timer = setTimeout(() => this.redraw(), 120);
    });
    for (const chart of [...this.data.sweeps, ...this.data.deadlines]) this.draw(chart.name, chart);
    return this.show(0);
  }

  choose(id, listener) {
    document.getElementById(id).addEventListener("change", listener);
  }

  async show(number) {
    this.number = number;
    const { pareto, users, charts, promises, labels } = this.case;
    fill("pareto-x", pareto.metrics, pareto.start[0]);
    fill("pareto-y", pareto.metrics, pareto.start[1]);
    fill("user-policy", users.charts.map((chart) => chart.label), 0);
    caption("users", users);
    this.pareto();
    for (const chart of [...charts, promises].filter((one) => document.getElementById(one.name))) {
      this.draw(chart.name, chart);
      caption(chart.name, chart);
      await nextFrame();
      if (this.number !== number) return; // the reader was faster
    }
    this.users();
    this.fillNodes();
    this.markLegend(labels);
  }

  draw(id, chart) {
    const place = document.querySelector(`#${id} .plot`);
    this.drawn.set(place, chart);
    drawChart(place, chart, this.policies, this.hidden);
  }

  redraw() {
    for (const [place, chart] of this.drawn) drawChart(place, chart, this.policies, this.hidden);
    this.colourLegend();
  }

  pareto() {
    const { pareto } = this.case;
    const i = Number(document.getElementById("pareto-x").value);
    const j = Number(document.getElementById("pareto-y").value);
    const front = pareto.fronts[i < j ? `${i},${j}` : `${j},${i}`] || [];
    const path = {
      label: "best trade-offs", mark: "line", dashed: true,
      x: front.map((k) => pareto.values[k][i]), y: front.map((k) => pareto.values[k][j]),
    };
    const points = pareto.labels.map((label, k) => ({
      label, policy: label, mark: "point", x: [pareto.values[k][i]], y: [pareto.values[k][j]],
      error: [pareto.errors[k][i], pareto.errors[k][j]],
    }));
    const said = pareto.words[i < j ? `${i},${j}` : `${j},${i}`] || "";
    caption("pareto", { caption: `${pareto.caption} ${said}`.trim() });
    this.draw("pareto", {
      columns: 1, front: true, panels: [{ x: pareto.axes[i], y: pareto.axes[j], series: [path, ...points] }],
      empty: pareto.metrics.length < 2 ? "A trade-off needs two metrics." : "",
      adjust: (layout, traces, width) => labelPoints(layout, traces, width),
    });
  }

  users() {
    const { users } = this.case;
    const chart = users.charts[Number(document.getElementById("user-policy").value)];
    this.draw("users", chart || { empty: "There is no other policy to compare with." });
  }

  fillNodes() {
    const { nodes, baseline } = this.case;
    if (!document.getElementById("node-map")) return;
    fill("node-policy", nodes ? nodes.runs.map((run) => run.label) : [], baseline);
    fill("node-resource", nodes ? nodes.resources : [], 0);
    if (nodes) caption("node-map", nodes);
    this.nodes();
  }

  nodes() {
    const { nodes } = this.case;
    const number = (id) => Number(document.getElementById(id).value);
    this.draw("node-map", nodes
      ? { map: nodes, run: nodes.runs[number("node-policy")], resource: number("node-resource") }
      : { empty: "No nodes are told apart here." });
  }

  legend() {
    const bar = document.getElementById("policies");
    for (const style of this.data.policies) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.dataset.policy = style.label;
      button.title = style.label;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      line.setAttribute("viewBox", "0 0 26 8");
      line.setAttribute("aria-hidden", "true");
      const stroke = document.createElementNS("http://www.w3.org/2000/svg", "path");
      stroke.setAttribute("d", "M0 4H26");
      const dashes = { dash: "7 3", dot: "2.5 2.5", dashdot: "7 3 2 3", longdash: "11 4" };
      stroke.setAttribute("stroke-dasharray", dashes[style.dash] || "none");
      line.append(stroke);
      const name = document.createElement("span");
      name.textContent = style.label;
      button.append(line, name);
      button.addEventListener("click", () => this.toggle(style.label));
      bar.append(button);
    }
    this.colourLegend();
  }

  colourLegend() {
    for (const button of document.querySelectorAll("#policies button")) {
      const style = this.policies.get(button.dataset.policy);
      button.querySelector("path").style.stroke = theme.dark ? style.dark : style.light;
    }
  }

  // Policies that this case does not have stay in the legend of the charts over all cases only.
  markLegend(labels) {
    const swept = new Set([...this.data.sweeps, ...this.data.deadlines].flatMap((chart) => chart.panels
      .flatMap((panel) => panel.series.map((series) => series.policy))));
    for (const button of document.querySelectorAll("#policies button")) {
      button.hidden = !labels.includes(button.dataset.policy) && !swept.has(button.dataset.policy);
    }
  }

  toggle(label) {
    const hide = !this.hidden.has(label);
    if (hide) this.hidden.add(label);
    else this.hidden.delete(label);
    for (const button of document.querySelectorAll("#policies button")) {
      if (button.dataset.policy === label) button.setAttribute("aria-pressed", String(!hide));
    }
    for (const [place] of this.drawn) {
      const which = (place.data || []).flatMap((trace, k) => (trace.meta === label ? [k] : []));
      if (which.length) Plotly.restyle(place, { visible: !hide }, which);
    }
  }
}

// A name beside each point, on the first side where it meets no other name; without room, none.
function labelPoints(layout, traces, width) {
  const points = traces.filter((trace) => trace.mode === "markers" && trace.x[0] !== null && trace.y[0] !== null);
  const scaled = (axis, values, bars) => {
    const log = layout[axis].type === "log", at = values.map((v) => (log ? Math.log10(v) : v));
    const reach = log ? at : [...at, ...at.flatMap((v, k) => [v - bars[k], v + bars[k]])];
    const low = Math.min(...reach), high = Math.max(...reach), middle = (low + high) / 2;
    // What differs by less than a tenth should not look like more.
    const least = log ? Math.log10(1.1) : 0.1 * Math.max(Math.abs(low), Math.abs(high)) || 1;
    const span = Math.max(1.28 * (high - low), least);
    layout[axis].range = [middle - span / 2, middle + span / 2];
    if (log) Object.assign(layout[axis], logTicks(layout[axis].range));
    return at.map((v) => (v - layout[axis].range[0]) / (layout[axis].range[1] - layout[axis].range[0]));
  };
  const bar = (error) => error?.array[0] || 0;
  const across = scaled("xaxis", points.map((p) => p.x[0]), points.map((p) => bar(p.error_x))).map((v) => v * (width - 90));
  const up = scaled("yaxis", points.map((p) => p.y[0]), points.map((p) => bar(p.error_y))).map((v) => v * (layout.height - 70));
  const taken = points.map((_, k) => [across[k] - 8, across[k] + 8, up[k] - 8, up[k] + 8]);
  if (points.length > 12) return;
  points.forEach((point, k) => {
    const text = shortened(point.meta, 26);
    const wide = 6.6 * text.length, x = across[k], y = up[k];
    const sides = [
      ["top center", [x - wide / 2, x + wide / 2, y + 9, y + 25]],
      ["bottom center", [x - wide / 2, x + wide / 2, y - 25, y - 9]],
      ["middle right", [x + 10, x + 10 + wide, y - 8, y + 8]],
      ["middle left", [x - 10 - wide, x - 10, y - 8, y + 8]],
    ];
    const free = sides.find(([, box]) => box[0] > -20 && box[1] < width - 70
      && taken.every((other) => box[1] < other[0] || box[0] > other[1] || box[3] < other[2] || box[2] > other[3]));
    if (!free) return;
    taken.push(free[1]);
    Object.assign(point, {
      mode: "markers+text", customdata: point.text, hovertemplate: "%{customdata}<extra></extra>",
      text: [plain(text)], textposition: free[0], textfont: { size: 11.5, color: theme.ink }, cliponaxis: false,
    });
  });
}

function logTicks([low, high]) {
  const tickvals = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const first of high - low < 2.5 ? [1, 2, 5] : [1]) tickvals.push(first * 10 ** power);
  }
  return { tickmode: "array", tickvals, ticktext: tickvals.map((value) => value.toLocaleString("en")) };
}

function fill(id, names, chosen) {
  const select = document.getElementById(id);
  const kept = names.indexOf(select.selectedOptions[0]?.textContent);
  select.replaceChildren(...names.map((name, k) => new Option(name, k)));
  select.selectedIndex = kept >= 0 ? kept : chosen;
}

function caption(id, chart) {
  document.querySelector(`#${id} figcaption .caption`).textContent = chart.caption;
}

const nextFrame = () => new Promise((resolve) => { requestAnimationFrame(() => resolve()); });
