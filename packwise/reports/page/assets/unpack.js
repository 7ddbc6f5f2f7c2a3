// What the page carries is gzip in base64; numbers are varints (see packwise/reports/coding.py).

async function unpack(name) {
  const text = document.getElementById("data-" + name).textContent;
  const raw = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Seven bits a byte, the sign in the lowest bit. Products, not shifts: numbers may exceed 32 bits.
class Varints {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  column(count, delta = false) {
    const out = new Float64Array(count);
    const bytes = this.bytes;
    let at = this.at, before = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++], value = byte & 127, scale = 128;
      while (byte & 128) {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      }
      value = value % 2 ? -(value + 1) / 2 : value / 2;
      before = out[i] = delta ? before + value : value;
    }
    this.at = at;
    return out;
  }
}

async function unpackGantt(number, jobs, labels) {
  const read = new Varints(await unpack("gantt-" + number));
  const columns = {
    id: read.column(jobs, true),
    submit: read.column(jobs, true),
    runtime: read.column(jobs),
    demand: read.column(jobs),
    user: read.column(jobs),
  };
  columns.runs = labels.map(() => ({ wait: read.column(jobs), extra: read.column(jobs) }));
  return columns;
}
