// The vehicle interface on the page: why, who drives, the way of a command, the timeline.

import { degrees, fixed } from "./format.js";

const find = (id) => document.getElementById(id);
const put = (at, text) => { if (at.textContent !== text) at.textContent = text; };
const MODES = { MANUAL: "Manual", NOT_READY: "Engaging", AUTONOMOUS: "Autonomous", DISENGAGED: "Disengaged" };
const STAGES = ["requested", "limited", "sent", "applied"];
const ROWS = [
  ["Speed", "km/h", (stage) => number(stage.velocity_mps, (v) => fixed(v * 3.6, 1))],
  ["Acceleration", "m/s²", (stage) => number(stage.accel_mps2, (v) => fixed(v, 2))],
  ["Curvature", "1/m", (stage) => number(stage.curvature_1pm, (v) => fixed(v, 3))],
  ["Wheel angle", "°", (stage) => number(stage.wheel_angle_rad, (v) => degrees(v, 1))],
  ["Throttle", "%", (stage) => number(stage.throttle, (v) => fixed(v * 100, 0))],
  ["Brake", "%", (stage) => number(stage.brake, (v) => fixed(v * 100, 0))],
];

function number(value, text) { return value === null ? "" : text(value); }

// What the buttons offer, by what the interface reports. Pure.
export function offers(view) {
  const waits = view.control_reason.includes("waits for give_back");
  return {
    engage: !view.stopped && (view.mode === "MANUAL" || view.mode === "DISENGAGED"),
    disengage: !view.stopped && (view.mode === "AUTONOMOUS" || view.mode === "NOT_READY"),
    giveBack: view.stopped || waits,
    giveBackText: view.stopped ? "Release the stop" : "Give back",
  };
}

// Who drives, in words.
export function driverWords(view) {
  if (view.control === "safe_stop") return "Nobody: safe stop";
  const names = { autonomy: "the stack", dashboard: "the page", "": "nobody" };
  return names[view.source] ?? view.source;
}

export class InterfaceCard {
  constructor(root) {
    this.root = root;
    this.body = find("way").querySelector("tbody");
    for (const [name, unit] of ROWS) {
      const row = this.body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.append(`${name} `, Object.assign(document.createElement("span"), { className: "unit", textContent: unit }));
      row.append(head);
      for (let i = 0; i < STAGES.length; i++) row.insertCell().className = "num";
    }
    this.shown = null;
  }

  // `view`: what the stream holds of the interface; null: none is heard.
  show(view) {
    this.root.hidden = find("requests").hidden = view === null;
    document.body.dataset.interface = String(view !== null);
    if (!view) return;
    put(find("interface-driver"), driverWords(view));
    put(find("interface-mode"), MODES[view.mode] ?? "not known");
    const refused = view.refused ? `${view.refused.reason}, ${ago(view.refused.age)}` : "none";
    put(find("interface-refusal"), refused);
    this.showWay(view.stages);
    list(find("reasons"), view.stages && view.reasons.length === 0 ? ["Nothing was changed."] : view.reasons.map((reason) => words(reason) + actsSince(reason, view.steps ?? [])));
    this.showEvents(view.events);
    const may = offers(view);
    find("engage").hidden = !may.engage;
    find("disengage").hidden = !may.disengage;
    find("give-back").hidden = !may.giveBack;
    put(find("give-back"), may.giveBackText);
  }

  // `path`: what is planned, or null: nobody publishes one.
  showPlan(path) {
    find("plan-row").hidden = !path;
    if (path) put(find("interface-plan"), path.problem ? `${path.problem}: not drawn` : `${fixed(length(path.points), 0)} m`);
  }

  showWay(stages) {
    ROWS.forEach(([, , text], i) => {
      const row = this.body.rows[i];
      const values = STAGES.map((name) => (stages ? text(stages[name]) : ""));
      row.hidden = values.every((value) => value === "");
      values.forEach((value, j) => put(row.cells[j + 1], value || "–"));
    });
    find("way").hidden = !stages;
    find("no-way").hidden = Boolean(stages);
  }

  showEvents(events) {
    const at = find("events");
    const newest = [...events].reverse();
    while (at.children.length > newest.length) at.lastChild.remove();
    newest.forEach((event, i) => {
      const line = at.children[i] || at.appendChild(newLine());
      line.dataset.level = event.level;
      put(line.children[0], ago(event.age));
      put(line.children[1], event.text);
    });
  }
}

// "long_accel_mps2 3 -> 2 by rate", in words. Pure.
const CHANNELS = {
  long_accel_mps2: ["acceleration", 1, "m/s²"], velocity_mps: ["speed", 3.6, "km/h"], curvature_1pm: ["curvature", 1, "1/m"],
  front_wheel_angle_rad: ["wheel angle", 180 / Math.PI, "°"], rear_wheel_angle_rad: ["rear wheel angle", 180 / Math.PI, "°"],
};
const WORDS = {
  gear: ["DRIVE", "REVERSE", "PARK", "LOW", "NEUTRAL"], blinker: ["off", "left", "right", "hazard"],
  headlight: ["off", "on", "high"], wiper: ["off", "low", "high", "clean"], hand_brake: ["released", "set"], horn: ["off", "on"],
};
export function words(reason) {
  const found = /^(\S+) (\S+) -> (\S+) by (\S+)$/.exec(reason);
  if (!found) return reason;
  const [, channel, before, after, rule] = found;
  const [name, scale, unit] = CHANNELS[channel] ?? [channel.replaceAll("_", " "), 1, ""];
  const value = (text, digits) => WORDS[channel]?.[Number(text)] ?? (Number.isFinite(Number(text)) ? fixed(Number(text) * scale, digits) : text);
  // Two numbers that differ are never shown as the same.
  const digits = [2, 3, 4].find((each) => value(before, each) !== value(after, each)) ?? 5;
  return `${name} ${value(before, digits)} to ${value(after, digits)} ${unit} (${rule.replaceAll("_", " ")})`.replace(" °", "°").replace("  ", " ");
}

// Of a path [m].
function length(points) {
  return points.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - points[i][0], y - points[i][1]), 0);
}

// For how long the rule of a reason has acted, and what bounds it. Pure.
export function actsSince(reason, steps) {
  const step = steps.find((each) => reason.endsWith(` by ${each.rule}`));
  if (!step) return "";
  const since = step.since === null ? "" : `, for ${fixed(step.since, step.since < 10 ? 1 : 0)} s`;
  return since + (step.bounds.length ? `; bound ${step.bounds.join(", ")}` : "");
}

function ago(seconds) {
  if (seconds < 60) return `${seconds < 10 ? fixed(seconds, 1) : fixed(seconds, 0)} s ago`;
  return `${fixed(Math.floor(seconds / 60), 0)} min ago`;
}

function list(at, texts) {
  while (at.children.length > texts.length) at.lastChild.remove();
  texts.forEach((text, i) => put(at.children[i] || at.appendChild(document.createElement("li")), text));
}

function newLine() {
  const line = document.createElement("li");
  line.append(Object.assign(document.createElement("span"), { className: "num muted" }), document.createElement("span"));
  return line;
}
