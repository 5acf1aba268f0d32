// The last half minute of a vehicle, by simulation time; going back in time (a reset) clears it.

export const SPAN_S = 30;
const LARGEST_COUNT = 4000;

export class History {
  constructor() { this.clear(); }

  clear() { this.samples = []; }

  get last() { return this.samples[this.samples.length - 1]; }

  add(state) {
    if (this.last && state.t < this.last.t) this.clear();
    if (this.last && state.t === this.last.t) { this.samples[this.samples.length - 1] = state; return; }
    this.samples.push(state);
    const old = this.samples.findIndex((sample) => sample.t > state.t - SPAN_S);
    if (old > 64 || this.samples.length > LARGEST_COUNT) this.samples.splice(0, Math.max(old, 1));
  }
}

// What the link did lately: differences over a window of its reports.
export class LinkWindow {
  constructor(spanMs = 5000) { this.spanMs = spanMs; this.reports = []; }

  clear() { this.reports = []; }

  add(report, nowMs) {
    this.reports.push({ report, nowMs });
    while (this.reports.length > 2 && nowMs - this.reports[0].nowMs > this.spanMs) this.reports.shift();
  }

  recent() {
    if (this.reports.length < 2) return null;
    const [from, to] = [this.reports[0].report, this.reports[this.reports.length - 1].report];
    const taken = to.link.accepted - from.link.accepted;
    const lost = Math.max(0, to.link.lost - from.link.lost);
    const reasons = Object.entries(to.port.reasons)
      .map(([reason, count]) => [reason, count - (from.port.reasons[reason] || 0)])
      .filter(([, count]) => count > 0);
    return {
      loss: taken + lost > 0 ? lost / (taken + lost) : 0,
      rejected: to.port.rejected - from.port.rejected,
      reasons: reasons.map(([reason, count]) => `${reason}: ${count}`).join(", "),
    };
  }
}
