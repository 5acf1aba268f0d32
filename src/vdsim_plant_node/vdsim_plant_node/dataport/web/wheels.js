// The four corners: grip in use, load, slip, friction; and the car between them.

import { degrees, fixed, percent } from "./format.js";
import { gripColour } from "./palette.js";

const NAMES = ["Front left", "Front right", "Rear left", "Rear right"];
const ROWS = [
  ["load", "kN", (s, i) => fixed(s.Fz[i] / 1000, 2)],
  ["slip", "%", (s, i) => percent(s.kappa[i], Math.abs(s.kappa[i]) < 1 ? 1 : 0)],
  ["angle", "°", (s, i) => degrees(s.alpha[i], 1)],
  ["friction", "", (s, i) => fixed(s.mu[i], 2)],
];
const SVG = "http://www.w3.org/2000/svg";

export class Corners {
  constructor(parent, svg) {
    this.svg = svg;
    this.cells = NAMES.map((name, i) => corner(parent, name, i));
    this.wheels = [];
  }

  shape(shape) {
    this.svg.replaceChildren();
    const front = shape.cg_to_front + shape.front_overhang;
    const middle = front - shape.length / 2;
    const up = (x) => middle - x; // forward is up
    this.svg.append(node("rect", {
      x: -shape.width / 2, y: up(front), width: shape.width, height: shape.length,
      rx: shape.width * 0.26, fill: "var(--body)", stroke: "var(--line)", "stroke-width": 0.04,
    }));
    const [f, r] = [shape.track_front / 2, shape.track_rear / 2];
    const places = [[-f, shape.cg_to_front], [f, shape.cg_to_front], [-r, -shape.cg_to_rear], [r, -shape.cg_to_rear]];
    this.wheels = places.map(([x, y]) => {
      const group = node("g", { transform: `translate(${x} ${up(y)})` });
      const wheel = node("rect", { x: -0.15, y: -shape.wheel_radius, width: 0.3, height: 2 * shape.wheel_radius, rx: 0.07 });
      group.append(wheel);
      this.svg.append(group);
      return wheel;
    });
    const half = Math.max(shape.length, 2) / 2 + 0.15;
    const wide = Math.max(shape.width, 1) / 2 + 0.25;
    this.svg.setAttribute("viewBox", `${-wide} ${-half} ${2 * wide} ${2 * half}`);
  }

  show(state) {
    this.cells.forEach((cell, i) => {
      cell.grip.textContent = percent(state.grip[i], 0);
      ROWS.forEach(([, , read], k) => { cell.values[k].textContent = read(state, i); });
    });
    this.wheels.forEach((wheel, i) => {
      wheel.setAttribute("fill", gripColour(state.grip[i]));
      if (i < 2) wheel.setAttribute("transform", `rotate(${((-state.steer * 180) / Math.PI).toFixed(2)})`);
    });
  }
}

function corner(parent, name, index) {
  const cell = document.createElement("section");
  cell.className = "corner num";
  cell.dataset.wheel = index;
  const rows = ROWS.map(([label, unit]) => `<div><dt>${label}</dt><dd><output>–</output> ${unit}</dd></div>`).join("");
  cell.innerHTML = `<h3>${name}</h3><p class="grip"><output>–</output> <span class="unit">%</span></p><dl>${rows}</dl>`;
  parent.append(cell);
  const [grip, ...values] = cell.querySelectorAll("output");
  return { grip, values };
}

function node(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
