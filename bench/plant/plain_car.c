/* Plain C: the same car as vdsim_plant's numeric core, written as one writes C. Scalar, libm, the
   same integrator and the same equations (vdsim_plant/kernel/equations.py has the legend), wheel
   after wheel. It reads the same buffer; layout.h is generated from kernel/layout.py. */
#include <math.h>
#include <string.h>

#include "layout.h"

static double clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

/* Friction at world x on a road with stripes (ground: base mu, count, then x0, x1, mu each). */
static double friction(const double *ground, double x) {
  double mu = ground[0];
  int count = (int)ground[1];
  for (int k = 0; k < count; ++k) {
    const double *patch = ground + 2 + 3 * k;
    if (patch[0] <= x && x < patch[1]) mu = patch[2];
  }
  return mu;
}

/* The change to expect next: the smaller of the last two, none where their signs differ. */
static double expected(double change, double before) {
  if (change * before <= 0.0) return 0.0;
  return fabs(change) < fabs(before) ? change : before;
}

struct sums {
  double x, y, moment;
};

static void wheel(double *car, int i, double mu, double load, struct sums *sums) {
  double dt = car[DT], radius = car[RADIUS];
  double c = i < 2 ? car[COS_STEER] : 1.0, s = i < 2 ? car[SIN_STEER] : 0.0;
  double yaw_rate = car[YAW_RATE], vy_body = car[VY];
  double at_x = car[VX] - yaw_rate * car[ARM_Y + i];
  double at_y = vy_body + yaw_rate * car[ARM_X + i];
  double vx = at_x * c + at_y * s, vy = at_y * c - at_x * s;

  double scale = car[STIFFNESS_BASE] + mu * car[INVERSE_MU_NOMINAL];
  double rest = fmax(0.0, 1.0 - (vx * vx + vy * vy) * car[INVERSE_STICK_SPEED_SQUARED]);
  double stick = rest * rest;
  double roll = fmax(fabs(vx), car[SLIP_FLOOR] * (1.0 - stick));
  double lag_x = stick * car[STICK_LENGTH] * scale + (1.0 - stick) * car[LENGTH_X];
  double lag_y = stick * car[STICK_LENGTH] * scale + (1.0 - stick) * car[LENGTH_Y];
  double damping = stick * car[STICK_DAMPING] / scale;
  double gain_x = 1.0 / (lag_x + roll);
  double new_x = (lag_x * car[STRETCH_X + i] + (radius * car[SPIN + i] - vx)) * gain_x;
  double new_y = (lag_y * car[STRETCH_Y + i] - vy) / (lag_y + roll);
  double slip_x = new_x + damping * lag_x * (new_x - car[STRETCH_X + i]);
  double slip_y = new_y + damping * lag_y * (new_y - car[STRETCH_Y + i]);

  double x = slip_x * car[INVERSE_KAPPA_PEAK + i], y = slip_y * car[INVERSE_ALPHA_PEAK + i];
  double rho = fmax(sqrt(x * x + y * y), 1e-9);
  double grip = mu * load / rho;
  double u = car[PEAK_X] * rho;
  double curve = sin(car[SHAPE_X] * atan(u));
  double fx = grip * x * curve;
  double fy = grip * y * sin(car[SHAPE_Y] * atan(car[PEAK_Y] * rho));
  double slope = sqrt(1.0 - curve * curve) * u * car[SHAPE_X] / (1.0 + u * u);
  if (rho > 1.0) slope = -slope;
  double share = x * x / (rho * rho);
  double stiffness =
      grip * car[INVERSE_KAPPA_PEAK + i] * fmax(0.0, curve + share * (slope - curve));
  double kept = rho > 1.0 ? 1.0 - stick * (1.0 - 1.0 / rho) : 1.0;
  car[STRETCH_X + i] = new_x * kept;
  car[STRETCH_Y + i] = new_y * kept;

  double drive = car[TORQUE + i];
  double brake = car[BRAKE + i];
  double per_spin = stiffness * gain_x * (1.0 + damping * lag_x) * radius;
  double z = radius * per_spin * car[SPIN_PER_TORQUE + i];
  double phi = (1.0 + z * (0.1 + z / 60.0)) / (1.0 + z * (0.6 + z * (0.15 + z / 60.0)));
  double gain = car[SPIN_PER_TORQUE + i] * phi;
  double rate = car[AX] + vy_body * yaw_rate;
  rate *= clamp(1.0 + (vx > 0.0 ? new_x : -new_x), 0.0, 2.0);
  double free = car[SPIN + i] + gain * (drive - radius * fx) + (1.0 - phi) * rate * dt / radius;
  double spin = clamp(free, -car[SPIN_MAX], car[SPIN_MAX]);
  double hold = (brake + car[ROLLING_RESISTANCE] * radius * load) * gain;
  car[SPIN + i] = spin - clamp(spin, -hold, hold);

  double body_fx = fx * c - fy * s, body_fy = fx * s + fy * c;
  sums->x += body_fx;
  sums->y += body_fy;
  sums->moment += car[ARM_X + i] * body_fy - car[ARM_Y + i] * body_fx;
  car[FX + i] = fx;
  car[FY + i] = fy;
  car[FZ + i] = load;
  car[MU + i] = mu;
  car[SLIP_X + i] = slip_x;
  car[SLIP_Y + i] = slip_y;
}

