// The emergency stop: pressed once, sent again until it is confirmed. Pure: time comes in.

export const AGAIN_MS = 100;
export const DOUBT_MS = 2000; // nobody has confirmed it for so long: say so
const GIVE_UP_MS = 10000; // a stop that is older does not surprise a car that is found again

export class StopLatch {
  constructor() {
    this.askedMs = -Infinity;
    this.sentMs = -Infinity;
    this.isOpen = false;
    this.reason = ""; // why it was not taken, by the last answer
  }

  press(nowMs) {
    this.askedMs = nowMs;
    this.sentMs = -Infinity;
    this.isOpen = true;
    this.reason = "";
  }

  // Whether to send it now; it counts as sent.
  isDue(nowMs) {
    if (this.isOpen && nowMs - this.askedMs > GIVE_UP_MS) this.isOpen = false;
    if (!this.isOpen || nowMs - this.sentMs < AGAIN_MS) return false;
    this.sentMs = nowMs;
    return true;
  }

  // An answer to one that was sent; `isHeard`: an interface is heard, which confirms by its own report.
  answer({ ok, reason }, isHeard) {
    this.reason = ok ? "" : reason;
    if (ok && !isHeard) this.isOpen = false;
  }

  // A report of the interface that arrived at `nowMs`, with the stop among its locks or not.
  report(stopped) { if (stopped) this.isOpen = false; }

  // What the page says of it, or null.
  attention(nowMs) {
    if (!this.isOpen && !this.reason) return null;
    const title = nowMs - this.askedMs > DOUBT_MS ? "The emergency stop is not confirmed" : "Emergency stop requested";
    const text = this.reason ? `${this.reason}.` : "It is sent again until the vehicle interface confirms it.";
    return { level: "alarm", title, text };
  }
}
