// One chart as Plotly draws it, from the plain data of packwise/reports/charts/chart.py.

const PRINT_WIDTH = 660;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

const DATE_FORMATS = [
  { dtickrange: [null, 60000], value: "%H:%M:%S\n%-d %b %Y" },
  { dtickrange: [60000, 86400000 - 1], value: "%H:%M\n%-d %b %Y" },
  { dtickrange: [86400000, "M1"], value: "%-d %b\n%Y" },
  { dtickrange: ["M1", "M12"], value: "%b\n%Y" },
  { dtickrange: ["M12", null], value: "%Y" },
];

// Plotly reads a little HTML in its texts, and formulas between dollars; names are shown as they are.
const plain = (text) => String(text)
  .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\$/g, "&#36;");

const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

function durationText(seconds) {
  for (const [unit, width] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (Math.abs(seconds) >= 2 * width) return `${grouped(seconds / width, 1)} ${unit}`;
  }
  return `${Math.round(seconds)} s`;
}

const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat("en",
  { minimumFractionDigits: digits, maximumFractionDigits: digits }));

function grouped(value, digits = 0) {
  return formats[digits].format(value);
}

function readable(value) {
  const size = Math.abs(value);
  if (size >= 1000) return grouped(value);
  return size >= 100 ? grouped(value, 1) : size >= 0.1 || size === 0 ? grouped(value, 2) : value.toPrecision(2);
}

function axisLayout(axis, narrow) {
  const layout = {
    title: { text: plain(axis.title || ""), standoff: 10, font: { size: narrow ? 11 : 12.5, color: theme.muted } },
    tickfont: { size: narrow ? 10 : 11.5, color: theme.muted },
    gridcolor: theme.rule, zerolinecolor: theme.muted, zerolinewidth: 1,
    linecolor: theme.rule, automargin: true, separatethousands: true, exponentformat: "none",
    zeroline: false, nticks: narrow ? 5 : 9,
  };
  if (axis.clock) Object.assign(layout, { type: "date", tickformatstops: DATE_FORMATS });
  if (axis.scale === "log") {
    layout.type = "log";
    if (!axis.ticks) Object.assign(layout, { dtick: 1, exponentformat: "SI" });
  }
  if (axis.range) layout.range = axis.scale === "log" ? axis.range.map(Math.log10) : axis.range;
  if (axis.ticks) {
    Object.assign(layout, {
      tickmode: "array", tickvals: axis.ticks.map((tick) => tick[0]),
      ticktext: axis.ticks.map((tick) => plain(tick[1])), tickangle: 0,
    });
    if (narrow && axis.ticks.length > 6) layout.ticktext = layout.ticktext.map((t, i) => (i % 2 ? "" : t));
  }
  if (axis.categories) {
    const most = narrow ? 28 : 40;
    Object.assign(layout, {
      tickmode: "array", tickvals: axis.categories.map((_, i) => i),
      ticktext: axis.categories.map((name) => plain(shortened(name, most))),
      range: [-0.6, axis.categories.length - 0.4], showgrid: Boolean(axis.title), tickangle: !axis.title ? 0 : narrow && axis.categories.length > 5 ? -50 : 0,
    });
  }
  if (axis.zero_line) layout.zeroline = true;
  if (axis.from_zero && !axis.clock) layout.rangemode = "tozero";
  return layout;
}

// Days become what the clock on the wall shows, in milliseconds, where the log tells its date.
function placesOf(axis, values) {
  if (!axis.clock) return values;
  const calendar = new Calendar(axis.clock);
  return values.map((day) => 1000 * Math.round(calendar.local(day * DAY)));
}

