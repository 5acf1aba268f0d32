// The dialog that chooses car, road, start and layers, and starts the vehicle with them.
//
// The server says what can be chosen and checks every value; this page only shows and sends.

import { get, post } from "./connection.js";
import { numberOf } from "./format.js";
import { GroundForm } from "./ground_form.js";

const GROUPS = [
  ["Car", ["vehicle", "tyre", "level", "charge"]],
  ["Road", ["ground", "mu"]],
  ["Start", ["x0", "y0", "yaw0", "vx0"]],
  ["Actuators and sensors", ["actuator", "assist", "sensor", "seed"]],
];
const LABELS = {
  vehicle: "Vehicle", tyre: "Tyre", level: "Model", charge: "Charge", ground: "Ground", mu: "Friction μ",
  x0: "East", y0: "North", yaw0: "Heading", vx0: "Speed", actuator: "Actuators", assist: "ABS, ESC", sensor: "Sensors", seed: "Noise seed",
};

export class SettingsDialog {
  constructor(dialog) {
    this.dialog = dialog;
    this.vehicle = 0;
    this.fields = new Map(); // by option: { input, read(), write(value) }
  }

  async open(vehicle) {
    this.vehicle = vehicle;
    try {
      this.build((await get(`/api/settings?vehicle=${vehicle}`)).settings);
    } catch (error) {
      this.frame();
      this.report(error.message);
    }
    if (!this.dialog.open) this.dialog.showModal();
  }

