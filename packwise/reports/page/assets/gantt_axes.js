// What surrounds the boxes: colours with their legend, and the ticks of processors.

const USER_COLOURS = ["#3b82b5", "#e0a83e", "#3f9f80", "#c983ab", "#d4703c", "#7fc0e4", "#86689f",
  "#b9ad5a", "#94706a", "#78915c"];
const WAITS = [[60, "< 1 min"], [600, "< 10 min"], [3600, "< 1 h"], [6 * 3600, "< 6 h"], [DAY, "< 1 d"],
  [7 * DAY, "< 1 wk"], [Infinity, "longer"]];
const WAIT_COLOURS = ["#9ec5e8", "#5b9bd5", "#f0c35a", "#e8913a", "#cf5324", "#8c1d1d"];
const SIZE_COLOURS = {
  light: ["#cfe3d4", "#9fd0b5", "#5fb7a0", "#2f9590", "#1f7183", "#254f74", "#2b2f5c"],
  dark: ["#34505a", "#2f6f73", "#3a9188", "#5eb494", "#93d3a0", "#cdeab2", "#f5fbd0"],
};

const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

function paletteOf(colours) {
  return Float32Array.from(colours.flatMap(parts));
}

// { tint, colours, legend: [[colour, text], ...] } for the jobs under one policy.
function colourJobs(mode, columns, run, procs) {
  if (mode === "wait") return colourByWait(columns, run);
  if (mode === "size") return colourBySize(columns, procs);
  return colourByUser(columns);
}

// Those with the most work get colours of their own, the others take turns in grey.
function colourByUser(columns) {
  const { user, users, demand, runtime } = columns;
  const work = new Map();
  for (let i = 0; i < user.length; i++) {
    work.set(user[i], (work.get(user[i]) || 0) + demand[i] * runtime[i]);
  }
  const ranked = [...work.keys()].sort((a, b) => work.get(b) - work.get(a) || a - b);
  const named = ranked.filter((one) => one >= 0).slice(0, USER_COLOURS.length);
  const greys = theme.dark ? ["#5a6370", "#4d5561"] : ["#b4bac3", "#a2a9b4"];
  const place = new Map(named.map((one, k) => [one, k]));
  const tint = Uint8Array.from(user, (one, i) => place.get(one) ?? named.length + (i % 2));
  const colours = [...USER_COLOURS.slice(0, named.length), ...greys];
  const legend = named.map((one, k) => [colours[k], users[one]]);
  if (named.length < ranked.length) {
    legend.push([greys[0], named.length ? `${grouped(ranked.length - named.length)} others` : "users unknown"]);
  }
  return { tint, colours, legend };
}

function colourByWait(columns, run) {
  const colours = [theme.dark ? "#465264" : "#cdd5df", ...WAIT_COLOURS];
  const tint = Uint8Array.from(columns.runs[run].wait, (wait) => WAITS.findIndex(([end]) => wait < end));
  return { tint, colours, legend: WAITS.map(([, text], k) => [colours[k], text]) };
}

function colourBySize(columns, procs) {
  const colours = SIZE_COLOURS[theme.dark ? "dark" : "light"];
  const levels = Math.max(1, Math.ceil(Math.log2(procs)));
  const each = Math.max(1, levels / (colours.length - 1));
  const levelOf = (demand) => Math.min(colours.length - 1, Math.ceil(Math.ceil(Math.log2(demand)) / each));
  const legend = [];
  for (let level = 0; level <= levels; level++) {
    const k = levelOf(2 ** level);
    legend[k] = [colours[k], level ? `up to ${grouped(Math.min(2 ** level, procs))}` : "1 processor"];
  }
  return { tint: Uint8Array.from(columns.demand, levelOf), colours, legend: legend.filter(Boolean) };
}

function processorTicks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || 10 * power);
  const ticks = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push([at, grouped(at)]);
  return ticks;
}
