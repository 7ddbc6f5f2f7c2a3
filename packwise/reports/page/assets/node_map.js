// Nodes by time: a row for each node, or for several of a group; the darker, the more is in use.

const MAP_ROW = 9, MAP_LEAST = 240, MAP_MOST = 720, MAP_LABELS = 24;

function drawNodeMap(place, { map, run, resource }) {
  if (place.classList.contains("nothing")) {
    place.textContent = "";
    place.classList.remove("nothing");
  }
  const width = theme.printing ? PRINT_WIDTH : place.clientWidth, narrow = width < 480;
  const rows = map.rows.length, name = map.resources[resource];
  const height = Math.min(Math.max(rows * MAP_ROW, MAP_LEAST), MAP_MOST) + 90;
  const percent = run.percent[resource];
  const axis = { title: map.clock ? `date (${map.clock.zone})` : "days since the first submission", clock: map.clock };
  const x = placesOf(axis, run.days), y = map.rows.map(plain);
  const when = map.clock ? "%{x|%-d %b %Y, %H:%M}" : "day %{x:.2f}";
  const scale = theme.dark
    ? [[0, "#20262f"], [0.02, "#2c3d52"], [1, "#8fc4ff"]] : [[0, "#f3f5f8"], [0.02, "#dbe7f4"], [1, "#0b4a8f"]];
  const traces = [{
    type: "heatmap", x, y, z: percent.map((row) => row.map((value) => (value < 0 ? null : value))),
    zmin: 0, zmax: 100, colorscale: scale, hoverongaps: false,
    hovertemplate: `<b>%{y}</b><br>${when}<br>%{z} % of ${plain(name)} in use<extra></extra>`,
    colorbar: {
      title: { text: `% of ${plain(name)}`, side: "right", font: { size: 11, color: theme.muted } },
      thickness: 10, outlinewidth: 0, tickfont: { size: 10.5, color: theme.muted },
    },
  }];
  const out = -1; // OUT of packwise/reports/nodes/node_map.py; the rows without anything stay blank
  if (percent.some((row) => row.includes(out))) {
    traces.push({
      type: "heatmap", x, y, z: percent.map((row) => row.map((value) => (value === out ? 1 : null))),
      colorscale: [[0, theme.worse], [1, theme.worse]], showscale: false, hoverongaps: false,
      hovertemplate: `<b>%{y}</b><br>${when}<br>out of service<extra></extra>`,
    });
  }
  const first = new Set(map.groups.map(([, row]) => row));
  const every = Math.ceil(rows / MAP_LABELS);
  const named = y.filter((_, row) => first.has(row) || (every === 1 && rows <= MAP_LABELS)
    || (row % every === 0 && ![...first].some((start) => Math.abs(start - row) < every)));
  const layout = {
    width, height, autosize: false, showlegend: false, hovermode: "closest",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: FONT, color: theme.ink, size: 12 },
    margin: { l: narrow ? 60 : 90, r: narrow ? 10 : 18, t: 12, b: 44 },
    hoverlabel: { bgcolor: theme.paper, bordercolor: theme.rule, font: { color: theme.ink, family: FONT, size: 12.5 }, align: "left" },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    xaxis: { ...axisLayout(axis, narrow), showgrid: false },
    yaxis: {
      ...axisLayout({ title: "" }, narrow), type: "category", autorange: "reversed", showgrid: false,
      tickmode: "array", tickvals: named, ticktext: named,
    },
    shapes: map.groups.slice(1).map(([, row]) => ({
      type: "line", xref: "paper", x0: 0, x1: 1, y0: row - 0.5, y1: row - 0.5, line: { color: theme.ink, width: 1 },
    })),
  };
  const config = { displaylogo: false, responsive: false, displayModeBar: false, doubleClick: "reset" };
  return Plotly.react(place, traces, layout, config);
}
