/* Plain C for many cars: the equations of plain_car.c with LANES cars side by side, written as one
   writes it for the vectorizer: structures of arrays, one simd loop over the cars of a block for each
   wheel and for the body, the parameters in scalars because all cars share them, libm's vector
   functions (-Ofast). It reads and writes the blocks of vdsim_plant/kernel/layout.py; friction has
   stripes as in plain_car.c. */
#include <math.h>
#include <string.h>

#include "layout.h"

#define AT(field) (block + (field) * LANES)
#define FOR_EACH_CAR _Pragma("omp simd") for (int l = 0; l < LANES; ++l)

static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }
static inline double clamp(double value, double low, double high) {
  return most(low, least(value, high));
}

static inline double expected(double change, double before) {
  double small = fabs(change) < fabs(before) ? change : before;
  return change * before > 0.0 ? small : 0.0;
}

struct sums {
  double x[LANES], y[LANES], moment[LANES];
};

struct loads {
  double load[4][LANES], mu[4][LANES];
};

/* Two loops: in one, gcc joins both calls to sincos, which has no vector form. */
static void sines(const double *angle, double *s, double *c) {
  FOR_EACH_CAR s[l] = sin(angle[l]);
  FOR_EACH_CAR c[l] = cos(angle[l]);
}

static void friction(const double *block, const double *ground, struct loads *loads) {
  int count = (int)ground[1];
  double s[LANES], c[LANES];
  sines(AT(YAW), s, c);
  for (int i = 0; i < 4; ++i) {
    double arm_x = AT(ARM_X + i)[0], arm_y = AT(ARM_Y + i)[0], x[LANES];
    double *mu = loads->mu[i];
    FOR_EACH_CAR {
      x[l] = AT(X)[l] + c[l] * arm_x - s[l] * arm_y;
      mu[l] = ground[0];
    }
    for (int k = 0; k < count; ++k) {
      const double *patch = ground + 2 + 3 * k;
      FOR_EACH_CAR mu[l] = patch[0] <= x[l] && x[l] < patch[1] ? patch[2] : mu[l];
    }
  }
}

static void wheel_loads(const double *block, struct loads *loads) {
  double weight = AT(MASS)[0] * AT(GRAVITY_N)[0];
  double static_front = AT(STATIC_FRONT)[0], axle_transfer = AT(AXLE_TRANSFER)[0];
  double lift_f = AT(LIFT_FRONT)[0], lift_r = AT(LIFT_REAR)[0];
  double transfer_f = AT(WHEEL_TRANSFER_FRONT)[0], transfer_r = AT(WHEEL_TRANSFER_REAR)[0];
  FOR_EACH_CAR {
    double square = AT(VX)[l] * AT(VX)[l] + AT(VY)[l] * AT(VY)[l];
    double total = most(0.0, weight - (lift_f + lift_r) * square);
    double front = weight * static_front - lift_f * square - axle_transfer * AT(EXPECTED_X)[l];
    front = clamp(front, 0.0, total);
    double rear = total - front;
    double moved_f = clamp(transfer_f * AT(EXPECTED_Y)[l], -0.5 * front, 0.5 * front);
    double moved_r = clamp(transfer_r * AT(EXPECTED_Y)[l], -0.5 * rear, 0.5 * rear);
    loads->load[0][l] = 0.5 * front - moved_f;
    loads->load[1][l] = 0.5 * front + moved_f;
    loads->load[2][l] = 0.5 * rear - moved_r;
    loads->load[3][l] = 0.5 * rear + moved_r;
  }
}

