// Keyboard and touch: holds a set of actions, sends commands while driving, releases on blur.

import { post } from "./connection.js";
import { advance, KEYS, RELEASED } from "./driving.js";

const PERIOD_MS = 33;
const MOST_IN_FLIGHT = 3;

export class ManualDriver {
  // `situation()`: vehicle, speed, maxSteer and wheelbase now; `answered(error, answer)` after each command.
  constructor(situation, changed, answered) {
    this.situation = situation;
    this.changed = changed;
    this.answered = answered;
    this.held = new Set();
    this.codes = new Set();
    this.command = RELEASED;
    this.timer = 0;
    this.inFlight = 0;
    addEventListener("keydown", (event) => this.onKey(event, true));
    addEventListener("keyup", (event) => this.onKey(event, false));
    addEventListener("blur", () => this.stop());
    document.addEventListener("visibilitychange", () => document.hidden && this.stop());
  }

  get driving() { return this.timer !== 0; }

  onKey(event, down) {
    if (event.code === "Escape" && down) { this.stop(); return; }
    if (!(event.code in KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (down && belongsToControl(event)) return;
    event.preventDefault();
    this.hold(event.code, down);
  }

  hold(code, down) {
    down ? this.codes.add(code) : this.codes.delete(code);
    this.held = new Set([...this.codes].map((each) => KEYS[each]));
    if (down) this.start();
  }

  start() {
    if (this.driving) return;
    this.command = RELEASED;
    this.last = performance.now();
    this.timer = setInterval(() => this.beat(), PERIOD_MS);
    this.changed();
  }

  // Releases pedals and wheel once; then the plant's fail-safe takes over.
  stop() {
    this.codes.clear();
    this.held = new Set();
    if (!this.driving) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.send({ ...RELEASED, gear: this.command.gear });
    this.changed();
  }

  beat() {
    const now = performance.now();
    const dt = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.command = advance(this.command, this.held, dt, this.situation());
    if (this.inFlight < MOST_IN_FLIGHT) this.send(this.command);
  }

  async send(command) {
    this.inFlight += 1;
    try {
      this.answered(null, await post("/api/io", { vehicle: this.situation().vehicle, handbrake: false, ...command }));
    } catch (error) {
      this.answered(error, null);
    } finally {
      this.inFlight -= 1;
    }
  }
}

// Space presses a focused button, letters and arrows choose in a list: those stay theirs; in a dialog, all.
function belongsToControl(event) {
  const name = event.target.tagName;
  if (event.target.closest?.("dialog")) return true;
  return name === "SELECT" || name === "INPUT" || (name === "BUTTON" && event.code === "Space");
}
