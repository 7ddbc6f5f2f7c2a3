// Unpacks what the page carries and brings it to life.

function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  place.hidden = false;
  document.documentElement.classList.add("no-charts");
}

function startOverview() {
  const select = document.getElementById("overview-metric");
  if (!select) return;
  const show = () => {
    for (const table of document.querySelectorAll(".overview")) {
      table.hidden = table.dataset.metric !== select.value;
    }
  };
  select.addEventListener("change", show);
  show();
}

// Tables that go on to the right say so by fading there.
function startScrolling() {
  for (const place of document.querySelectorAll(".scroll")) {
    const mark = () => {
      place.classList.toggle("more", place.scrollWidth - place.clientWidth - place.scrollLeft > 2);
    };
    place.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(mark).observe(place);
  }
}

// A page that is printed as soon as it has loaded (chromium --print-to-pdf) has loaded only when all is
// drawn: a frame whose document is still open holds the load event back. Gives what lets it go.
function holdLoad() {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  frame.contentDocument.open();
  return () => { frame.contentDocument.close(); frame.remove(); };
}

async function start() {
  theme.start();
  startOverview();
  startScrolling();
  if (!document.getElementById("data-gantt-0")) return;
  if (!("DecompressionStream" in globalThis)) {
    notice("This browser is too old to unpack the charts: it lacks DecompressionStream. The words and "
      + "tables below are complete. Chrome 80, Firefox 113, Safari 16.4 and later show the charts.");
    return;
  }
  const text = (bytes) => new TextDecoder().decode(bytes);
  const [plotly, figures] = await Promise.all([unpack("plotly"), unpack("figures")]);
  const script = document.createElement("script");
  script.textContent = text(plotly);
  document.head.append(script);
  const data = JSON.parse(text(figures));
  const charts = new Charts(data), gantt = new Gantt(data);
  document.getElementById("case").addEventListener("change", (event) => {
    const number = Number(event.target.value);
    charts.show(number);
    gantt.show(number);
  });
  globalThis.packwise = { charts, gantt, theme };
  await charts.start();
  await gantt.start();
  new Paper(charts, gantt).start();
  startJobsCsv(gantt);
  document.documentElement.dataset.ready = "true";
}

const letLoad = holdLoad();
start().catch((error) => {
  console.error(error);
  notice(`The charts could not be shown (${error.message}). The words and tables below are complete.`);
}).finally(letLoad);