static void wheel(double *block, int i, const struct loads *loads, struct sums *sums) {
  double radius = AT(RADIUS)[0], spin_per_torque = AT(SPIN_PER_TORQUE + i)[0];
  double turn = AT(DT)[0] / radius;
  double arm_x = AT(ARM_X + i)[0], arm_y = AT(ARM_Y + i)[0];
  double stiffness_base = AT(STIFFNESS_BASE)[0], per_mu = AT(INVERSE_MU_NOMINAL)[0];
  double stick_speed = AT(INVERSE_STICK_SPEED_SQUARED)[0], slip_floor = AT(SLIP_FLOOR)[0];
  double stick_length = AT(STICK_LENGTH)[0], stick_damping = AT(STICK_DAMPING)[0];
  double length_x = AT(LENGTH_X)[0], length_y = AT(LENGTH_Y)[0];
  double per_x = AT(INVERSE_KAPPA_PEAK + i)[0], per_y = AT(INVERSE_ALPHA_PEAK + i)[0];
  double peak_x = AT(PEAK_X)[0], peak_y = AT(PEAK_Y)[0];
  double shape_x = AT(SHAPE_X)[0], shape_y = AT(SHAPE_Y)[0];
  double rolling_resistance = AT(ROLLING_RESISTANCE)[0], spin_max = AT(SPIN_MAX)[0];
  int front = i < 2;
  FOR_EACH_CAR {
    double c = front ? AT(COS_STEER)[l] : 1.0, s = front ? AT(SIN_STEER)[l] : 0.0;
    double yaw_rate = AT(YAW_RATE)[l], vy_body = AT(VY)[l];
    double at_x = AT(VX)[l] - yaw_rate * arm_y, at_y = vy_body + yaw_rate * arm_x;
    double vx = at_x * c + at_y * s, vy = at_y * c - at_x * s;
    double mu = loads->mu[i][l], load = loads->load[i][l];
    double stretch_x = AT(STRETCH_X + i)[l], stretch_y = AT(STRETCH_Y + i)[l];

    double scale = stiffness_base + mu * per_mu;
    double rest = most(0.0, 1.0 - (vx * vx + vy * vy) * stick_speed);
    double stick = rest * rest;
    double roll = most(fabs(vx), slip_floor * (1.0 - stick));
    double lag_x = stick * stick_length * scale + (1.0 - stick) * length_x;
    double lag_y = stick * stick_length * scale + (1.0 - stick) * length_y;
    double damping = stick * stick_damping / scale;
    double gain_x = 1.0 / (lag_x + roll);
    double new_x = (lag_x * stretch_x + (radius * AT(SPIN + i)[l] - vx)) * gain_x;
    double new_y = (lag_y * stretch_y - vy) / (lag_y + roll);
    double slip_x = new_x + damping * lag_x * (new_x - stretch_x);
    double slip_y = new_y + damping * lag_y * (new_y - stretch_y);

    double x = slip_x * per_x, y = slip_y * per_y;
    double rho = most(sqrt(x * x + y * y), 1e-9);
    double grip = mu * load / rho;
    double u = peak_x * rho;
    double curve = sin(shape_x * atan(u));
    double fx = grip * x * curve;
    double fy = grip * y * sin(shape_y * atan(peak_y * rho));
    double slope = sqrt(most(0.0, 1.0 - curve * curve)) * u * shape_x / (1.0 + u * u);
    slope = rho > 1.0 ? -slope : slope;
    double share = x * x / (rho * rho);
    double stiffness = grip * per_x * most(0.0, curve + share * (slope - curve));
    double kept = 1.0 - stick * most(0.0, 1.0 - 1.0 / rho);
    AT(STRETCH_X + i)[l] = new_x * kept;
    AT(STRETCH_Y + i)[l] = new_y * kept;

    double drive = AT(TORQUE + i)[l];
    double brake = AT(BRAKE + i)[l];
    double per_spin = stiffness * gain_x * (1.0 + damping * lag_x) * radius;
    double z = radius * per_spin * spin_per_torque;
    double phi = (1.0 + z * (0.1 + z / 60.0)) / (1.0 + z * (0.6 + z * (0.15 + z / 60.0)));
    double gain = spin_per_torque * phi;
    double rate = AT(AX)[l] + vy_body * yaw_rate;
    rate *= clamp(1.0 + (vx > 0.0 ? new_x : -new_x), 0.0, 2.0);
    double free = AT(SPIN + i)[l] + gain * (drive - radius * fx) + (1.0 - phi) * rate * turn;
    double spin = clamp(free, -spin_max, spin_max);
    double hold = (brake + rolling_resistance * radius * load) * gain;
    AT(SPIN + i)[l] = spin - clamp(spin, -hold, hold);

    double body_fx = fx * c - fy * s, body_fy = fx * s + fy * c;
    sums->x[l] += body_fx;
    sums->y[l] += body_fy;
    sums->moment[l] += arm_x * body_fy - arm_y * body_fx;
    AT(FX + i)[l] = fx;
    AT(FY + i)[l] = fy;
    AT(FZ + i)[l] = load;
    AT(MU + i)[l] = mu;
    AT(SLIP_X + i)[l] = slip_x;
    AT(SLIP_Y + i)[l] = slip_y;
  }
}

