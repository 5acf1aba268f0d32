/* The floor under the codec: the same datagrams in C with zlib. Prints nanoseconds per operation,
   in the order CMD encode, CMD decode, STATE encode, STATE decode.

   cc -O2 codec_floor.c -lz -o codec_floor && ./codec_floor 300000 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#define MAGIC 0x56445331u
#define VERSION 3

#pragma pack(push, 1)
struct header {
    uint32_t magic;
    uint16_t version, msg_type;
    uint32_t seq, reserved;
    double timestamp;
};
struct command {
    struct header header;
    double steering_tire_angle, throttle, brake;
    int32_t gear;
    uint8_t handbrake, padding[3];
    double aux_accel_target, aux_speed_target;
    uint32_t crc;
};
struct state {
    struct header header;
    double values[51];
    uint32_t crc;
};
#pragma pack(pop)

_Static_assert(sizeof(struct command) == 76, "CMD has 76 bytes");
_Static_assert(sizeof(struct state) == 436, "STATE v3 has 436 bytes");

static volatile uint32_t sink; /* keeps the compiler from leaving the work out */

static void seal(void *packet, size_t size) {
    uint32_t crc = (uint32_t)crc32(0, packet, (uInt)(size - 4));
    memcpy((char *)packet + size - 4, &crc, 4);
}

static int is_valid(const void *datagram, size_t received, size_t size, uint16_t msg_type) {
    struct header header;
    uint32_t crc;
    if (received != size) return 0;
    memcpy(&header, datagram, sizeof header);
    if (header.magic != MAGIC || header.version != VERSION || header.msg_type != msg_type) return 0;
    memcpy(&crc, (const char *)datagram + size - 4, 4);
    return crc == (uint32_t)crc32(0, datagram, (uInt)(size - 4));
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? atol(argv[1]) : 300000;
    struct command command = {{MAGIC, VERSION, 1, 0, 0, 1.5}, .throttle = 0.25, .gear = 1};
    struct state state = {{MAGIC, VERSION, 2, 0, 0, 1.5}, {0}, 0};
    unsigned char wire[512];
    double start;
    long i;

    start = now_ns();
    for (i = 0; i < count; i++) {
        command.header.seq = (uint32_t)i;
        memcpy(wire, &command, sizeof command);
        seal(wire, sizeof command);
        sink = wire[72];
    }
    printf("%.2f ", (now_ns() - start) / (double)count);

    start = now_ns();
    for (i = 0; i < count; i++) {
        struct command read;
        if (!is_valid(wire, sizeof read, sizeof read, 1)) return 1;
        memcpy(&read, wire, sizeof read);
        sink = (uint32_t)read.throttle;
    }
    printf("%.2f ", (now_ns() - start) / (double)count);

    for (i = 0; i < 51; i++) state.values[i] = (double)i / 8;
    start = now_ns();
    for (i = 0; i < count; i++) {
        state.header.seq = (uint32_t)i;
        memcpy(wire, &state, sizeof state);
        seal(wire, sizeof state);
        sink = wire[432];
    }
    printf("%.2f ", (now_ns() - start) / (double)count);

    start = now_ns();
    for (i = 0; i < count; i++) {
        struct state read;
        if (!is_valid(wire, sizeof read, sizeof read, 2)) return 1;
        memcpy(&read, wire, sizeof read);
        sink = (uint32_t)read.values[5];
    }
    printf("%.2f\n", (now_ns() - start) / (double)count);
    return 0;
}
