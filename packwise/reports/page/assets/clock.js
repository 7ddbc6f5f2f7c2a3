// Times as people read them: dates and clock times where the log tells its date (packwise/reports/charts/clock.py),
// else days since the first submission.

const DAY = 86400;
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const DAY_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map((days) => days * DAY);
const MONTH = 30.44 * DAY;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function clockText(seconds, withSeconds) {
  const two = (value) => String(Math.floor(value)).padStart(2, "0");
  const inDay = ((seconds % DAY) + DAY) % DAY;
  const text = `${two(inDay / 3600)}:${two((inDay % 3600) / 60)}`;
  return withSeconds ? `${text}:${two(inDay % 60)}` : text;
}

const niceStep = (steps, span, most) => steps.find((step) => span / step <= most);

// Counts from the first submission.
class Elapsed {
  moment(seconds) { return `day ${grouped(Math.floor(seconds / DAY))}, ${clockText(seconds, true)}`; }

  get zone() { return ""; }

  ticks(from, to, most) {
    const steps = [...CLOCK_STEPS, ...DAY_STEPS];
    const step = niceStep(steps, to - from, most) || steps.at(-1), ticks = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const whole = at % DAY === 0;
      const day = `day ${grouped(Math.floor(at / DAY))}`;
      const first = ticks.length === 0 && !whole && step < DAY;
      ticks.push([at, whole ? day : first ? `${day}, ${clockText(at, step < 60)}` : clockText(at, step < 60)]);
    }
    return ticks;
  }
}

// By the calendar. Local seconds are those since 1970 that the clock on the wall shows.
class Calendar {
  constructor({ origin, zone, shifts }) {
    this.origin = origin;
    this.zone = zone;
    this.shifts = shifts;
  }

  local(seconds) {
    const shift = this.shifts.findLast(([from]) => from <= seconds) || this.shifts[0];
    return this.origin + seconds + shift[1];
  }

  // The moment at which the clock shows this; an hour that is left out is taken as its end.
  back(local) {
    const seen = this.shifts.map(([from, ahead], k) => Math.max(local - ahead - this.origin, k ? from : -Infinity));
    const beyond = this.shifts.map((_, k) => this.shifts[k + 1]?.[0] ?? Infinity);
    return seen.find((at, k) => at < beyond[k]);
  }

  date(local) { return new Date(1000 * local); }

  day(local, withYear) {
    const date = this.date(local);
    return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${withYear ? ` ${date.getUTCFullYear()}` : ""}`;
  }

  moment(seconds) {
    const local = Math.floor(this.local(seconds));
    return `${this.day(local, true)}, ${clockText(local, true)}`;
  }

  ticks(from, to, most) {
    const start = this.local(from), end = this.local(to), span = to - from;
    const step = niceStep(CLOCK_STEPS, span, most);
    const places = step ? multiples(start, end, step) : this.dates(start, end, most);
    let year = null;
    return places.map((local, k) => {
      const fresh = this.date(local).getUTCFullYear() !== year;
      year = this.date(local).getUTCFullYear();
      const day = this.day(local, fresh);
      if (local % DAY === 0) return [this.back(local), day];
      return [this.back(local), k ? clockText(local, step < 60) : `${day}, ${clockText(local, step < 60)}`];
    });
  }

  // Midnights: every day or two, Mondays, or the first of months.
  dates(start, end, most) {
    const span = end - start;
    const days = niceStep([DAY, 2 * DAY], span, most);
    if (days) return multiples(start, end, days);
    const weeks = niceStep([7 * DAY, 14 * DAY], span, most);
    if (weeks) return multiples(start, end, weeks, 4 * DAY); // 1970 began on a Thursday
    const several = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000];
    const months = niceStep(several, span / MONTH, most) || several.at(-1), places = [];
    const first = this.date(start).getUTCFullYear() * 12 + this.date(start).getUTCMonth();
    for (let month = Math.ceil(first / months) * months; ; month += months) {
      const at = Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000;
      if (!(at <= end)) return places;
      if (at >= start) places.push(at);
    }
  }
}

function multiples(start, end, step, offset = 0) {
  const places = [];
  for (let at = Math.ceil((start - offset) / step) * step + offset; at <= end; at += step) places.push(at);
  return places;
}

const timesOf = (clock) => (clock ? new Calendar(clock) : new Elapsed());
