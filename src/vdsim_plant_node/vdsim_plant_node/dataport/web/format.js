// Numbers as text: a real minus sign, no negative zero, a dash where nothing is known.

export function fixed(value, digits = 1) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

export const degrees = (rad, digits = 1) => fixed((rad * 180) / Math.PI, digits);
export const percent = (share, digits = 0) => fixed(share * 100, digits);
export const grouped = (count) => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, " ");

// A duration [s] in the unit that reads best.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1e-3) return `${fixed(seconds * 1e6, 0)} µs`;
  if (seconds < 1) return `${fixed(seconds * 1e3, seconds < 0.01 ? 2 : 0)} ms`;
  return seconds < 100 ? `${fixed(seconds, 1)} s` : `${grouped(seconds)} s`;
}

// What is typed goes to the server as it is, when it is no number: the server names the fault.
export function numberOf(text) {
  const value = text.trim().replace(",", ".");
  if (value === "") return null;
  return Number.isFinite(Number(value)) ? Number(value) : text;
}
