/* A car with its inputs: what vehicle.py does around the compiled kernel, with the same bits. */

#include "vdsim_car.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma fp_contract(off)
#endif

static double at_least(double value, double low) { return low > value ? low : value; }
static double at_most(double value, double high) { return high < value ? high : value; }
static double within(double value, double low, double high)
{
    return at_most(at_least(value, low), high);
}

/* The torque of all wheels at full throttle and the present speed. */
static double most_torque(const double *car)
{
    const double front = 0.5 * (car[VD_AT_SPIN] + car[VD_AT_SPIN + 1]);
    const double rear = 0.5 * (car[VD_AT_SPIN + 2] + car[VD_AT_SPIN + 3]);
    const double split = car[VD_AT_MOTOR_SPLIT_FRONT];
    const double speed = fabs(split * front + (1.0 - split) * rear) * car[VD_AT_MOTOR_RATIO];
    const double place =
        within(speed * car[VD_AT_MOTOR_STEP_INVERSE], 0.0, VD_AT_MOTOR_POINTS - 1.001);
    const int64_t below = (int64_t)place;
    const double low = car[VD_AT_MOTOR_TABLE + below];
    const double high = car[VD_AT_MOTOR_TABLE + below + 1];
    const double gain = car[VD_AT_MOTOR_GAIN_FRONT] + car[VD_AT_MOTOR_GAIN_REAR];
    return 2.0 * gain * (low + (place - (double)below) * (high - low));
}

static double share(double possible, double asked)
{
    return at_most(possible / at_least(asked, 1e-9), 1.0);
}

/* Reduce what drives and what drives backwards, each in proportion, to what the motor gives. */
static void limit_to_motor(const double *car, double *drive)
{
    const double possible = most_torque(car);
    double ahead[4], back[4];
    for (int i = 0; i < 4; ++i) {
        ahead[i] = at_least(drive[i], 0.0);
        back[i] = at_least(-drive[i], 0.0);
    }
    const double share_ahead = share(possible, (ahead[0] + ahead[1]) + (ahead[2] + ahead[3]));
    const double share_back = share(possible, (back[0] + back[1]) + (back[2] + back[3]));
    for (int i = 0; i < 4; ++i) {
        drive[i] *= drive[i] > 0.0 ? share_ahead : share_back;
    }
}

/* Turn the inputs into what the kernel holds: wheel angle, torques, throttle, brakes. */
static void hold_inputs(double *state)
{
    double *car = state + VD_CAR;
    const double torque =
        VD_TORQUE_PER_FORCE * within(state[VD_FORCE], -VD_MOST_FORCE, VD_MOST_FORCE);
    double front_drive = 0.0, rear_drive = 0.0, front_brake = 0.0, rear_brake = 0.0;
    if (torque >= 0.0) {
        front_drive = torque * VD_DRIVE_SPLIT_FRONT;
        rear_drive = torque - front_drive;
    } else {
        front_brake = -torque * VD_BRAKE_SPLIT_FRONT;
        rear_brake = -torque - front_brake;
    }
    const double throttle = within(state[VD_THROTTLE], 0.0, 1.0);
    const double brake = within(state[VD_BRAKE], 0.0, 1.0);
    front_brake += 0.5 * brake * VD_MOST_BRAKE_TORQUE * VD_BRAKE_FRONT_SHARE;
    rear_brake += 0.5 * brake * VD_MOST_BRAKE_TORQUE * (1.0 - VD_BRAKE_FRONT_SHARE);
    if (state[VD_HANDBRAKE] != 0.0) {
        rear_brake += 0.5 * VD_HANDBRAKE_TORQUE;
    }
    double drive[4], brakes[4];
    for (int i = 0; i < 4; ++i) {
        drive[i] = i < 2 ? front_drive : rear_drive;
        brakes[i] = i < 2 ? front_brake : rear_brake;
        if (state[VD_TORQUE + i] != 0.0) {
            drive[i] += state[VD_TORQUE + i];
            drive[i] = within(drive[i], -VD_MOST_WHEEL_TORQUE, VD_MOST_WHEEL_TORQUE);
        }
        if (state[VD_BRAKE_TORQUE + i] != 0.0) {
            brakes[i] = at_most(brakes[i] + state[VD_BRAKE_TORQUE + i], VD_MOST_WHEEL_TORQUE);
        }
    }
    if (VD_LIMIT_TO_MOTOR) {
        limit_to_motor(car, drive);
    }
    car[VD_AT_STEER] = within(state[VD_STEER], -VD_MOST_STEER, VD_MOST_STEER);
    memcpy(car + VD_AT_TORQUE, drive, sizeof drive);
    car[VD_AT_THROTTLE] = throttle * state[VD_GEAR];
    memcpy(car + VD_AT_BRAKE, brakes, sizeof brakes);
    memcpy(car + VD_AT_WIND_X, state + VD_WIND, 3 * sizeof(double));
}

