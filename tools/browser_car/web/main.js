// The car in this tab: hands -> tape -> plant -> views, in periods of the tape, at the screen's rate.

import { showMotion } from "./dashboard/panels.js";
import { startTheme } from "./dashboard/palette.js";
import { TopView } from "./dashboard/map.js";
import { ViewSwitch } from "./dashboard/view_switch.js";
import { Corners } from "./dashboard/wheels.js";
import { Hands } from "./hands.js";
import { moduleOf, Plant } from "./plant.js";
import { bytesOf, commandOf, driveOf, linkOf, LONGEST, PERIOD_S, Tape } from "./tape.js";

const SUBSTEPS = 40; // of 0.5 ms, in a period
const LONGEST_FRAME_S = 0.25; // a tab that was hidden goes on from where it was
const find = (id) => document.getElementById(id);
const data = JSON.parse(find("data").textContent);
const compiled = new Map();

const map = new TopView(find("map"), () => {});
const view = new ViewSwitch(find("map"));
const corners = new Corners(document.querySelector(".corners"), find("car"));
const hands = new Hands();

// The drive on the screen. `replayed`: how far the tape itself drives, then `digest` is what it must reach.
const drive = { plant: null, choice: null, tape: new Tape(), period: 0, replayed: 0, wanted: "", reached: "", owedS: 0 };
// For whoever looks at the page from outside, as the tests do.
export const opened = { drive, data, moduleOf, Plant };

let lastMs = null;
let dirty = true;

function fill(id, options) {
  find(id).replaceChildren(...Object.entries(options).map(([value, { label }]) => new Option(label, value)));
}

async function plantOf({ car, tyre, road }) {
  const key = `${car},${tyre},${data.roads[road].ground}`;
  if (!compiled.has(key)) compiled.set(key, await moduleOf(data.modules[key]));
  return new Plant(compiled.get(key), data.variables);
}

// A car with a tyre that it cannot have gets its own.
function chosen() {
  const [car, road] = [find("choose-car").value, find("choose-road").value];
  for (const option of find("choose-tyre").options) option.disabled = !(`${car},${option.value},` in data.modules);
  if (find("choose-tyre").selectedOptions[0].disabled) find("choose-tyre").selectedIndex = 0;
  return { car, tyre: find("choose-tyre").value, road };
}

async function begin(choice, { tape = new Tape(), wanted = "" } = {}) {
  const plant = await plantOf(choice);
  const { base_mu: mu } = data.roads[choice.road];
  plant.start(mu === null ? {} : { base_mu: mu });
  Object.assign(drive, { plant, choice, tape, period: 0, replayed: tape.length, wanted, reached: "", owedS: 0 });
  hands.letGo();
  const { shape } = data.cars[choice.car];
  corners.shape(shape);
  map.show(data.roads[choice.road].view);
  map.clearTrails();
  view.clear();
  view.show(data.roads[choice.road].view, shape);
  take(performance.now(), { steer: 0, throttle: 0, brake: 0, gear: 1 });
  say(wanted ? "Replaying the drive of the link" : "Ready: hold W, or the arrow up");
}

function take(nowMs, command) {
  drive.state = drive.plant.state(data.roads[drive.choice.road].view.plane, command);
  map.add(drive.state);
  view.add(drive.state, nowMs);
  dirty = true;
}

// One period of the tape later.
function advance(nowMs) {
  const { shape } = data.cars[drive.choice.car];
  if (drive.period < drive.replayed && hands.isDriving) { // from here on somebody else drives
    drive.tape = new Tape(drive.tape.bytes.slice(0, 2 * drive.period));
    drive.replayed = 0;
  }
  let command;
  if (drive.period < drive.replayed) {
    command = drive.tape.command(drive.period, shape.max_steer);
  } else {
    const situation = { speed: drive.state.vx, maxSteer: shape.max_steer, wheelbase: shape.cg_to_front + shape.cg_to_rear };
    const bytes = bytesOf(hands.next(PERIOD_S, situation), shape.max_steer);
    drive.tape.add(bytes);
    command = commandOf(...bytes, shape.max_steer);
  }
  drive.plant.drive(command, SUBSTEPS);
  drive.period += 1;
  if (drive.period === drive.replayed) judge();
  if (drive.period === LONGEST) drive.reached = drive.plant.digest();
  take(nowMs, command);
}

