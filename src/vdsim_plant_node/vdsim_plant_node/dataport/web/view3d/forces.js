// The forces under the wheels: what the tyre gives, within what it could give.
//
// On the road round each contact patch lies the circle of radius mu Fz; the arrow is (Fx, Fy) in the
// wheel's frame, so it reaches the circle when the tyre slides. The upright arrow is the load Fz.

import { BufferGeometry, ConeGeometry, CylinderGeometry, Group, LineBasicMaterial, LineLoop, Mesh, MeshBasicMaterial, Vector3 } from "../vendor/three.module.min.js";
import { colour, gripColour } from "../palette.js";

const SEGMENTS = 48;
const LIFT_M = 0.03; // above the road, out of its paint
const LOAD_SHARE = 0.3; // of the wheelbase: an arrow of a quarter of the car's weight
const GRAVITY_MPS2 = 9.81;

const ON_TOP = { transparent: true, opacity: 0.95, depthTest: false, depthWrite: false }; // seen through the car
const DRAWN_LAST = 20;

export class Forces {
  constructor(shape) {
    const wheelbase = shape.cg_to_front + shape.cg_to_rear;
    this.perNewton = (LOAD_SHARE * wheelbase) / ((shape.mass * GRAVITY_MPS2) / 4);
    const thick = wheelbase * 0.014;
    this.wheels = [1, -1, 1, -1].map((side) => {
      const group = new Group();
      const limit = new LineLoop(circle(), new LineBasicMaterial({ color: colour.text, ...ON_TOP }));
      limit.position.z = LIFT_M;
      const given = new Arrow(thick);
      given.group.position.z = LIFT_M + thick;
      const load = new Arrow(thick * 0.7);
      load.group.position.set(0, side * shape.width * 0.16, 0);
      load.material.color.set(colour.muted);
      group.add(limit, given.group, load.group);
      group.traverse((part) => { part.renderOrder = DRAWN_LAST; });
      return { group, limit, given, load };
    });
  }

  show(state) {
    const scale = this.perNewton;
    this.wheels.forEach(({ limit, given, load }, i) => {
      limit.scale.setScalar(Math.max(state.mu[i] * state.Fz[i] * scale, 1e-6));
      given.point(state.Fx[i] * scale, state.Fy[i] * scale, 0);
      given.material.color.set(gripColour(state.grip[i]));
      load.point(0, 0, state.Fz[i] * scale);
    });
  }
}

// From its group's origin to a point.
class Arrow {
  constructor(thick) {
    this.group = new Group();
    this.material = new MeshBasicMaterial(ON_TOP);
    this.shaft = new Mesh(new CylinderGeometry(thick, thick, 1, 10).translate(0, 0.5, 0), this.material);
    this.head = new Mesh(new ConeGeometry(thick * 2.6, 1, 14).translate(0, 0.5, 0), this.material);
    this.headLength = thick * 6;
    this.direction = new Vector3();
    this.group.add(this.shaft, this.head);
  }

  point(x, y, z) {
    this.direction.set(x, y, z);
    const length = this.direction.length();
    this.group.visible = length > 1e-3;
    if (!this.group.visible) return;
    this.group.quaternion.setFromUnitVectors(UP, this.direction.divideScalar(length));
    const head = Math.min(this.headLength, length * 0.6);
    this.shaft.scale.y = length - head;
    this.head.scale.y = head;
    this.head.position.y = length - head;
  }
}

const UP = new Vector3(0, 1, 0); // along which cylinders and cones are made

function circle() {
  const points = Array.from({ length: SEGMENTS }, (_, i) => {
    const angle = (2 * Math.PI * i) / SEGMENTS;
    return new Vector3(Math.cos(angle), Math.sin(angle), 0);
  });
  return new BufferGeometry().setFromPoints(points);
}
