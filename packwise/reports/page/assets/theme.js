// Light or dark: as the system has it, until the reader chooses. Paper is always light.

const theme = {
  printing: false,
  listeners: [],

  get dark() {
    if (this.printing) return false;
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  },

  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  },

  // Print styles do not reach scripts, so the paper's colours are named here as well.
  get ink() { return this.printing ? "#1f242c" : this.colour("ink"); },
  get muted() { return this.printing ? "#5d6672" : this.colour("muted"); },
  get rule() { return this.printing ? "#e3e6eb" : this.colour("rule"); },
  get paper() { return this.printing ? "#ffffff" : this.colour("card"); },
  get better() { return this.dark ? "#3fbf98" : "#0b7a62"; },
  get worse() { return this.dark ? "#f08063" : "#c23d1f"; },

  changed() {
    for (const listener of this.listeners) listener();
  },

  start() {
    const root = document.documentElement;
    try {
      const kept = localStorage.getItem("packwise-theme");
      if (kept === "light" || kept === "dark") root.dataset.theme = kept;
    } catch { /* files may not have storage */ }
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = this.dark ? "light" : "dark";
      try {
        localStorage.setItem("packwise-theme", root.dataset.theme);
      } catch { /* then it is forgotten */ }
      this.changed();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed());
    const print = (on) => {
      if (this.printing === on) return;
      this.printing = on;
      root.classList.toggle("printing", on);
      this.changed();
    };
    addEventListener("beforeprint", () => print(true));
    addEventListener("afterprint", () => print(false));
    matchMedia("print").addEventListener("change", (event) => print(event.matches));
  },
};
