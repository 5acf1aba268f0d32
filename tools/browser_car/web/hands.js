// Keys, touch and a gamepad -> what the driver wants. The same keys and the same feel as on the dashboard.

import { advance, KEYS, RELEASED } from "./dashboard/driving.js";
import { DEAD_MAN, pedalsOf, readPad } from "./dashboard/pad.js";

export class Hands {
  constructor() {
    this.codes = new Set();
    this.command = RELEASED;
    addEventListener("keydown", (event) => this.onKeyDown(event));
    addEventListener("keyup", (event) => this.codes.delete(event.code));
    addEventListener("blur", () => this.codes.clear());
    for (const pad of document.querySelectorAll("[data-hold]")) this.listen(pad);
  }

  onKeyDown(event) {
    if (!(event.code in KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (["SELECT", "INPUT"].includes(event.target.tagName)) return;
    if (event.code === "Space" && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    this.codes.add(event.code);
  }

  listen(pad) {
    const hold = (down) => (event) => {
      event.preventDefault();
      pad.classList.toggle("held", down);
      down ? this.codes.add(pad.dataset.hold) : this.codes.delete(pad.dataset.hold);
    };
    pad.addEventListener("pointerdown", hold(true));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) pad.addEventListener(end, hold(false));
    pad.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  // The first gamepad whose left shoulder button is held.
  get pad() { return [...(navigator.getGamepads?.() ?? [])].filter(Boolean).map(readPad).find((each) => each?.buttons[DEAD_MAN]) ?? null; }

  get isDriving() { return this.codes.size > 0 || this.pad !== null; }

  letGo() { this.command = RELEASED; }

  // The command `dt` seconds later; `situation`: speed, maxSteer, wheelbase.
  next(dt, situation) {
    const pad = this.pad;
    const held = new Set([...this.codes].map((code) => KEYS[code]));
    this.command = pad ? pedalsOf(pad, this.command, situation) : { ...advance(this.command, held, dt, situation) };
    return this.command;
  }
}
