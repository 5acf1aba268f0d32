// The top view: road friction, trail, vehicles. World frame ENU, north up, centred on the car.

import { surface } from "./canvas.js";
import { fixed } from "./format.js";
import { colour, gripColour } from "./palette.js";

const ZOOMS = [1, 1.5, 2.5, 4, 6, 9, 14, 22, 34]; // pixels per metre
const SCALES_M = [1, 2, 5, 10, 20, 50, 100, 200];
const TRAIL_POINTS = 3000;
const OTHER_TRAIL_POINTS = 600;
const TRAIL_STEP_M = 0.25;
const PICK_PIXELS = 18;
const PADS = matchMedia("(max-height: 480px) and (min-aspect-ratio: 5/4)"); // they lie on the map's lower edge
const PADS_PX = 72;
const FIT_MARGIN = 0.8; // share of the map that all vehicles fill

export class TopView {
  // `pick(vehicle)`: another vehicle was clicked.
  constructor(element, pick) {
    this.begin = surface(element);
    this.zoom = element.clientWidth < 600 ? 4 : 5;
    this.trails = new Map();
    this.drivers = {}; // of all vehicles, as far as known
    this.all = false; // whether every vehicle is to be seen
    this.view = null;
    this.road = null;
    this.plan = []; // the planned path: [x, y], ...
    this.gridImage = null;
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? 1 : -1);
    }, { passive: false });
    element.addEventListener("click", (event) => {
      const found = this.vehicleAt(event.offsetX, event.offsetY);
      if (found !== null) pick(found);
    });
  }

  zoomBy(steps) {
    this.all = false;
    this.zoom = Math.min(ZOOMS.length - 1, Math.max(0, this.zoom + steps)); }

  show(road) {
    this.road = road;
    this.gridImage = road.grid ? paintGrid(road.grid, road.base_mu) : null;
  }

  clearTrail(vehicle) { this.trails.delete(vehicle); }

  clearTrails() { this.trails.clear(); }

  add(state) {
    this.drivers[state.vehicle] = state.driver;
    this.follow(state.vehicle, state.x, state.y, TRAIL_POINTS);
    for (const [vehicle, [x, y]] of Object.entries(state.others)) this.follow(Number(vehicle), x, y, OTHER_TRAIL_POINTS);
  }

  follow(vehicle, x, y, most) {
    const trail = this.trails.get(vehicle) ?? this.trails.set(vehicle, []).get(vehicle);
    const last = trail[trail.length - 1];
    if (last && Math.hypot(x - last.x, y - last.y) < TRAIL_STEP_M) return;
    trail.push({ x, y, alone: this.drivers[vehicle] === "failsafe" });
    if (trail.length > most) trail.splice(0, Math.ceil(most / 15));
  }

  // The other vehicle that is drawn at a place of the map [CSS pixels], or null.
  vehicleAt(pixelX, pixelY) {
    if (!this.view) return null;
    const { width, height, scale, x, y, others } = this.view;
    const [atX, atY] = [x + (pixelX - width / 2) / scale, y - (pixelY - height / 2) / scale];
    const reach = Math.max(2.5, PICK_PIXELS / scale);
    const near = Object.entries(others).map(([vehicle, pose]) => [Math.hypot(pose[0] - atX, pose[1] - atY), Number(vehicle)]);
    const [distance, vehicle] = near.sort((a, b) => a[0] - b[0])[0] ?? [Infinity, null];
    return distance < reach ? vehicle : null;
  }

  // Where the middle of the map is, and how many pixels a metre has.
  frame(state, width, height) {
    if (!this.all) return { x: state.x, y: state.y, scale: ZOOMS[this.zoom] };
    const places = [[state.x, state.y], ...Object.values(state.others)];
    const range = (i) => [Math.min(...places.map((each) => each[i])), Math.max(...places.map((each) => each[i]))];
    const [[left, right], [bottom, top]] = [range(0), range(1)];
    const fit = FIT_MARGIN * Math.min(width / Math.max(right - left, 10), height / Math.max(top - bottom, 10));
    return { x: (left + right) / 2, y: (bottom + top) / 2, scale: Math.min(fit, ZOOMS[this.zoom]) };
  }

  draw(state, shapes) {
    const { context: c, width, height } = this.begin();
    if (!state) return;
    const view = { c, width, height, others: state.others, ...this.frame(state, width, height) };
    this.view = view;
    c.save();
    c.translate(width / 2, height / 2);
    c.scale(view.scale, -view.scale);
    c.translate(-view.x, -view.y);
    view.left = view.x - width / 2 / view.scale;
    view.right = view.x + width / 2 / view.scale;
    view.bottom = view.y - height / 2 / view.scale;
    view.top = view.y + height / 2 / view.scale;
    if (this.road) drawRoad(view, this.road, this.gridImage);
    drawLines(view);
    this.drawPlan(view);
    for (const vehicle of this.trails.keys()) {
      if (vehicle !== state.vehicle) this.drawTrail(view, vehicle, state.others[vehicle], colour.muted);
    }
    this.drawTrail(view, state.vehicle, [state.x, state.y], colour.accent);
    for (const [vehicle, [x, y, yaw]] of Object.entries(state.others)) {
      drawCar(view, { x, y, yaw, steer: 0 }, shapes[vehicle], this.drivers[vehicle] === "failsafe" ? colour.alarm : colour.muted);
    }
    drawCar(view, state, shapes[state.vehicle], colour.accent);
    c.restore();
    drawLabels(view, state, this.road);
    drawScale(view);
  }

  drawPlan({ c, scale }) {
    if (!this.plan.length) return;
    c.strokeStyle = colour.second;
    c.lineWidth = 2 / scale;
    c.lineJoin = "round";
    c.setLineDash([9 / scale, 5 / scale]);
    c.beginPath();
    for (const [x, y] of this.plan) c.lineTo(x, y);
    c.stroke();
    c.setLineDash([]);
  }

  drawTrail({ c, scale }, vehicle, here, stroke) {
    const trail = this.trails.get(vehicle);
    if (!trail || !here) return;
    c.lineWidth = 2.5 / scale;
    c.lineJoin = "round";
    const points = [...trail, { x: here[0], y: here[1], alone: this.drivers[vehicle] === "failsafe" }];
    for (let i = 1; i < points.length;) {
      const alone = points[i].alone;
      c.strokeStyle = alone ? colour.alarm : stroke;
      c.globalAlpha = 0.55;
      c.beginPath();
      c.moveTo(points[i - 1].x, points[i - 1].y);
      for (; i < points.length && points[i].alone === alone; i++) c.lineTo(points[i].x, points[i].y);
      c.stroke();
    }
    c.globalAlpha = 1;
  }
}

