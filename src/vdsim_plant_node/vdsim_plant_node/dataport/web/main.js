// The dashboard: receives the stream, keeps a short history, draws at the screen's rate.

import { attention, attentionElsewhere, LET_GO_MS, STALL_MS } from "./alarm.js";
import { CHARTS, StripChart } from "./charts.js";
import { get, post, Stream } from "./connection.js";
import { FleetTable } from "./fleet.js";
import { EmergencyStop } from "./emergency_stop.js";
import { GgCircle } from "./gg.js";
import { History, LinkWindow } from "./history.js";
import { InterfaceCard } from "./interface_card.js";
import { ManualDriver } from "./manual_driver.js";
import { TopView } from "./map.js";
import { startTheme } from "./palette.js";
import { showAlarm, showBody, showDriver, showLink, showMotion, showRejects } from "./panels.js";
import { Replay } from "./replay.js";
import { SettingsDialog } from "./settings.js";
import { ViewSwitch } from "./view_switch.js";
import { Corners } from "./wheels.js";

const find = (id) => document.getElementById(id);
const CHART_PERIOD_MS = 90;
const LONGEST_FRAME_MS = 250;
const AGAIN_MS = 1000; // until a start that failed is tried again

const history = new History();
const links = new LinkWindow();
const map = new TopView(find("map"), (number) => choose(number).catch(showLost));
const view = new ViewSwitch(find("map"));
const settings = new SettingsDialog(find("settings"));
const gg = new GgCircle(find("gg"));
const corners = new Corners(document.querySelector(".corners"), find("car"));
const charts = CHARTS.map((chart) => new StripChart(find("charts"), chart));
const fleet = new FleetTable(find("fleet"), (number) => choose(number).catch(showLost));
let plant = { vehicles: [] };
let vehicle = null; // description of the vehicle on display
let shapes = {};
let receivedMs = performance.now();
let frameMs = receivedMs;
let quietMs = 0; // without a message, as far as the page was awake
let dirty = false;
let chartsMs = 0;
let nextDrawMs = 0;
let problem = ""; // why a button did not work
let recording = null;
let face = null; // what the vehicle interface says; null: none is heard
let restarts = 0; // of the vehicle on display
let plantRestarts = 0; // of all vehicles

const stream = new Stream({
  state(state) {
    if (!vehicle || state.vehicle !== vehicle.vehicle) return;
    receivedMs = performance.now();
    quietMs = 0;
    if (state.restarts !== restarts) { restarts = state.restarts; describe().then(() => choose(state.vehicle)).catch(showLost); return; }
    take(state);
  },
  link(report) {
    if (!vehicle || report.vehicle !== vehicle.vehicle || !history.last) return;
    recording = report.recording;
    if (report.restarts !== plantRestarts) { plantRestarts = report.restarts; describe().catch(showLost); }
    links.add(report, performance.now());
    showLink(report, links.recent(), vehicle.cmd_timeout, history.last);
    showRejects(report.port, plant.reject_reasons);
  },
  interface(report) {
    if (!vehicle || report.vehicle !== vehicle.vehicle) return;
    face = report.interface;
    stop.report(face);
    card.show(face);
    showKeys();
    dirty = true;
  },
  path(report) {
    if (report.vehicle === vehicle?.vehicle) showPlan(report.path);
  },
  fleet({ vehicles }) {
    for (const each of vehicles) map.drivers[each.vehicle] = each.driver;
    fleet.show(vehicles, vehicle?.vehicle);
  },
});

const replay = new Replay((states, goesOn) => {
  if (!goesOn) { history.clear(); map.clearTrails(); view.clear(); }
  for (const state of states) take(state);
}, (error) => { problem = error.message; });

// Adds a state to everything that shows it.
function take(state) {
  if (history.last && state.t < history.last.t) map.clearTrail(state.vehicle);
  history.add(state);
  map.add(state);
  view.add(state, performance.now());
  dirty = true;
}

const manual = new ManualDriver(
  () => ({
    vehicle: vehicle.vehicle,
    speed: history.last ? history.last.vx : 0,
    gear: history.last ? history.last.gear : 1,
    maxSteer: vehicle.shape.max_steer,
    wheelbase: vehicle.shape.cg_to_front + vehicle.shape.cg_to_rear,
  }),
  () => {
    find("drive").setAttribute("aria-pressed", String(manual.driving));
    showKeys();
  },
  { giveBack: () => ask("give_back"), stop: () => stop.press() },
);

const card = new InterfaceCard(find("interface"));
// Whoever sees the page may stop; who stops does not drive on.
const stop = new EmergencyStop(() => vehicle?.vehicle, () => { manual.stop(); dirty = true; });

// The path that the stack plans, or null.
function showPlan(path) {
  map.plan = view.plan = path?.points ?? [];
  card.showPlan(path);
  dirty = true;
}

function showKeys() { find("joy-keys").hidden = !face && manual.kind !== "joy"; }

// Asks the interface; whether there is one to ask.
function ask(request) {
  if (!face) return false;
  if (request === "give_back") manual.stop();
  problem = "";
  post("/api/interface", { vehicle: vehicle.vehicle, request }).then(
    ({ ok, reason }) => { if (!ok) problem = reason; },
    (error) => { problem = error.message; },
  );
  return true;
}

async function choose(number) {
  manual.stop();
  vehicle = plant.vehicles.find((each) => each.vehicle === number);
  card.show(face = null);
  showPlan(null);
  find("vehicle").value = number;
  history.clear();
  links.clear();
  const address = vehicle.cmd ? `, CMD at ${vehicle.cmd.ip}:${vehicle.cmd.port}` : "";
  find("model").textContent = `${vehicle.name}, ${vehicle.level}${address}`;
  document.title = `${vehicle.name} · vdsim`;
  corners.shape(vehicle.shape);
  fleet.show(fleet.vehicles, number);
  if (!plant.replay) stream.open(number);
  const road = await get(`/api/road?vehicle=${number}`);
  map.show(road);
  view.show(road, vehicle.shape);
  if (plant.replay) await replay.open(plant.replay, number);
}

