// The readouts: numbers and bars of the motion, the rows of the link.

import { degrees, duration, fixed, grouped, percent } from "./format.js";

const find = (id) => document.getElementById(id);
const set = (id, text) => { const at = find(id); if (at.textContent !== text) at.textContent = text; };

const LEAST_SPEED_MPS = 0.1; // a car that stands slips to no side

const DRIVERS = {
  udp: "Driven over UDP (CMD)",
  io: "Driven from this page (HTTP)",
  failsafe: "Fail-safe active",
  waiting: "Waiting for commands",
  commanded: "Driven by commands",
  gone: "Not connected",
};

// `why`: the interface's answer, where one is heard: who drives is its word, not that of the packets.
export function showDriver(driver, why = null) {
  const text = why ? why.title : DRIVERS[driver];
  find("status").dataset.driver = driver;
  find("status").dataset.why = why ? why.level : "";
  set("driver", text);
  set("spoken", text);
}

const GEARS = { "-1": "REVERSE", 0: "NEUTRAL", 1: "DRIVE" };
const TELLS = [
  ["Hand brake", (body) => body.has_hand_brake],
  ["Left", (body) => body.blinker === "LEFT"],
  ["Right", (body) => body.blinker === "RIGHT"],
  ["Hazard", (body) => body.blinker === "HAZARD"],
  ["Lights", (body) => body.headlight === "ON"],
  ["High beam", (body) => body.headlight === "HIGH"],
  ["Wipers", (body) => !["", "OFF"].includes(body.wiper)],
  ["Horn", (body) => body.has_horn],
];

// What the interface reports of the body; without one, what the plant knows: gear and hand brake.
export function showBody(state, body) {
  const shown = body ?? { gear: GEARS[state.gear], has_hand_brake: state.handbrake, blinker: "", headlight: "", wiper: "", has_horn: false };
  for (const gear of document.querySelectorAll(".gears span")) {
    const name = gear.dataset.gear;
    const on = name === shown.gear;
    gear.hidden = !on && (name === "LOW" || (name === "PARK" && !body));
    gear.classList.toggle("on", on);
    on ? gear.setAttribute("aria-current", "true") : gear.removeAttribute("aria-current");
  }
  const texts = TELLS.filter(([, isOn]) => isOn(shown)).map(([text]) => text);
  const at = find("tells");
  if (at.dataset.shown === texts.join()) return;
  at.dataset.shown = texts.join();
  at.replaceChildren(...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
}

export function showMotion(state, shape) {
  set("time", fixed(state.t, 2));
  set("x", fixed(state.x, 1));
  set("y", fixed(state.y, 1));
  set("yaw", degrees(state.yaw, 1));
  set("speed", fixed(state.vx * 3.6, 1));
  set("pose-speed", fixed(state.vx * 3.6, 0));
  set("steer", degrees(state.steer, 1));
  set("throttle", percent(state.throttle));
  set("brake", percent(state.brake));
  set("yaw-rate", degrees(state.r, 1));
  set("beta", degrees(Math.hypot(state.vx, state.vy) > LEAST_SPEED_MPS ? state.beta : 0, 1));
  set("roll", degrees(state.roll, 1));
  set("pitch", degrees(state.pitch, 1));
  if (state.charge !== undefined) set("charge", percent(state.charge, 1)); // the car in a tab has no battery
  set("ax", fixed(state.ax, 2));
  set("ay", fixed(state.ay, 2));
  bar("throttle-bar", state.throttle);
  bar("brake-bar", state.brake);
  const limit = shape.max_steer || 0.5; // positive is left, so the bar goes left
  bar("steer-bar", -state.steer / limit);
  find("steer-mark").style.left = `${50 - (50 * state.command.steer) / limit}%`;
}

function bar(id, share) { find(id).style.transform = `scaleX(${share.toFixed(4)})`; }

export function showLink(report, recent, timeout, state) {
  const { link, port, pacing } = report;
  const age = state.driver === "udp" || state.io_age === null ? link.age : Math.min(state.io_age, link.age ?? Infinity);
  rows("link", [
    ["Last command", age === null ? "none yet" : `${duration(age)} ago`, age !== null && age > timeout ? "bad" : ""],
    ["CMD rate", `${fixed(link.rate, 1)} Hz`],
    ["Lost, last 5 s", recent ? `${percent(recent.loss, 1)} %` : "–", recent && recent.loss > 0.02 ? "warn" : ""],
    ["Lost in all", grouped(link.lost)],
    ["Late, double", `${grouped(link.reordered)}, ${grouped(link.duplicates)}`],
    ["Jitter", duration(link.jitter)],
    ["CMD taken", grouped(link.accepted)],
    ["Sessions", grouped(link.sessions)],
    ["Sender", report.owner ?? "none yet"],
    ["Other sender", report.stranger ? `${report.stranger.address}: ${grouped(report.stranger.packets)} dropped` : "none", report.stranger ? "warn" : ""],
    ["Version", report.version === null ? "–" : `v${report.version}`],
    ["Fail-safes", grouped(report.failsafes)],
    ["STATE made", grouped(report.states)],
  ]);
  set("summary", link.age === null ? "" : `CMD ${fixed(link.rate, 0)} Hz, ${recent ? percent(recent.loss, 1) : "–"} % lost`);
  rows("pacing", [
    ["Late, p50", duration(pacing.late_p50)],
    ["Late, p99", duration(pacing.late_p99)],
    ["Overruns", grouped(pacing.overruns)],
    ["Skipped ticks", grouped(pacing.skipped)],
  ]);
}

export function showRejects(port, texts) {
  const found = Object.entries(port.reasons);
  rows("rejects", found.length ? found.map(([reason, count]) => [reason, grouped(count), "warn", texts[reason]]) : [["none", "0"]]);
}

// Rewrites a list in place: [label, value, class, title].
function rows(id, wanted) {
  const list = find(id);
  while (list.children.length > wanted.length) list.lastChild.remove();
  wanted.forEach(([label, value, kind = "", title = ""], i) => {
    const row = list.children[i] || list.appendChild(newRow());
    const [dt, dd] = row.children;
    if (dt.textContent !== label) dt.textContent = label;
    if (dd.textContent !== value) dd.textContent = value;
    if (dd.className !== kind) dd.className = kind;
    if (row.title !== title) row.title = title;
  });
}

function newRow() {
  const row = document.createElement("div");
  row.append(document.createElement("dt"), document.createElement("dd"));
  return row;
}

// `found`: what deserves attention, or null; a screen reader announces an alarm once, not at each change.
export function showAlarm(found) {
  find("status").dataset.level = found ? found.level : "good";
  set("alarm-title", found ? found.title : "");
  set("alarm-text", found ? found.text : "");
  set("alarm-seen", found?.seen ? `(${found.seen})` : "");
  find("action").hidden = !found?.action;
  set("action-text", found?.action ? `${found.action}.` : "");
  set("action-command", found?.command ?? "");
  set("spoken-alarm", found && found.level === "alarm" ? found.title : "");
}