static void advance(vd_instance *instance, int64_t substeps)
{
    vdsim_advance(instance->state + VD_CAR, instance->ground, substeps);
}

/* Put the car to its start, its wheels rolling without slip, and fill its outputs. */
static void put_to_start(vd_instance *instance)
{
    double *state = instance->state;
    double *car = state + VD_CAR;
    memcpy(car, vdsim_car, VD_CAR_SIZE * sizeof(double));
    memcpy(instance->ground, vdsim_ground, sizeof instance->ground);
    instance->ground[VD_AT_BASE_MU] = state[VD_BASE_MU];
    memcpy(car, state + VD_START, 6 * sizeof(double)); /* X, Y, YAW, VX, VY, YAW_RATE */
    for (int i = 0; i < 4; ++i) {
        const double rim = car[VD_AT_VX] - car[VD_AT_YAW_RATE] * car[VD_AT_ARM_Y + i];
        car[VD_AT_SPIN + i] = rim / car[VD_AT_RADIUS];
    }
    double start[VD_CAR_SIZE];
    memcpy(start, car, sizeof start);
    advance(instance, 1);
    memcpy(start + VD_AT_AX, car + VD_AT_AX, (VD_AT_DT - VD_AT_AX) * sizeof(double));
    memcpy(start + VD_AT_FX, car + VD_AT_FX, (VD_AT_ARM_X - VD_AT_FX) * sizeof(double));
    memcpy(car, start, sizeof start);
    advance(instance, 0);
    instance->changed = 0;
}

void vdsim_create(vd_instance *instance)
{
    memset(instance, 0, sizeof *instance);
    instance->phase = VD_CREATED;
    for (uint32_t k = 0; k < VD_VARIABLES; ++k) {
        if (vdsim_variables[k].place >= 0 && vdsim_variables[k].settable) {
            instance->state[vdsim_variables[k].place] = vdsim_variables[k].value;
        }
    }
    put_to_start(instance);
}

void vdsim_start(vd_instance *instance, double start_time)
{
    instance->state[VD_START_TIME] = start_time;
    instance->phase = VD_INITIALIZING;
    put_to_start(instance);
}

void vdsim_initialized(vd_instance *instance)
{
    if (instance->changed) {
        put_to_start(instance);
    }
    instance->phase = VD_STEPPING;
}

double vdsim_time(const vd_instance *instance)
{
    const double *car = instance->state + VD_CAR;
    return instance->state[VD_START_TIME] + car[VD_AT_SUBSTEPS] * car[VD_AT_DT];
}

static const vd_variable *found(vd_instance *instance, char type, uint32_t reference)
{
    if (reference < VD_VARIABLES && vdsim_variables[reference].type == type) {
        return &vdsim_variables[reference];
    }
    snprintf(instance->message, sizeof instance->message,
             "valueReference=%u: no variable of this type", (unsigned)reference);
    return NULL;
}

int vdsim_get(vd_instance *instance, char type, uint32_t reference, double *value)
{
    const vd_variable *variable = found(instance, type, reference);
    if (variable == NULL) {
        return -1;
    }
    if (instance->changed && instance->phase != VD_STEPPING) {
        put_to_start(instance);
    }
    if (reference == 0) {
        *value = vdsim_time(instance);
    } else {
        *value = variable->place < 0 ? variable->value : instance->state[variable->place];
    }
    return 0;
}

