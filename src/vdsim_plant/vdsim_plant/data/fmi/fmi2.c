/* FMI 2.0 for co-simulation. The names and types are those of the FMI standard, version 2.0. */

#include "vdsim_car.h"

#define VD_FMI(name) fmi2##name
#define VD_INSTANCE fmi2Component
#define VD_TRUTH fmi2Boolean
#define VD_SIZE_OF_VALUES
#define VD_FITS(k) 1

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef void *fmi2Component;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef const char *fmi2String;
typedef int fmi2Boolean;

typedef struct {
    void (*logger)(void *environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...);
    void *(*allocateMemory)(size_t n, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(void *environment, fmi2Status status);
    void *environment;
} fmi2CallbackFunctions;

typedef struct {
    vd_instance car;
    double start_time;
    const fmi2CallbackFunctions *functions;
    char name[64];
} fmu;

static fmi2Status fail(fmu *me, const char *message)
{
    /* The message is a format, and none of ours holds a %. */
    if (me != NULL && me->functions != NULL && me->functions->logger != NULL) {
        me->functions->logger(me->functions->environment, me->name, fmi2Error, "logStatusError",
                              message);
    }
    return fmi2Error;
}

#include "fmi_common.h"

FMI_OF(const char *, GetTypesPlatform)(void) { return "default"; }
FMI_OF(const char *, GetVersion)(void) { return "2.0"; }

FMI_OF(fmi2Component, Instantiate)
(fmi2String name, int type, fmi2String guid, fmi2String resources,
 const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible, (void)logging;
    if (type != 1 || guid == NULL || strcmp(guid, VD_TOKEN) != 0) {
        if (functions != NULL && functions->logger != NULL) {
            functions->logger(functions->environment, name, fmi2Error, "logStatusError",
                              type != 1 ? "fmuType: must be fmi2CoSimulation"
                                        : "fmuGUID: is not that of modelDescription.xml");
        }
        return NULL;
    }
    fmu *me = malloc(sizeof *me);
    if (me != NULL) {
        me->functions = functions;
        me->start_time = 0.0;
        snprintf(me->name, sizeof me->name, "%s", name == NULL ? "" : name);
        vdsim_create(&me->car);
    }
    return me;
}

FMI(SetupExperiment)
(fmi2Component component, fmi2Boolean tolerance_defined, double tolerance, double start,
 fmi2Boolean stop_defined, double stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((fmu *)component)->start_time = start;
    return fmi2OK;
}

FMI(EnterInitializationMode)(fmi2Component component)
{
    fmu *me = component;
    vdsim_start(&me->car, me->start_time);
    return fmi2OK;
}

VALUES(Real, double, 'd')
VALUES(Integer, int, 'i')
VALUES(Boolean, fmi2Boolean, 'b')

FMI(DoStep)(fmi2Component component, double now, double duration, fmi2Boolean no_set_state_before)
{
    fmu *me = component;
    (void)no_set_state_before;
    return result(me, vdsim_do_step(&me->car, now, duration));
}

FMI(GetRealStatus)(fmi2Component component, int kind, double *value)
{
    if (kind != 2) {
        return none(component, "fmi2GetRealStatus");
    }
    *value = vdsim_time(&((fmu *)component)->car);
    return fmi2OK;
}

FMI(GetFMUstate)(fmi2Component component, fmi2FMUstate *state) { return get_state(component, state); }
FMI(SetFMUstate)(fmi2Component component, fmi2FMUstate state) { return set_state(component, state); }

FMI(FreeFMUstate)(fmi2Component component, fmi2FMUstate *state)
{
    (void)component;
    return free_state(state);
}

FMI(SerializedFMUstateSize)(fmi2Component component, fmi2FMUstate state, size_t *size)
{
    (void)component, (void)state;
    return size_of_kept(size);
}

FMI(SerializeFMUstate)
(fmi2Component component, fmi2FMUstate state, char kept[], size_t size)
{
    return keep_state(component, state, (unsigned char *)kept, size);
}

FMI(DeSerializeFMUstate)
(fmi2Component component, const char kept[], size_t size, fmi2FMUstate *state)
{
    return take_up_state(component, (const unsigned char *)kept, size, state);
}

typedef const fmi2ValueReference *references;
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

NOT_HERE(GetString, references r, size_t n, fmi2String *v)
NOT_HERE(SetString, references r, size_t n, const fmi2String *v)
NOT_HERE(GetDirectionalDerivative, references u, size_t nu, references k, size_t nk,
         const double *seed, double *s)
NOT_HERE(SetRealInputDerivatives, references r, size_t n, const int *order, const double *v)
NOT_HERE(GetRealOutputDerivatives, references r, size_t n, const int *order, double *v)
NOT_HERE(GetStatus, int kind, fmi2Status *v)
NOT_HERE(GetIntegerStatus, int kind, int *v)
NOT_HERE(GetBooleanStatus, int kind, fmi2Boolean *v)
NOT_HERE(GetStringStatus, int kind, fmi2String *v)

FMI(CancelStep)(fmi2Component component) { return none(component, "fmi2CancelStep"); }
