/* A batch of events through panda's safety hook, whose headers are in the opendbc wheel. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOW_DEBUG /* longitudinal control, as judged here, is behind it */

static uint32_t now_us;
uint32_t microsecond_timer_get(void);
uint32_t microsecond_timer_get(void) { return now_us; }

#include "opendbc/safety/can.h"
#include "opendbc/safety/safety.h"

enum kind { RECEIVED, SENT, OFFERED, SECOND, STARTED };
enum verdict { REFUSED = 1, ACTUATES = 2, ALLOWED = 4 };

/* As struct.Struct("<IIBBBB64s") of safety_hook.py. `repeat`: a frame is offered so often. */
struct event {
  uint32_t time_us, id;
  uint8_t kind, bus, length, repeat;
  uint8_t data[64];
};

/* What the hook for sent frames changes: a frame that is only offered leaves no trace. */
struct trace {
  int angle, torque, torque_window, valid_n, invalid_n;
  uint32_t angle_frames_n, angle_us, torque_us, mismatch_us;
  bool allowed;
};

static struct trace kept(void) {
  return (struct trace){desired_angle_last,      desired_torque_last, rt_torque_last,
                        valid_steer_req_count,   invalid_steer_req_count,
                        rt_angle_msgs,           ts_angle_check_last, ts_torque_check_last,
                        ts_steer_req_mismatch_last, controls_allowed};
}

static void restore(struct trace was) {
  desired_angle_last = was.angle;
  desired_torque_last = was.torque;
  rt_torque_last = was.torque_window;
  valid_steer_req_count = was.valid_n;
  invalid_steer_req_count = was.invalid_n;
  rt_angle_msgs = was.angle_frames_n;
  ts_angle_check_last = was.angle_us;
  ts_torque_check_last = was.torque_us;
  ts_steer_req_mismatch_last = was.mismatch_us;
  controls_allowed = was.allowed;
}

/* Fill in a packet; false: no frame has this length. */
static bool packet_of(const struct event *event, CANPacket_t *packet) {
  int code = -1;
  for (int n = 0; n < 16; n++) {
    if (dlc_to_len[n] == event->length) {
      code = n;
    }
  }
  if (code < 0) {
    return false;
  }
  *packet = (CANPacket_t){0};
  packet->addr = event->id & 0x1FFFFFFFU;
  packet->extended = (event->id >> 31) & 1U;
  packet->fd = event->length > 8U;
  packet->bus = event->bus;
  packet->data_len_code = (unsigned char)code;
  for (int n = 0; n < event->length; n++) {
    packet->data[n] = event->data[n];
  }
  return true;
}

static uint8_t offered(const struct event *event, CANPacket_t *packet) {
  const struct trace was = kept();
  uint8_t passed = 0;
  while ((passed < event->repeat) && safety_tx_hook(packet)) {
    passed++;
  }
  restore(was);
  return passed;
}

static uint8_t sent(CANPacket_t *packet) {
  const struct trace was = kept();
  controls_allowed = false;
  const bool actuates = !safety_tx_hook(packet);
  restore(was);
  uint8_t verdict = (actuates ? ACTUATES : 0) | (controls_allowed ? ALLOWED : 0);
  return safety_tx_hook(packet) ? verdict : (verdict | REFUSED);
}

/* `mode`, `parameter`: of the car, for STARTED. `verdicts`: for a frame that was sent, of the enum;
   for one that was offered, how often it passed before it was refused. Returns how many events. */
int run(const struct event *events, int count, int mode, int parameter, uint8_t *verdicts);
int run(const struct event *events, int count, int mode, int parameter, uint8_t *verdicts) {
  for (int n = 0; n < count; n++) {
    const struct event *event = &events[n];
    CANPacket_t packet;
    now_us = event->time_us;
    verdicts[n] = 0;
    if (event->kind == STARTED) {
      if (set_safety_hooks((uint16_t)mode, (uint16_t)parameter) != 0) {
        return -1;
      }
      safety_mode_cnt = 0U;
    } else if (event->kind == SECOND) {
      safety_mode_cnt++;
      safety_tick(&current_safety_config);
    } else if (!packet_of(event, &packet)) {
      verdicts[n] = (event->kind == SENT) ? REFUSED : 0;
    } else if (event->kind == RECEIVED) {
      safety_rx_hook(&packet);
    } else if (event->kind == SENT) {
      verdicts[n] = sent(&packet);
    } else {
      verdicts[n] = offered(event, &packet);
    }
  }
  return count;
}
