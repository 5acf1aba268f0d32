// A run played again: a slider for its time, and the states of that moment for the rest of the page.

import { get } from "./connection.js";
import { fixed } from "./format.js";
import { SPAN_S } from "./history.js";

const find = (id) => document.getElementById(id);
const STEP_S = 1; // of the arrow keys; a drag goes to any moment

export class Replay {
  // `show(states, goesOn)`: what is to be seen now, the last of them, and what led to it; with `goesOn` only
  // what is new. `lost(error)`: the server does not answer.
  constructor(show, lost) {
    this.show = show;
    this.lost = lost;
    this.run = null;
    this.now = 0;
    this.shown = -1;
    this.chunks = new Map();
    this.asked = 0;
    this.timer = 0;
    find("play").addEventListener("click", () => (this.timer ? this.pause() : this.play()));
    find("moment").addEventListener("input", (event) => { this.pause(); this.seek(Number(event.target.value)); });
    find("moment").addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.code];
      if (!way) return;
      event.preventDefault();
      this.pause();
      this.seek(this.now + way * STEP_S);
    });
  }

  // `run`: its `duration` and `chunk` [s], as the server describes it.
  async open(run, vehicle) {
    [this.run, this.vehicle] = [run, vehicle];
    this.chunks.clear();
    find("replay").hidden = false;
    find("moment").max = run.duration;
    find("moment-end").textContent = fixed(run.duration, 1);
    await this.seek(this.now);
  }

  play() {
    if (this.now >= this.run.duration) this.seek(0);
    let last = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      const next = this.now + ((now - last) / 1000) * Number(find("tempo").value);
      last = now;
      if (next >= this.run.duration) this.pause();
      this.seek(next);
    }, 33);
    this.mark();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.mark();
  }

  mark() {
    find("play").setAttribute("aria-pressed", String(this.timer !== 0));
    find("play").textContent = this.timer ? "Pause" : "Play";
  }

  // Shows a moment [s]; of several that are asked for, the last one.
  async seek(moment) {
    this.now = Math.min(this.run.duration, Math.max(0, moment));
    find("moment").value = this.now;
    find("moment").setAttribute("aria-valuetext", `${fixed(this.now, 1)} seconds`);
    find("moment-text").textContent = fixed(this.now, 1);
    const asked = ++this.asked;
    // Forward by a little, only the new states are needed; else all that the charts show.
    const goesOn = this.now >= this.shown && this.now - this.shown < this.run.chunk;
    const from = goesOn ? this.shown : Math.max(0, this.now - SPAN_S);
    let states;
    try { states = await this.between(from, this.now); } catch (error) { this.pause(); this.lost(error); return; }
    if (asked !== this.asked) return;
    this.shown = this.now;
    this.show(goesOn ? states.filter((state) => state.at > from) : states, goesOn);
  }

  async between(from, to) {
    const [first, last] = [from, to].map((each) => Math.floor(Math.max(0, each) / this.run.chunk));
    const wanted = Array.from({ length: last - first + 1 }, (_, i) => this.chunk(first + i));
    const states = (await Promise.all(wanted)).flat();
    return states.filter((state) => state.at >= from && state.at <= to);
  }

  chunk(number) {
    if (!this.chunks.has(number)) {
      const asking = get(`/api/replay?vehicle=${this.vehicle}&chunk=${number}`).then((answer) => answer.states);
      asking.catch(() => this.chunks.delete(number));
      this.chunks.set(number, asking);
    }
    return this.chunks.get(number);
  }
}