function seriesTrace(series, panel, policies) {
  const style = series.policy === undefined ? null : policies.get(series.policy);
  const colour = style ? (theme.dark ? style.dark : style.light) : theme.ink;
  const trace = {
    type: "scatter", x: placesOf(panel.x, series.x), y: series.y, name: plain(series.label), meta: series.policy ?? null,
    mode: "lines", line: { color: colour, width: 2, dash: style ? style.dash : series.dashed ? "dash" : "solid" },
    marker: { color: colour, size: 7, symbol: style ? style.symbol : "circle" },
    text: series.x.map((x, i) => hoverText(series, panel, i)), hovertemplate: "%{text}<extra></extra>",
    connectgaps: false,
  };
  if (series.mark === "step") trace.line.shape = "hv";
  if (series.mark === "dots") trace.mode = "lines+markers";
  if (series.hollow) {
    trace.marker.color = series.hollow.map((ring) => (ring ? theme.paper : colour));
    trace.marker.line = { color: colour, width: 1.5 };
  }
  if (series.mark === "point") {
    trace.mode = "markers";
    trace.marker.size = 12;
    trace.marker.line = { color: theme.paper, width: 1.5 };
  }
  if (series.mark === "bar") {
    Object.assign(trace, {
      type: "bar", orientation: "h", textposition: "none",
      marker: { color: series.x.map((x) => (x < 0 ? theme.better : theme.worse)) },
    });
    delete trace.mode;
    delete trace.line;
    delete trace.connectgaps;
  }
  if (series.mark === "stack") {
    Object.assign(trace, {
      type: "bar", orientation: "h", base: series.base, marker: { color: colour, opacity: series.pale ? 0.45 : 1 },
      customdata: trace.text, hovertemplate: "%{customdata}<extra></extra>", text: series.ends || "",
      textposition: series.ends ? "outside" : "none", textfont: { size: 11, color: theme.muted }, cliponaxis: false,
    });
    delete trace.mode;
    delete trace.line;
    delete trace.connectgaps;
  }
  if (series.mark === "bubble") {
    trace.mode = "markers";
    trace.marker = { color: colour, size: series.sizes, opacity: 0.75, line: { width: 0 } };
  }
  if (series.error) {
    for (const [k, side] of ["x", "y"].entries()) {
      if (series.error[k]) {
        trace["error_" + side] = { type: "data", array: [series.error[k]], color: colour, thickness: 1.2, width: 4 };
      }
    }
  }
  return trace;
}

function hoverText(series, panel, i) {
  const tell = (axis, value) => {
    if (value === null || value === undefined) return "–";
    if (axis.categories) return plain(axis.categories[value]);
    if (axis.clock) return plain(new Calendar(axis.clock).moment(value * DAY));
    return axis.seconds ? durationText(value) : readable(value);
  };
  const named = (axis, value) => (axis.seconds || axis.categories || axis.clock || !axis.title
    ? tell(axis, value) : `${tell(axis, value)} ${plain(axis.title)}`);
  const note = series.notes ? `<br>${plain(series.notes[i])}` : "";
  if (series.mark === "stack") return `<b>${plain(series.label)}</b><br>${readable(series.x[i])} missed`;
  if (series.mark === "bubble") {
    return `<b>${plain(series.label)}</b>${note}<br>promised ${tell(panel.x, series.x[i])}, waited ${tell(panel.y, series.y[i])}`;
  }
  const first = named(panel.y, series.y[i]), second = named(panel.x, series.x[i]);
  return `<b>${plain(series.label)}</b><br>${first}<br>${second}${note}`;
}

// Panels stand in a grid; Plotly wants their places as fractions of the drawing area.
function panelDomains(count, columns, rowGap, columnGap) {
  const rows = Math.ceil(count / columns);
  const width = (1 - columnGap * (columns - 1)) / columns;
  const height = (1 - rowGap * (rows - 1)) / rows;
  return Array.from({ length: count }, (_, k) => {
    const left = (k % columns) * (width + columnGap);
    const top = 1 - Math.floor(k / columns) * (height + rowGap);
    return { x: [left, Math.min(left + width, 1)], y: [Math.max(top - height, 0), top] };
  });
}

const ownLines = (panel) => panel.series.filter((series) => series.policy === undefined && series.mark !== "bar");

const sameOwn = (one, other) => {
  const names = (panel) => ownLines(panel).map((series) => series.label).join("\n");
  return names(one) === names(other);
};