// Friction lower than usual looks like ice; the strength shows how much lower.
export function tint(mu, base) {
  const change = Math.min(1, Math.max(-1, (base - mu) / Math.max(base, 0.1)));
  return change >= 0 ? `rgba(${colour.ice}, ${(0.05 + 0.24 * change).toFixed(3)})` : `rgba(200, 150, 90, ${(0.25 * -change).toFixed(3)})`;
}

function drawRoad(view, road, gridImage) {
  const { c, left, right, bottom, top } = view;
  if (road.split) {
    c.fillStyle = tint(road.split.left, road.base_mu);
    if (top > road.split.y) c.fillRect(left, road.split.y, right - left, top - road.split.y);
    c.fillStyle = tint(road.split.right, road.base_mu);
    if (bottom < road.split.y) c.fillRect(left, bottom, right - left, road.split.y - bottom);
  }
  if (gridImage) {
    const { x, y, cell, rows } = road.grid;
    c.imageSmoothingEnabled = false;
    c.drawImage(gridImage, x, y, cell * rows[0].length, cell * rows.length);
  }
  for (const [x0, x1, mu] of road.x_patches) {
    if (x1 < left || x0 > right) continue;
    c.fillStyle = tint(mu, road.base_mu);
    c.fillRect(x0, bottom, x1 - x0, top - bottom);
    edge(view, [[x0, bottom], [x0, top]]);
    edge(view, [[x1, bottom], [x1, top]]);
  }
  for (const { points, mu } of road.polygons) {
    c.fillStyle = tint(mu, road.base_mu);
    c.beginPath();
    for (const [x, y] of points) c.lineTo(x, y);
    c.closePath();
    c.fill();
    edge(view, [...points, points[0]]);
  }
}

function edge({ c, scale }, points) {
  c.strokeStyle = `rgba(${colour.ice}, 0.55)`;
  c.lineWidth = 1 / scale;
  c.setLineDash([5 / scale, 4 / scale]);
  c.beginPath();
  for (const [x, y] of points) c.lineTo(x, y);
  c.stroke();
  c.setLineDash([]);
}