function judge() {
  const same = drive.plant.digest() === drive.wanted;
  say(same ? "Replayed to the same bits; drive on from here" : "The replay ended in other bits: the link is of another version of this page");
}

// The plant goes on by the time that has passed, in whole periods.
function advanceTo(passedS, nowMs) {
  drive.owedS += passedS;
  while (drive.owedS >= PERIOD_S) {
    drive.owedS -= PERIOD_S;
    advance(nowMs - 1000 * drive.owedS);
  }
}
// What a frame does.
function work(passedS, nowMs) {
  advanceTo(passedS, nowMs);
  view.frame(nowMs, {});
  if (dirty) show();
}
Object.assign(opened, { advanceTo, work });

function frame(nowMs) {
  requestAnimationFrame(frame);
  const passedS = lastMs === null ? 0 : (nowMs - lastMs) / 1000;
  lastMs = nowMs;
  if (drive.plant) work(Math.min(passedS, LONGEST_FRAME_S), nowMs);
}

function show() {
  dirty = false;
  const { state, tape } = drive;
  showMotion(state, data.cars[drive.choice.car].shape);
  for (const gear of document.querySelectorAll("[data-gear]")) gear.classList.toggle("on", Number(gear.dataset.gear) === state.gear);
  corners.show(state);
  if (!view.is3d) map.draw(state, {});
  find("recorded").textContent = tape.isFull ? "60 s, full" : `${Math.floor(tape.length * PERIOD_S)} of 60 s`;
}

// A link to the drive so far: its first minute.
async function share() {
  const isWhole = drive.period <= LONGEST;
  const fragment = await linkOf({ ...drive.choice, tape: drive.tape, digest: isWhole ? drive.plant.digest() : drive.reached });
  const link = `${location.href.split("#")[0]}#${fragment}`;
  find("link").value = link;
  find("link-row").hidden = false;
  find("link").select();
  try { await navigator.clipboard.writeText(link); say("The link is on the clipboard"); } catch { say("Copy the link"); }
  return link;
}
opened.share = share;

async function open() {
  const fragment = location.hash.slice(1);
  if (!fragment) return begin(chosen());
  try {
    const found = await driveOf(fragment);
    const isKnown = found.car in data.cars && found.road in data.roads;
    if (!isKnown || !(`${found.car},${found.tyre},` in data.modules)) throw new Error("its car is not on this page");
    for (const name of ["car", "tyre", "road"]) find(`choose-${name}`).value = found[name];
    chosen();
    return await begin({ car: found.car, tyre: found.tyre, road: found.road }, { tape: found.tape, wanted: found.digest });
  } catch (error) {
    await begin(chosen());
    say(`The link cannot be replayed: ${error.message}`);
  }
}

function say(text) { find("said").textContent = text; }

fill("choose-car", data.cars);
fill("choose-tyre", Object.fromEntries(Object.entries(data.tyres).map(([name, label]) => [name, { label }])));
fill("choose-road", data.roads);
for (const name of ["car", "tyre", "road"]) {
  find(`choose-${name}`).addEventListener("change", (event) => { event.target.blur(); begin(chosen()).catch(fail); });
}
find("restart").addEventListener("click", (event) => { event.target.blur(); begin(chosen()).catch(fail); });
find("share").addEventListener("click", (event) => { event.target.blur(); share().catch(fail); });
find("theme").addEventListener("click", startTheme(() => { dirty = true; view.repaint(); }));
for (const [id, steps] of [["zoom-in", 1], ["zoom-out", -1]]) {
  find(id).addEventListener("click", () => { (view.is3d ? view : map).zoomBy(steps); dirty = true; });
}
addEventListener("hashchange", () => open().catch(fail));
addEventListener("resize", () => { dirty = true; });

function fail(error) { say(error.message); }

open().then(() => view.open()).catch(fail);
requestAnimationFrame(frame);
