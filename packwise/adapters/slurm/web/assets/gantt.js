// The Gantt chart: jobs on nodes over time, by mouse, finger and keyboard.

import { find, link, make, pairs, plain, say } from "./dom.js";
import { bars, SPANS, span, stacked, undrawn } from "./gantt_layout.js";
import { AXIS, colours, paint } from "./gantt_paint.js";
import { count, duration, isNumber, lead, moment, nodeNames, same, size } from "./words.js";

const LISTED = 12;

export class Gantt {
  // chosen(id, scroll): a job was clicked
  constructor(chosen) {
    this.canvas = find("gantt-canvas");
    this.box = find("gantt-scroll");
    this.chosen = chosen;
    this.told = null;
    this.bars = [];
    this.rows = [];
    this.dimmed = null;
    this.marked = "";
    this.at = null; // the bar that is shown
    for (const [value, text] of SPANS) {
      const option = make("option", {}, text);
      option.value = value;
      find("horizon").append(option);
    }
    this.listen();
  }

  listen() {
    const again = () => this.draw();
    find("horizon").addEventListener("change", again);
    find("rows").addEventListener("change", again);
    this.box.addEventListener("scroll", () => { this.hide(); this.draw(); }, { passive: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    new ResizeObserver(again).observe(find("gantt"));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.hide());
    this.canvas.addEventListener("click", (event) => this.chosen(this.hit(event)?.id ?? "", false));
    this.canvas.addEventListener("dblclick", (event) => this.chosen(this.hit(event)?.id ?? "", true));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => this.hide());
  }

  show(told) {
    this.told = told;
    this.bars = bars(told);
    this.rows = stacked(this.bars, told.nodes);
    this.at = this.at && (this.bars.find((bar) => bar.id === this.at.id) ?? null);
    this.list(undrawn(told));
    this.draw();
    if (this.at && !find("gantt-tip").hidden) this.tell(this.at);
  }

  // Jobs that are planned and have no place here.
  list(jobs) {
    const place = find("undrawn");
    place.hidden = !jobs.length;
    if (!jobs.length) return;
    const links = jobs.slice(0, LISTED).flatMap((job, k) => [k ? ", " : "", link(job)]);
    const rest = jobs.length > LISTED ? ` and ${count(jobs.length - LISTED)} more` : "";
    place.replaceChildren(...make("p", {}, "Planned, but not drawn, as that guess finds no nodes for them, or comes after 500 others: ", ...links, rest, ".").childNodes);
  }

  dim(ids) {
    this.dimmed = ids;
    this.draw();
  }

  seek(id, scroll = true) {
    this.marked = id;
    const bar = this.bars.find((one) => one.id === id);
    if (bar && scroll) this.reveal(bar);
    this.draw();
  }

  reveal(bar) {
    const up = bar.nodes[0] * this.row, room = this.box.clientHeight - AXIS;
    if (up < this.box.scrollTop || up + this.row > this.box.scrollTop + room) {
      this.box.scrollTop = Math.max(up - room / 3, 0);
    }
  }

