/* A car with its inputs: everything that the interfaces of FMI 2.0 and 3.0 share. */

#ifndef VDSIM_CAR_H
#define VDSIM_CAR_H

#include <stddef.h>
#include <stdint.h>

#include "vdsim_tables.h"

/* Where things are in the state of an instance, all of it doubles. */
enum {
    VD_START_TIME,
    VD_STEER,
    VD_FORCE,
    VD_THROTTLE,
    VD_BRAKE,
    VD_TORQUE,
    VD_BRAKE_TORQUE = VD_TORQUE + 4,
    VD_WIND = VD_BRAKE_TORQUE + 4,
    VD_GEAR = VD_WIND + 3,
    VD_HANDBRAKE,
    VD_START,
    VD_BASE_MU = VD_START + 6,
    VD_CAR,
    VD_STATE_SIZE = VD_CAR + VD_CAR_SIZE
};

typedef enum { VD_CREATED, VD_INITIALIZING, VD_STEPPING, VD_TERMINATED } vd_phase;

typedef struct {
    double state[VD_STATE_SIZE];
    double ground[VD_GROUND_SIZE]; /* vdsim_ground with VD_BASE_MU of the state */
    vd_phase phase;
    int changed; /* a parameter, since the car was last put to its start */
    char message[256];
} vd_instance;

/* Each returns 0, or -1 with the reason in `message`; then nothing has changed. */
int vdsim_get(vd_instance *instance, char type, uint32_t reference, double *value);
int vdsim_set(vd_instance *instance, char type, uint32_t reference, double value);
int vdsim_do_step(vd_instance *instance, double now, double duration);
int vdsim_unpack(vd_instance *instance, const unsigned char *kept, size_t size, double *state);

void vdsim_create(vd_instance *instance);
void vdsim_start(vd_instance *instance, double start_time);
void vdsim_initialized(vd_instance *instance);
void vdsim_restore(vd_instance *instance, const double *state);
double vdsim_time(const vd_instance *instance);

/* A state as bytes: the car's token, a checksum of the state, the state. */
#define VD_KEPT_HEAD (sizeof(VD_TOKEN) + sizeof(uint64_t))
#define VD_KEPT_SIZE (VD_KEPT_HEAD + VD_STATE_SIZE * sizeof(double))
void vdsim_pack(const double *state, unsigned char *kept);

void vdsim_advance(double *car, double *ground, int64_t substeps);

#endif
