// Strip charts of the last half minute.

import { surface } from "./canvas.js";
import { fixed } from "./format.js";
import { SPAN_S } from "./history.js";
import { colour } from "./palette.js";

const DEGREE = 180 / Math.PI;
const line = (name, key, read, show) => ({ name, key, read, show });
const one = (value) => fixed(value, 1);

// `floor` and `ceiling`: always shown; beyond them the axis follows the data.
export const CHARTS = [
  { title: "Speed", unit: "km/h", floor: 0, ceiling: 40, lines: [line("", "accent", (s) => s.vx * 3.6, one)] },
  { title: "Steer", unit: "°", floor: -5, ceiling: 5, lines: [
    line("asked", "warn", (s) => s.command.steer * DEGREE, one),
    line("applied", "accent", (s) => s.steer * DEGREE, one)] },
  { title: "Pedals", unit: "%", floor: 0, ceiling: 100, lines: [
    line("throttle", "accent", (s) => s.throttle * 100, (v) => fixed(v, 0)),
    line("brake", "warn", (s) => s.brake * 100, (v) => fixed(v, 0))] },
  { title: "Acceleration", unit: "m/s²", floor: -4, ceiling: 4, lines: [
    line("forward", "accent", (s) => s.ax, one), line("left", "second", (s) => s.ay, one)] },
  { title: "Yaw rate", unit: "°/s", floor: -10, ceiling: 10, lines: [line("", "accent", (s) => s.r * DEGREE, one)] },
  { title: "Body", unit: "°", floor: -2, ceiling: 2, lines: [
    line("roll", "accent", (s) => s.roll * DEGREE, one), line("pitch", "second", (s) => s.pitch * DEGREE, one)] },
  { title: "Grip in use", unit: "%", floor: 0, ceiling: 100, lines: [
    line("front", "accent", (s) => Math.max(s.grip[0], s.grip[1]) * 100, (v) => fixed(v, 0)),
    line("rear", "second", (s) => Math.max(s.grip[2], s.grip[3]) * 100, (v) => fixed(v, 0))] },
];

export class StripChart {
  constructor(parent, chart) {
    this.chart = chart;
    const card = document.createElement("section");
    card.className = "card chart";
    card.innerHTML = `<header><h2></h2><ul></ul></header><canvas role="img"></canvas>`;
    card.querySelector("h2").textContent = `${chart.title} [${chart.unit}]`;
    const canvas = card.querySelector("canvas");
    canvas.setAttribute("aria-label", `${chart.title} over the last ${SPAN_S} seconds`);
    this.values = chart.lines.map((each) => {
      const item = document.createElement("li");
      item.style.setProperty("--key", `var(--${each.key})`);
      item.append(each.name ? `${each.name} ` : "");
      const value = document.createElement("output");
      if (chart.lines.length === 1) item.append(value); // otherwise the panels show it
      card.querySelector("ul").append(item);
      return value;
    });
    parent.append(card);
    this.begin = surface(canvas);
  }

  draw(history) {
    const { context: c, width, height } = this.begin();
    const now = history.last;
    if (!now) return;
    const { lines, floor, ceiling } = this.chart;
    const series = lines.map((each) => history.samples.map(each.read));
    series.forEach((values, i) => {
      const text = lines[i].show(values[values.length - 1]);
      if (this.values[i].textContent !== text) this.values[i].textContent = text;
    });
    const slack = (ceiling - floor) * 0.02;
    const least = Math.min(...series.map((values) => values.reduce((a, b) => Math.min(a, b))));
    const most = Math.max(...series.map((values) => values.reduce((a, b) => Math.max(a, b))));
    const low = least < floor - slack ? nice(least) : floor;
    const high = most > ceiling + slack ? nice(most) : ceiling;
    const plot = { left: 34, top: 5, width: width - 38, height: height - 10 };
    const y = (value) => plot.top + (1 - (value - low) / (high - low)) * plot.height;
    const x = (t) => plot.left + (1 - (now.t - t) / SPAN_S) * plot.width;
    drawAxis(c, plot, low, high, y);
    c.save();
    c.beginPath();
    c.rect(plot.left, 0, plot.width + 4, height);
    c.clip();
    series.forEach((values, i) => drawLine(c, history.samples, values, x, y, colour[lines[i].key]));
    c.restore();
  }
}

// The next round number away from zero.
function nice(value) {
  const step = 10 ** Math.floor(Math.log10(Math.max(Math.abs(value), 1))) / 2;
  return value > 0 ? Math.ceil(value / step) * step : Math.floor(value / step) * step;
}

function drawAxis(c, plot, low, high, y) {
  c.font = colour.font.replace("12px", "11px");
  c.textAlign = "right";
  c.textBaseline = "middle";
  c.lineWidth = 1;
  const marks = low < 0 ? [low, 0, high] : [low, (low + high) / 2, high];
  for (const mark of marks) {
    c.strokeStyle = mark === 0 ? colour["grid-strong"] : colour.grid;
    const at = Math.round(y(mark)) + 0.5;
    c.beginPath();
    c.moveTo(plot.left, at);
    c.lineTo(plot.left + plot.width, at);
    c.stroke();
    c.fillStyle = colour.muted;
    c.fillText(fixed(mark, Number.isInteger(mark) ? 0 : 1), plot.left - 6, at);
  }
  c.textAlign = "left";
  c.textBaseline = "bottom";
  c.fillText(`−${SPAN_S} s`, plot.left + 3, plot.top + plot.height - 2);
}

function drawLine(c, samples, values, x, y, stroke) {
  c.strokeStyle = stroke;
  c.lineWidth = 1.6;
  c.lineJoin = "round";
  c.beginPath();
  values.forEach((value, i) => c.lineTo(x(samples[i].t), y(value)));
  c.stroke();
}

