// The Gantt chart: a view over the boxes, moved by wheel, fingers, mouse and keys.

const MARGIN = { left: 54, right: 10, top: 8, bottom: 30 };
const MOST_PIXELS = 900000; // beyond this averaging takes too long on a telephone
const MOST_BOXES = 6000; // that many can be drawn one by one in a frame
const FINEST = 4096; // columns of the overview
const SETTLED = 90; // milliseconds without movement before a costly picture is made
const SHORTEST = 10; // seconds
const TICK_WIDTH = 92;

class Gantt {
  constructor(data) {
    this.data = data;
    this.frame = document.getElementById("gantt-frame");
    this.jobs = document.getElementById("gantt-jobs");
    this.canvas = document.getElementById("gantt-canvas");
    this.tip = document.getElementById("gantt-tip");
    this.frames = 0;
    this.milliseconds = 0;
    this.hovered = -1;
    this.pending = 0;
    this.layouts = new Map();
    this.settling = 0;
    this.input = new GanttInput(this);
  }

  start() {
    const on = (id, event, listener) => document.getElementById(id).addEventListener(event, listener);
    on("gantt-policy", "change", () => this.choose());
    on("gantt-colour", "change", () => this.recolour());
    on("gantt-in", "click", () => this.zoom(1 / 1.8));
    on("gantt-out", "click", () => this.zoom(1.8));
    on("gantt-all", "click", () => this.reset());
    on("gantt-peak", "click", () => this.showPeak());
    theme.listeners.push(() => { this.tint = null; this.resize(); this.recolour(true); });
    new ResizeObserver(() => { if (!theme.printing) this.resize(); }).observe(this.frame);
    return this.show(0);
  }

  async show(number) {
    this.number = number;
    const one = this.data.cases[number];
    const columns = { ...await unpackGantt(number, one.gantt.jobs, one.labels), users: one.gantt.users };
    if (this.number !== number) return;
    this.case = one;
    this.times = timesOf(one.gantt.clock);
    this.columns = columns;
    this.layouts.clear();
    fill("gantt-policy", one.labels, one.baseline);
    document.getElementById("gantt-case").textContent = one.title;
    const note = document.getElementById("gantt-note");
    note.textContent = one.gantt.note;
    note.hidden = !one.gantt.note;
    this.choose(true);
  }

  choose(fresh = false) {
    this.run = Number(document.getElementById("gantt-policy").value);
    if (!this.layouts.has(this.run)) {
      if (this.layouts.size > 2) this.layouts.clear(); // some megabytes each
      this.layouts.set(this.run, layOut(this.columns, this.run));
    }
    this.boxes = this.layouts.get(this.run);
    this.overview = this.tint = null;
    this.first = this.boxes.count ? this.boxes.begin[0] : 0;
    this.rows = Math.max(this.case.gantt.procs, this.boxes.height);
    this.hide();
    this.resize();
    if (fresh || !this.view) this.view = this.target = this.whole();
    this.recolour();
    this.move(this.target, true);
  }

  recolour(now = false) {
    if (!this.columns) return;
    const mode = document.getElementById("gantt-colour").value;
    Object.assign(this, colourJobs(mode, this.columns, this.run, this.case.gantt.procs));
    document.getElementById("gantt-legend").replaceChildren(...this.legend.map(([colour, text]) => {
      const item = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour;
      item.append(swatch, text);
      return item;
    }));
    this.overview = null;
    if (now) this.draw();
    else this.ask();
  }

  resize() {
    if (!this.case) return;
    const wide = this.frame.clientWidth, tall = this.frame.clientHeight, ratio = devicePixelRatio || 1;
    this.width = Math.max(wide - MARGIN.left - MARGIN.right, 50);
    this.height = Math.max(tall - MARGIN.top - MARGIN.bottom, 50);
    this.canvas.width = Math.round(wide * ratio);
    this.canvas.height = Math.round(tall * ratio);
    this.canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    const fine = Math.min(ratio, Math.sqrt(MOST_PIXELS / (this.width * this.height)));
    this.jobs.width = Math.round(this.width * fine);
    this.jobs.height = Math.round(this.height * fine);
    Object.assign(this.jobs.style, {
      left: `${MARGIN.left}px`, top: `${MARGIN.top}px`, width: `${this.width}px`, height: `${this.height}px`,
    });
    this.painter = this.overview = null;
    if (this.view && this.tint) this.draw();
  }

  whole() {
    return { from: this.first, to: Math.max(this.boxes.last, this.first + SHORTEST), low: 0, high: this.rows };
  }

