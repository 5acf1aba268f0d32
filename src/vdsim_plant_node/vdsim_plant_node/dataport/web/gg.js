// The g-g circle: acceleration in the body frame, forward up, left to the left.

import { surface } from "./canvas.js";
import { colour } from "./palette.js";

const G = 9.80665;
const TRAIL_S = 10;

export class GgCircle {
  constructor(element) { this.begin = surface(element); }

  draw(history) {
    const { context: c, width, height } = this.begin();
    const state = history.last;
    if (!state) return;
    const reach = Math.max(1, ...state.mu) + 0.1;
    const scale = Math.max(0, Math.min(width, height) / 2 - 12) / reach;
    const at = (s) => [width / 2 - (s.ay / G) * scale, height / 2 - (s.ax / G) * scale];
    drawFrame(c, width, height, scale, reach);
    drawLimit(c, width, height, scale, state.mu);
    drawTrail(c, history.samples.filter((s) => s.t > state.t - TRAIL_S), at);
    const [x, y] = at(state);
    c.fillStyle = colour.accent;
    c.beginPath();
    c.arc(x, y, 5, 0, 2 * Math.PI);
    c.fill();
  }
}

function drawFrame(c, width, height, scale, reach) {
  c.strokeStyle = colour.line;
  c.fillStyle = colour.muted;
  c.font = colour.font;
  c.textBaseline = "bottom";
  c.textAlign = "left";
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(width / 2 - reach * scale, height / 2); c.lineTo(width / 2 + reach * scale, height / 2);
  c.moveTo(width / 2, height / 2 - reach * scale); c.lineTo(width / 2, height / 2 + reach * scale);
  c.stroke();
  for (const g of [0.25, 0.5, 0.75, 1, 1.25].filter((ring) => ring < reach)) {
    c.beginPath();
    c.arc(width / 2, height / 2, g * scale, 0, 2 * Math.PI);
    c.stroke();
    if (g === 0.5 || g === 1) c.fillText(`${g} g`, width / 2 + 3, height / 2 - g * scale - 1);
  }
}

function drawLimit(c, width, height, scale, mu) {
  c.strokeStyle = colour.warn;
  c.setLineDash([4, 4]);
  for (const value of new Set([Math.min(...mu), Math.max(...mu)])) {
    c.beginPath();
    c.arc(width / 2, height / 2, value * scale, 0, 2 * Math.PI);
    c.stroke();
  }
  c.setLineDash([]);
}

function drawTrail(c, samples, at) {
  c.strokeStyle = colour.accent;
  c.lineWidth = 1.5;
  const pieces = 6; // fades towards the past
  for (let piece = 0; piece < pieces; piece++) {
    const from = Math.floor((samples.length * piece) / pieces);
    const to = Math.floor((samples.length * (piece + 1)) / pieces);
    c.globalAlpha = 0.15 + (0.8 * piece) / pieces;
    c.beginPath();
    for (let i = from; i <= to && i < samples.length; i++) c.lineTo(...at(samples[i]));
    c.stroke();
  }
  c.globalAlpha = 1;
}
