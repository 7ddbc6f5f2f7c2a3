// Boxes to pixels. A few thousand are drawn one by one. More than that are averaged: each pixel gets
// the exact mix of what ran there, so jobs smaller than a pixel show as density and nothing flickers.

class Painter {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.sums = new Float32Array(4 * width * height); // red, green, blue, coverage
    this.image = new ImageData(width, height);
  }

  // tint[job] is a place in palette, three numbers (0 to 255) a colour.
  paint(boxes, view, tint, palette, paper) {
    const { width, height, sums } = this;
    sums.fill(0);
    const perSecond = width / (view.to - view.from), perRow = height / (view.high - view.low);
    const [first, beyond] = visibleBoxes(boxes, view.from, view.to);
    const { begin, end, bottom, top, job } = boxes;
    for (let k = first; k < beyond; k++) {
      if (end[k] <= view.from || top[k] <= view.low || bottom[k] >= view.high) continue;
      const left = Math.max((begin[k] - view.from) * perSecond, 0);
      const right = Math.min((end[k] - view.from) * perSecond, width);
      const up = Math.max(height - (top[k] - view.low) * perRow, 0);
      const down = Math.min(height - (bottom[k] - view.low) * perRow, height);
      const at = 3 * tint[job[k]];
      this.fill(left, right, up, down, palette[at], palette[at + 1], palette[at + 2]);
    }
    this.compose(paper);
    return this.image;
  }

  fill(left, right, up, down, red, green, blue) {
    const { width, sums } = this;
    const firstColumn = left | 0, lastRow = Math.min(Math.ceil(down), this.height) - 1;
    const slim = right <= firstColumn + 1; // the commonest case by far: within one column
    for (let row = up | 0; row <= lastRow; row++) {
      const tall = (row + 1 < down ? row + 1 : down) - (row > up ? row : up);
      let at = 4 * (row * width + firstColumn);
      if (slim) {
        const part = (right - left) * tall;
        sums[at] += part * red;
        sums[at + 1] += part * green;
        sums[at + 2] += part * blue;
        sums[at + 3] += part;
        continue;
      }
      for (let column = firstColumn; column < right; column++, at += 4) {
        const part = ((column + 1 < right ? column + 1 : right) - (column > left ? column : left)) * tall;
        sums[at] += part * red;
        sums[at + 1] += part * green;
        sums[at + 2] += part * blue;
        sums[at + 3] += part;
      }
    }
  }

  compose([red, green, blue]) {
    const { sums } = this, pixels = new Uint32Array(this.image.data.buffer);
    for (let p = 0, at = 0; p < pixels.length; p++, at += 4) {
      const cover = sums[at + 3];
      const scale = cover > 1 ? 1 / cover : 1, rest = cover > 1 ? 0 : 1 - cover;
      const r = sums[at] * scale + red * rest, g = sums[at + 1] * scale + green * rest;
      const b = sums[at + 2] * scale + blue * rest;
      pixels[p] = 0xff000000 | (b << 16) | (g << 8) | r; // little-endian: red is the lowest byte
    }
  }
}

// The whole chart as pictures, each half as wide as the one before: what is shown while far out.
class Overview {
  constructor(boxes, whole, width, height, tint, palette, paper) {
    this.whole = whole;
    this.levels = [];
    const image = new Painter(width, height).paint(boxes, whole, tint, palette, paper);
    let canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d").putImageData(image, 0, 0);
    this.levels.push(canvas);
    while (canvas.width > 512) {
      const half = Object.assign(document.createElement("canvas"), { width: canvas.width >> 1, height });
      half.getContext("2d").drawImage(canvas, 0, 0, half.width, height);
      this.levels.push(canvas = half);
    }
  }

  // Whether a pixel of the view is at least as large as one of the finest picture.
  suffices(view, width, height) {
    const [finest] = this.levels, { whole } = this;
    const across = (view.to - view.from) / (whole.to - whole.from) * finest.width;
    const up = (view.high - view.low) / (whole.high - whole.low) * finest.height;
    return across >= 0.9 * width && up >= 0.9 * Math.min(height, whole.high);
  }

  draw(pen, view, width, height) {
    const { whole } = this, part = (view.to - view.from) / (whole.to - whole.from);
    const canvas = this.levels.findLast((one) => one.width * part >= width) || this.levels[0];
    const x = canvas.width / (whole.to - whole.from), y = canvas.height / (whole.high - whole.low);
    pen.drawImage(canvas, (view.from - whole.from) * x, (whole.high - view.high) * y,
      (view.to - view.from) * x, (view.high - view.low) * y, 0, 0, width, height);
  }
}

// One by one, with a hair of paper between neighbours.
function drawBoxes(pen, boxes, view, width, height, tint, colours) {
  pen.clearRect(0, 0, width, height);
  const perSecond = width / (view.to - view.from), perRow = height / (view.high - view.low);
  const [first, beyond] = visibleBoxes(boxes, view.from, view.to);
  const { begin, end, bottom, top, job } = boxes;
  let used = -1;
  for (let k = first; k < beyond; k++) {
    if (end[k] <= view.from || top[k] <= view.low || bottom[k] >= view.high) continue;
    const left = Math.max((begin[k] - view.from) * perSecond, -2);
    const right = Math.min((end[k] - view.from) * perSecond, width + 2);
    const up = height - (top[k] - view.low) * perRow, down = height - (bottom[k] - view.low) * perRow;
    if (tint[job[k]] !== used) {
      used = tint[job[k]];
      pen.fillStyle = colours[used];
    }
    const wide = right - left, tall = down - up;
    pen.fillRect(left, up, wide > 4 ? wide - 0.7 : wide, tall > 4 ? tall - 0.7 : tall);
  }
}
