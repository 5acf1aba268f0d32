// The 3D view: scene, camera, and a frame at the screen's rate. Loaded when it is opened.

import { Color, DirectionalLight, Fog, HemisphereLight, PerspectiveCamera, Scene, WebGLRenderer } from "../vendor/three.module.min.js";
import { colour } from "../palette.js";
import { CameraRig } from "./camera.js";
import { Car, dispose, makeBody } from "./car.js";
import { GroundView } from "./ground.js";
import { Motion } from "./motion.js";

const SHARPEST = 2; // pixels of the screen per CSS pixel

// What is open, for whoever looks at the scene from outside, as the tests do.
export const opened = { view: null };

export class View3D {
  // Throws where the browser has no WebGL.
  constructor(canvas) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.canvas = canvas;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(50, 1, 0.05, 4000);
    this.rig = new CameraRig(canvas);
    this.ground = new GroundView(this.scene);
    this.motion = new Motion();
    this.car = null;
    this.others = new Map();
    this.sun = new DirectionalLight("#fff", 2.4);
    this.scene.add(new HemisphereLight("#e8f0f7", "#6b747c", 2.2), this.sun, this.sun.target);
    this.frames = 0;
    this.lastMs = null;
    this.repaint();
    opened.view = this;
  }

  // Takes over the colours of the page.
  repaint() {
    this.scene.background = new Color(colour.map);
    this.scene.fog = new Fog(colour.map, 90, 420);
    this.ground.anchor = null;
    this.ground.plan(this.ground.planned);
    if (this.car) this.shape(this.car.shape);
  }

  shape(shape) {
    if (this.car) dispose(this.car.root);
    this.car = new Car(shape);
    this.rig.size = shape.length;
    this.camera.near = shape.length / 60;
    this.scene.add(this.car.root);
  }

  road(road) { this.ground.show(road); }

  plan(points) { this.ground.plan(points); }

  clear() { this.motion.clear(); this.rig.heading = null; }

  add(state, nowMs) { this.motion.add(state, nowMs); }

  // Draws; `shapes`: of all vehicles, by number.
  frame(nowMs, shapes) {
    const dt = this.lastMs === null ? 0 : Math.min(0.2, (nowMs - this.lastMs) / 1000);
    this.lastMs = nowMs;
    const state = this.motion.at(nowMs);
    if (!state || !this.car) return;
    this.fit();
    this.ground.follow(state.x, state.y);
    this.car.show(state, this.ground.plane);
    this.showOthers(state.others, shapes);
    this.rig.place(this.camera, state, dt);
    // The light comes over the viewer's shoulder, so that no side that is seen lies in the dark.
    this.sun.position.copy(this.camera.position).z += 3 * this.rig.size;
    this.sun.target.position.set(state.x, state.y, state.z);
    this.renderer.render(this.scene, this.camera);
    this.frames += 1;
  }

  showOthers(others, shapes) {
    for (const [number, body] of this.others) {
      if (!(number in others)) { dispose(body); this.others.delete(number); }
    }
    for (const [number, [x, y, yaw]] of Object.entries(others)) {
      const body = this.bodyOf(number, shapes[number]);
      body?.position.set(x, y, this.ground.height(x, y));
      body?.rotation.set(0, 0, yaw);
    }
  }

  // The body of another vehicle, made again when its shape is another one.
  bodyOf(number, shape) {
    const present = this.others.get(number);
    if (!shape || present?.userData.shape === shape) return present;
    if (present) dispose(present);
    const body = makeBody(shape, colour.muted);
    body.userData.shape = shape;
    this.scene.add(body);
    this.others.set(number, body);
    return body;
  }

  // The size of the picture is that of the element.
  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = Math.min(devicePixelRatio || 1, SHARPEST);
    if (this.canvas.width === Math.floor(width * ratio) && this.canvas.height === Math.floor(height * ratio)) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  close() {
    this.renderer.dispose();
    if (opened.view === this) opened.view = null;
  }
}
