// Map or 3D: the buttons of both, and the 3D view, which is loaded when it is first opened.

const MISSING = "The 3D view needs WebGL, which this browser does not have or has lost. The map shows the same drive.";

export class ViewSwitch {
  constructor(map) {
    this.map = map;
    this.view = null;
    this.canvas = null;
    this.road = null;
    this.shape = null;
    this.planned = [];
    this.button = document.getElementById("view-3d");
    this.cameras = [...document.querySelectorAll("[data-camera]")];
    this.note = document.getElementById("no-view");
    this.button.addEventListener("click", () => (this.is3d ? this.close() : this.open()));
    for (const camera of this.cameras) camera.addEventListener("click", () => this.view?.rig.choose(camera.dataset.camera));
  }

  get is3d() { return this.view !== null; }

  async open() {
    this.button.disabled = true;
    this.note.hidden = true;
    const canvas = document.createElement("canvas");
    canvas.id = "view";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The car in three dimensions, with the force of each wheel within its friction circle");
    this.map.after(canvas);
    try {
      const { View3D } = await import("./view3d/view.js");
      this.view = new View3D(canvas);
      this.canvas = canvas;
      canvas.addEventListener("webglcontextlost", () => { this.close(); this.say(); });
      this.view.rig.onMode = (mode) => this.mark(mode);
      if (this.road) this.show(this.road, this.shape);
    } catch {
      canvas.remove();
      this.say();
    }
    this.button.disabled = false;
    this.mark(this.view?.rig.mode);
  }

  close() {
    this.view?.close();
    this.view = null;
    this.canvas?.remove();
    this.canvas = null;
    this.mark();
  }

  say() { this.note.textContent = MISSING; this.note.hidden = false; }

  mark(mode) {
    this.map.hidden = this.is3d;
    this.button.setAttribute("aria-pressed", String(this.is3d));
    for (const camera of this.cameras) {
      camera.hidden = !this.is3d;
      camera.setAttribute("aria-pressed", String(camera.dataset.camera === mode));
    }
  }

  // Another vehicle, another car in its place, or its road.
  show(road, shape) {
    [this.road, this.shape] = [road, shape];
    this.view?.clear();
    this.view?.road(road);
    this.view?.shape(shape);
    this.view?.plan(this.planned);
  }

  // The planned path: [x, y], ...
  set plan(points) { this.planned = points; this.view?.plan(points); }

  clear() { this.view?.clear(); }

  add(state, nowMs) { this.view?.add(state, nowMs); }

  frame(nowMs, shapes) { this.view?.frame(nowMs, shapes); }

  zoomBy(steps) { this.view?.rig.zoomBy(steps); }

  repaint() { this.view?.repaint(); }
}
