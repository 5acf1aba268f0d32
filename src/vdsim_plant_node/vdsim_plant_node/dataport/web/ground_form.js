// The fields of a ground of its own: friction, slope, two halves, strips, patches. Keys as in a ground file.

import { numberOf } from "./format.js";

const PLAIN = [
  ["base_mu", "Friction μ", "of all that has none of its own; 0.9 where it is empty"],
  ["slope_x", "Slope to the east", "rise per metre, -1 to 1"],
  ["slope_y", "Slope to the north", "rise per metre, -1 to 1"],
  ["transition_m", "Width of an edge", "m over which friction changes"],
];
const SPLIT = [
  ["mu_left", "Split: μ north of the line", "empty: no split"],
  ["mu_right", "Split: μ south of the line", ""],
  ["y_m", "Split: the line", "north [m]"],
];

export class GroundForm {
  constructor() {
    this.element = document.createElement("div");
    this.element.className = "own-ground";
    this.inputs = {};
    for (const [key, label, hint] of PLAIN) this.add(`ground.${key}`, key, label, hint);
    for (const [key, label, hint] of SPLIT) this.add(`ground.split.${key}`, `split.${key}`, label, hint);
    this.add("ground.x_patches", "x_patches", "Strips across", "from x, to x, μ; several: with semicolons, as 60, 130, 0.5; 200, 220, 0.2");
    this.add("ground.polygons", "polygons", "Patches", "corners x y, then μ, as 0 -3, 10 -3, 10 3, 0 3: 0.3; several with semicolons");
    this.kept = {}; // what a file has and this form does not show
  }

  add(field, key, label, hint) {
    const id = `set-${field.replaceAll(".", "-")}`;
    const row = document.createElement("div");
    row.className = "field";
    row.dataset.field = field;
    row.innerHTML = `<label for="${id}"></label><span class="entry"><input id="${id}" type="text" autocomplete="off" aria-describedby="${id}-hint ${id}-wrong"></span>
      <small class="hint" id="${id}-hint"></small><small class="wrong" id="${id}-wrong"></small>`;
    row.querySelector("label").textContent = label;
    row.querySelector(".hint").textContent = hint;
    this.inputs[key] = row.querySelector("input");
    this.element.append(row);
  }

  read() {
    const text = (key) => this.inputs[key].value.trim();
    const ground = { ...this.kept };
    for (const [key] of PLAIN) if (text(key)) ground[key] = numberOf(text(key));
    const split = SPLIT.filter(([key]) => text(`split.${key}`)).map(([key]) => [key, numberOf(text(`split.${key}`))]);
    if (split.length) ground.split = Object.fromEntries(split);
    if (text("x_patches")) ground.x_patches = pieces(text("x_patches"), ";").map((strip) => pieces(strip, /[,\s]+/).map(numberOf));
    if (text("polygons")) ground.polygons = pieces(text("polygons"), ";").map(polygonOf);
    return ground;
  }

  // `mu`: the friction that the ground has from outside, which becomes its own.
  write(ground, mu) {
    const { x_patches: strips = [], polygons = [], split = {}, ...rest } = ground;
    for (const input of Object.values(this.inputs)) input.value = "";
    this.inputs.base_mu.value = mu ?? "";
    for (const [key] of PLAIN) if (key in rest) this.inputs[key].value = rest[key];
    for (const [key] of SPLIT) if (key in split) this.inputs[`split.${key}`].value = split[key];
    this.inputs.x_patches.value = strips.map((strip) => strip.join(", ")).join("; ");
    this.inputs.polygons.value = polygons.map(({ points_m: points, mu: own }) => `${points.map((point) => point.join(" ")).join(", ")}: ${own}`).join("; ");
    const shown = new Set(PLAIN.map(([key]) => key));
    this.kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !shown.has(key)));
  }
}

// "0 -3, 10 -3, 10 3: 0.3"
function polygonOf(text) {
  const [points, mu = ""] = text.split(":");
  return { points_m: pieces(points, ",").map((point) => pieces(point, /\s+/).map(numberOf)), mu: numberOf(mu) };
}

function pieces(text, separator) { return text.split(separator).map((piece) => piece.trim()).filter(Boolean); }
