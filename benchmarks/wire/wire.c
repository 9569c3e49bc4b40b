// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wire between two network namespaces: a TUN device in each, and this process, which carries every packet from one to
// the other with a delay and at a limited rate. (The kernel's own netem does this better, where the kernel has it.)
//
//   wire NAMESPACE_A ADDRESS_A/BITS CORE_A NAMESPACE_B ADDRESS_B/BITS CORE_B DELAY_US MBIT_PER_S
//
// The devices are called wire0. Prints "ready" when packets can flow, and ends at SIGTERM. Needs root.
//
// It runs on the cores of the nodes, so it must be light: it slows down the nodes' programs. Each direction has a
// thread on the core of the sending node, so a packet wakes it without an interrupt to another core; a packet costs
// that and the timer (on a virtual machine each interrupt takes about 10 us of the core). The threads ask for real-time
// priority, because waiting for a free core would add to the delay, and timers are set early by the lateness of
// previous ones.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <pthread.h>
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

enum { MTU = 9000, MOST_BYTES_QUEUED = 64 << 20, PACKETS_AT_ONCE = 64, MOST_EARLY_NS = 40000 };

struct Packet {
  struct Packet *next;
  uint64_t due_ns; // when it arrives
  size_t bytes;
  unsigned char data[];
};

// Packets in flight in one direction, earliest first: delay and rate never reorder.
struct Line {
  int from, to, core;
  uint64_t delay_ns, late_ns; // late_ns: how late timers wake it
  double ns_per_byte;
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

// Creates a TUN device with an address in a namespace and returns its descriptor.
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

// Receives the packets that wait at one end. If too many are in flight, drops packets, as a router does.
static void receive(struct Line *line) {
  unsigned char buffer[1 << 16];
  for (int i = 0; i < PACKETS_AT_ONCE; ++i) {
    ssize_t bytes = read(line->from, buffer, sizeof buffer);
    if (bytes <= 0)
      return;
    struct Packet *packet = line->bytes < MOST_BYTES_QUEUED ? malloc(sizeof *packet + (size_t)bytes) : NULL;
    if (!packet)
      continue;
    memcpy(packet->data, buffer, (size_t)bytes);
    uint64_t now = now_ns(), leaves = line->busy_until_ns > now ? line->busy_until_ns : now;
    leaves += (uint64_t)((double)bytes * line->ns_per_byte);
    line->busy_until_ns = leaves;
    packet->due_ns = leaves + line->delay_ns;
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

// Delivers packets that have arrived.
static void deliver(struct Line *line) {
  uint64_t now = now_ns();
  while (line->first && line->first->due_ns <= now) {
    struct Packet *packet = line->first;
    if (write(line->to, packet->data, packet->bytes) < 0 && errno == EINTR)
      continue;
    line->first = packet->next;
    if (!line->first)
      line->last = NULL;
    line->bytes -= packet->bytes;
    free(packet);
  }
}

static void *carry(void *argument) {
  struct Line *line = argument;
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(line->core, &core);
  if (sched_setaffinity(0, sizeof core, &core))
    fail("sched_setaffinity");
  prctl(PR_SET_TIMERSLACK, 1);
  struct sched_param priority = {.sched_priority = 10};
  if (sched_setscheduler(0, SCHED_FIFO, &priority))
    fprintf(stderr, "wire: warning: no real-time priority (%s): delays will vary\n", strerror(errno));
  while (!stop) {
    struct pollfd end = {line->from, POLLIN, 0};
    if (!line->first) {
      ppoll(&end, 1, NULL, NULL);
    } else {
      uint64_t now = now_ns(), due = line->first->due_ns, target = due > line->late_ns ? due - line->late_ns : 0;
      if (target > now) {
        struct timespec timeout = {(time_t)((target - now) / 1000000000u), (long)((target - now) % 1000000000u)};
        if (!ppoll(&end, 1, &timeout, NULL)) {
          // Converges to the minimum lateness, so that little waiting remains below.
          uint64_t late = now_ns() - target;
          if (late < line->late_ns)
            line->late_ns -= (line->late_ns - late + 1) / 2;
          else if (line->late_ns < MOST_EARLY_NS)
            line->late_ns += (late - line->late_ns) / 16;
        }
      }
      while (!stop && (now = now_ns()) < due && due - now < MOST_EARLY_NS)
        ;
    }
    receive(line);
    deliver(line);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 9 || atof(argv[7]) < 0 || atof(argv[8]) <= 0) {
    fprintf(stderr, "usage: wire NAMESPACE_A ADDRESS_A/BITS CORE_A NAMESPACE_B ADDRESS_B/BITS CORE_B DELAY_US "
                    "MBIT_PER_S\n");
    return 2;
  }
  static struct Line lines[2];
  int ends[2] = {open_end(argv[1], argv[2]), open_end(argv[4], argv[5])};
  signal(SIGTERM, on_signal);
  signal(SIGINT, on_signal);
  prctl(PR_SET_PDEATHSIG, SIGTERM); // do not outlive a script that is killed
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    lines[i].from = ends[i];
    lines[i].to = ends[1 - i];
    lines[i].core = atoi(argv[3 + 3 * i]);
    lines[i].delay_ns = (uint64_t)(atof(argv[7]) * 1000);
    lines[i].ns_per_byte = 8000 / atof(argv[8]);
    if (pthread_create(&threads[i], NULL, carry, &lines[i]))
      fail("pthread_create");
  }
  printf("ready\n");
  fflush(stdout);
  while (!stop)
    pause();
  return 0;
}
