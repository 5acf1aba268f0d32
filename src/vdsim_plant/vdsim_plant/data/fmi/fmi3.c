/* FMI 3.0 for co-simulation. The names and types are those of the FMI standard, version 3.0. */

#include "vdsim_car.h"

#include <stdbool.h>

#define VD_FMI(name) fmi3##name
#define VD_INSTANCE fmi3Instance
#define VD_TRUTH bool
#define VD_SIZE_OF_VALUES , size_t n_values
#define VD_FITS(k) ((k) < n_values)

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void *fmi3Instance;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef const char *fmi3String;
typedef void (*fmi3LogMessageCallback)(void *environment, fmi3Status status, fmi3String category,
                                       fmi3String message);

typedef struct {
    vd_instance car;
    void *environment;
    fmi3LogMessageCallback log;
} fmu;

static fmi3Status fail(fmu *me, const char *message)
{
    if (me != NULL && me->log != NULL) {
        me->log(me->environment, fmi3Error, "logStatusError", message);
    }
    return fmi3Error;
}

#include "fmi_common.h"

FMI_OF(const char *, GetVersion)(void) { return "3.0"; }

FMI_OF(fmi3Instance, InstantiateCoSimulation)
(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging, bool events,
 bool early_return, const fmi3ValueReference intermediate[], size_t n_intermediate,
 void *environment, fmi3LogMessageCallback log, void *intermediate_update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early_return;
    (void)intermediate, (void)n_intermediate, (void)intermediate_update;
    if (token == NULL || strcmp(token, VD_TOKEN) != 0) {
        if (log != NULL) {
            log(environment, fmi3Error, "logStatusError",
                "instantiationToken: is not that of modelDescription.xml");
        }
        return NULL;
    }
    fmu *me = malloc(sizeof *me);
    if (me != NULL) {
        me->environment = environment;
        me->log = log;
        vdsim_create(&me->car);
    }
    return me;
}

FMI(EnterInitializationMode)
(fmi3Instance instance, bool tolerance_defined, double tolerance, double start, bool stop_defined,
 double stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    vdsim_start(&((fmu *)instance)->car, start);
    return fmi3OK;
}

VALUES(Float64, double, 'd')
VALUES(Int32, int32_t, 'i')
VALUES(Boolean, bool, 'b')

FMI(DoStep)
(fmi3Instance instance, double now, double duration, bool no_set_state_before, bool *event_needed,
 bool *terminate, bool *early_return, double *last_time)
{
    fmu *me = instance;
    (void)no_set_state_before;
    *event_needed = *terminate = *early_return = false;
    const fmi3Status status = result(me, vdsim_do_step(&me->car, now, duration));
    *last_time = vdsim_time(&me->car);
    return status;
}

FMI(GetFMUState)(fmi3Instance instance, fmi3FMUState *state) { return get_state(instance, state); }
FMI(SetFMUState)(fmi3Instance instance, fmi3FMUState state) { return set_state(instance, state); }

FMI(FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    return free_state(state);
}

FMI(SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    (void)instance, (void)state;
    return size_of_kept(size);
}

FMI(SerializeFMUState)
(fmi3Instance instance, fmi3FMUState state, uint8_t kept[], size_t size)
{
    return keep_state(instance, state, kept, size);
}

FMI(DeserializeFMUState)
(fmi3Instance instance, const uint8_t kept[], size_t size, fmi3FMUState *state)
{
    return take_up_state(instance, kept, size, state);
}

typedef const fmi3ValueReference *references;
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define NO_VALUES(Name, type)                                                                      \
    NOT_HERE(Get##Name, references r, size_t n, type *v, size_t m)                                 \
    NOT_HERE(Set##Name, references r, size_t n, const type *v, size_t m)

FMI_OF(fmi3Instance, InstantiateModelExchange)
(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
 void *environment, fmi3LogMessageCallback log)
{
    return NULL;
}

FMI_OF(fmi3Instance, InstantiateScheduledExecution)
(fmi3String name, fmi3String token, fmi3String resources, bool visible, bool logging,
 void *environment, fmi3LogMessageCallback log, void *update, void *lock, void *unlock)
{
    return NULL;
}

NO_VALUES(Float32, float)
NO_VALUES(Int8, int8_t)
NO_VALUES(UInt8, uint8_t)
NO_VALUES(Int16, int16_t)
NO_VALUES(UInt16, uint16_t)
NO_VALUES(UInt32, uint32_t)
NO_VALUES(Int64, int64_t)
NO_VALUES(UInt64, uint64_t)
NO_VALUES(String, fmi3String)
NOT_HERE(GetBinary, references r, size_t n, size_t *sizes, const uint8_t **v, size_t m)
NOT_HERE(SetBinary, references r, size_t n, const size_t *sizes, const uint8_t *const *v, size_t m)
NOT_HERE(GetClock, references r, size_t n, bool *v)
NOT_HERE(SetClock, references r, size_t n, const bool *v)
NOT_HERE(GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *n)
NOT_HERE(GetVariableDependencies, fmi3ValueReference r, size_t *a, fmi3ValueReference *b, size_t *c,
         int *kinds, size_t n)
NOT_HERE(GetDirectionalDerivative, references u, size_t nu, references k, size_t nk,
         const double *seed, size_t ns, double *s, size_t n)
NOT_HERE(GetAdjointDerivative, references u, size_t nu, references k, size_t nk, const double *seed,
         size_t ns, double *s, size_t n)
NOT_HERE_AT_ALL(EnterConfigurationMode)
NOT_HERE_AT_ALL(ExitConfigurationMode)
NOT_HERE_AT_ALL(EnterEventMode)
NOT_HERE_AT_ALL(EnterStepMode)
NOT_HERE_AT_ALL(EnterContinuousTimeMode)
NOT_HERE_AT_ALL(EvaluateDiscreteStates)
NOT_HERE(GetIntervalDecimal, references r, size_t n, double *v, int *q)
NOT_HERE(GetIntervalFraction, references r, size_t n, uint64_t *c, uint64_t *v, int *q)
NOT_HERE(GetShiftDecimal, references r, size_t n, double *v)
NOT_HERE(GetShiftFraction, references r, size_t n, uint64_t *c, uint64_t *v)
NOT_HERE(SetIntervalDecimal, references r, size_t n, const double *v)
NOT_HERE(SetIntervalFraction, references r, size_t n, const uint64_t *c, const uint64_t *v)
NOT_HERE(SetShiftDecimal, references r, size_t n, const double *v)
NOT_HERE(SetShiftFraction, references r, size_t n, const uint64_t *c, const uint64_t *v)
NOT_HERE(UpdateDiscreteStates, bool *a, bool *b, bool *c, bool *d, bool *e, double *t)
NOT_HERE(CompletedIntegratorStep, bool no_set, bool *event, bool *terminate)
NOT_HERE(SetTime, double time)
NOT_HERE(SetContinuousStates, const double *v, size_t n)
NOT_HERE(GetContinuousStateDerivatives, double *v, size_t n)
NOT_HERE(GetEventIndicators, double *v, size_t n)
NOT_HERE(GetContinuousStates, double *v, size_t n)
NOT_HERE(GetNominalsOfContinuousStates, double *v, size_t n)
NOT_HERE(GetNumberOfEventIndicators, size_t *n)
NOT_HERE(GetNumberOfContinuousStates, size_t *n)
NOT_HERE(GetOutputDerivatives, references r, size_t n, const int32_t *o, double *v, size_t m)
NOT_HERE(ActivateModelPartition, fmi3ValueReference clock, double time)
