// The queue as a table: who waits, who runs, and who waits for something else than room.

import { find, link, make, plain, say } from "./dom.js";
import { count, duration, fully, isNumber, lead, moment, nodeNames, reason, size, some } from "./words.js";

const STEP = 50;
const VIEWS = { waiting: "Waiting", running: "Running", left_out: "Not for room" };

export class Jobs {
  // chosen(ids): what the reader looks for, null for everything
  constructor(chosen) {
    this.told = null;
    this.view = "waiting";
    this.room = STEP;
    this.sought = "";
    this.chosen = chosen;
    this.rows = new Map();
    this.buttons = Object.fromEntries(Object.keys(VIEWS).map((view) => {
      const button = make("button");
      button.type = "button";
      button.addEventListener("click", () => this.turn(view));
      find("views").append(button);
      return [view, button];
    }));
    find("more").addEventListener("click", () => { this.room += STEP; this.draw(); });
    find("filter").addEventListener("input", () => { this.room = STEP; this.draw(); this.tell(); });
  }

  show(told) {
    this.told = told;
    this.draw();
    this.tell();
  }

  turn(view) {
    this.view = view;
    this.room = STEP;
    this.draw();
  }

  // Find the row of a job, wherever it is. Returns whether it is there.
  seek(id, scroll) {
    this.sought = id;
    if (!this.told) return false;
    const view = Object.keys(VIEWS).find((one) => this.told[one].some((job) => String(job.id) === id));
    if (view) {
      this.view = view;
      if (!this.matching(view).some((job) => String(job.id) === id)) find("filter").value = "";
      const place = this.matching(view).findIndex((job) => String(job.id) === id);
      this.room = Math.max(this.room, Math.ceil((place + 1) / STEP) * STEP);
    }
    say(find("sought"), view || !id ? "" : `Job ${id} is not in the queue: it may have ended, or is not told.`);
    this.draw();
    this.tell();
    if (scroll && view) this.rows.get(plain(id))?.scrollIntoView({ block: "center" });
    return Boolean(view);
  }

  matching(view) {
    const text = find("filter").value.trim().toLowerCase();
    const has = (value) => String(value ?? "").toLowerCase().includes(text);
    return this.told[view].filter((job) => !text || String(job.id).startsWith(text) || has(job.user) || has(job.name));
  }

  tell() {
    if (!find("filter").value.trim()) return this.chosen(null);
    const jobs = Object.keys(VIEWS).flatMap((view) => this.matching(view));
    return this.chosen(new Set(jobs.map((job) => String(job.id))));
  }

  draw() {
    const { told, view } = this;
    if (!told) return;
    const filtered = find("filter").value.trim() !== "";
    for (const [name, button] of Object.entries(this.buttons)) {
      const number = this.matching(name).length;
      say(button, `${VIEWS[name]} ${count(number)}${filtered ? ` of ${count(told[name].length)}` : ""}`);
      button.setAttribute("aria-pressed", String(name === view));
    }
    const columns = this.columns();
    const head = make("tr", {}, ...columns.map(([name, , kind]) => make("th", { class: kind }, name)));
    for (const cell of head.children) cell.scope = "col";
    find("jobs").tHead.replaceChildren(head);
    const jobs = this.matching(view);
    const rows = jobs.slice(0, this.room).map((job) => this.row(job, columns));
    this.put(rows, filtered);
    find("more").hidden = jobs.length <= this.room;
    say(find("more"), `Show more: ${count(jobs.length - this.room)} are left`);
  }

  // Forecasts have a column where there are any.
  columns() {
    const every = COLUMNS[this.view];
    const told = this.told.waiting.some((job) => Array.isArray(job.forecast));
    return told ? every : every.filter((column) => column !== likely);
  }

  put(rows, filtered) {
    const body = find("jobs").tBodies[0];
    if (!rows.length) {
      const cell = make("td", { class: "empty" }, filtered ? "No such job." : EMPTY[this.view]);
      cell.colSpan = this.columns().length;
      rows = [make("tr", {}, cell)];
    }
    const kept = new Set(rows);
    for (const row of [...body.children]) if (!kept.has(row)) row.remove();
    rows.forEach((row, k) => { if (body.children[k] !== row) body.insertBefore(row, body.children[k] ?? null); });
    this.rows = new Map(rows.filter((row) => row.dataset.job).map((row) => [row.dataset.job, row]));
  }

