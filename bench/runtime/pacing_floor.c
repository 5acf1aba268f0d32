/* The floor for a paced loop on this machine: clock_nanosleep to absolute deadlines.
 * usage: pacing_floor RATE_HZ SECONDS   prints the lateness of each wake-up in ns, one a line. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const double rate_hz = atof(argv[1]);
  const long count = (long)(atof(argv[2]) * rate_hz);
  if (rate_hz <= 0 || count <= 0) return 2;
  long long *lateness_ns = malloc(sizeof *lateness_ns * count);
  if (!lateness_ns) return 1;
  const long long start_ns = now_ns();
  for (long k = 1; k <= count; ++k) {
    const long long deadline_ns = start_ns + (long long)(k * 1e9 / rate_hz);
    const struct timespec until = {deadline_ns / 1000000000LL, deadline_ns % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
    lateness_ns[k - 1] = now_ns() - deadline_ns;
  }
  for (long k = 0; k < count; ++k) printf("%lld\n", lateness_ns[k]);
  return 0;
}
