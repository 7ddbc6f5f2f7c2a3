// Everything that comes from outside gets into the page here, and only as text.

// Names are chosen by users: what would turn, hide or break a line is shown as a mark.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const LONGEST = 300;

const cut = (text) => (text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text);

export function plain(value) {
  return cut(String(value ?? "")).replace(UNSEEN, "\ufffd");
}

// A text of several lines in one.
export const joined = (value) => String(value ?? "").trimEnd().split(/\s*[\r\n]+\s*/).join(" · ");

// A text of several lines, for make(): its breaks are real ones.
export function lines(value) {
  const told = cut(String(value ?? "")).trimEnd().split(/\r?\n/);
  return told.flatMap((line, k) => (k ? [make("br"), line] : [line]));
}

export const find = (id) => document.getElementById(id);

// Only what differs is touched, so that a reader's selection and focus stay.
export function say(element, value) {
  const text = plain(value);
  if (element.textContent !== text) element.textContent = text;
  return element;
}

export function make(tag, options = {}, ...inside) {
  const element = document.createElement(tag);
  if (options.class) element.className = options.class;
  if (options.title) element.title = plain(options.title);
  for (const one of inside) {
    element.append(one instanceof Node ? one : document.createTextNode(plain(one)));
  }
  return element;
}

// Pairs of a name and a value as dt and dd; a value may be an element.
export function pairs(list, told) {
  list.replaceChildren(...told.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

export function link(job) {
  const made = make("a", {}, job.id);
  made.setAttribute("href", "#job=" + encodeURIComponent(plain(job.id)));
  return made;
}
