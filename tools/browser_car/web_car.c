/* The car of vdsim_car.h for a page: one instance, called by numbers alone.

   `type` and `reference` of a variable are those of the FMU; lengths of time are in substeps. */

#include "vdsim_car.h"

#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static vd_instance car;

void EXPORT(create)(void) { vdsim_create(&car); }

void EXPORT(start)(void)
{
    vdsim_start(&car, 0.0);
    vdsim_initialized(&car);
}

/* Returns 0, or -1 with the reason in message(). */
int EXPORT(set)(int type, uint32_t reference, double value)
{
    return vdsim_set(&car, (char)type, reference, value);
}

double EXPORT(get)(int type, uint32_t reference)
{
    double value = 0.0;
    vdsim_get(&car, (char)type, reference, &value);
    return value;
}

int EXPORT(step)(int substeps)
{
    return vdsim_do_step(&car, vdsim_time(&car), substeps * VD_SUBSTEP);
}

/* The address of a text that ends with 0. */
const char *EXPORT(message)(void) { return car.message; }

/* A checksum of all bits of the state. */
uint64_t EXPORT(digest)(void)
{
    static unsigned char kept[VD_KEPT_SIZE];
    uint64_t sum;
    vdsim_pack(car.state, kept);
    memcpy(&sum, kept + sizeof(VD_TOKEN), sizeof sum);
    return sum;
}