function drawChart(place, chart, policies, hidden) {
  if (chart.map) return drawNodeMap(place, chart);
  if (chart.empty) {
    Plotly.purge(place);
    place.textContent = chart.empty;
    place.classList.add("nothing");
    return;
  }
  if (place.classList.contains("nothing")) {
    place.textContent = "";
    place.classList.remove("nothing");
  }
  const width = theme.printing ? PRINT_WIDTH : place.clientWidth;
  const narrow = width < 480;
  const columns = Math.min(chart.columns, chart.panels.length, width < 480 ? 1 : width < 800 ? 2 : 4);
  const rows = Math.ceil(chart.panels.length / columns);
  const tall = !narrow && place.parentElement.classList.contains("tall") && chart.panels.length === 1;
  const bars = Math.max(...chart.panels.map((panel) => panel.y.categories?.length ?? 0));
  const each = bars ? Math.max(150, 24 * bars + 80) : chart.panels.length > 1 ? 250 : tall ? 500 : narrow ? 290 : 340;
  const height = rows * each + 30;
  const layout = {
    width, height, autosize: false, showlegend: false, hovermode: "closest", bargap: 0.28, barmode: "overlay",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: FONT, color: theme.ink, size: 12 },
    margin: { l: narrow ? 46 : 60, r: narrow ? 10 : 18, t: chart.panels[0].title ? 30 : 12, b: 44 },
    hoverlabel: { bgcolor: theme.paper, bordercolor: theme.rule, font: { color: theme.ink, family: FONT, size: 12.5 }, align: "left" },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom", annotations: [],
  };
  const domains = panelDomains(chart.panels.length, columns, rows > 1 ? (chart.columns > 1 ? 84 : 62) / height : 0, columns > 1 ? 74 / width : 0);
  const traces = [];
  chart.panels.forEach((panel, k) => {
    const suffix = k ? String(k + 1) : "";
    layout["xaxis" + suffix] = { ...axisLayout(panel.x, narrow || columns > 2), domain: domains[k].x, anchor: "y" + suffix };
    layout["yaxis" + suffix] = { ...axisLayout(panel.y, narrow || columns > 2), domain: domains[k].y, anchor: "x" + suffix };
    const highest = Math.max(0, ...panel.series.flatMap((series) => series.y.map(Number)));
    if (highest >= 1e5 && !panel.y.ticks) layout["yaxis" + suffix].tickformat = "~s";
    if (panel.y.categories) layout["yaxis" + suffix].range.reverse();
    if (panel.title) {
      layout.annotations.push({
        text: `<b>${plain(panel.title)}</b>`, x: domains[k].x[0], y: domains[k].y[1], xref: "paper", yref: "paper",
        xanchor: "left", yanchor: "bottom", yshift: 5, showarrow: false, font: { size: 12.5, color: theme.ink },
      });
    }
    for (const series of panel.series) {
      const trace = seriesTrace(series, panel, policies);
      trace.visible = !hidden.has(series.policy);
      trace.xaxis = "x" + suffix;
      trace.yaxis = "y" + suffix;
      trace.showlegend = k === 0 || !chart.panels[0].series.some((one) => one.label === series.label);
      traces.push(trace);
    }
    // Lines without a policy have no place in the shared legend: they are named in a corner.
    const own = chart.front || chart.panels.slice(0, k).some((one) => sameOwn(one, panel)) ? [] : ownLines(panel);
    own.forEach((series, i) => layout.annotations.push({
      text: `${series.dashed ? "- - -" : "——"}  ${plain(series.label)}`, x: domains[k].x[0], y: domains[k].y[1],
      xref: "paper", yref: "paper", xanchor: "left", yanchor: "top", xshift: 8, yshift: -4 - 18 * i,
      showarrow: false, font: { size: 11.5, color: theme.muted },
    }));
  });
  // On paper the legend of the screen is pages away; stacked bars are named at their axis.
  for (const trace of traces) trace.showlegend &&= trace.meta !== null && trace.type !== "bar";
  const names = traces.filter((trace) => trace.showlegend).length;
  if (theme.printing && names && names <= 12 && !chart.front) {
    const drawn = height - layout.margin.t - layout.margin.b;
    const below = chart.panels.some((panel) => panel.x.clock) ? 74 : 56; // dates take two lines
    Object.assign(layout, { showlegend: true, legend: { orientation: "h", x: 0, y: -below / drawn, yanchor: "top" } });
  }
  if (chart.adjust) chart.adjust(layout, traces, width);
  const config = {
    displaylogo: false, responsive: false, displayModeBar: false, doubleClick: "reset",
  };
  return Plotly.react(place, traces, layout, config);
}