  // The row of a job is the same one as before, so that focus stays in it.
  row(job, columns) {
    const id = String(job.id);
    const known = this.rows.get(plain(id));
    const same = known?.dataset.view === this.view && known.children.length === columns.length;
    const row = same ? known : make("tr");
    row.dataset.job = plain(id);
    row.dataset.view = this.view;
    row.classList.toggle("found", id === this.sought);
    if (id === this.sought) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    columns.forEach(([name, fill, kind], k) => {
      const told = fill(job, this.told);
      const key = JSON.stringify(told);
      let cell = row.children[k];
      if (cell?.dataset.key === key) return;
      if (!cell) {
        cell = make("td", { class: kind });
        cell.dataset.label = name;
        row.append(cell);
      }
      cell.dataset.key = key;
      cell.replaceChildren(filled(told, job));
    });
    return row;
  }
}

// told: text, sub (a second line), title, class, link
function filled(told, job) {
  const text = told.link ? link(job) : document.createTextNode(plain(told.text));
  const inside = make("span", { class: told.class, title: told.title }, text);
  if (told.sub) inside.append(make("span", { class: "sub", title: told.sub }, told.sub));
  return inside;
}

const job = ["Job", (one) => ({ link: one.id, text: one.id, sub: one.name, title: one.name }), "text"];
const user = ["User", (one) => ({ text: one.user, sub: one.partition, title: `account ${one.account}` }), "text"];
const asks = ["Size", (one) => ({ text: size(one) }), "number"];
const limit = ["Limit", (one) => ({ text: duration(one.limit) }), "number"];
const waits = ["Waits for", (one, told) => ({ text: duration(Math.max(told.written - one.submit, 0)), title: `since ${fully(one.submit)}` }), "number"];
// Under drive all nodes are in our reservation: that Slurm cannot have them says nothing.
const turn = (one, told) => told.mode === "drive" && String(one.reason ?? "").startsWith("ReqNodeNotAvail");
const why = ["Why it waits", (one, told) => ({
  text: turn(one, told) ? "waits for its turn in the plan" : reason(one.reason), title: one.reason,
}), "text"];
// Half of the futures have started it by then; nine of ten by the second moment.
const likely = ["Likely", (one, told) => {
  const [early, half, late] = Array.isArray(one.forecast) ? one.forecast : [];
  if (!isNumber(half) || half < 0) return { text: "" };
  return {
    text: half <= told.written ? "now" : moment(half, told.written),
    sub: `by ${moment(Math.max(late, told.written), told.written)}: 90 %`,
    title: `one of ten by ${fully(early)}, half by ${fully(half)}, nine of ten by ${fully(late)}`,
  };
}, "number"];
const ours = ["Our plan", (one, told) => ({
  text: isNumber(one.planned) && one.planned <= told.written ? "now" : moment(one.planned, told.written),
  title: fully(one.planned), sub: nodeNames(one.planned_nodes, told.nodes),
}), "number"];
const theirs = ["Slurm's forecast", (one, told) => ({
  text: isNumber(one.slurm) ? moment(Math.max(one.slurm, told.written), told.written) : "not told", title: fully(one.slurm),
}), "number"];
const earlier = ["Ours is", (one, told) => {
  const by = lead(one, told.written);
  if (by === null) return { text: "" };
  if (Math.abs(by) < 60) return { text: "the same" };
  return { text: `${duration(by)} ${by > 0 ? "earlier" : "later"}`, class: by > 0 ? "better" : "worse" };
}, "number"];
const began = ["Started", (one, told) => ({ text: isNumber(one.start) ? moment(one.start, told.written) : "is let in", title: fully(one.start) }), "number"];
const ends = ["Expected end", (one, told) => ({ text: moment(one.expected_end, told.written), title: fully(one.expected_end) }), "number"];
const left = ["In", (one, told) => ({ text: duration(Math.max(one.expected_end - told.written, 0)) }), "number"];
const where = ["Nodes", (one, told) => ({ text: nodeNames(one.nodes, told.nodes) || some(one.node_count, "node", "nodes") }), "text"];

const COLUMNS = {
  waiting: [job, user, asks, limit, waits, ours, theirs, earlier, likely, why],
  running: [job, user, asks, limit, began, ends, left, where],
  left_out: [job, user, asks, limit, waits, why],
};
const EMPTY = { waiting: "Nobody waits.", running: "Nothing runs.", left_out: "Nobody waits for anything but room." };
