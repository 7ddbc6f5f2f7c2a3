// Numbers, times and Slurm's reasons, in words.

const REASONS = [
  ["None", "has just come"],
  ["Priority", "others are before it"],
  ["Resources", "waits for room"],
  ["ReqNodeNotAvail", "nodes that it asks for are not available"],
  ["Reservation", "waits for its reservation"],
  ["SchedDefer", "is looked at in the next round"],
  ["DependencyNeverSatisfied", "the job that it waits for has failed"],
  ["Dependency", "waits for another job"],
  ["JobHeldUser", "held by its user"],
  ["JobHeldAdmin", "held by an administrator"],
  ["JobHoldMaxRequeue", "held: it was requeued too often"],
  ["BeginTime", "is not to begin yet"],
  ["JobArrayTaskLimit", "enough tasks of its array run"],
  ["Licenses", "waits for licences"],
  ["PartitionDown", "its partition is down"],
  ["PartitionInactive", "its partition is closed"],
  ["PartitionNodeLimit", "asks for more nodes than its partition allows"],
  ["PartitionTimeLimit", "asks for more time than its partition allows"],
  ["NodeDown", "a node that it needs is down"],
  ["BadConstraints", "no node is as it asks"],
  ["QOS", "a limit of its QOS is reached"],
  ["Assoc", "a limit of its account is reached"],
  ["InvalidAccount", "its account is not valid"],
  ["InvalidQOS", "its QOS is not valid"],
];

export function reason(text) {
  const told = String(text ?? "");
  const known = REASONS.find(([name]) => told.startsWith(name));
  return known ? known[1] : told || "not told";
}

export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

export const count = (value) => (isNumber(value) ? Math.round(value).toLocaleString("en") : "?");

export const some = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

// A duration of two units at most: 45 s, 12 min, 3 h 20 min, 2 d 4 h.
export function duration(seconds) {
  if (!isNumber(seconds)) return "none";
  const s = Math.round(Math.abs(seconds));
  if (s < 100) return `${s} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60), rest = minutes % 60;
  if (hours < 48) return hours < 10 && rest ? `${hours} h ${rest} min` : `${Math.round(minutes / 60)} h`;
  const days = Math.floor(hours / 24), more = hours % 24;
  return days < 10 && more ? `${days} d ${more} h` : `${Math.round(hours / 24)} d`;
}

const two = (number) => String(number).padStart(2, "0");
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// A moment as short as it is clear, seen from now.
export function moment(at, now) {
  if (!isNumber(at)) return "?";
  const when = new Date(at * 1000), seen = new Date(now * 1000);
  const clock = `${two(when.getHours())}:${two(when.getMinutes())}`;
  if (when.toDateString() === seen.toDateString()) return clock;
  if (Math.abs(at - now) < 6 * 86400) return `${DAYS[when.getDay()]} ${clock}`;
  return `${when.getDate()} ${MONTHS[when.getMonth()]} ${clock}`;
}

export function clock(at) {
  const when = new Date(at * 1000);
  return `${two(when.getHours())}:${two(when.getMinutes())}:${two(when.getSeconds())}`;
}

export function fully(at) {
  if (!isNumber(at)) return "";
  const when = new Date(at * 1000);
  return `${DAYS[when.getDay()]} ${when.getDate()} ${MONTHS[when.getMonth()]} ${when.getFullYear()} ${clock(at)}`;
}

export function size(job) {
  const nodes = isNumber(job.node_count) ? some(job.node_count, "node", "nodes") : "";
  return [nodes, some(job.cores, "core", "cores")].filter(Boolean).join(", ");
}

// Names of nodes, the first and the last of many.
export function nodeNames(places, nodes) {
  const names = (Array.isArray(places) ? places : []).map((k) => nodes[k]?.name ?? "?");
  if (names.length < 4) return names.join(", ");
  return `${names[0]} … ${names.at(-1)} (${names.length})`;
}

// By how much our start is before Slurm's; null where one is not known.
export function lead(job, now) {
  if (!isNumber(job.planned) || !isNumber(job.slurm)) return null;
  return Math.max(job.slurm, now) - job.planned;
}

// Less than a minute is no difference.
export const same = (by) => Math.abs(by) < 60;
