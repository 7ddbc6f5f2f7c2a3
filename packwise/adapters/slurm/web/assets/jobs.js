// The queue as a table: who waits, who runs, and who waits for something else than room.

import { find, link, make, plain, say } from "./dom.js";
import { count, duration, fully, isNumber, lead, moment, nodeNames, reason, same, size, some } from "./words.js";

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
    this.unfolded = new Set(); // on a phone: of whom all is shown
    this.buttons = Object.fromEntries(Object.keys(VIEWS).map((view) => {
      const button = make("button");
      button.type = "button";
      button.addEventListener("click", () => this.turn(view));
      find("views").append(button);
      return [view, button];
    }));
    find("more").addEventListener("click", () => { this.room += STEP; this.draw(); });
    find("filter").addEventListener("input", () => { this.room = STEP; this.draw(); this.tell(); });
    find("jobs").addEventListener("click", (event) => this.unfold(event.target.closest(".unfold")));
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

  unfold(button) {
    if (!button) return;
    const id = button.closest("tr").dataset.job;
    if (!this.unfolded.delete(id)) this.unfolded.add(id);
    this.draw();
  }

  place(id) {
    return Object.keys(VIEWS).find((one) => this.told[one].some((job) => String(job.id) === id));
  }

  // Find the row of a job, wherever it is. Returns whether it is there.
  seek(id, scroll) {
    this.sought = id;
    if (!this.told) return false;
    const view = this.place(id);
    if (view) {
      this.view = view;
      this.unfolded.add(plain(id));
      if (!this.matching(view).some((job) => String(job.id) === id)) find("filter").value = "";
      const place = this.matching(view).findIndex((job) => String(job.id) === id);
      this.room = Math.max(this.room, Math.ceil((place + 1) / STEP) * STEP);
    }
    this.draw();
    this.tell();
    const found = view ? this.rows.get(plain(id)) : find("sought");
    if (scroll && id) found?.scrollIntoView({ block: "center" });
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
    const missed = this.sought && !this.place(this.sought);
    say(find("sought"), missed ? `There is no job ${this.sought} here. It may have ended.` : "");
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
    const { waiting } = this.told, none = [];
    if (!waiting.some((job) => Array.isArray(job.forecast))) none.push(likely);
    if (!waiting.some((job) => isNumber(job.slurm))) none.push(theirs, earlier);
    return COLUMNS[this.view].filter((column) => !none.includes(column));
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
    const known = this.rows.get(plain(id)), shape = [this.view, ...columns.map(([name]) => name)].join();
    const row = known ?? make("tr");
    if (row.dataset.shape !== shape) row.replaceChildren();
    row.dataset.job = plain(id);
    row.dataset.shape = shape;
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
      cell.replaceChildren(...filled(told, job));
    });
    const open = this.unfolded.has(plain(id)), button = row.querySelector(".unfold");
    row.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
    say(button, open ? "less" : "more");
    return row;
  }
}

// told: text, sub (a second line), title, class, link
function filled(told, job) {
  const text = told.link ? link(job) : document.createTextNode(plain(told.text));
  const inside = make("span", { class: told.class, title: told.title }, text);
  if (told.sub) inside.append(make("span", { class: "sub", title: told.sub }, told.sub));
  if (!told.link) return [inside];
  const button = make("button", { class: "unfold" });
  button.type = "button";
  return [inside, button];
}

// A name, what is told, and a class. On a phone what is brief shares a line, and the rest is folded.
const job = ["Job", (one) => ({ link: true, text: one.id, sub: one.name, title: one.name }), "text"];
const user = ["User", (one) => ({ text: one.user, sub: one.partition, title: `account ${one.account}` }), "text brief"];
const asks = ["Size", (one) => ({ text: size(one) }), "number brief"];
const limit = ["Limit", (one) => ({ text: duration(one.limit) }), "number brief limit"];
const waits = ["Waits for", (one, told) => ({ text: duration(Math.max(told.written - one.submit, 0)), title: `since ${fully(one.submit)}` }), "number rest"];
const why = ["Why it waits", (one) => ({ text: reason(one.reason), title: one.reason }), "text"];
const because = [why[0], why[1], "text rest"];
// Half of the futures have started it by then; nine of ten by the second moment.
const likely = ["Likely", (one, told) => {
  const [early, half, late] = Array.isArray(one.forecast) ? one.forecast : [];
  if (!isNumber(half) || half < 0) return { text: "" };
  const known = isNumber(late) && late >= 0;
  const title = `one of ten by ${fully(early)}, half by ${fully(half)}${known ? `, nine of ten by ${fully(late)}` : ""}`;
  // A minute that has begun would look like the past.
  if (known && late < told.written + 60) return { text: "any moment", title };
  return {
    text: half <= told.written ? "now" : moment(half, told.written),
    sub: known ? `by ${moment(late, told.written)}: 90 %` : "", title,
  };
}, "number"];
const UNKNOWN = "the plan does not say";
const ours = ["Our plan", (one, told) => ({
  text: isNumber(one.planned) && one.planned <= told.written ? "now" : moment(one.planned, told.written),
  title: fully(one.planned) || UNKNOWN, sub: nodeNames(one.planned_nodes, told.nodes),
}), "number"];
const theirs = ["Slurm's forecast", (one, told) => ({
  text: isNumber(one.slurm) ? moment(Math.max(one.slurm, told.written), told.written) : "not told", title: fully(one.slurm),
}), "number rest"];
const earlier = ["Ours is", (one, told) => {
  const by = lead(one, told.written);
  if (by === null) return { text: "" };
  if (same(by)) return { text: "the same" };
  return { text: `${duration(by)} ${by > 0 ? "earlier" : "later"}`, class: by > 0 ? "better" : "worse" };
}, "number rest"];
const began = ["Started", (one, told) => ({ text: isNumber(one.start) ? moment(one.start, told.written) : "is let in", title: fully(one.start) }), "number rest"];
const ends = ["Expected end", (one, told) => ({ text: moment(one.expected_end, told.written), title: fully(one.expected_end) || UNKNOWN }), "number"];
const left = ["In", (one, told) => ({ text: duration(Math.max(one.expected_end - told.written, 0)) }), "number rest"];
const where = ["Nodes", (one, told) => ({ text: nodeNames(one.nodes, told.nodes) || some(one.node_count, "node", "nodes") }), "text rest"];

const COLUMNS = {
  waiting: [job, user, asks, limit, waits, ours, theirs, earlier, likely, because],
  running: [job, user, asks, limit, began, ends, left, where],
  left_out: [job, user, asks, limit, waits, why],
};
const EMPTY = { waiting: "Nobody waits.", running: "Nothing runs.", left_out: "Nobody waits for anything but room." };
