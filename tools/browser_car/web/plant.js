// One car as WebAssembly, by the names of the FMU's variables (SI units, ISO 8855, wheels FL, FR, RL, RR).

import { turn } from "./dashboard/view3d/motion.js";

const WHEELS = ["fl", "fr", "rl", "rr"];
const LEAST_LOAD_N = 1;

// A module of the page: base64 of gzip.
export async function moduleOf(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(opened).arrayBuffer());
}

export class Plant {
  // `variables`: name -> [type, reference].
  constructor(module, variables) {
    this.car = new WebAssembly.Instance(module, {}).exports;
    this.car._initialize?.();
    this.variables = variables;
  }

  // Puts the car to its start; `values`: parameters by name.
  start(values) {
    this.car.create();
    for (const [name, value] of Object.entries(values)) this.set(name, value);
    this.car.start();
  }

  set(name, value) {
    const [type, reference] = this.variables[name];
    if (this.car.set(type.charCodeAt(0), reference, value) !== 0) throw new Error(this.message());
  }

  get(name) {
    const [type, reference] = this.variables[name];
    return this.car.get(type.charCodeAt(0), reference);
  }

  drive({ steer, throttle, brake, gear }, substeps) {
    this.set("steer_rad", steer);
    this.set("throttle", throttle);
    this.set("brake", brake);
    this.set("gear", gear);
    this.step(substeps);
  }

  step(substeps) { if (this.car.step(substeps) !== 0) throw new Error(this.message()); }

  digest() { return BigInt.asUintN(64, this.car.digest()).toString(16).padStart(16, "0"); }

  message() {
    const bytes = new Uint8Array(this.car.memory.buffer, this.car.message());
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  // As the dashboard's stream has it (dataport/json_views.py); `plane`: the road's.
  state(plane, command) {
    const each = (name) => WHEELS.map((wheel) => this.get(`${name}_${wheel}`));
    const [x, y] = [this.get("x_m"), this.get("y_m")];
    const [Fx, Fy, Fz, mu] = ["tire_fx_n", "tire_fy_n", "tire_fz_n", "wheel_mu"].map(each);
    return {
      vehicle: 0, restarts: 0, others: {},
      t: this.get("time"), x, y, z: plane.gx * x + plane.gy * y + plane.z0,
      yaw: turn(this.get("yaw_rad")), roll: this.get("roll_rad"), pitch: this.get("pitch_rad"),
      vx: this.get("vx_mps"), vy: this.get("vy_mps"), r: this.get("yaw_rate_radps"),
      ax: this.get("ax_mps2"), ay: this.get("ay_mps2"), beta: this.get("beta_rad"),
      command, throttle: command.throttle, brake: command.brake, gear: command.gear, steer: this.get("steer_applied_rad"),
      Fx, Fy, Fz, mu, spin: each("wheel_spin_radps"), kappa: each("slip_ratio"), alpha: each("slip_angle_rad"),
      grip: Fz.map((load, i) => (load > LEAST_LOAD_N ? Math.hypot(Fx[i], Fy[i]) / (mu[i] * load) : 0)),
    };
  }
}
