// Where the 3D view is seen from: behind the car, from above, or round it by mouse. Pure but for the listeners.

import { turn } from "./motion.js";

export const MODES = ["chase", "top", "orbit"];
const FOLLOW_S = 0.28; // how slowly the chase camera turns behind the car
const [NEAREST, FARTHEST] = [0.8, 60]; // times the car's length
const [LOWEST, HIGHEST] = [0.03, 1.5]; // rad above the road

export class CameraRig {
  constructor(element) {
    this.mode = "chase";
    this.size = 4.5;
    this.zoom = 1;
    this.azimuth = 0; // of the chase camera it follows the car; of the orbit the mouse turns it
    this.elevation = 0.3;
    this.heading = null;
    this.onMode = () => {};
    let from = null;
    element.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.orbit(event.clientX - from[0], event.clientY - from[1]);
      from = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => { from = null; });
    element.addEventListener("wheel", (event) => { event.preventDefault(); this.zoomBy(event.deltaY < 0 ? 1 : -1); }, { passive: false });
  }

  choose(mode) {
    if (mode === "orbit" && this.mode !== "orbit") {
      this.azimuth = (this.heading ?? 0) + Math.PI;
      this.elevation = this.mode === "top" ? HIGHEST : 0.3;
    }
    this.mode = mode;
    this.onMode(mode);
  }

  zoomBy(steps) { this.zoom = Math.min(FARTHEST, Math.max(NEAREST / 2.2, this.zoom * 1.2 ** -steps)); }

  orbit(dx, dy) {
    if (this.mode !== "orbit") this.choose("orbit");
    this.azimuth -= dx * 0.008;
    this.elevation = Math.min(HIGHEST, Math.max(LOWEST, this.elevation + dy * 0.006));
  }

  // Puts a camera where it belongs; `dt` [s] since the last time.
  place(camera, { x, y, z, yaw }, dt) {
    if (this.heading === null) this.heading = yaw;
    this.heading += turn(yaw - this.heading) * (1 - Math.exp(-dt / FOLLOW_S));
    const reach = this.size * 1.9 * this.zoom;
    const aim = z + this.size * 0.16;
    if (this.mode === "top") {
      camera.up.set(0, 1, 0); // north up, as on the map
      camera.position.set(x, y, z + reach * 2);
      camera.lookAt(x, y, z);
      return;
    }
    const chase = this.mode === "chase";
    const azimuth = chase ? this.heading + Math.PI : this.azimuth;
    const elevation = chase ? 0.27 : this.elevation;
    const flat = Math.cos(elevation) * reach;
    camera.up.set(0, 0, 1);
    camera.position.set(x + flat * Math.cos(azimuth), y + flat * Math.sin(azimuth), aim + reach * Math.sin(elevation));
    camera.lookAt(x, y, aim);
  }
}
