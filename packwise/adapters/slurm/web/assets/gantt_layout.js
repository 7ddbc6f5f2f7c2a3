// Where each job is: on which cores of which nodes, from when to when. No drawing here.

import { isNumber } from "./words.js";

export const SPANS = [
  ["auto", "as needed"], ["7200", "2 hours"], ["21600", "6 hours"], ["86400", "1 day"], ["259200", "3 days"],
  ["604800", "1 week"], ["all", "everything"],
];

// The jobs that have nodes: {job, kind, begin, end, nodes, cores}, by their begin.
export function bars(told) {
  const found = [];
  for (const job of told.running) {
    if (!isNumber(job.expected_end)) continue;
    const begin = isNumber(job.start) ? Math.min(job.start, told.written) : told.written;
    found.push(bar(job, "run", begin, Math.max(job.expected_end, told.written), job.nodes, job.node_cores));
  }
  for (const job of told.waiting) {
    if (!isNumber(job.planned)) continue;
    const run = isNumber(job.run) ? job.run : isNumber(job.limit) ? job.limit : 3600;
    const kind = job.planned <= told.written ? "soon" : "later";
    found.push(bar(job, kind, job.planned, job.planned + run, job.planned_nodes, job.planned_cores));
  }
  return found.filter((one) => one.nodes.length).sort((a, b) => a.begin - b.begin || a.nodes[0] - b.nodes[0]);
}

function bar(job, kind, begin, end, nodes, cores) {
  const places = Array.isArray(nodes) ? nodes : [];
  const share = Math.max(1, Math.round((job.cores || 1) / Math.max(places.length, 1)));
  const each = Array.isArray(cores) && cores.length === places.length ? cores : places.map(() => share);
  return { job, id: String(job.id), kind, begin, end, nodes: places, cores: each, shade: shade(String(job.id)) };
}

// One of three shades, so that neighbours can be told apart.
function shade(id) {
  let sum = 0;
  for (let k = 0; k < id.length; k++) sum = (sum * 31 + id.charCodeAt(k)) % 9973;
  return sum % 3;
}

// For each node its boxes {bar, low, high}: shares of its height, in one piece or in several.
export function stacked(all, nodes) {
  const rows = nodes.map(() => []);
  const until = nodes.map((node) => new Float64Array(Math.min(Math.max(node.cores || 1, 1), 4096)));
  for (const one of all) {
    one.nodes.forEach((node, k) => {
      if (!rows[node]) return;
      const ends = until[node];
      let wanted = Math.min(one.cores[k], ends.length), from = -1;
      const spare = count(ends, one.begin) - wanted; // fewer than none: the rest lies over others
      for (let core = 0; core <= ends.length; core++) {
        const left = ends.length - core;
        const take = wanted > 0 && core < ends.length && (ends[core] <= one.begin || (spare < 0 && left <= wanted));
        if (take) {
          if (from < 0) from = core;
          ends[core] = Math.max(ends[core], one.end);
          wanted -= 1;
        } else if (from >= 0) {
          rows[node].push({ bar: one, low: from / ends.length, high: core / ends.length });
          from = -1;
        }
      }
    });
  }
  return rows;
}

function count(ends, begin) {
  let free = 0;
  for (const end of ends) free += end <= begin;
  return free;
}

// What the jobs that are planned but have no place are called.
export function undrawn(told) {
  return told.waiting.filter((job) => isNumber(job.planned) && !(job.planned_nodes ?? []).length);
}

// From when to when is shown: a little of the past, and what the reader wants of the future.
export function span(chosen, all, now) {
  let ahead = Number(chosen);
  if (!ahead) {
    const ends = all.map((one) => one.end - now).filter((one) => one > 0).sort((a, b) => a - b);
    const last = ends.at(-1) ?? 7200;
    if (chosen === "all") ahead = last;
    else {
      const starts = all.filter((one) => one.kind !== "run").map((one) => one.begin - now);
      const most = ends[Math.floor(0.8 * (ends.length - 1))] ?? 7200;
      ahead = Math.min(last, Math.max(most, ...starts.slice(0, 400).map((one) => 1.15 * one)), 14 * 86400);
    }
    ahead = Math.max(ahead * 1.03, 600);
  }
  return { from: now - 0.06 * ahead, to: now + ahead };
}

const STEPS = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000];

// Round moments of this place's time, at most so many.
export function ticks({ from, to }, most) {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? 7776000;
  const shift = new Date(from * 1000).getTimezoneOffset() * 60;
  const found = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at <= to; at += step) found.push(at);
  return { step, at: found };
}