export function paintGrid(grid, base) {
  const image = document.createElement("canvas");
  image.width = grid.rows[0].length;
  image.height = grid.rows.length;
  const c = image.getContext("2d");
  grid.rows.forEach((row, j) => row.forEach((mu, i) => {
    if (mu === null) return;
    c.fillStyle = tint(mu, base);
    c.fillRect(i, j, 1, 1);
  }));
  return image;
}

function drawLines({ c, left, right, bottom, top, scale }) {
  const step = scale >= 6 ? 5 : scale >= 2.5 ? 10 : 50;
  for (const strong of [false, true]) {
    c.strokeStyle = strong ? colour["grid-strong"] : colour.grid;
    c.lineWidth = 1 / scale;
    c.beginPath();
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      if ((Math.round(x / step) % 5 === 0) === strong) { c.moveTo(x, bottom); c.lineTo(x, top); }
    }
    for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
      if ((Math.round(y / step) % 5 === 0) === strong) { c.moveTo(left, y); c.lineTo(right, y); }
    }
    c.stroke();
  }
}

function drawCar({ c, scale }, state, shape, outline) {
  if (!shape) return;
  const front = shape.cg_to_front + shape.front_overhang;
  c.save();
  c.translate(state.x, state.y);
  c.rotate(state.yaw);
  c.fillStyle = colour.body;
  c.strokeStyle = outline;
  c.lineWidth = Math.max(0.05, 1.5 / scale);
  c.beginPath();
  c.roundRect(front - shape.length, -shape.width / 2, shape.length, shape.width, shape.width * 0.28);
  c.fill();
  c.stroke();
  c.beginPath(); // windscreen: which end is the front
  c.moveTo(front - shape.length * 0.34, -shape.width * 0.38);
  c.quadraticCurveTo(front - shape.length * 0.27, 0, front - shape.length * 0.34, shape.width * 0.38);
  c.stroke();
  places(shape).forEach(([x, y, steers], i) => {
    c.save();
    c.translate(x, y);
    c.rotate(steers ? state.steer : 0);
    c.fillStyle = state.grip ? gripColour(state.grip[i]) : outline;
    c.fillRect(-shape.wheel_radius, -0.13, 2 * shape.wheel_radius, 0.26);
    c.restore();
  });
  c.restore();
}

function places(shape) {
  const [f, r] = [shape.track_front / 2, shape.track_rear / 2];
  return [
    [shape.cg_to_front, f, true], [shape.cg_to_front, -f, true],
    [-shape.cg_to_rear, r, false], [-shape.cg_to_rear, -r, false],
  ];
}

function drawLabels(view, state, road) {
  const { c } = view;
  c.font = colour.font;
  c.textAlign = "center";
  c.textBaseline = "middle";
  const at = (x, y) => [view.width / 2 + (x - view.x) * view.scale, view.height / 2 - (y - view.y) * view.scale];
  for (const [vehicle, [x, y]] of Object.entries(state.others)) label(c, vehicle, ...at(x, y + 2.2), colour.muted);
  if (!road) return;
  const name = (mu) => `μ ${fixed(mu, 2)}`;
  for (const [x0, x1, mu] of road.x_patches) {
    const middle = (Math.max(x0, view.left) + Math.min(x1, view.right)) / 2;
    if (x1 > view.left && x0 < view.right) label(c, name(mu), at(middle, 0)[0], 44, colour.text);
  }
  if (road.split) {
    label(c, name(road.split.left), view.width - 84, Math.max(24, at(0, road.split.y)[1] - 14), colour.text);
    label(c, name(road.split.right), view.width - 84, at(0, road.split.y)[1] + 14, colour.text);
  }
  for (const { points, mu } of road.polygons) {
    const middle = [0, 1].map((i) => points.reduce((sum, point) => sum + point[i], 0) / points.length);
    label(c, name(mu), ...at(...middle), colour.text);
  }
}

function label(c, text, x, y, fill) {
  c.fillStyle = fill;
  c.fillText(text, x, y);
}

function drawScale({ c, height, scale }) {
  const metres = SCALES_M.findLast((m) => m * scale <= 120) || SCALES_M[0];
  const [x, y] = [14, height - 16 - (PADS.matches ? PADS_PX : 0)];
  c.strokeStyle = colour.muted;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(x, y - 4); c.lineTo(x, y); c.lineTo(x + metres * scale, y); c.lineTo(x + metres * scale, y - 4);
  c.stroke();
  c.textAlign = "left";
  label(c, `${metres} m`, x + metres * scale + 7, y - 3, colour.muted);
}
