// The buttons and the key of the emergency stop; `stop.js` decides, this sends.

import { AGAIN_MS, StopLatch } from "./stop.js";

const LIMIT_MS = 2000; // of one request; the next does not wait for it

// Where Backspace deletes a character.
const TEXTS = ["text", "number", "search", "password", "email", "url", "tel"];
const isText = (target) => target.isContentEditable || target.tagName === "TEXTAREA" || (target.tagName === "INPUT" && TEXTS.includes(target.type));

export class EmergencyStop {
  // `vehicle()`: its number; `pressed()`: somebody has pressed.
  constructor(vehicle, pressed) {
    this.vehicle = vehicle;
    this.pressed = pressed;
    this.latch = new StopLatch();
    this.view = null;
    // Before any other listener, and whatever has the focus: only text keeps its Backspace.
    addEventListener("keydown", (event) => this.onKey(event), true);
    addEventListener("pointerdown", (event) => this.onPress(event), true);
    addEventListener("click", (event) => this.onPress(event), true);
  }

  onKey(event) {
    if (event.code !== "Backspace" || event.ctrlKey || event.altKey || event.metaKey || isText(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) this.press();
  }

  // A press counts when the pointer goes down; `click` is that of a keyboard, with no pointer.
  onPress(event) {
    if (!event.target.closest?.("[data-stop]")) return;
    if (event.type === "pointerdown" || event.detail === 0) this.press();
  }

  press() {
    if (document.body.dataset.replay === "true") return;
    this.latch.press(performance.now());
    this.beat();
    this.timer ||= setInterval(() => this.beat(), AGAIN_MS / 2);
    this.pressed();
  }

  report(view) {
    this.view = view;
    if (view) this.latch.report(view.stopped);
    this.show();
  }

  attention() { return this.latch.attention(performance.now()); }

  beat() {
    if (this.latch.isDue(performance.now())) this.send();
    if (!this.latch.isOpen) { clearInterval(this.timer); this.timer = 0; }
    this.show();
  }

  async send() {
    try {
      const response = await fetch("/api/stop", {
        method: "POST", keepalive: true, signal: AbortSignal.timeout(LIMIT_MS),
        headers: { "Content-Type": "application/json" }, body: JSON.stringify({ vehicle: this.vehicle() }),
      });
      const answer = await response.json();
      this.latch.answer({ ok: response.ok && answer.ok, reason: answer.reason ?? answer.error }, this.view !== null);
    } catch (error) {
      this.latch.answer({ ok: false, reason: `The plant does not answer: ${error.message}` }, this.view !== null);
    }
  }

  show() {
    const stopped = this.view?.stopped ?? false;
    const state = this.latch.isOpen ? "asked" : stopped ? "stopped" : "";
    for (const button of document.querySelectorAll("[data-stop]")) {
      if (button.dataset.state === state) continue;
      button.dataset.state = state;
      button.setAttribute("aria-pressed", String(state !== ""));
    }
  }
}
