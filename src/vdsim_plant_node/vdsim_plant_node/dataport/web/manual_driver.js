// Keys, touch and a browser's pad: sends commands while somebody drives, lets go when nobody does.

import { DriveSocket } from "./drive_socket.js";
import { advance, KEYS, RELEASED } from "./driving.js";
import { B as STOP, DEAD_MAN, KeysAsPad, nothingHeld, pedalsOf, readPad } from "./pad.js";

const PERIOD_MS = 33;
const ASK_AGAIN_MS = 1000;
export class ManualDriver {
  // `situation()`: vehicle, speed, gear, maxSteer and wheelbase now; `changed()`: driving, refusal or kind have;
  // `giveBack()`: asks the vehicle interface for it, whether one is there to be asked; `stop()`: a pad's
  // emergency stop, whoever drives.
  constructor(situation, changed, { giveBack, stop }) {
    this.situation = situation;
    this.changed = changed;
    this.giveBack = giveBack;
    this.pressStop = stop;
    this.codes = new Set();
    this.timer = 0;
    this.socket = null;
    this.refusal = "";
    this.padBefore = nothingHeld();
    addEventListener("keydown", (event) => this.onKeyDown(event));
    addEventListener("keyup", (event) => this.onKeyUp(event));
    addEventListener("blur", () => this.stop());
    document.addEventListener("visibilitychange", () => document.hidden && this.stop());
    addEventListener("gamepadconnected", () => { this.padTimer ||= setInterval(() => this.watchPad(), PERIOD_MS); });
  }

  get driving() { return this.timer !== 0; }

  // What the page drives: "plant", "joy" (a vehicle interface), or null while that is not known.
  get kind() { return this.socket?.kind ?? null; }

  get held() { return new Set([...this.codes].map((each) => KEYS[each])); }

  onKeyDown(event) {
    if (event.code === "Escape") { this.stop(); return; }
    if (event.code === "KeyG" && this.gives(event)) { event.preventDefault(); return; }
    if (!(event.code in KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.belongsToControl(event)) return;
    event.preventDefault();
    if (!event.repeat) this.hold(event.code, true); // one held since before somebody drove counts after a release
  }

  gives(event) {
    const isFree = !event.repeat && !event.ctrlKey && !event.altKey && !event.metaKey && !this.belongsToKey(event);
    return isFree && this.giveBack();
  }

  // Letters choose in a list and are text in a field.
  belongsToKey(event) {
    return event.target.closest?.("dialog") || ["SELECT", "INPUT", "TEXTAREA"].includes(event.target.tagName);
  }

  onKeyUp(event) {
    if (!this.codes.has(event.code)) return; // its keydown was the control's, and so is this
    event.preventDefault();
    this.hold(event.code, false);
  }

  // In a dialog all keys are its own; letters and arrows choose in a list or move a slider, and Space
  // presses a button, but while somebody drives it brakes wherever the focus is.
  belongsToControl(event) {
    if (event.target.closest?.("dialog")) return true;
    if (!this.driving && KEYS[event.code] === "giveBack") return true;
    if (event.code === "Space") return !this.driving && ["BUTTON", "SELECT", "INPUT"].includes(event.target.tagName);
    return event.target.tagName === "SELECT" || event.target.tagName === "INPUT";
  }

  hold(code, down) {
    down ? this.codes.add(code) : this.codes.delete(code);
    if (!down) return;
    this.byPad = false;
    this.start();
  }

  start() {
    if (this.driving) return;
    this.command = RELEASED;
    this.keys = new KeysAsPad();
    this.last = performance.now();
    this.timer = setInterval(() => this.beat(), PERIOD_MS);
    this.connect();
  }

  connect() {
    this.socket?.close();
    this.connectedMs = performance.now();
    this.socket = new DriveSocket(this.situation().vehicle, {
      kind: () => this.changed(),
      answer: (reason) => { this.refusal = reason; this.changed(); },
      end: (reason) => this.stop(reason),
    });
    this.changed();
  }

  // Lets go; `reason`: why, when it was not wanted.
  stop(reason = "") {
    this.codes.clear();
    if (!this.driving) return;
    clearInterval(this.timer);
    this.timer = 0;
    this.byPad = false;
    this.socket.close();
    this.socket = null;
    this.refusal = reason;
    this.changed();
  }

  beat() {
    const now = performance.now();
    const dt = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.kind === "joy") this.sendPad(dt);
    if (this.kind === "plant") this.sendPedals(dt);
    // Who refuses may be a vehicle interface that has begun since: then it takes a pad.
    if (this.kind === "plant" && this.refusal && now - this.connectedMs > ASK_AGAIN_MS) this.connect();
  }

  sendPedals(dt) {
    const situation = this.situation();
    this.command = this.byPad ? pedalsOf(this.padBefore, this.command, situation) : advance(this.command, this.held, dt, situation);
    this.socket.send({ handbrake: false, ...this.command });
  }

  sendPad(dt) {
    this.socket.send(this.byPad ? this.padBefore : this.keys.step(this.held, dt, this.situation()));
    if (this.keys.gaveBack) this.stop();
  }

  // The pad that was touched last drives; directly, only while its dead man is held.
  watchPad() {
    const pads = (navigator.getGamepads?.() ?? []).filter((pad) => pad?.connected);
    const sample = pads.map(readPad).find(Boolean);
    if (!sample) { if (this.byPad) this.stop("The gamepad is gone"); return; }
    const before = this.padBefore;
    this.padBefore = sample;
    const pressed = sample.buttons.some((value, i) => value && !before.buttons[i]);
    if (this.byPad && this.kind === "plant" && !sample.buttons[DEAD_MAN]) this.stop();
    if (sample.buttons[STOP] && !before.buttons[STOP]) { this.pressStop(); return; }
    const begins = this.driving && this.kind === "joy" ? pressed : pressed && sample.buttons[DEAD_MAN] && !before.buttons[DEAD_MAN];
    if (!begins || document.hidden || !document.hasFocus()) return;
    this.byPad = true;
    this.start();
  }
}
