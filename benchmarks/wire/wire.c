// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wire between two network namespaces: a TUN device in each, and this process, which carries every packet from one to
// the other with a delay and at a limited rate. (The kernel's own netem does this better, where the kernel has it.)
//
//   wire NAMESPACE_A ADDRESS_A/BITS NAMESPACE_B ADDRESS_B/BITS DELAY_US MBIT_PER_S
//
// The devices are called wire0. It prints "ready" when packets can flow, and ends at SIGTERM. Needs root. It asks for a
// real-time priority, as a packet that waits for a core to be free would be a delay that nobody asked for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { MTU = 9000, MOST_BYTES_QUEUED = 64 << 20, PACKETS_AT_ONCE = 64 };

struct Packet {
  struct Packet *next;
  uint64_t due_ns; // when it arrives
  size_t bytes;
  unsigned char data[];
};

// Packets on their way in one direction, earliest first: delay and rate never reorder.
struct Line {
  struct Packet *first, *last;
  uint64_t busy_until_ns; // when the last byte of the last packet left
  size_t bytes;
};

static volatile sig_atomic_t stop;

static void on_signal(int number) {
  (void)number;
  stop = 1;
}

static void fail(const char *what) {
  fprintf(stderr, "wire: error: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// A TUN device in a namespace, with an address, up; its descriptor.
static int open_end(const char *name, const char *address) {
  char text[256];
  snprintf(text, sizeof text, "/run/netns/%s", name);
  int space = open(text, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET))
    fail(text);
  close(space);
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0)
    fail("/dev/net/tun");
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  strcpy(request.ifr_name, "wire0");
  if (ioctl(tun, TUNSETIFF, &request))
    fail("TUNSETIFF");
  snprintf(text, sizeof text, "ip addr add %s dev wire0 && ip link set wire0 mtu %d txqueuelen 4000 up", address, MTU);
  if (system(text))
    exit(1);
  return tun;
}

// Takes what waits at one end; where too much is under way already, packets are lost, as in a router.
static void receive(int end, struct Line *line, uint64_t delay_ns, double ns_per_byte) {
  static unsigned char buffer[1 << 16];
  for (int i = 0; i < PACKETS_AT_ONCE; ++i) {
    ssize_t bytes = read(end, buffer, sizeof buffer);
    if (bytes <= 0)
      return;
    struct Packet *packet = line->bytes < MOST_BYTES_QUEUED ? malloc(sizeof *packet + (size_t)bytes) : NULL;
    if (!packet)
      continue;
    memcpy(packet->data, buffer, (size_t)bytes);
    uint64_t now = now_ns(), leaves = line->busy_until_ns > now ? line->busy_until_ns : now;
    leaves += (uint64_t)((double)bytes * ns_per_byte);
    line->busy_until_ns = leaves;
    packet->due_ns = leaves + delay_ns;
    packet->bytes = (size_t)bytes;
    packet->next = NULL;
    if (line->last)
      line->last->next = packet;
    else
      line->first = packet;
    line->last = packet;
    line->bytes += packet->bytes;
  }
}

// Hands over what has arrived.
static void deliver(int end, struct Line *line) {
  uint64_t now = now_ns();
  while (line->first && line->first->due_ns <= now) {
    struct Packet *packet = line->first;
    if (write(end, packet->data, packet->bytes) < 0 && errno == EINTR)
      continue;
    line->first = packet->next;
    if (!line->first)
      line->last = NULL;
    line->bytes -= packet->bytes;
    free(packet);
  }
}

int main(int argc, char **argv) {
  if (argc != 7 || atof(argv[5]) < 0 || atof(argv[6]) <= 0) {
    fprintf(stderr, "usage: wire NAMESPACE_A ADDRESS_A/BITS NAMESPACE_B ADDRESS_B/BITS DELAY_US MBIT_PER_S\n");
    return 2;
  }
  uint64_t delay_ns = (uint64_t)(atof(argv[5]) * 1000);
  double ns_per_byte = 8000 / atof(argv[6]);
  int end[2] = {open_end(argv[1], argv[2]), open_end(argv[3], argv[4])};
  signal(SIGTERM, on_signal);
  signal(SIGINT, on_signal);
  prctl(PR_SET_TIMERSLACK, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM); // no wire is left behind by a script that was killed
  struct sched_param priority = {.sched_priority = 10};
  if (sched_setscheduler(0, SCHED_FIFO, &priority))
    fprintf(stderr, "wire: warning: no real-time priority (%s): delays will vary\n", strerror(errno));
  printf("ready\n");
  fflush(stdout);

  struct Line line[2] = {{0}, {0}}; // line[i] leaves from end[i]
  while (!stop) {
    uint64_t next = UINT64_MAX, now = now_ns();
    for (int i = 0; i < 2; ++i)
      if (line[i].first && line[i].first->due_ns < next)
        next = line[i].first->due_ns;
    uint64_t wait = next > now ? next - now : 0;
    struct timespec timeout = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
    struct pollfd ends[2] = {{end[0], POLLIN, 0}, {end[1], POLLIN, 0}};
    ppoll(ends, 2, next == UINT64_MAX ? NULL : &timeout, NULL);
    for (int i = 0; i < 2; ++i)
      receive(end[i], &line[i], delay_ns, ns_per_byte);
    for (int i = 0; i < 2; ++i)
      deliver(end[1 - i], &line[i]);
  }
  return 0;
}