  frame() {
    this.dialog.innerHTML = `<form novalidate><h2 id="settings-title"></h2><div class="groups"></div>
      <p class="fault" role="alert"></p><p class="done" role="status"></p>
      <div class="buttons"><button type="submit" class="main">Start</button>
      <button type="button" data-do="save">Save as a file</button><button type="button" data-do="load">Load a file</button>
      <button type="button" data-do="close">Close</button><button type="button" class="stop" data-stop>Emergency stop</button></div>
      <input type="file" accept=".yaml,.yml" aria-label="Settings file" hidden></form>`;
    this.form = this.dialog.querySelector("form");
    this.form.querySelector("h2").textContent = `Settings of vehicle ${this.vehicle}`;
    this.file = this.form.querySelector("[type=file]");
    const buttons = { save: () => this.save(), load: () => this.file.click(), close: () => this.dialog.close() };
    for (const [name, act] of Object.entries(buttons)) this.form.querySelector(`[data-do=${name}]`).addEventListener("click", act);
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.start(); });
    this.file.addEventListener("change", () => this.load());
  }

  build(options) {
    this.frame();
    this.fields.clear();
    const byName = Object.fromEntries(options.map((option) => [option.name, option]));
    const groups = this.form.querySelector(".groups");
    for (const [title, names] of GROUPS) {
      const group = document.createElement("fieldset");
      group.innerHTML = "<legend></legend>";
      group.firstChild.textContent = title;
      for (const name of names) if (byName[name]) group.append(this.row(byName[name]));
      groups.append(group);
    }
    this.write(Object.fromEntries(options.map(({ name, value }) => [name, value])));
  }

  row(option) {
    const row = document.createElement("div");
    row.className = "field";
    row.dataset.field = option.name;
    const id = `set-${option.name}`;
    row.innerHTML = `<label for="${id}"></label><span class="entry"></span><small class="hint" id="${id}-hint"></small><small class="wrong" id="${id}-wrong"></small>`;
    row.querySelector("label").textContent = LABELS[option.name] ?? option.name;
    row.querySelector(".hint").textContent = [option.text, option.allowed].filter(Boolean).join("; ");
    const field = option.kind === "number" ? numberField(option) : choiceField(option);
    field.input.id = id;
    field.input.setAttribute("aria-describedby", `${id}-hint ${id}-wrong`);
    row.querySelector(".entry").append(field.input);
    if (option.unit) row.querySelector(".entry").append(unitOf(option.unit));
    this.fields.set(option.name, option.kind === "ground" ? this.groundField(option, field, row) : field);
    return row;
  }

  // A ground by its name, or one of its own, which has fields below.
  groundField(option, field, row) {
    const own = new GroundForm();
    field.input.append(new Option("own …", "#own"));
    row.append(own.element);
    const settle = () => {
      own.element.hidden = field.input.value !== "#own";
      const friction = this.form.querySelector("[data-field=mu]");
      if (friction) friction.hidden = !own.element.hidden;
    };
    field.input.addEventListener("change", settle);
    return {
      ...field,
      read: () => (field.input.value === "#own" ? own.read() : field.read()),
      write: (value) => {
        const isOwn = value !== null && typeof value === "object";
        if (isOwn) own.write(value, this.fields.get("mu")?.read() ?? null);
        field.input.value = isOwn ? "#own" : value;
        settle();
      },
    };
  }

  write(values) {
    // Friction first: a ground of its own takes it over.
    for (const name of ["mu", ...Object.keys(values)]) if (name in values) this.fields.get(name)?.write(values[name]);
  }

  read() {
    const values = Object.fromEntries([...this.fields].map(([name, field]) => [name, field.read()]));
    if (typeof values.ground === "object") values.mu = null;
    return values;
  }

  async start() {
    await this.ask("/api/start", this.read(), () => this.report("", "Started."));
  }

  async save() {
    await this.ask("/api/settings", this.read(), ({ yaml }) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
      link.download = `vdsim_vehicle_${this.vehicle}.yaml`;
      link.click();
      URL.revokeObjectURL(link.href);
      this.report("", `Saved. Start with it: vdsim_realtime --config ${link.download}`);
    });
  }

  async load() {
    const [file] = this.file.files;
    this.file.value = "";
    if (!file) return;
    await this.ask("/api/settings", { yaml: await file.text() }, ({ settings }) => {
      this.write(settings);
      this.report("", `${file.name} is loaded; Start applies it.`);
    });
  }

  async ask(path, content, done) {
    this.report("", "The plant builds the car …");
    this.form.inert = true;
    let fault = null;
    try {
      done(await post(`${path}?vehicle=${this.vehicle}`, content));
    } catch (error) {
      fault = error;
    }
    this.form.inert = false;
    if (fault) this.report(fault.message, "", fault.field);
  }

  // Shows a fault at its field where it has one, else below; `done`: what went well.
  report(fault, done = "", field = "") {
    for (const row of this.form.querySelectorAll("[data-field]")) {
      row.querySelector(":scope > .wrong").textContent = "";
      row.querySelector("input, select")?.removeAttribute("aria-invalid");
    }
    const row = fault && field ? this.rowOf(field) : null;
    if (row) {
      row.querySelector(":scope > .wrong").textContent = fault;
      const input = row.querySelector("input, select");
      input?.setAttribute("aria-invalid", "true");
      input?.focus();
    }
    this.form.querySelector(".fault").textContent = fault;
    this.form.querySelector(".done").textContent = done;
  }

  // The row of a field, or of the group that it belongs to: ground.split.mu_left, ground.split, ground.
  rowOf(field) {
    for (let name = field; name; name = name.slice(0, Math.max(0, name.search(/[.[][^.[]*$/)))) {
      const row = [...this.form.querySelectorAll("[data-field]")].find((each) => each.dataset.field === name);
      if (row && !row.closest("[hidden]")) return row;
    }
    return null;
  }
}

function numberField(option) {
  const input = document.createElement("input");
  input.type = "text";
  input.inputMode = "decimal";
  input.autocomplete = "off";
  input.placeholder = option.default === null ? "the ground’s" : String(option.default);
  return { input, read: () => numberOf(input.value), write: (value) => { input.value = value ?? ""; } };
}

function choiceField(option) {
  const input = document.createElement("select");
  input.append(...option.choices.map((choice) => new Option(choice, choice)));
  return { input, read: () => input.value, write: (value) => { input.value = value ?? option.default; } };
}

function unitOf(unit) {
  const shown = document.createElement("span");
  shown.className = "unit";
  shown.textContent = unit;
  return shown;
}