  // The height of a row, of the chart, and of what can be seen of it.
  measure() {
    const nodes = Math.max(this.told.nodes.length, 1), way = find("rows").value;
    const most = Math.max(Math.min(0.66 * innerHeight, 608), 240) - AXIS;
    if (way === "all") this.row = Math.min(most / nodes, 24);
    else if (way === "tall") this.row = 26;
    else this.row = Math.min(Math.max(most / nodes, 6), 24);
    const whole = AXIS + Math.ceil(nodes * this.row);
    find("gantt-size").style.height = `${whole}px`;
    const width = find("gantt-size").clientWidth, height = Math.min(this.box.clientHeight || whole, whole);
    const scale = devicePixelRatio || 1;
    const { canvas } = this;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.height = `${height}px`;
    }
    return { width, height, scale };
  }

  draw() {
    if (!this.told || !this.box.clientWidth) return;
    const { width, height, scale } = this.measure();
    const pen = this.canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.scene = {
      pen, width, height, gutter: width < 560 ? 62 : 104, top: this.box.scrollTop, row: this.row, rows: this.rows,
      nodes: this.told.nodes, now: this.told.written, dimmed: this.dimmed, ink: colours(),
      marked: this.at?.id ?? this.marked, span: span(find("horizon").value, this.bars, this.told.written),
    };
    paint(this.scene);
  }

  moment(x) {
    const { gutter, width, span: shown } = this.scene;
    return shown.from + (x - gutter) / (width - gutter) * (shown.to - shown.from);
  }

  hit(event) {
    if (!this.scene) return null;
    const place = this.canvas.getBoundingClientRect();
    const x = event.clientX - place.left, y = event.clientY - place.top;
    if (y < AXIS || x < this.scene.gutter) return null;
    const row = (y - AXIS + this.scene.top) / this.row, node = Math.floor(row), share = row - node, at = this.moment(x);
    const slack = (this.scene.span.to - this.scene.span.from) / this.scene.width * 2;
    const near = (this.rows[node] ?? []).filter(({ bar }) => bar.begin - slack <= at && at <= bar.end + slack);
    const found = near.find(({ low, high }) => low <= share && share <= high) ?? (this.row < 10 ? near[0] : null);
    return found?.bar ?? null;
  }

  point(event) {
    const bar = this.hit(event);
    if (!bar) {
      this.hide();
      return;
    }
    const place = find("gantt").getBoundingClientRect();
    const fresh = this.at?.id !== bar.id;
    this.at = bar;
    if (fresh) this.draw();
    this.tell(bar, event.clientX - place.left, event.clientY - place.top);
  }

  // Left and right: by time; up and down: the job that is nearest in time on a node above or below.
  key(event) {
    const seen = this.bars.filter((bar) => bar.end > this.scene.span.from && bar.begin < this.scene.span.to);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };
    if (event.key === "Enter" && this.at) {
      this.chosen(this.at.id, true);
    } else if (event.key === "Escape") {
      this.hide();
    } else if (event.key in steps && seen.length) {
      const along = event.key === "ArrowRight" || event.key === "ArrowLeft";
      this.at = along || !this.at ? this.beside(seen, steps[event.key]) : this.below(steps[event.key]);
      this.reveal(this.at);
      this.draw();
      this.tell(this.at);
    } else {
      return;
    }
    event.preventDefault();
  }

  beside(seen, step) {
    const place = this.at ? seen.indexOf(this.at) : step > 0 ? -1 : 0;
    return seen[(place + step + seen.length) % seen.length];
  }

  below(step) {
    const from = step > 0 ? this.at.nodes.at(-1) : this.at.nodes[0];
    for (let node = from + step; node >= 0 && node < this.rows.length; node += step) {
      const there = this.rows[node].map((one) => one.bar).filter((bar) => bar !== this.at);
      if (there.length) {
        const far = (bar) => Math.abs(bar.begin - this.at.begin);
        return there.reduce((best, bar) => (far(bar) < far(best) ? bar : best));
      }
    }
    return this.at;
  }

  // What there is to say of a job, beside the pointer or its first box.
  tell(bar, x, y) {
    const tip = find("gantt-tip"), { job } = bar, now = this.told.written;
    const words = { run: "runs", soon: "starts now", later: `starts ${moment(bar.begin, now)}` }[bar.kind];
    const by = lead(job, now);
    const told = [
      ["User", `${plain(job.user)}, ${plain(job.partition)}`],
      ["Size", size(job)],
      ["Nodes", nodeNames(bar.nodes, this.told.nodes)],
      ["Begin", moment(bar.begin, now)],
      ["End", `${moment(bar.end, now)} (in ${duration(Math.max(bar.end - now, 0))})`],
      ["Limit", duration(job.limit)],
    ];
    if (isNumber(by) && !same(by)) {
      told.push(["Ours is", `${duration(by)} ${by > 0 ? "earlier" : "later"} than Slurm's forecast`]);
    }
    const list = make("dl");
    pairs(list, told);
    tip.replaceChildren(make("strong", {}, `${plain(bar.id)} ${plain(job.name)}: ${words}`), list);
    tip.hidden = false;
    if (x === undefined) {
      const { scene } = this, wide = scene.width - scene.gutter;
      x = scene.gutter + (Math.max(bar.begin, scene.span.from) - scene.span.from) / (scene.span.to - scene.span.from) * wide;
      y = AXIS + (bar.nodes[0] + 1) * this.row - scene.top;
      say(find("gantt-said"), `${tip.firstChild.textContent}. ${told.map((pair) => pair.join(" ")).join(", ")}`);
    }
    const frame = find("gantt");
    const left = x + 16 + tip.offsetWidth > frame.clientWidth ? x - 16 - tip.offsetWidth : x + 16;
    const top = y + 16 + tip.offsetHeight > frame.clientHeight ? y - 12 - tip.offsetHeight : y + 16;
    tip.style.left = `${Math.max(Math.min(left, frame.clientWidth - tip.offsetWidth - 6), 6)}px`;
    tip.style.top = `${Math.max(top, 4)}px`;
  }

  hide() {
    find("gantt-tip").hidden = true;
    if (!this.at) return;
    this.at = null;
    this.draw();
  }
}
