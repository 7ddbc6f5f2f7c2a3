// On paper nobody can choose: what the reader of a screen picks one by one is all printed, one below the other.

class Paper {
  constructor(charts, gantt) {
    this.charts = charts;
    this.gantt = gantt;
    this.added = [];
    this.folded = [];
  }

  start() {
    theme.listeners.push(() => {
      this.remove();
      if (theme.printing) this.add();
    });
  }

  add() {
    this.folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of this.folded) one.open = true;
    const { case: one } = this.charts, value = (id) => Number(document.getElementById(id)?.value ?? 0);
    one.users.charts.forEach((chart, k) => {
      if (k !== value("user-policy")) this.chart("users", chart.label, chart);
    });
    if (one.nodes && document.getElementById("node-map")) {
      one.nodes.runs.forEach((run, k) => one.nodes.resources.forEach((name, resource) => {
        if (k === value("node-policy") && resource === value("node-resource")) return;
        this.chart("node-map", `${run.label}, ${name}`, { map: one.nodes, run, resource });
      }));
    }
    this.gantts();
  }

  remove() {
    for (const one of this.folded) one.open = false;
    this.folded = [];
    for (const place of this.added) place.remove();
    this.added = [];
  }

  place(parent, title) {
    const place = document.createElement("div"), heading = document.createElement("h4");
    place.className = "on-paper";
    heading.textContent = title;
    place.append(heading);
    parent.append(place);
    this.added.push(place);
    return place;
  }

  chart(id, title, chart) {
    const plot = document.createElement("div");
    plot.className = "plot";
    this.place(document.getElementById(id), title).append(plot);
    drawChart(plot, chart, this.charts.policies, this.charts.hidden);
  }

  // The one that is shown stays where it is; pictures of the others stand below it.
  gantts() {
    const { gantt } = this, select = document.getElementById("gantt-policy");
    if (!gantt.case) return;
    const kept = select.value, section = document.getElementById("gantt");
    gantt.case.labels.forEach((label, k) => {
      if (String(k) === kept) return;
      select.value = String(k);
      gantt.choose();
      gantt.draw();
      this.place(section, label).append(gantt.copy());
    });
    select.value = kept;
    gantt.choose();
    gantt.draw();
  }
}
