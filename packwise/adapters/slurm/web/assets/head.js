// The head line, health in words, and the figures that say how things are.

import { find, joined, make, plain, say } from "./dom.js";
import { clock, count, duration, fully, isNumber, lead, same, some } from "./words.js";

const WORDS = { advise: "advises", steer: "steers" };

export function drawHead(told) {
  say(find("cluster"), told.cluster);
  document.title = plain(`${told.waiting.length} wait, ${told.running.length} run: ${told.cluster}`);
  const nodes = told.nodes, usable = nodes.filter((node) => node.usable).length;
  const leads = told.waiting.map((job) => lead(job, told.written)).filter((one) => one !== null);
  const waits = told.waiting.filter((job) => isNumber(job.planned)).map((job) => job.planned - told.written);
  const facts = [
    ["Waiting", figure(count(told.waiting.length), others(told))],
    ["Running", figure(count(told.running.length))],
    ["Cores free", figure(count(told.free), `of ${count(told.cores)}`)],
    ["Nodes usable", figure(count(usable), `of ${count(nodes.length)}`)],
    ["Typical wait from now", figure(waits.length ? duration(middle(waits)) : "none", waits.length ? "median" : "")],
  ];
  if (leads.length) {
    const mean = leads.reduce((sum, one) => sum + one, 0) / leads.length;
    const word = same(mean) ? "Beside" : mean > 0 ? "Earlier than" : "Later than";
    const rest = `mean of ${some(leads.length, "job", "jobs")}`;
    facts.push([`${word} Slurm's forecast`, figure(same(mean) ? "the same" : duration(mean), rest)]);
  }
  find("facts").replaceChildren(...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function figure(value, rest = "") {
  return rest ? make("span", {}, value, " ", make("small", {}, rest)) : make("span", {}, value);
}

function others(told) {
  return told.left_out.length ? `and ${count(told.left_out.length)} not for room` : "";
}

function middle(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// How old the plan is, and whether all is well. model: see main.js.
export function drawHealth(model) {
  const { told, problem, link, journal } = model;
  const lines = [];
  let good = false;
  if (link === "token") {
    lines.push("The token is not accepted any more: load this page again.");
  } else if (!link) {
    lines.push("The connection to the server is lost. What you see is what was known before; it is tried again.");
  }
  if (!told) {
    if (problem) lines.push(...nobody(problem));
    else if (!lines.length) lines.push("Reading the plan.");
  } else {
    const silent = model.age(), failing = isNumber(told.failing) ? told.failing : 0, age = silent + failing;
    say(find("lead"), `Packwise ${WORDS[told.mode] ?? told.mode} with ${told.policy}; planned at ${clock(told.written)}, ${duration(age)} ago`);
    find("lead").title = fully(told.written);
    if (silent > model.staleAfter) {
      lines.push(`Nobody plans any more: the last round was ${duration(age)} ago, at ${fully(told.written)}.`);
      lines.push(lastWords(journal));
    } else {
      const troubles = Object.values(told.health), end = ended(journal);
      if (end) lines.push(`${end.text}. Slurm goes on by itself.`);
      else if (failing) lines.push(`The plan is ${duration(age)} old: rounds fail, and are tried again.`);
      lines.push(...troubles);
      good = !troubles.length && !lines.length;
      if (good) lines.push(`All is well: a new plan every ${duration(told.interval)}.`);
    }
  }
  const box = find("health");
  box.className = "health " + (good ? "good" : told || problem || !link ? "warn" : "");
  const old = Boolean(told) && (Boolean(told.failing) || model.age() > model.staleAfter);
  document.documentElement.classList.toggle("stale", old);
  const shown = lines.filter(Boolean).map(joined);
  const kept = shown.length === box.children.length && shown.every((text, k) => box.children[k].textContent === plain(text));
  if (!kept) box.replaceChildren(...shown.map((text) => make("p", {}, text)));
}

function nobody(problem) {
  const words = problem.charAt(0).toUpperCase() + problem.slice(1) + ".";
  return [words, "The plan appears here after the first round of packwise slurm advise or steer. "
    + "Are they running, with the same folder (--state)?"];
}

// The entry that says that nobody plans any more; none if somebody has begun since.
function ended(journal) {
  const last = journal.findLast((entry) => ["begin", "end"].includes(entry.kind));
  return last?.kind === "end" ? last : null;
}

// What the journal says last of why.
function lastWords(journal) {
  const last = journal.findLast((entry) => ["trouble", "end"].includes(entry.kind));
  const why = "Slurm goes on by itself.";
  return last ? `The journal says last, at ${clock(last.time)}: ${last.text}. ${why}` : why;
}
