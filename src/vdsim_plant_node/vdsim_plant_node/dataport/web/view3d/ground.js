// The road of the 3D view: a plane with its slope, painted where friction differs, and grid lines.
//
// Everything is built round an anchor near the car: the graphics card computes in single precision,
// and a world frame may have its origin hundreds of kilometres away.

import {
  BufferGeometry, CanvasTexture, Color, Float32BufferAttribute, Group, Line, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, NearestFilter,
  PlaneGeometry, Shape, ShapeGeometry,
} from "../vendor/three.module.min.js";
import { paintGrid, tint } from "../map.js";
import { colour } from "../palette.js";
import { dispose } from "./car.js";

const REACH_M = 1500; // what is painted round the anchor
const LINES_M = 250;
const STEP_M = 10;
const LIFT_M = 0.004; // of each layer of paint above the one before
const PATH_LIFT_M = 0.05; // over the paint
const STRENGTH = 1.7; // paint is seen at a flat angle here, so it is stronger than on the map

export const LEVEL = { gx: 0, gy: 0, z0: 0 };

export class GroundView {
  constructor(scene) {
    this.root = new Group();
    this.lines = new Group();
    scene.add(this.root, this.lines);
    this.scene = scene;
    this.path = null;
    this.planned = [];
    this.road = null;
    this.anchor = null;
  }

  get plane() { return this.road?.plane ?? LEVEL; }

  height(x, y) { return this.plane.gx * x + this.plane.gy * y + this.plane.z0; }

  show(road) { this.road = road; this.anchor = null; this.plan(this.planned); }

  // The planned path, on the road: [x, y], ...
  plan(points) {
    if (this.path) dispose(this.path);
    this.path = null;
    this.planned = points;
    if (points.length < 2) return;
    const [[x0, y0]] = points;
    const at = new Float32BufferAttribute(points.flatMap(([x, y]) => [x - x0, y - y0, this.height(x, y) - this.height(x0, y0)]), 3);
    this.path = new Line(new BufferGeometry().setAttribute("position", at), new LineBasicMaterial({ color: colour.second }));
    this.path.position.set(x0, y0, this.height(x0, y0) + PATH_LIFT_M);
    this.scene.add(this.path);
  }

  // Keeps the painted part round the car.
  follow(x, y) {
    if (!this.anchor || Math.hypot(x - this.anchor.x, y - this.anchor.y) > REACH_M / 3) this.build(x, y);
    const [gx, gy] = [Math.round(x / STEP_M / 5) * STEP_M * 5, Math.round(y / STEP_M / 5) * STEP_M * 5];
    this.lines.position.set(gx, gy, this.height(gx, gy));
  }

  build(x, y) {
    for (const part of [...this.root.children, ...this.lines.children]) dispose(part);
    this.anchor = { x, y };
    this.layers = 0;
    this.root.position.set(x, y, this.height(x, y));
    // Drawn first and without depth: paint in the same plane then needs no precision to lie on it.
    const base = new Mesh(this.tilted(new PlaneGeometry(2 * REACH_M, 2 * REACH_M)), new MeshBasicMaterial({ color: colour.map, depthWrite: false }));
    base.renderOrder = -1;
    this.root.add(base);
    if (this.road) this.paint(this.road, x, y);
    this.lines.add(this.gridLines());
  }

  paint({ split, grid, x_patches: strips, polygons, base_mu: base }, x, y) {
    if (split) {
      this.rectangle(-REACH_M, REACH_M, split.y - y, REACH_M, split.left, base);
      this.rectangle(-REACH_M, REACH_M, -REACH_M, split.y - y, split.right, base);
    }
    if (grid) this.cells(grid, base, x, y);
    for (const [x0, x1, mu] of strips) this.rectangle(x0 - x, x1 - x, -REACH_M, REACH_M, mu, base);
    for (const { points, mu } of polygons) {
      this.layer(new ShapeGeometry(new Shape(points.map(([px, py]) => ({ x: px - x, y: py - y })))), paintOf(mu, base), mu);
    }
  }

  rectangle(x0, x1, y0, y1, mu, base) {
    const within = (value) => Math.min(REACH_M, Math.max(-REACH_M, value));
    const [left, right, low, high] = [x0, x1, y0, y1].map(within);
    if (left >= right || low >= high) return;
    const geometry = new PlaneGeometry(right - left, high - low).translate((left + right) / 2, (low + high) / 2, 0);
    this.layer(geometry, paintOf(mu, base), mu);
  }

  cells(grid, base, x, y) {
    const texture = new CanvasTexture(paintGrid(grid, base));
    texture.flipY = false; // rows go from the south to the north
    texture.magFilter = texture.minFilter = NearestFilter;
    texture.generateMipmaps = false;
    const [wide, high] = [grid.cell * grid.rows[0].length, grid.cell * grid.rows.length];
    const geometry = new PlaneGeometry(wide, high).translate(grid.x - x + wide / 2, grid.y - y + high / 2, 0);
    this.layer(geometry, { map: texture, opacity: 1 }, null);
  }

  layer(geometry, look, mu) {
    this.layers += 1;
    const material = new MeshBasicMaterial({ transparent: true, depthWrite: false, ...look });
    const mesh = new Mesh(this.tilted(geometry, this.layers * LIFT_M), material);
    mesh.renderOrder = this.layers;
    mesh.userData.mu = mu;
    this.root.add(mesh);
  }

  // Puts the points of a flat geometry onto the road.
  tilted(geometry, lift = 0) {
    const { gx, gy } = this.plane;
    const points = geometry.attributes.position;
    for (let i = 0; i < points.count; i++) points.setZ(i, gx * points.getX(i) + gy * points.getY(i) + lift);
    return geometry;
  }

  gridLines() {
    const points = [];
    for (let at = -LINES_M; at <= LINES_M; at += STEP_M) {
      for (let from = -LINES_M; from < LINES_M; from += STEP_M) { // in pieces: some drivers drop a line that passes the viewer
        points.push(at, from, 0, at, from + STEP_M, 0, from, at, 0, from + STEP_M, at, 0);
      }
    }
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
    const lift = (this.layers + 1) * LIFT_M;
    const lines = new LineSegments(this.tilted(geometry, lift), new LineBasicMaterial({ color: colour.muted, transparent: true, opacity: 0.3, depthWrite: false }));
    lines.renderOrder = this.layers + 1;
    return lines;
  }
}

function paintOf(mu, base) {
  const [r, g, b, alpha] = tint(mu, base).match(/[\d.]+/g).map(Number);
  return { color: new Color(`rgb(${r}, ${g}, ${b})`), opacity: Math.min(0.75, alpha * STRENGTH) };
}
