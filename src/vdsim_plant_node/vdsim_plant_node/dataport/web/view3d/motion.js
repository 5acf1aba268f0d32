// The car between two states of the stream, so that it moves at the screen's rate. Pure.
//
// The stream has 30 states a second, which arrive unevenly. What is shown lies a little behind the
// newest state, where there is nearly always one before and one after to interpolate between.

const DELAY_S = 0.06;
const KEPT = 12;
const OFFSET_SPAN_MS = 3000;
const LINEAR = ["x", "y", "z", "roll", "pitch", "steer", "vx", "vy"];
const WHEELS = ["spin", "Fx", "Fy", "Fz", "mu", "grip"];
const TURN = 2 * Math.PI;

export class Motion {
  constructor() { this.clear(); }

  clear() {
    this.states = [];
    this.offsets = []; // [arrival, arrival - time of the state], ms
    this.angles = [0, 0, 0, 0]; // how far each wheel has turned, rad
    this.shownS = null;
  }

  get last() { return this.states[this.states.length - 1]; }

  add(state, nowMs) {
    const last = this.last;
    if (last && (state.t < last.t || state.restarts !== last.restarts)) this.clear();
    if (this.last && state.t === this.last.t) { this.states[this.states.length - 1] = state; return; }
    this.states.push(state);
    if (this.states.length > KEPT) this.states.shift();
    this.offsets.push([nowMs, nowMs - state.t * 1000]);
    while (nowMs - this.offsets[0][0] > OFFSET_SPAN_MS) this.offsets.shift();
  }

  // What to show at a time of the page's clock, with `wheelAngles`; null before the first state.
  at(nowMs) {
    if (!this.last) return null;
    const offset = this.offsets.reduce((least, [, each]) => Math.min(least, each), Infinity);
    const wanted = (nowMs - offset) / 1000 - DELAY_S;
    // Time never runs backward on the screen, and never past what is known.
    const shownS = Math.min(this.last.t, Math.max(wanted, this.shownS ?? -Infinity, this.states[0].t));
    const state = between(this.states, shownS);
    const passed = this.shownS === null ? 0 : shownS - this.shownS;
    this.angles = this.angles.map((angle, i) => (angle + state.spin[i] * passed) % TURN);
    this.shownS = shownS;
    return { ...state, t: shownS, wheelAngles: this.angles };
  }
}

// The state at a time [s] within the states, which are in the order of time.
export function between(states, t) {
  const after = states.findIndex((each) => each.t >= t);
  if (after <= 0) return after === 0 ? states[0] : states[states.length - 1];
  const [a, b] = [states[after - 1], states[after]];
  if (b.t === t) return b;
  const share = (t - a.t) / (b.t - a.t);
  const mix = (from, to) => from + share * (to - from);
  const mixed = { ...b, yaw: turn(a.yaw + share * turn(b.yaw - a.yaw)) };
  for (const name of LINEAR) mixed[name] = mix(a[name], b[name]);
  for (const name of WHEELS) mixed[name] = a[name].map((from, i) => mix(from, b[name][i]));
  return mixed;
}

// An angle within -180..180 degrees: the short way round.
export function turn(angle) { return angle - TURN * Math.round(angle / TURN); }
