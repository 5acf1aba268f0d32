// What the car was driven with, as bytes: two for each period. Pure but for the browser's compression.
//
// The car gets what the bytes say, never what the keys or the stick said: so a tape drives it to the same bits.
//   byte 0  wheel angle, -127..127: q |q| / 127^2 of the car's limit, fine about the middle; + left
//   byte 1  bits 0..4 pedal in 31 parts, bit 5 it is the brake, bits 6..7 gear + 1

export const PERIOD_S = 0.02;
export const LONGEST = 3000; // periods, a minute
export const MOST_CHARACTERS = 8192; // of a whole link's fragment
const [WHEEL_PARTS, PEDAL_PARTS] = [127, 31];
const BRAKE = 32;

export function bytesOf({ steer, throttle, brake, gear }, maxSteer) {
  const share = Math.min(1, Math.max(-1, steer / maxSteer));
  const wheel = Math.sign(share) * Math.round(WHEEL_PARTS * Math.sqrt(Math.abs(share)));
  const brakes = brake > 0;
  const pedal = Math.round(PEDAL_PARTS * Math.min(1, Math.max(0, brakes ? brake : throttle)));
  return [wheel & 255, pedal | (brakes ? BRAKE : 0) | ((gear + 1) << 6)];
}

export function commandOf(first, second, maxSteer) {
  const wheel = first > 127 ? first - 256 : first;
  const pedal = (second & 31) / PEDAL_PARTS;
  const brakes = (second & BRAKE) !== 0;
  return {
    steer: ((wheel * Math.abs(wheel)) / WHEEL_PARTS ** 2) * maxSteer,
    throttle: brakes ? 0 : pedal,
    brake: brakes ? pedal : 0,
    gear: (second >> 6) - 1,
  };
}

export class Tape {
  constructor(bytes = new Uint8Array(0)) {
    this.bytes = new Uint8Array(2 * LONGEST);
    this.bytes.set(bytes);
    this.length = bytes.length / 2; // periods
  }

  get isFull() { return this.length >= LONGEST; }

  add([first, second]) {
    if (this.isFull) return;
    this.bytes.set([first, second], 2 * this.length);
    this.length += 1;
  }

  command(period, maxSteer) { return commandOf(this.bytes[2 * period], this.bytes[2 * period + 1], maxSteer); }
}

// The fragment of a link: version, choice, digest of the last state, bytes; compressed where that is shorter.
export async function linkOf({ car, tyre, road, digest, tape }) {
  const bytes = tape.bytes.slice(0, 2 * tape.length);
  const small = await through(bytes, new CompressionStream("deflate-raw"));
  const [kind, kept] = small.length < bytes.length ? ["z", small] : ["r", bytes];
  return `1.${car}.${tyre}.${road}.${digest}.${kind}${textOf(kept)}`;
}

// Throws where a fragment is no drive.
export async function driveOf(fragment) {
  const parts = fragment.split(".");
  if (parts[0] !== "1") throw new Error("it is of another version of this page");
  if (parts.length !== 6 || fragment.length > MOST_CHARACTERS) throw new Error("it is damaged");
  const [, car, tyre, road, digest, kept] = parts;
  const bytes = kept[0] === "z" ? await through(bytesIn(kept.slice(1)), new DecompressionStream("deflate-raw")) : bytesIn(kept.slice(1));
  if (bytes.length > 2 * LONGEST) throw new Error("it is longer than a minute");
  if (!bytes.length || bytes.length % 2 || bytes.some((byte, i) => i % 2 && byte >> 6 === 3)) throw new Error("it is damaged");
  return { car, tyre, road, digest, tape: new Tape(bytes) };
}

async function through(bytes, stream) {
  const writer = stream.writable.getWriter();
  const failed = writer.write(bytes).then(() => writer.close()).catch(() => {});
  const reader = stream.readable.getReader();
  const found = [];
  for (;;) {
    const { done, value } = await reader.read().catch(() => { throw new Error("it is damaged"); });
    if (done) break;
    found.push(...value);
    if (found.length > 2 * LONGEST) throw new Error("it is longer than a minute");
  }
  await failed;
  return Uint8Array.from(found);
}

function textOf(bytes) { return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""); }

function bytesIn(text) {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  } catch { throw new Error("it is damaged"); }
}