static void bodies(double *block, const struct sums *sums) {
  double dt = AT(DT)[0], inverse_mass = AT(INVERSE_MASS)[0], drag = AT(DRAG)[0];
  double inverse_yaw_inertia = AT(INVERSE_YAW_INERTIA)[0];
  double stick_speed = AT(INVERSE_STICK_SPEED_SQUARED)[0];
  double gravity_x = AT(GRAVITY_X)[0], gravity_y = AT(GRAVITY_Y)[0];
  double half_angle[LANES], middle[LANES], sine[LANES], cosine[LANES];
  double rest_x[LANES], rest_y[LANES];
  FOR_EACH_CAR {
    double vx = AT(VX)[l], vy = AT(VY)[l], yaw_rate = AT(YAW_RATE)[l];
    double square = vx * vx + vy * vy;
    double air = drag * sqrt(square) * inverse_mass;
    double force_x = sums->x[l] * inverse_mass, force_y = sums->y[l] * inverse_mass;
    double yaw_acc = sums->moment[l] * inverse_yaw_inertia;
    double change_x = force_x - AT(FORCE_X)[l], change_y = force_y - AT(FORCE_Y)[l];
    double yaw_change = yaw_acc - AT(YAW_ACC)[l];
    double rolls = 1.0 - most(0.0, 1.0 - square * stick_speed);
    double ahead_x = rolls * expected(change_x, AT(CHANGE_X)[l]);
    double ahead_y = rolls * expected(change_y, AT(CHANGE_Y)[l]);
    double ahead_yaw = rolls * expected(yaw_change, AT(YAW_CHANGE)[l]);
    double new_rate = yaw_rate + dt * (yaw_acc + 0.5 * ahead_yaw);
    half_angle[l] = 0.25 * dt * (yaw_rate + new_rate);
    middle[l] = AT(YAW)[l] + half_angle[l];
    rest_x[l] = 0.5 * ahead_x - air * vx;
    rest_y[l] = 0.5 * ahead_y - air * vy;
    AT(YAW_RATE)[l] = new_rate;
    AT(FORCE_X)[l] = force_x;
    AT(FORCE_Y)[l] = force_y;
    AT(YAW_ACC)[l] = yaw_acc;
    AT(EXPECTED_X)[l] = force_x + ahead_x;
    AT(EXPECTED_Y)[l] = force_y + ahead_y;
    AT(CHANGE_X)[l] = change_x;
    AT(CHANGE_Y)[l] = change_y;
    AT(YAW_CHANGE)[l] = yaw_change;
  }
  sines(middle, sine, cosine);
  FOR_EACH_CAR {
    double vx = AT(VX)[l], vy = AT(VY)[l], s = sine[l], c = cosine[l];
    double push_x = AT(FORCE_X)[l] + gravity_x * c + gravity_y * s + rest_x[l];
    double push_y = AT(FORCE_Y)[l] + gravity_y * c - gravity_x * s + rest_y[l];

    double half = 0.5 * half_angle[l];
    double turn_c = (1.0 - half * half) / (1.0 + half * half);
    double turn_s = 2.0 * half / (1.0 + half * half);
    double mid_vx = vx * turn_c + vy * turn_s, mid_vy = vy * turn_c - vx * turn_s;
    double new_vx = mid_vx + dt * push_x;
    double new_vy = mid_vy + dt * push_y;
    double mean_x = 0.5 * (mid_vx + new_vx), mean_y = 0.5 * (mid_vy + new_vy);
    AT(X)[l] += dt * (c * mean_x - s * mean_y);
    AT(Y)[l] += dt * (s * mean_x + c * mean_y);
    AT(YAW)[l] += 2.0 * half_angle[l];
    AT(VX)[l] = new_vx * turn_c + new_vy * turn_s;
    AT(VY)[l] = new_vy * turn_c - new_vx * turn_s;
    AT(AX)[l] = push_x - 0.5 * (AT(EXPECTED_X)[l] - AT(FORCE_X)[l]);
    AT(AY)[l] = push_y - 0.5 * (AT(EXPECTED_Y)[l] - AT(FORCE_Y)[l]);
    AT(SUBSTEPS)[l] += 1.0;
  }
}

void advance_batch(double *blocks, const double *ground, long count, long substeps) {
  for (long k = 0; k < count; ++k) {
    double *block = blocks + k * SIZE * LANES;
    sines(AT(STEER), AT(SIN_STEER), AT(COS_STEER));
    for (long n = 0; n < substeps; ++n) {
      struct loads loads;
      struct sums sums;
      memset(&sums, 0, sizeof sums);
      friction(block, ground, &loads);
      wheel_loads(block, &loads);
      for (int i = 0; i < 4; ++i) wheel(block, i, &loads, &sums);
      bodies(block, &sums);
    }
  }
}
