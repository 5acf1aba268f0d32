// The car of the 3D view: body, wheels that steer and turn, the forces under them.
//
//   root       at the state's x, y, z (world frame ENU, z up)
//     body     roll, pitch and yaw as the state has them (ISO 8855: z-y'-x'')
//     road     x forward along the road, z along its normal: wheels and forces stand on it
//       wheel  at its corner; turned by the steering angle
//         spun turned by how far the wheel has rolled

import {
  BoxGeometry, CylinderGeometry, ExtrudeGeometry, Group, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial,
  PlaneGeometry, Shape, Vector3,
} from "../vendor/three.module.min.js";
import { colour, gripColour } from "../palette.js";
import { Forces } from "./forces.js";

const STEERED = [true, true, false, false];
const [RUBBER, RIM, GLASS] = ["#2c3238", "#aab4bd", "#34434f"];

export class Car {
  constructor(shape) {
    this.shape = shape;
    this.root = new Group();
    this.body = makeBody(shape, colour.accent);
    this.road = new Group();
    this.road.add(makeShadow(shape));
    this.root.add(this.body, this.road);
    this.forces = new Forces(shape);
    this.wheels = corners(shape).map(([x, y], i) => {
      const wheel = new Group();
      wheel.position.set(x, y, 0);
      const spun = makeWheel(shape);
      spun.position.z = shape.wheel_radius;
      wheel.add(spun, this.forces.wheels[i].group);
      this.road.add(wheel);
      return { wheel, spun };
    });
    this.axes = [new Vector3(), new Vector3(), new Vector3()];
    this.basis = new Matrix4();
  }

  // `state`: one of the stream, or between two, with `wheelAngles`; `plane`: the road's.
  show(state, plane) {
    this.root.position.set(state.x, state.y, state.z);
    this.body.rotation.set(state.roll, state.pitch, state.yaw, "ZYX");
    const [forward, left, up] = this.axes;
    const [c, s] = [Math.cos(state.yaw), Math.sin(state.yaw)];
    forward.set(c, s, plane.gx * c + plane.gy * s).normalize();
    up.set(-plane.gx, -plane.gy, 1).normalize();
    left.crossVectors(up, forward);
    this.road.quaternion.setFromRotationMatrix(this.basis.makeBasis(forward, left, up));
    this.wheels.forEach(({ wheel, spun }, i) => {
      wheel.rotation.z = STEERED[i] ? state.steer : 0;
      spun.rotation.y = state.wheelAngles[i];
      spun.userData.rim.color.set(gripColour(state.grip[i]));
    });
    this.forces.show(state);
  }
}

// Wheel centres on the road: FL, FR, RL, RR.
export function corners(shape) {
  const [f, r] = [shape.track_front / 2, shape.track_rear / 2];
  return [[shape.cg_to_front, f], [shape.cg_to_front, -f], [-shape.cg_to_rear, r], [-shape.cg_to_rear, -r]];
}

// The body, standing on the road at its centre of gravity.
export function makeBody(shape, paint) {
  const { length, width } = shape;
  const front = shape.cg_to_front + shape.front_overhang;
  const high = Math.min(0.33 * length, 0.86 * width);
  const at = (along, up) => [front - length * along, high * up];
  const lower = outline([at(0, 0.34), at(0.01, 0.5), at(0.24, 0.6), at(0.96, 0.63), at(1, 0.5), at(0.99, 0.27), at(0.02, 0.24)]);
  const cabin = outline([at(0.23, 0.58), at(0.4, 0.97), at(0.72, 1), at(0.93, 0.62)]);
  const body = new Group();
  body.add(
    extruded(lower, width * 0.8, new MeshStandardMaterial({ color: paint, roughness: 0.5, metalness: 0.1 })),
    extruded(cabin, width * 0.68, new MeshStandardMaterial({ color: GLASS, roughness: 0.25, metalness: 0.1 })),
  );
  return body;
}

function outline(points) { return new Shape(points.map(([x, z]) => ({ x, y: z }))); }

// A side view drawn in x and z, as wide as asked for.
function extruded(side, width, material) {
  const bevel = 0.04 * width;
  const geometry = new ExtrudeGeometry(side, {
    depth: width - 2 * bevel, bevelEnabled: true, bevelThickness: bevel, bevelSize: bevel * 0.6, bevelOffset: -bevel * 0.6, bevelSegments: 2,
  });
  geometry.rotateX(Math.PI / 2);
  geometry.translate(0, width / 2 - bevel, 0);
  return new Mesh(geometry, material);
}

function makeWheel(shape) {
  const [radius, wide] = [shape.wheel_radius, shape.width * 0.12];
  const wheel = new Group();
  wheel.add(new Mesh(new CylinderGeometry(radius, radius, wide, 32), new MeshStandardMaterial({ color: RUBBER, roughness: 0.9 })));
  const rim = new MeshStandardMaterial({ color: RIM, roughness: 0.5 });
  for (let spoke = 0; spoke < 3; spoke++) { // three bars across make six spokes
    const bar = new Mesh(new BoxGeometry(radius * 0.16, wide * 1.06, radius * 1.4), rim);
    bar.rotation.y = (spoke * Math.PI) / 3;
    wheel.add(bar);
  }
  wheel.userData.rim = rim;
  return wheel;
}

function makeShadow(shape) {
  const material = new MeshBasicMaterial({ color: "#000", transparent: true, opacity: 0.28, depthWrite: false });
  const shadow = new Mesh(new PlaneGeometry(shape.length * 0.98, shape.width * 1.02), material);
  shadow.position.set(shape.cg_to_front + shape.front_overhang - shape.length / 2, 0, 0.012);
  shadow.renderOrder = 10;
  return shadow;
}

// Frees what the graphics card holds of a part of the scene.
export function dispose(part) {
  part.removeFromParent();
  part.traverse((each) => {
    each.geometry?.dispose();
    for (const material of [each.material].flat()) { material?.map?.dispose(); material?.dispose(); }
  });
}
