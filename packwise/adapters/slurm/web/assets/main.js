// The page: what is known, and who draws it.

import { find } from "./dom.js";
import { Feed } from "./feed.js";
import { Gantt } from "./gantt.js";
import { drawHead, drawHealth } from "./head.js";
import { Jobs } from "./jobs.js";
import { drawJournal, drawMachinery } from "./machinery.js";

const model = {
  told: null, // the status
  problem: "", // why there is none
  staleAfter: 30,
  since: 0, // when the status was written, by this machine's clock that only goes forward
  link: true,
  journal: [],
  age() { return (performance.now() - this.since) / 1000; },
};

const gantt = new Gantt((id, scroll) => choose(id, scroll));
const jobs = new Jobs((ids) => gantt.dim(ids));

// What a status of another version may lack.
function complete(told) {
  const list = (value) => (Array.isArray(value) ? value.filter((one) => one && typeof one === "object") : []);
  const table = (value) => (value && typeof value === "object" ? value : {});
  return {
    ...told, nodes: list(told.nodes), waiting: list(told.waiting),
    running: list(told.running).sort((a, b) => a.expected_end - b.expected_end), // who ends next comes first
   
    left_out: list(told.left_out), notes: Array.isArray(told.notes) ? told.notes : [], health: table(told.health),
    seconds: table(told.seconds), controller: table(told.controller),
  };
}

const hear = {
  status(told, age, staleAfter, problem) {
    model.told = told && complete(told);
    model.problem = problem;
    model.staleAfter = staleAfter || 30;
    model.since = performance.now() - age * 1000;
    find("content").hidden = !told;
    find("facts").hidden = !told;
    find("lead").hidden = !told;
    if (model.told) {
      drawHead(model.told);
      drawMachinery(model.told);
      gantt.show(model.told);
      const first = jobs.told === null;
      jobs.show(model.told);
      if (first) follow();
    }
    drawHealth(model);
    document.documentElement.dataset.cycle = String(told?.cycle ?? "none");
    document.documentElement.dataset.ready = "";
  },
  journal(entries) {
    model.journal = Array.isArray(entries) ? entries : [];
    drawJournal(model.journal);
    drawHealth(model);
  },
  link(state) {
    if (model.link === state || model.link === "token") return;
    model.link = state;
    drawHealth(model);
  },
};

// The address names a job: #job=1234.
function asked() {
  const found = /^#job=(.+)$/.exec(location.hash);
  try {
    return found ? decodeURIComponent(found[1]) : "";
  } catch {
    return "";
  }
}

function follow() {
  const id = asked();
  jobs.seek(id, true);
  gantt.seek(id);
}

function choose(id, scroll) {
  history.replaceState(null, "", id ? "#job=" + encodeURIComponent(id) : location.pathname + location.search);
  jobs.seek(id, scroll);
  gantt.seek(id, false);
}

addEventListener("hashchange", follow);
find("only-troubles").addEventListener("change", () => drawJournal(model.journal));
setInterval(() => drawHealth(model), 1000);
new Feed(hear).start();
