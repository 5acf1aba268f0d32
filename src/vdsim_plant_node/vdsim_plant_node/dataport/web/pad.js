// A gamepad in the layout of ROS 2's game_controller_node: six axes, twenty-one buttons. Pure.
// Axes: left x, left y, right x, right y (+1 left and up), left trigger, right trigger (0 free, -1 pressed).

import { advance, nextGear, RELEASED, steerLimit } from "./driving.js";

export const AXES = 6;
export const BUTTONS = 21;
export const [B, BACK, START, DEAD_MAN, SHIFT, UP, DOWN] = [1, 4, 6, 9, 10, 11, 12];
const [STEER, BRAKE, THROTTLE] = [0, 4, 5];

// Number of the browser's standard mapping for each button of ours; the others it does not know.
const STANDARD = [0, 1, 2, 3, 8, 16, 9, 10, 11, 4, 5, 12, 13, 14, 15];
const TOUCH_PAD = [20, 17];
const DEAD_ZONE = 0.08;
const EXPO = 0.4;
const FREE_S = 0.2; // a dead man counts after it was seen released
const PULSE_S = 0.2;
const ASK_GEAR_S = 0.6;
const ASK_ENGAGE_S = 1.5;
const AT_REST_MPS = 0.3;

export const nothingHeld = () => ({ axes: Array(AXES).fill(0), buttons: Array(BUTTONS).fill(0) });

// What a browser's pad holds; null when the browser does not know its layout.
export function readPad(pad) {
  if (pad.mapping !== "standard") return null;
  const sample = nothingHeld();
  const clip = (value) => Math.min(1, Math.max(-1, value)) || 0;
  for (let i = 0; i < 4; i++) sample.axes[i] = clip(-(pad.axes[i] || 0));
  sample.axes[BRAKE] = clip(-(pad.buttons[6]?.value || 0));
  sample.axes[THROTTLE] = clip(-(pad.buttons[7]?.value || 0));
  STANDARD.forEach((from, to) => { sample.buttons[to] = pad.buttons[from]?.pressed ? 1 : 0; });
  sample.buttons[TOUCH_PAD[0]] = pad.buttons[TOUCH_PAD[1]]?.pressed ? 1 : 0;
  return sample;
}

// Wheel and pedals for a plant that is driven directly, from a pad whose dead man is held.
export function pedalsOf(sample, command, { speed, maxSteer, wheelbase }) {
  const raw = sample.axes[STEER];
  const past = Math.max(0, Math.abs(raw) - DEAD_ZONE) / (1 - DEAD_ZONE);
  const stick = Math.sign(raw) * ((1 - EXPO) * past + EXPO * past ** 3);
  const resting = Math.abs(speed) <= AT_REST_MPS;
  const asked = sample.buttons[UP] ? 1 : sample.buttons[DOWN] ? -1 : command.gear;
  return {
    steer: stick * steerLimit(speed, maxSteer, wheelbase),
    throttle: -sample.axes[THROTTLE],
    brake: -sample.axes[BRAKE],
    gear: resting ? asked : command.gear,
  };
}

// Held keys as a pad: for a vehicle interface, which knows pads and no keys.
export class KeysAsPad {
  constructor() {
    this.command = RELEASED;
    this.age = 0;
    this.backS = 0;
    this.gearS = 0;
    this.standingS = 0;
    this.gaveBack = false;
  }

  // `dt` seconds later, with a set of held actions; `gear` and `speed` are the car's.
  step(held, dt, { speed, gear }) {
    this.age += dt;
    if (held.has("giveBack") && this.backS <= 0) this.backS = PULSE_S;
    const sample = nothingHeld();
    if (this.backS > 0) {
      this.backS -= dt;
      this.gaveBack = this.backS <= 0;
      sample.buttons[SHIFT] = sample.buttons[START] = 1;
      return sample;
    }
    if (this.age < FREE_S) return sample;
    sample.buttons[DEAD_MAN] = 1;
    this.drive(sample, held, dt, { speed, gear });
    return sample;
  }

  drive(sample, held, dt, { speed, gear }) {
    const wanted = nextGear(this.command.gear, held, speed);
    const shifting = wanted !== gear && (held.has("go") || held.has("back"));
    // A pedal that is pressed before the gear is in would move the car the wrong way.
    const pedals = shifting ? new Set([...held].filter((each) => each === "left" || each === "right")) : held;
    this.command = { ...advance({ ...this.command, gear: wanted }, pedals, dt, { speed, maxSteer: 1, wheelbase: Infinity }), gear: wanted };
    sample.axes[STEER] = this.command.steer;
    sample.axes[THROTTLE] = -this.command.throttle || 0;
    sample.axes[BRAKE] = -this.command.brake || 0;
    this.gearS = shifting ? this.gearS + dt : 0;
    if (shifting && this.gearS % ASK_GEAR_S < PULSE_S) sample.buttons[wanted < 0 ? DOWN : UP] = 1;
    const waits = this.command.throttle > 0.5 && Math.abs(speed) <= AT_REST_MPS;
    this.standingS = waits ? this.standingS + dt : 0;
    if (this.standingS > 1 && (this.standingS - 1) % ASK_ENGAGE_S < PULSE_S) sample.buttons[START] = 1;
  }
}