static void substep(double *car, const double *ground) {
  double dt = car[DT], vx = car[VX], vy = car[VY], yaw_rate = car[YAW_RATE];
  double s = sin(car[YAW]), c = cos(car[YAW]);
  double speed_squared = vx * vx + vy * vy;

  double weight = car[MASS] * car[GRAVITY_N];
  double lift_front = car[LIFT_FRONT] * speed_squared, lift_rear = car[LIFT_REAR] * speed_squared;
  double total = fmax(0.0, weight - lift_front - lift_rear);
  double front = weight * car[STATIC_FRONT] - lift_front - car[AXLE_TRANSFER] * car[EXPECTED_X];
  front = clamp(front, 0.0, total);
  double rear = total - front;
  double moved_front =
      clamp(car[WHEEL_TRANSFER_FRONT] * car[EXPECTED_Y], -0.5 * front, 0.5 * front);
  double moved_rear = clamp(car[WHEEL_TRANSFER_REAR] * car[EXPECTED_Y], -0.5 * rear, 0.5 * rear);
  double loads[4] = {0.5 * front - moved_front, 0.5 * front + moved_front, 0.5 * rear - moved_rear,
                     0.5 * rear + moved_rear};

  struct sums sums = {0.0, 0.0, 0.0};
  for (int i = 0; i < 4; ++i) {
    double x = car[X] + c * car[ARM_X + i] - s * car[ARM_Y + i];
    wheel(car, i, friction(ground, x), loads[i], &sums);
  }

  double inverse_mass = car[INVERSE_MASS];
  double air = car[DRAG] * sqrt(speed_squared) * inverse_mass;
  double force_x = sums.x * inverse_mass, force_y = sums.y * inverse_mass;
  double yaw_acc = sums.moment * car[INVERSE_YAW_INERTIA];
  double change_x = force_x - car[FORCE_X], change_y = force_y - car[FORCE_Y];
  double yaw_change = yaw_acc - car[YAW_ACC];
  double rolls = 1.0 - fmax(0.0, 1.0 - speed_squared * car[INVERSE_STICK_SPEED_SQUARED]);
  double ahead_x = rolls * expected(change_x, car[CHANGE_X]);
  double ahead_y = rolls * expected(change_y, car[CHANGE_Y]);
  double ahead_yaw = rolls * expected(yaw_change, car[YAW_CHANGE]);
  double new_rate = yaw_rate + dt * (yaw_acc + 0.5 * ahead_yaw);
  double half_angle = 0.25 * dt * (yaw_rate + new_rate);
  s = sin(car[YAW] + half_angle), c = cos(car[YAW] + half_angle);
  double ax = force_x + car[GRAVITY_X] * c + car[GRAVITY_Y] * s - air * vx;
  double ay = force_y + car[GRAVITY_Y] * c - car[GRAVITY_X] * s - air * vy;

  double half = 0.5 * half_angle;
  double turn_c = (1.0 - half * half) / (1.0 + half * half);
  double turn_s = 2.0 * half / (1.0 + half * half);
  double mid_vx = vx * turn_c + vy * turn_s, mid_vy = vy * turn_c - vx * turn_s;
  double new_vx = mid_vx + dt * (ax + 0.5 * ahead_x), new_vy = mid_vy + dt * (ay + 0.5 * ahead_y);
  double mean_x = 0.5 * (mid_vx + new_vx), mean_y = 0.5 * (mid_vy + new_vy);
  car[X] += dt * (c * mean_x - s * mean_y);
  car[Y] += dt * (s * mean_x + c * mean_y);
  car[YAW] += 2.0 * half_angle;
  car[VX] = new_vx * turn_c + new_vy * turn_s;
  car[VY] = new_vy * turn_c - new_vx * turn_s;
  car[YAW_RATE] = new_rate;
  car[FORCE_X] = force_x;
  car[FORCE_Y] = force_y;
  car[YAW_ACC] = yaw_acc;
  car[EXPECTED_X] = force_x + ahead_x;
  car[EXPECTED_Y] = force_y + ahead_y;
  car[CHANGE_X] = change_x;
  car[CHANGE_Y] = change_y;
  car[YAW_CHANGE] = yaw_change;
  car[AX] = ax;
  car[AY] = ay;
  car[SUBSTEPS] += 1.0;
}

void advance(double *car, const double *ground, long substeps) {
  car[SIN_STEER] = sin(car[STEER]);
  car[COS_STEER] = cos(car[STEER]);
  for (long k = 0; k < substeps; ++k) substep(car, ground);
}
