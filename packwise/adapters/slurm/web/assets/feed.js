// What the server tells: by its events, or, where they do not get through, by asking now and then.

const SILENCE = 45_000; // without a sign of life the connection is taken to be lost
const ASK = 5_000; // from one question to the next, without events
const AGAIN = 30_000; // from one attempt at events to the next

export class Feed {
  // hear.status(told, age, staleAfter, problem), hear.journal(entries), hear.link(state)
  constructor(hear) {
    this.hear = hear;
    this.tags = { status: null, journal: null };
    this.working = Promise.resolve();
    this.source = null;
    this.heard = performance.now();
  }

  start() {
    this.listen();
    setInterval(() => this.watch(), ASK);
    addEventListener("online", () => this.listen());
  }

  listen() {
    this.source?.close();
    this.tried = performance.now();
    this.heard = performance.now();
    this.source = new EventSource("events");
    this.source.addEventListener("change", (event) => this.changed(JSON.parse(event.data)));
    this.source.addEventListener("beat", () => this.alive());
    this.source.addEventListener("error", () => this.broken());
  }

  // It tries again by itself, or was refused for good: then we ask.
  broken() {
    if (this.source.readyState === EventSource.CLOSED) this.watch();
    else this.hear.link(false);
  }

  alive() {
    this.heard = performance.now();
    this.hear.link(true);
  }

  changed(tags) {
    this.alive();
    const before = this.tags;
    this.tags = tags;
    // The journal first: it says whether somebody still plans.
    if (tags.journal !== before.journal) this.queue(() => this.fetchJournal());
    if (tags.status !== before.status) this.queue(() => this.fetchStatus(tags.status === ""));
  }

  // One question at a time, in order.
  queue(ask) {
    this.working = this.working.then(ask).catch(() => {
      this.tags = { status: null, journal: null }; // ask again
      this.hear.link(false);
    });
  }

  watch() {
    const now = performance.now();
    const open = this.source?.readyState === EventSource.OPEN;
    if (open && now - this.heard < SILENCE) return;
    if (open) this.source.close();
    this.queue(async () => {
      await this.fetchJournal();
      await this.fetchStatus(false);
      this.hear.link(true);
    });
    const closed = this.source?.readyState === EventSource.CLOSED;
    if (closed && now - this.tried > AGAIN) this.listen();
  }

  async fetchStatus(none) {
    if (none) {
      this.hear.status(null, 0, 0, "nobody has planned here yet");
      return;
    }
    const answer = await this.get("status.json");
    const told = await answer.json();
    if (!answer.ok) {
      this.hear.status(null, 0, 0, told.problem ?? "the status cannot be read");
      return;
    }
    const seconds = (name) => Number(answer.headers.get(name)) || 0;
    this.hear.status(told, seconds("packwise-age"), seconds("packwise-stale-after"), "");
  }

  async fetchJournal() {
    const answer = await this.get("journal.json?last=200");
    if (answer.ok) this.hear.journal(await answer.json());
  }

  async get(place) {
    const answer = await fetch(place, { cache: "no-store", credentials: "same-origin" });
    if (answer.status === 401) {
      this.source?.close();
      this.hear.link("token");
      throw new Error("the token is not known any more");
    }
    return answer;
  }
}
