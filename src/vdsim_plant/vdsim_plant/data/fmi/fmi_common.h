/* What the interfaces of FMI 2.0 and 3.0 have alike.

   The including file defines before: VD_FMI(name), the name with its version in front;
   VD_INSTANCE, the standard's type of an instance; `fmu`, with a vd_instance named `car`; and
   `fail`, which logs a message and returns the status of an error. */

#ifndef VDSIM_FMI_COMMON_H
#define VDSIM_FMI_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define VD_EXPORT __declspec(dllexport)
#else
#define VD_EXPORT __attribute__((visibility("default")))
#endif
#define FMI_OF(type, name) VD_EXPORT type VD_FMI(name)
#define FMI(name) FMI_OF(VD_FMI(Status), name)

static VD_FMI(Status) result(fmu *me, int code)
{
    return code == 0 ? VD_FMI(OK) : fail(me, me->car.message);
}

static VD_FMI(Status) none(fmu *me, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%s: this car has nothing for it", name);
    return fail(me, text);
}

FMI(SetDebugLogging)
(VD_INSTANCE instance, VD_TRUTH on, size_t n, const VD_FMI(String) categories[])
{
    (void)instance, (void)on, (void)n, (void)categories; /* only errors are logged, always */
    return VD_FMI(OK);
}

FMI_OF(void, FreeInstance)(VD_INSTANCE instance) { free(instance); }

FMI(ExitInitializationMode)(VD_INSTANCE instance)
{
    vdsim_initialized(&((fmu *)instance)->car);
    return VD_FMI(OK);
}

FMI(Terminate)(VD_INSTANCE instance)
{
    ((fmu *)instance)->car.phase = VD_TERMINATED;
    return VD_FMI(OK);
}

FMI(Reset)(VD_INSTANCE instance)
{
    vdsim_create(&((fmu *)instance)->car);
    return VD_FMI(OK);
}

/* One function to get and one to set, for each of the types that the car has. VD_SIZE_OF_VALUES is
   what the version has behind the values, VD_FITS(k) whether it has room for number k. */
#define VALUES(Name, type, kind)                                                                   \
    FMI(Get##Name)(VD_INSTANCE instance, const VD_FMI(ValueReference) references[], size_t n,      \
                   type values[] VD_SIZE_OF_VALUES)                                                \
    {                                                                                              \
        fmu *me = instance;                                                                        \
        int code = 0;                                                                              \
        for (size_t k = 0; k < n && VD_FITS(k) && code == 0; ++k) {                                \
            double value = 0.0;                                                                    \
            code = vdsim_get(&me->car, kind, references[k], &value);                               \
            values[k] = (type)value;                                                               \
        }                                                                                          \
        return result(me, code);                                                                   \
    }                                                                                              \
    FMI(Set##Name)(VD_INSTANCE instance, const VD_FMI(ValueReference) references[], size_t n,      \
                   const type values[] VD_SIZE_OF_VALUES)                                          \
    {                                                                                              \
        fmu *me = instance;                                                                        \
        int code = 0;                                                                              \
        for (size_t k = 0; k < n && VD_FITS(k) && code == 0; ++k) {                                \
            code = vdsim_set(&me->car, kind, references[k], (double)values[k]);                    \
        }                                                                                          \
        return result(me, code);                                                                   \
    }

/* The states of an instance, which both versions spell in their own way. */
static VD_FMI(Status) get_state(fmu *me, void **state)
{
    if (*state == NULL) {
        *state = malloc(sizeof me->car.state);
    }
    if (*state == NULL) {
        return fail(me, "state: no memory");
    }
    memcpy(*state, me->car.state, sizeof me->car.state);
    return VD_FMI(OK);
}

static VD_FMI(Status) set_state(fmu *me, const void *state)
{
    vdsim_restore(&me->car, state);
    return VD_FMI(OK);
}

static VD_FMI(Status) free_state(void **state)
{
    free(*state);
    *state = NULL;
    return VD_FMI(OK);
}

static VD_FMI(Status) size_of_kept(size_t *size)
{
    *size = VD_KEPT_SIZE;
    return VD_FMI(OK);
}

static VD_FMI(Status) keep_state(fmu *me, const void *state, unsigned char *kept, size_t size)
{
    if (size < VD_KEPT_SIZE) {
        return fail(me, "serializedState: is too short");
    }
    vdsim_pack(state, kept);
    return VD_FMI(OK);
}

static VD_FMI(Status)
    take_up_state(fmu *me, const unsigned char *kept, size_t size, void **state)
{
    double *made = *state == NULL ? malloc(sizeof me->car.state) : *state;
    if (made == NULL) {
        return fail(me, "state: no memory");
    }
    const int code = vdsim_unpack(&me->car, kept, size, made);
    if (code == 0) {
        *state = made;
    } else if (*state == NULL) {
        free(made);
    }
    return result(me, code);
}

/* What the standard asks for and this car does not have: it is refused, with its name. */
#define VD_TEXT_OF(name) #name
#define VD_TEXT(name) VD_TEXT_OF(name)
#define NOT_HERE(Name, ...)                                                                        \
    FMI(Name)(VD_INSTANCE instance, __VA_ARGS__) { return none(instance, VD_TEXT(VD_FMI(Name))); }
#define NOT_HERE_AT_ALL(Name)                                                                      \
    FMI(Name)(VD_INSTANCE instance) { return none(instance, VD_TEXT(VD_FMI(Name))); }

#endif
