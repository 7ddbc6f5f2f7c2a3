// Wheel, fingers, mouse and keys, told to the Gantt chart as zoom, pan and hover.

const AFTER_SCROLL = 250; // milliseconds in which a wheel still belongs to the page

class GanttInput {
  constructor(gantt) {
    this.gantt = gantt;
    this.held = new Map(); // pointers that are down: id -> place
    this.moved = 0;
    this.scrolled = -Infinity;
    addEventListener("scroll", () => { this.scrolled = performance.now(); }, { passive: true });
    const on = (event, listener, options) => gantt.canvas.addEventListener(event, (e) => {
      if (gantt.boxes) listener.call(this, e);
    }, options);
    on("wheel", this.wheel, { passive: false });
    on("pointerdown", this.down);
    on("pointermove", this.pointerMove);
    on("pointerup", this.up);
    on("pointercancel", this.cancel);
    on("pointerleave", () => { if (!this.held.size) gantt.hide(); });
    on("dblclick", () => gantt.reset());
    on("keydown", this.key);
  }

  place(event) {
    const box = this.gantt.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  across({ x }) { return Math.min(Math.max((x - MARGIN.left) / this.gantt.width, 0), 1); }

  // Who scrolls past the chart keeps scrolling; who stops over it zooms.
  wheel(event) {
    const { gantt } = this;
    const out = event.deltaY > 0 || event.deltaX !== 0;
    if (!event.ctrlKey && performance.now() - this.scrolled < AFTER_SCROLL) return;
    if (out && gantt.isWhole && !event.shiftKey) return;
    event.preventDefault();
    gantt.hide();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const at = this.place(event);
    if (event.shiftKey) {
      const up = 1 - (at.y - MARGIN.top) / gantt.height;
      gantt.zoomRows(Math.exp((event.deltaY || event.deltaX) * lines * 0.0022), up);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      gantt.pan(event.deltaX * lines / gantt.width, 0, true);
    } else {
      gantt.zoom(Math.exp(event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0022)), this.across(at));
    }
  }

  down(event) {
    this.gantt.canvas.setPointerCapture(event.pointerId);
    this.held.set(event.pointerId, this.place(event));
    if (this.held.size === 1) this.moved = 0;
  }

  pointerMove(event) {
    const { gantt, held } = this, at = this.place(event), before = held.get(event.pointerId);
    if (!before) return gantt.hover(at.x, at.y);
    this.moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
    if (held.size === 1) {
      if (this.moved > 4) {
        gantt.hide();
        gantt.canvas.classList.add("dragging");
      }
      gantt.pan((before.x - at.x) / gantt.width, (at.y - before.y) / gantt.height, true);
    } else if (held.size === 2) {
      const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const spread = (one) => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 20);
      const middle = { x: (at.x + other.x) / 2 };
      gantt.hide();
      gantt.zoom(spread(before) / spread(at), this.across(middle), true);
      gantt.pan((before.x - at.x) / 2 / gantt.width, 0, true);
    }
    held.set(event.pointerId, at);
  }

  up(event) {
    const at = this.place(event);
    this.cancel(event);
    if (this.moved <= 4) this.gantt.hover(at.x, at.y);
  }

  cancel(event) {
    this.held.delete(event.pointerId);
    if (!this.held.size) this.gantt.canvas.classList.remove("dragging");
  }

  key(event) {
    const { gantt } = this;
    const actions = {
      "+": () => gantt.zoom(1 / 1.5), "=": () => gantt.zoom(1 / 1.5),
      "-": () => gantt.zoom(1.5), _: () => gantt.zoom(1.5),
      ArrowLeft: () => gantt.pan(-0.2), ArrowRight: () => gantt.pan(0.2),
      ArrowUp: () => gantt.pan(0, 0.2), ArrowDown: () => gantt.pan(0, -0.2),
      PageUp: () => gantt.zoomRows(1 / 1.5), PageDown: () => gantt.zoomRows(1.5),
      0: () => gantt.reset(), Home: () => gantt.reset(), Escape: () => gantt.hide(),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    gantt.hide();
    actions[event.key]();
  }
}
