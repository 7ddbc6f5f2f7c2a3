// Which processors each job runs on: the lowest free ones at its start.

class FreeProcessors {
  constructor() {
    // No upper end: a recorded schedule may use more than the machine is said to have.
    this.low = [0];
    this.high = [Number.MAX_SAFE_INTEGER];
  }

  // Calls found(low, high) for each interval taken.
  take(count, found) {
    let whole = 0;
    while (true) {
      const low = this.low[whole], size = this.high[whole] - low + 1;
      if (size > count) {
        found(low, low + count - 1);
        this.low[whole] = low + count;
        break;
      }
      found(low, this.high[whole]);
      count -= size;
      whole += 1;
      if (count === 0) break;
    }
    if (whole) {
      this.low.splice(0, whole);
      this.high.splice(0, whole);
    }
  }

  giveBack(low, high) {
    let a = 0, b = this.low.length;
    while (a < b) {
      const middle = (a + b) >> 1;
      if (this.low[middle] < low) a = middle + 1;
      else b = middle;
    }
    const joinsLeft = a > 0 && this.high[a - 1] === low - 1;
    const joinsRight = a < this.low.length && this.low[a] === high + 1;
    if (joinsLeft && joinsRight) {
      this.high[a - 1] = this.high[a];
      this.low.splice(a, 1);
      this.high.splice(a, 1);
    } else if (joinsLeft) {
      this.high[a - 1] = high;
    } else if (joinsRight) {
      this.low[a] = low;
    } else {
      this.low.splice(a, 0, low);
      this.high.splice(a, 0, high);
    }
  }
}

// Boxes in order of their start: job, begin, end, bottom and top (exclusive) processor.
function layOut(columns, run) {
  const { wait, extra } = columns.runs[run];
  const jobs = wait.length;
  const start = new Float64Array(jobs), end = new Float64Array(jobs);
  const order = [];
  for (let i = 0; i < jobs; i++) {
    start[i] = columns.submit[i] + wait[i];
    end[i] = start[i] + columns.runtime[i] + extra[i];
    if (wait[i] >= 0) order.push(i);
  }
  const starting = Uint32Array.from(order).sort((a, b) => start[a] - start[b] || a - b);
  const ending = Uint32Array.from(order).sort((a, b) => end[a] - end[b] || a - b);
  const job = [], bottom = [], top = [];
  const first = new Uint32Array(jobs), beyond = new Uint32Array(jobs);
  const free = new FreeProcessors();
  let next = 0, height = 0;
  for (const i of starting) {
    while (next < ending.length && end[ending[next]] <= start[i]) {
      const done = ending[next++];
      for (let k = first[done]; k < beyond[done]; k++) free.giveBack(bottom[k], top[k] - 1);
    }
    first[i] = job.length;
    free.take(columns.demand[i], (low, high) => {
      job.push(i);
      bottom.push(low);
      top.push(high + 1);
      if (high + 1 > height) height = high + 1;
    });
    beyond[i] = job.length;
  }
  const boxes = {
    count: job.length, job: Uint32Array.from(job), bottom: Float64Array.from(bottom), top: Float64Array.from(top),
    begin: Float64Array.from(job, (i) => start[i]), end: Float64Array.from(job, (i) => end[i]),
    latest: new Float64Array(job.length), height, start, finish: end, first, beyond, last: 0,
  };
  // The latest end so far rises, so that the first box that reaches into a view can be searched.
  let latest = 0;
  for (let k = 0; k < boxes.count; k++) boxes.latest[k] = latest = Math.max(latest, boxes.end[k]);
  boxes.last = latest;
  return boxes;
}

// The boxes that may be visible between two moments, as a range.
function visibleBoxes(boxes, from, to) {
  return [search(boxes.latest, from), search(boxes.begin, to)];
}

// The first place whose value exceeds the wanted one.
function search(values, wanted) {
  let a = 0, b = values.length;
  while (a < b) {
    const middle = (a + b) >> 1;
    if (values[middle] <= wanted) a = middle + 1;
    else b = middle;
  }
  return a;
}
