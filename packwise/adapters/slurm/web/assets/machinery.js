// What was decided of late, how the rounds go, and how Slurm's controller is.

import { find, joined, lines, make, pairs, say } from "./dom.js";
import { clock, count, duration, fully, isNumber } from "./words.js";

const ROWS = 60;
const KINDS = {
  begin: "begins", see: "sees", decide: "decides", send: "sends", answer: "answer", note: "note", trouble: "trouble",
  end: "ends",
};

// An answer that says that all went well.
const quiet = (entry) => entry.kind === "answer" && /: 0$/.test(entry.text);

export function drawJournal(entries) {
  const only = find("only-troubles").checked;
  const shown = [];
  for (const entry of entries.filter((one) => (only ? one.kind === "trouble" : !quiet(one))).reverse()) {
    const last = shown.at(-1);
    if (last && last.kind === entry.kind && last.text === entry.text) {
      last.times += 1;
    } else if (shown.length < ROWS) {
      shown.push({ ...entry, times: 1 });
    } else {
      break;
    }
  }
  const rows = shown.map((entry) => {
    const time = make("time", { title: fully(entry.time) }, clock(entry.time));
    const kind = make("span", { class: "kind" }, KINDS[entry.kind] ?? entry.kind);
    const times = entry.times > 1 ? ` (${count(entry.times)} times)` : "";
    const said = make("span", { class: "said" }, ...lines(entry.text), times);
    return make("li", { class: entry.kind === "trouble" ? "trouble" : "" }, time, kind, said);
  });
  const empty = only ? "No troubles in the last entries." : "The journal is empty.";
  find("journal").replaceChildren(...(rows.length ? rows : [make("li", { class: "empty" }, empty)]));
}

export function drawMachinery(told) {
  const took = (value) => (isNumber(value) ? `${value.toFixed(value < 10 ? 2 : 0)} s` : "?");
  const { seconds, controller } = told;
  pairs(find("rounds"), [
    ["Rounds so far", count(told.cycle)],
    ["One every", duration(told.interval)],
    ["Reading the queue", took(seconds.read)],
    ["Planning", took(seconds.plan)],
    ["Sending", took(seconds.send)],
    ["Lines sent last", count(told.sent)],
    ["Delayed to spare Slurm", count(told.skipped)],
  ]);
  const figure = (value) => (isNumber(value) && value >= 0 ? count(value) : "not told");
  const cycle = (value) => (isNumber(value) && value >= 0 ? `${(value / 1e6).toFixed(3)} s` : "not told");
  pairs(find("controller"), [
    ["Threads at work", figure(controller.threads)],
    ["Messages to send", figure(controller.agents)],
    ["Last main cycle", cycle(controller.main_cycle)],
    ["Last backfill cycle", cycle(controller.backfill_cycle)],
  ]);
  find("notes-card").hidden = !told.notes.length;
  find("notes").replaceChildren(...told.notes.slice(0, 20).map((text) => say(make("li"), joined(text))));
}