// Reads what the vehicles are, at the start and when another car has taken a vehicle's place.
async function describe() {
  plant = await get("/api/vehicles");
  shapes = Object.fromEntries(plant.vehicles.map((each) => [each.vehicle, each.shape]));
  fleet.describe(plant.replay ? [] : plant.vehicles);
}

function begin() { start().catch((error) => { showLost(error); setTimeout(begin, AGAIN_MS); }); }

async function start() {
  await describe();
  const list = find("vehicle");
  list.replaceChildren(...plant.vehicles.map((each) => new Option(`Vehicle ${each.vehicle}`, each.vehicle)));
  list.disabled = plant.vehicles.length < 2;
  find("zoom-all").hidden = plant.vehicles.length < 2;
  find("pause").disabled = !plant.can_pause;
  document.body.dataset.replay = String(Boolean(plant.replay));
  await choose(plant.vehicles[0].vehicle);
}

function draw(now) {
  requestAnimationFrame(draw);
  // What has arrived while the page itself slept is not read yet: that is no silence of the plant.
  quietMs += Math.min(Math.max(0, now - frameMs), LONGEST_FRAME_MS);
  frameMs = now;
  // On a slow machine drawing takes half of the time at most: commands come first.
  if (now < nextDrawMs) return;
  show(now);
  nextDrawMs = 2 * performance.now() - now;
}

function show(now) {
  const state = history.last;
  view.frame(performance.now(), shapes);
  const silentMs = plant.replay ? 0 : quietMs;
  const isStale = silentMs > STALL_MS;
  if (isStale) { showDriver("gone"); dirty = true; }
  if (silentMs > LET_GO_MS) manual.stop("The plant does not answer");
  showAlarm(alarmNow(state));
  if (!state || !dirty || isStale) return;
  dirty = false;
  showDriver(state.driver, face?.why);
  showMotion(state, vehicle.shape);
  showBody(state, face?.body);
  corners.show(state);
  if (!view.is3d) map.draw(state, shapes);
  gg.draw(history);
  find("pause").setAttribute("aria-pressed", String(!state.running));
  if (now - chartsMs > CHART_PERIOD_MS) {
    chartsMs = now;
    for (const chart of charts) chart.draw(history);
  }
}

function alarmNow(state) {
  const isQuiet = !plant.replay && quietMs > STALL_MS;
  const silentMs = isQuiet ? performance.now() - receivedMs : 0;
  const found = attention({ silentMs, state, policy: vehicle?.failsafe_policy, recent: links.recent(), recording });
  const stopping = stop.attention();
  if (stopping) return stopping;
  if (found?.level === "alarm" && (!face || isQuiet)) return found;
  const elsewhere = attentionElsewhere(fleet.vehicles, vehicle?.vehicle);
  if (elsewhere) return elsewhere;
  if (manual.refusal) return { level: "warn", title: manual.driving ? "Keyboard ignored" : "Let go", text: `${manual.refusal}.` };
  if (problem) return { level: "warn", title: "Refused", text: `${problem}.` };
  if (face) return ofInterface(face.why);
  if (manual.kind === "joy") return { level: "note", title: "Driving through the vehicle interface", text: manual.byPad ? "Hold the left shoulder button." : "" };
  return found;
}

// The headline is in the line's first words.
function ofInterface({ level, sentence, evidence, action, command }) {
  const text = `${sentence[0].toUpperCase()}${sentence.slice(1)}.`;
  return { level, title: "", text, seen: evidence, action, command };
}

function act(path, content) {
  return async () => { problem = ""; try { await post(path, content()); } catch (error) { problem = error.message; } };
}

find("vehicle").addEventListener("change", (event) => choose(Number(event.target.value)).catch(showLost));
find("drive").addEventListener("click", () => (manual.driving ? manual.stop() : manual.start()));
find("pause").addEventListener("click", act("/api/pause", () => ({ paused: history.last ? history.last.running : true })));
find("reset").addEventListener("click", act("/api/reset", () => ({ vehicle: vehicle.vehicle })));
find("settings-open").addEventListener("click", () => { manual.stop(); settings.open(vehicle.vehicle); });
for (const [id, steps] of [["zoom-in", 1], ["zoom-out", -1]]) {
  find(id).addEventListener("click", () => { (view.is3d ? view : map).zoomBy(steps); markAll(); });
}
find("zoom-all").addEventListener("click", () => { map.all = !map.all; markAll(); });
for (const pad of document.querySelectorAll("[data-hold]")) {
  const hold = (down) => (event) => {
    event.preventDefault();
    pad.classList.toggle("held", down);
    if (down || manual.driving) manual.hold(pad.dataset.hold, down);
  };
  pad.addEventListener("pointerdown", hold(true));
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) pad.addEventListener(end, hold(false));
  pad.addEventListener("contextmenu", (event) => event.preventDefault());
}
for (const request of ["engage", "disengage", "give_back"]) {
  find(request.replace("_", "-")).addEventListener("click", () => ask(request));
}
find("theme").addEventListener("click", startTheme(() => { dirty = true; chartsMs = 0; view.repaint(); }));
addEventListener("resize", () => { dirty = true; chartsMs = 0; });

requestAnimationFrame(draw);
begin();

function markAll() { find("zoom-all").setAttribute("aria-pressed", String(map.all)); dirty = true; }

function showLost(error) { showAlarm({ level: "alarm", title: "No connection to the plant", text: error.message }); }
