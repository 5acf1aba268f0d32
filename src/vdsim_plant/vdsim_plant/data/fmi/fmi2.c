/* FMI 2.0 for co-simulation. The names and types are those of the FMI standard, version 2.0. */

#include "vdsim_car.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define FMI(name) __declspec(dllexport) fmi2Status fmi2##name
#define FMI_OF(type, name) __declspec(dllexport) type fmi2##name
#else
#define FMI(name) __attribute__((visibility("default"))) fmi2Status fmi2##name
#define FMI_OF(type, name) __attribute__((visibility("default"))) type fmi2##name
#endif

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

static fmi2Status result(fmu *me, int code)
{
    return code == 0 ? fmi2OK : fail(me, me->car.message);
}

static fmi2Status none(fmi2Component component, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "fmi2%s: this car has nothing for it", name);
    return fail((fmu *)component, text);
}

FMI_OF(const char *, GetTypesPlatform)(void) { return "default"; }
FMI_OF(const char *, GetVersion)(void) { return "2.0"; }

FMI(SetDebugLogging)(fmi2Component component, fmi2Boolean on, size_t n, const fmi2String names[])
{
    (void)component, (void)on, (void)n, (void)names; /* only errors are logged, always */
    return fmi2OK;
}

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

FMI_OF(void, FreeInstance)(fmi2Component component) { free(component); }

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

FMI(ExitInitializationMode)(fmi2Component component)
{
    vdsim_initialized(&((fmu *)component)->car);
    return fmi2OK;
}

FMI(Terminate)(fmi2Component component)
{
    ((fmu *)component)->car.phase = VD_TERMINATED;
    return fmi2OK;
}

FMI(Reset)(fmi2Component component)
{
    vdsim_create(&((fmu *)component)->car);
    return fmi2OK;
}

/* One function to get and one to set, for each of the types that the car has. */
#define VALUES(Name, type, kind)                                                                   \
    FMI(Get##Name)(fmi2Component component, const fmi2ValueReference references[], size_t n,       \
                   type values[])                                                                  \
    {                                                                                              \
        fmu *me = component;                                                                       \
        int code = 0;                                                                              \
        for (size_t k = 0; k < n && code == 0; ++k) {                                              \
            double value = 0.0;                                                                    \
            code = vdsim_get(&me->car, kind, references[k], &value);                               \
            values[k] = (type)value;                                                               \
        }                                                                                          \
        return result(me, code);                                                                   \
    }                                                                                              \
    FMI(Set##Name)(fmi2Component component, const fmi2ValueReference references[], size_t n,       \
                   const type values[])                                                            \
    {                                                                                              \
        fmu *me = component;                                                                       \
        int code = 0;                                                                              \
        for (size_t k = 0; k < n && code == 0; ++k) {                                              \
            code = vdsim_set(&me->car, kind, references[k], (double)values[k]);                    \
        }                                                                                          \
        return result(me, code);                                                                   \
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
        return none(component, "GetRealStatus");
    }
    *value = vdsim_time(&((fmu *)component)->car);
    return fmi2OK;
}

FMI(GetFMUstate)(fmi2Component component, fmi2FMUstate *state)
{
    fmu *me = component;
    if (*state == NULL) {
        *state = malloc(sizeof me->car.state);
    }
    if (*state == NULL) {
        return fail(me, "fmi2GetFMUstate: no memory");
    }
    memcpy(*state, me->car.state, sizeof me->car.state);
    return fmi2OK;
}

FMI(SetFMUstate)(fmi2Component component, fmi2FMUstate state)
{
    vdsim_restore(&((fmu *)component)->car, state);
    return fmi2OK;
}

FMI(FreeFMUstate)(fmi2Component component, fmi2FMUstate *state)
{
    (void)component;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI(SerializedFMUstateSize)(fmi2Component component, fmi2FMUstate state, size_t *size)
{
    (void)component, (void)state;
    *size = VD_KEPT_SIZE;
    return fmi2OK;
}

FMI(SerializeFMUstate)(fmi2Component component, fmi2FMUstate state, char kept[], size_t size)
{
    if (size < VD_KEPT_SIZE) {
        return fail(component, "serializedState: is too short");
    }
    vdsim_pack(state, (unsigned char *)kept);
    return fmi2OK;
}

FMI(DeSerializeFMUstate)
(fmi2Component component, const char kept[], size_t size, fmi2FMUstate *state)
{
    fmu *me = component;
    double *made = *state == NULL ? malloc(sizeof me->car.state) : *state;
    if (made == NULL) {
        return fail(me, "fmi2DeSerializeFMUstate: no memory");
    }
    const int code = vdsim_unpack(&me->car, (const unsigned char *)kept, size, made);
    if (code == 0) {
        *state = made;
    } else if (*state == NULL) {
        free(made);
    }
    return result(me, code);
}

/* What the standard asks for and this car does not have: it is refused, with its name. */
typedef const fmi2ValueReference *references;
#define NOT_HERE(Name, ...)                                                                        \
    FMI(Name)(fmi2Component component, __VA_ARGS__) { return none(component, #Name); }

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

FMI(CancelStep)(fmi2Component component) { return none(component, "CancelStep"); }