  // Keeps a view inside the chart; ``now`` does without the glide.
  move(view, now = false) {
    const all = this.whole();
    const inside = (from, to, first, last, least) => {
      const span = Math.min(Math.max(to - from, Math.min(least, last - first)), last - first);
      const begin = Math.min(Math.max((from + to - span) / 2, first), last - span);
      return [begin, begin + span];
    };
    const [from, to] = inside(view.from, view.to, all.from, all.to, SHORTEST);
    const [low, high] = inside(view.low, view.high, 0, this.rows, Math.min(4, this.rows));
    this.target = { from, to, low, high };
    if (now || matchMedia("(prefers-reduced-motion: reduce)").matches) this.view = this.target;
    this.ask();
  }

  // factor < 1 shows less; the moment at ``across`` (0 to 1) stays where it is.
  zoom(factor, across = 0.5, now = false) {
    const { from, to } = this.target, at = from + across * (to - from);
    this.move({ ...this.target, from: at - (at - from) * factor, to: at + (to - at) * factor }, now);
  }

  zoomRows(factor, up = 0.5) {
    const { low, high } = this.target, at = low + up * (high - low);
    this.move({ ...this.target, low: at - (at - low) * factor, high: at + (high - at) * factor });
  }

  pan(across, up = 0, now = false) {
    const { from, to, low, high } = this.target;
    const seconds = across * (to - from), rows = up * (high - low);
    this.move({ from: from + seconds, to: to + seconds, low: low + rows, high: high + rows }, now);
  }

  reset() { this.move(this.whole()); }

  // Three days around the moment at which the baseline's queue was longest.
  showPeak() {
    const { peak } = this.case.gantt;
    this.move({ ...this.whole(), from: peak - 1.5 * DAY, to: peak + 1.5 * DAY });
  }

  get isWhole() {
    const all = this.whole();
    return this.target.from <= all.from && this.target.to >= all.to;
  }

  ask() {
    if (!this.pending) this.pending = requestAnimationFrame(() => { this.pending = 0; this.glide(); });
  }

  glide() {
    const { view, target } = this, next = {};
    const near = (target.to - target.from) / (2 * this.width);
    let moving = false;
    for (const side of ["from", "to", "low", "high"]) {
      const far = Math.abs(target[side] - view[side]);
      const close = side === "from" || side === "to" ? far < near : far < 0.05;
      next[side] = close ? target[side] : view[side] + 0.38 * (target[side] - view[side]);
      moving ||= !close;
    }
    this.view = next;
    this.draw();
    if (moving) this.ask();
    else this.tell();
  }

  draw() {
    const began = performance.now();
    this.drawJobs();
    this.drawAxes();
    this.milliseconds = performance.now() - began;
    this.frames += 1;
  }

