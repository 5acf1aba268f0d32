// What held keys do to wheel and pedals. Pure: time and speed come in, a command comes out.

export const KEYS = {
  ArrowUp: "go", KeyW: "go",
  ArrowDown: "back", KeyS: "back",
  ArrowLeft: "left", KeyA: "left",
  ArrowRight: "right", KeyD: "right",
  Space: "brake",
  KeyG: "giveBack", // means something to a vehicle interface alone
};

const THROTTLE_RATE = 1.6; // pedal travel per second while held
const BRAKE_RATE = 2.5;
const RELEASE_RATE = 6;
const STEER_TIME_S = 0.7; // centre to the limit
const COMFORT_MPS2 = 7; // the steering limit falls with speed so that ay stays about here
const AT_REST_MPS = 0.3;

export const RELEASED = { steer: 0, throttle: 0, brake: 0, gear: 1 };

// The largest wheel angle [rad] that keys can reach at a speed.
export function steerLimit(speedMps, maxSteer, wheelbase) {
  const v2 = speedMps * speedMps;
  return v2 < 1 ? maxSteer : Math.min(maxSteer, Math.atan((wheelbase * COMFORT_MPS2) / v2));
}

// One step of `dt` seconds with the set of held actions; returns the new command.
export function advance(command, held, dt, { speed, maxSteer, wheelbase }) {
  const gear = nextGear(command.gear, held, speed);
  const forward = gear >= 0;
  const pushes = forward ? held.has("go") : held.has("back");
  const stops = held.has("brake") || (forward ? held.has("back") : held.has("go"));
  const limit = steerLimit(speed, maxSteer, wheelbase);
  const turn = (held.has("left") ? 1 : 0) - (held.has("right") ? 1 : 0);
  return {
    gear,
    steer: towards(command.steer, turn * limit, (dt * maxSteer) / STEER_TIME_S),
    throttle: towards(command.throttle, pushes && !stops ? 1 : 0, dt * (pushes && !stops ? THROTTLE_RATE : RELEASE_RATE)),
    brake: towards(command.brake, stops ? 1 : 0, dt * (stops ? BRAKE_RATE : RELEASE_RATE)),
  };
}

// The gear that held keys ask for: only a car at rest changes it.
export function nextGear(gear, held, speed) {
  if (Math.abs(speed) > AT_REST_MPS) return gear;
  if (gear !== -1 && held.has("back") && !held.has("go")) return -1;
  if (gear !== 1 && held.has("go")) return 1;
  return gear;
}

function towards(value, target, step) {
  return value < target ? Math.min(target, value + step) : Math.max(target, value - step);
}
