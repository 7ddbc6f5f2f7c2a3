// The picture: only the rows that can be seen are drawn.

import { plain } from "./dom.js";
import { ticks } from "./gantt_layout.js";
import { moment } from "./words.js";

export const AXIS = 26;
const FAR = 10; // a row smaller than that has no gaps

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  return {
    run: [of("run-0"), of("run-1"), of("run-2")], later: [of("later-0"), of("later-1"), of("later-2")],
    soon: [of("soon"), of("soon"), of("soon")], down: of("down"), downInk: of("down-ink"), card: of("card"),
    ink: of("ink"), muted: of("muted"), rule: of("rule"), accent: of("accent"),
    onRun: of("on-run"), onLater: of("on-later"), sans: of("sans"),
  };
}

// scene: pen, width, height, gutter, top (scrolled by), row (height), rows, nodes, span, now, dimmed, marked, ink
export function paint(scene) {
  const { pen, width, height, ink } = scene;
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = ink.card;
  pen.fillRect(0, 0, width, height);
  const x = (at) => scene.gutter + (at - scene.span.from) / (scene.span.to - scene.span.from) * (width - scene.gutter);
  const first = Math.max(Math.floor(scene.top / scene.row), 0);
  const last = Math.min(Math.ceil((scene.top + height - AXIS) / scene.row), scene.nodes.length);
  const steps = ticks(scene.span, Math.max((width - scene.gutter) / 80, 2));
  backs(scene, first, last);
  pen.fillStyle = ink.rule;
  for (const at of steps.at) pen.fillRect(Math.round(x(at)), AXIS, 1, height);
  pen.save();
  pen.beginPath();
  pen.rect(scene.gutter, AXIS, width - scene.gutter, height - AXIS);
  pen.clip();
  for (let node = first; node < last; node++) boxes(scene, node, x);
  nowLine(scene, x(scene.now));
  pen.restore();
  labels(scene, first, last);
  axis(scene, steps, x);
}

const y = (scene, node) => AXIS + node * scene.row - scene.top;

function backs(scene, first, last) {
  const { pen, ink, width } = scene;
  for (let node = first; node < last; node++) {
    const up = y(scene, node);
    if (!scene.nodes[node].usable) {
      pen.fillStyle = ink.down;
      pen.fillRect(0, up, width, scene.row);
    }
    if (scene.row >= FAR) {
      pen.fillStyle = ink.rule;
      pen.fillRect(0, up + scene.row - 1, width, 1);
    }
  }
}

function boxes(scene, node, x) {
  const { pen, ink, width, row } = scene;
  const up = y(scene, node), gap = row >= FAR ? 1 : 0;
  for (const { bar, low, high } of scene.rows[node]) {
    const left = Math.max(x(bar.begin), scene.gutter - 3), right = Math.min(x(bar.end), width + 3);
    if (right < scene.gutter || left > width) continue;
    const above = up + low * (row - gap), tall = Math.max((high - low) * (row - gap), 0.6);
    const wide = Math.max(right - left - (gap ? 0.8 : 0.3), 1);
    const off = scene.dimmed && !scene.dimmed.has(bar.id);
    pen.globalAlpha = off ? 0.16 : 1;
    pen.fillStyle = ink[bar.kind][bar.shade];
    pen.fillRect(left, above, wide, tall - (gap && tall > 4 ? 0.7 : 0));
    if (bar.id === scene.marked && !gap) { // too small for a frame
      pen.globalAlpha = 0.7;
      pen.fillStyle = ink.ink;
      pen.fillRect(left, above, wide, tall);
    } else if (bar.id === scene.marked) {
      pen.globalAlpha = 1;
      pen.strokeStyle = ink.ink;
      pen.lineWidth = 2;
      pen.strokeRect(left + 1, above + 0.5, Math.max(wide - 2, 1), Math.max(tall - 2, 1));
    }
    if (tall >= 13 && wide > 40 && !off) name(pen, ink, bar, left, above, wide, tall, scene.gutter);
    pen.globalAlpha = 1;
  }
}

function name(pen, ink, bar, left, above, wide, tall, gutter) {
  pen.font = `11px ${ink.sans}`;
  pen.textBaseline = "middle";
  const begin = Math.max(left, gutter) + 5, room = left + wide - begin - 3;
  const both = `${plain(bar.id)}  ${plain(bar.job.user)}`;
  const text = [both, plain(bar.id)].find((one) => pen.measureText(one).width <= room);
  if (!text) return;
  pen.fillStyle = bar.kind === "run" ? ink.onRun : bar.kind === "soon" ? "#2b1d00" : ink.onLater;
  pen.fillText(text, begin, above + tall / 2 + 0.5);
}

function nowLine({ pen, ink, height }, at) {
  pen.fillStyle = ink.ink;
  pen.fillRect(Math.round(at) - 0.5, AXIS, 1.5, height - AXIS);
}

// The names of nodes: as many as there is room for.
function labels(scene, first, last) {
  const { pen, ink, gutter, row } = scene;
  pen.font = `11px ${ink.sans}`;
  pen.textBaseline = "middle";
  pen.fillStyle = ink.rule;
  pen.fillRect(gutter - 1, AXIS, 1, scene.height);
  pen.fillStyle = ink.muted;
  const every = Math.max(Math.ceil(15 / row), 1);
  for (let node = Math.ceil(first / every) * every; node < last; node += every) {
    pen.fillText(fitted(pen, plain(scene.nodes[node].name), gutter - 12), 6, Math.max(y(scene, node) + row / 2, AXIS + 7));
  }
}

function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let tail = text;
  while (tail.length > 1 && pen.measureText("…" + tail).width > room) tail = tail.slice(1);
  return "…" + tail; // names of nodes differ at their ends
}

function axis(scene, steps, x) {
  const { pen, ink, width, gutter } = scene;
  pen.fillStyle = ink.card;
  pen.fillRect(0, 0, width, AXIS);
  pen.fillStyle = ink.rule;
  pen.fillRect(0, AXIS - 1, width, 1);
  pen.font = `11px ${ink.sans}`;
  pen.textBaseline = "middle";
  pen.fillStyle = ink.muted;
  const here = x(scene.now), word = pen.measureText("now").width;
  for (const at of steps.at) {
    const text = moment(at, scene.now), wide = pen.measureText(text).width;
    const left = Math.min(x(at) - wide / 2, width - wide - 4);
    const clear = left > here + word / 2 + 6 || left + wide < here - word / 2 - 6;
    if (left >= gutter && clear) pen.fillText(text, left, AXIS / 2);
  }
  pen.fillStyle = ink.ink;
  pen.font = `600 11px ${ink.sans}`;
  pen.fillText("now", Math.max(here - word / 2, 4), AXIS / 2);
}