  // What is shown, as a picture of its own.
  copy() {
    const made = document.createElement("canvas"), pen = made.getContext("2d");
    [made.width, made.height] = [this.canvas.width, this.canvas.height];
    const ratio = made.width / this.frame.clientWidth;
    pen.fillStyle = theme.paper;
    pen.fillRect(0, 0, made.width, made.height);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.jobs, MARGIN.left * ratio, MARGIN.top * ratio, this.width * ratio, this.height * ratio);
    pen.drawImage(this.canvas, 0, 0);
    return made;
  }

  drawJobs() {
    const { boxes, view, jobs } = this, pen = jobs.getContext("2d");
    clearTimeout(this.settling);
    const [first, beyond] = visibleBoxes(boxes, view.from, view.to);
    this.visible = beyond - first;
    if (this.visible <= MOST_BOXES) {
      drawBoxes(pen, boxes, view, jobs.width, jobs.height, this.tint, this.colours);
      return;
    }
    const paper = parts(theme.paper), palette = paletteOf(this.colours);
    if (!this.overview) {
      const wide = Math.min(FINEST, 4 * jobs.width), tall = Math.min(512, jobs.height);
      this.overview = new Overview(boxes, this.whole(), wide, tall, this.tint, palette, paper);
    }
    this.overview.draw(pen, view, jobs.width, jobs.height);
    if (this.overview.suffices(view, jobs.width, jobs.height)) return;
    this.settling = setTimeout(() => {
      this.painter ||= new Painter(jobs.width, jobs.height);
      pen.putImageData(this.painter.paint(boxes, view, this.tint, palette, paper), 0, 0);
    }, SETTLED);
  }

  x(seconds) { return MARGIN.left + (seconds - this.view.from) / (this.view.to - this.view.from) * this.width; }

  y(row) { return MARGIN.top + this.height - (row - this.view.low) / (this.view.high - this.view.low) * this.height; }

  drawAxes() {
    const pen = this.canvas.getContext("2d"), { view } = this;
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.font = `12px ${FONT}`;
    pen.fillStyle = theme.muted;
    pen.strokeStyle = theme.rule;
    pen.lineWidth = 1;
    pen.strokeRect(MARGIN.left - 0.5, MARGIN.top - 0.5, this.width + 1, this.height + 1);
    pen.textBaseline = "top";
    pen.strokeStyle = theme.muted;
    let edge = 0;
    for (const [at, text] of this.times.ticks(view.from, view.to, this.width / TICK_WIDTH)) {
      const x = this.x(at), half = pen.measureText(text).width / 2;
      pen.fillRect(x - 0.5, MARGIN.top + this.height, 1, 5);
      const middle = Math.min(Math.max(x, half + 2), MARGIN.left + this.width + MARGIN.right - half - 2);
      if (middle - half > edge) {
        pen.fillText(text, middle - half, MARGIN.top + this.height + 9);
        edge = middle + half + 10;
      }
    }
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const [at, text] of processorTicks(view.low, view.high, this.height / 60)) {
      pen.fillRect(MARGIN.left - 5, this.y(at) - 0.5, 5, 1);
      pen.fillText(text, MARGIN.left - 9, Math.min(Math.max(this.y(at), 8), MARGIN.top + this.height - 2));
    }
    pen.textAlign = "left";
    if (this.hovered >= 0) this.outline(pen, this.hovered);
  }

  // A frame around each box of a job, and a line for the time that it waited.
  outline(pen, job) {
    const { boxes } = this;
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top, this.width, this.height);
    pen.clip();
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    for (let k = boxes.first[job]; k < boxes.beyond[job]; k++) {
      const left = this.x(boxes.begin[k]), up = this.y(boxes.top[k]);
      pen.strokeRect(left, up, Math.max(this.x(boxes.end[k]) - left, 1), Math.max(this.y(boxes.bottom[k]) - up, 1));
    }
    if (this.columns.runs[this.run].wait[job] > 0) {
      const row = this.y((boxes.bottom[boxes.first[job]] + boxes.top[boxes.first[job]]) / 2);
      pen.setLineDash([3, 3]);
      pen.beginPath();
      pen.moveTo(this.x(this.columns.submit[job]), row);
      pen.lineTo(this.x(boxes.start[job]), row);
      pen.stroke();
    }
    pen.restore();
  }

  tell() {
    const { from, to, low, high } = this.view;
    const { times } = this, zone = times.zone && ` (${times.zone})`;
    document.getElementById("gantt-range").textContent = `Shown: ${times.moment(from)} to ${times.moment(to)}${zone}, `
      + `processors ${grouped(Math.floor(low))} to ${grouped(Math.ceil(high) - 1)}.`;
  }

  // The job at a place of the canvas, the nearest within two pixels, or -1.
  jobAt(x, y) {
    if (x < MARGIN.left || x > MARGIN.left + this.width || y < MARGIN.top || y > MARGIN.top + this.height) return -1;
    const { boxes, view } = this;
    const second = (view.to - view.from) / this.width, row = (view.high - view.low) / this.height;
    const at = view.from + (x - MARGIN.left) * second, level = view.low + (MARGIN.top + this.height - y) * row;
    const [first, beyond] = visibleBoxes(boxes, at - 2 * second, at + 2 * second);
    let best = -1, nearest = 2.01;
    for (let k = first; k < beyond; k++) {
      const aside = Math.max(boxes.begin[k] - at, at - boxes.end[k], 0) / second;
      const above = Math.max(boxes.bottom[k] - level, level - boxes.top[k], 0) / row;
      if (aside + above < nearest) {
        nearest = aside + above;
        best = boxes.job[k];
        if (nearest === 0) break;
      }
    }
    return best;
  }

  hover(x, y) {
    const job = this.jobAt(x, y);
    if (job < 0) return this.hide();
    if (job !== this.hovered) {
      this.hovered = job;
      this.describe(job);
      this.drawAxes();
    }
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth, tall = this.tip.offsetHeight;
    const left = x + 16 + wide < this.frame.clientWidth ? x + 16 : Math.max(x - wide - 16, 0);
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${Math.min(Math.max(y - tall / 2, 0), this.frame.clientHeight - tall)}px`;
  }

  describe(job) {
    const { columns, boxes } = this, wait = columns.runs[this.run].wait[job];
    const rows = [
      ["User", columns.user[job] < 0 ? "unknown" : columns.users[columns.user[job]]],
      ["Submitted", this.times.moment(columns.submit[job])],
      ["Waited", wait ? durationText(wait) : "not at all"],
      ["Ran", durationText(boxes.finish[job] - boxes.start[job])],
      ["Processors", grouped(columns.demand[job])],
    ];
    const title = document.createElement("b"), list = document.createElement("dl");
    title.textContent = `Job ${columns.id[job]}`;
    for (const [name, value] of rows) {
      const term = document.createElement("dt"), text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      list.append(term, text);
    }
    this.tip.replaceChildren(title, list);
  }

  hide() {
    this.tip.hidden = true;
    if (this.hovered < 0) return;
    this.hovered = -1;
    this.drawAxes();
  }
}
