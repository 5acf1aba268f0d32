/* A participant of Cyclone DDS; CYCLONEDDS_URI says as whom. Ends when its standard input does.

   peer DOMAIN judge          "w NAME" or "r NAME" per line -> "w NAME ok|denied"
   peer DOMAIN write NAME     writes HighLevelControlCommand of 1.5 m/s, 20 times a second
   peer DOMAIN read NAME      a line for each that arrives: its speed */
#include <dds/dds.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "peer.h"

#define COMMAND vdsim_msgs_msg_dds__HighLevelControlCommand_
static const dds_topic_descriptor_t *const KIND = &vdsim_msgs_msg_dds__HighLevelControlCommand__desc;

static dds_qos_t *reliable(void) {
  dds_qos_t *qos = dds_create_qos();
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 10);
  return qos;
}

/* A writer or a reader; negative where security refuses it. */
static dds_entity_t endpoint(dds_entity_t participant, const char *name, int writes) {
  dds_qos_t *qos = reliable();
  dds_entity_t topic = dds_create_topic(participant, KIND, name, qos, NULL);
  dds_entity_t made = topic < 0 ? topic
                    : writes ? dds_create_writer(participant, topic, qos, NULL)
                             : dds_create_reader(participant, topic, qos, NULL);
  dds_delete_qos(qos);
  return made;
}

static int input_has_ended(int wait_ms) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  char byte;
  return poll(&in, 1, wait_ms) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static void judge(dds_entity_t participant) {
  char line[512];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    dds_entity_t made = endpoint(participant, line + 2, line[0] == 'w');
    if (made < 0 && made != DDS_RETCODE_NOT_ALLOWED_BY_SECURITY)
      printf("%s %s\n", line, dds_strretcode(made));
    else
      printf("%s %s\n", line, made < 0 ? "denied" : "ok");
    fflush(stdout);
    if (made > 0) dds_delete(made);
  }
}

static void send(dds_entity_t writer) {
  COMMAND sample = {.velocity_mps = 1.5f};
  while (!input_has_ended(50)) dds_write(writer, &sample);
}

static void receive(dds_entity_t reader) {
  while (!input_has_ended(50)) {
    void *samples[1] = {NULL};
    dds_sample_info_t info;
    while (dds_take(reader, samples, &info, 1, 1) > 0) {
      if (info.valid_data) printf("%.1f\n", ((COMMAND *)samples[0])->velocity_mps);
      dds_return_loan(reader, samples, 1);
      samples[0] = NULL;
    }
    fflush(stdout);
  }
}

int main(int count, char **words) {
  int domain;
  if (count < 3 || sscanf(words[1], "%d", &domain) != 1) return 2;
  dds_entity_t participant = dds_create_participant((dds_domainid_t)domain, NULL, NULL);
  if (participant < 0) return puts("no participant"), 3;
  if (!strcmp(words[2], "judge")) return judge(participant), 0;
  int writes = !strcmp(words[2], "write");
  dds_entity_t made = endpoint(participant, words[3], writes);
  if (made < 0) return puts("denied"), 4;
  puts("ready");
  fflush(stdout);
  if (writes) send(made); else receive(made);
  return 0;
}
