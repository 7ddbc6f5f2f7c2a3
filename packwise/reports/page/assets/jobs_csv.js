// The jobs of the Gantt chart as CSV: made when somebody asks for it.

function startJobsCsv(gantt) {
  document.getElementById("jobs-csv")?.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([jobsCsv(gantt)], { type: "text/csv" }));
    link.download = "jobs.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
}

function jobsCsv({ columns, case: one }) {
  // A name that a spreadsheet would take for a formula gets an apostrophe.
  const cell = (name) => {
    const text = /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const origin = one.gantt.clock ? one.gantt.clock.origin : 0;
  const head = [
    "job", "user", "processors", origin ? "submit_unix_s" : "submit_s",
    ...one.labels.flatMap((label) => [`wait_s ${label}`, `run_s ${label}`]),
  ];
  const lines = [head.map(cell).join(",")];
  for (let i = 0; i < columns.id.length; i++) {
    const user = columns.user[i] < 0 ? "" : columns.users[columns.user[i]];
    const runs = columns.runs.flatMap(({ wait, extra }) => (wait[i] < 0
      ? ["", ""] : [wait[i], columns.runtime[i] + extra[i]]));
    lines.push([columns.id[i], cell(user), columns.demand[i], origin + columns.submit[i], ...runs].join(","));
  }
  return lines.join("\r\n") + "\r\n";
}