static int refuse(vd_instance *instance, const vd_variable *variable, double value)
{
    char *const text = instance->message;
    const size_t size = sizeof instance->message;
    if (variable->most < VD_ANY) {
        snprintf(text, size, "%s=%.9g: must be %.9g to %.9g", variable->name, value,
                 variable->least, variable->most);
    } else if (variable->least > -VD_ANY) {
        snprintf(text, size, "%s=%.9g: must be at least %.9g", variable->name, value,
                 variable->least);
    } else {
        snprintf(text, size, "%s=%.9g: must be finite", variable->name, value);
    }
    return -1;
}

int vdsim_set(vd_instance *instance, char type, uint32_t reference, double value)
{
    const vd_variable *variable = found(instance, type, reference);
    if (variable == NULL) {
        return -1;
    }
    if (variable->settable == 0 || (variable->settable == 2 && instance->phase == VD_STEPPING)) {
        snprintf(instance->message, sizeof instance->message, "%s: cannot be set %s",
                 variable->name, variable->settable ? "after initialization" : "at all");
        return -1;
    }
    if (!(value >= variable->least && value <= variable->most)) {
        return refuse(instance, variable, value);
    }
    instance->state[variable->place] = value;
    if (variable->place == VD_BASE_MU && instance->phase == VD_STEPPING) {
        instance->ground[VD_AT_BASE_MU] = value;
    } else if (variable->settable > 1) {
        instance->changed = 1;
    }
    return 0;
}

int vdsim_do_step(vd_instance *instance, double now, double duration)
{
    const double dt = VD_SUBSTEP;
    const double steps = duration / dt;
    if (instance->phase != VD_STEPPING) {
        snprintf(instance->message, sizeof instance->message, "doStep: the car is not initialized");
        return -1;
    }
    if (!(steps >= 0.5 && steps <= 1e12) ||
        fabs(nearbyint(steps) * dt - duration) > 1e-9 * at_least(duration, 1.0)) {
        snprintf(instance->message, sizeof instance->message,
                 "communicationStepSize=%.9g: must be a whole number of substeps of %.9g s",
                 duration, dt);
        return -1;
    }
    if (!(fabs(now - vdsim_time(instance)) <= 0.5 * dt)) {
        snprintf(instance->message, sizeof instance->message,
                 "currentCommunicationPoint=%.9g: the car is at %.9g s", now,
                 vdsim_time(instance));
        return -1;
    }
    hold_inputs(instance->state);
    advance(instance, (int64_t)nearbyint(steps));
    return 0;
}

void vdsim_restore(vd_instance *instance, const double *state)
{
    memcpy(instance->state, state, sizeof instance->state);
    memcpy(instance->ground, vdsim_ground, sizeof instance->ground);
    instance->ground[VD_AT_BASE_MU] = state[VD_BASE_MU];
    instance->changed = 0;
}

/* FNV-1a, 64 bits. */
static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t k = 0; k < size; ++k) {
        sum = (sum ^ bytes[k]) * 1099511628211u;
    }
    return sum;
}

void vdsim_pack(const double *state, unsigned char *kept)
{
    const size_t size = VD_STATE_SIZE * sizeof(double);
    const uint64_t sum = checksum((const unsigned char *)state, size);
    memcpy(kept, VD_TOKEN, sizeof(VD_TOKEN));
    memcpy(kept + sizeof(VD_TOKEN), &sum, sizeof sum);
    memcpy(kept + VD_KEPT_HEAD, state, size);
}

int vdsim_unpack(vd_instance *instance, const unsigned char *kept, size_t size, double *state)
{
    if (size == VD_KEPT_SIZE && memcmp(kept, VD_TOKEN, sizeof(VD_TOKEN)) == 0) {
        const uint64_t sum = checksum(kept + VD_KEPT_HEAD, size - VD_KEPT_HEAD);
        if (memcmp(kept + sizeof(VD_TOKEN), &sum, sizeof sum) == 0) {
            memcpy(state, kept + VD_KEPT_HEAD, size - VD_KEPT_HEAD);
            return 0;
        }
    }
    snprintf(instance->message, sizeof instance->message, "serializedState: is not of this car");
    return -1;
}
