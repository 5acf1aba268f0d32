// Colours for canvases, from the style sheet, and the scale of grip use.

const NAMES = ["text", "muted", "line", "accent", "good", "warn", "alarm", "second", "map", "grid", "grid-strong", "ice", "body", "card"];
const STOPS = [[0, 63, 143, 134], [0.35, 88, 168, 137], [0.72, 217, 179, 68], [0.9, 226, 112, 60], [1, 229, 72, 77]];

export const colour = {};

export function readPalette() {
  const style = getComputedStyle(document.documentElement);
  for (const name of NAMES) colour[name] = style.getPropertyValue(`--${name}`).trim();
  colour.font = `12px ${style.fontFamily}`;
}

// Colour of a share of grip in use: 0 calm, 1 the limit.
export function gripColour(share) {
  const value = Math.min(1, Math.max(0, share));
  const above = Math.max(1, STOPS.findIndex((stop) => stop[0] >= value));
  const [from, to] = [STOPS[above - 1], STOPS[above]];
  const part = (value - from[0]) / (to[0] - from[0]);
  const mix = (i) => Math.round(from[i] + part * (to[i] - from[i]));
  return `rgb(${mix(1)}, ${mix(2)}, ${mix(3)})`;
}

// Theme: what the system prefers until the user chooses.
const KEY = "vdsim-theme";
const system = matchMedia("(prefers-color-scheme: light)");

export function startTheme(changed) {
  const apply = () => {
    document.documentElement.dataset.theme = chosen() || (system.matches ? "light" : "dark");
    readPalette();
    changed();
  };
  system.addEventListener("change", apply);
  apply();
  return function toggle() {
    const next = document.documentElement.dataset.theme === "light" ? "dark" : "light";
    try { localStorage.setItem(KEY, next); } catch { /* private mode: not remembered */ }
    document.documentElement.dataset.theme = next;
    readPalette();
    changed();
  };
}

function chosen() {
  try { return localStorage.getItem(KEY); } catch { return null; }
}
