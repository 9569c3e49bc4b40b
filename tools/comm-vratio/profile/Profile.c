// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libCommVratioProfile.so, loaded before the ranks runtime (LD_PRELOAD): counts a program's communication and measures
// the time that each rank spends in MPI. For comm-vratio (docs/vratio.md).
//
// A rank leaves its core only within MPI, so the time outside of MPI is its own computation, even with many ranks per
// core. Each process prints one line on stderr, "comm-vratio-profile: {...}", when its last rank calls MPI_Finalize, or
// COMM_VRATIO_SECONDS after its first communication, which then ends the program. Sums are over the ranks of the
// process, in seconds and bytes.
//
// With COMM_VRATIO_WORK=1, also prints what tells whether two runs solve the same problem: the processor time outside
// of MPI, in total and until each rank has called 1, 2, 4, ... collectives, for comparing runs that were ended early;
// and the growth of the process's memory since MPI_Init.
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most_steps = 40 };

// The counters of one rank. Written by the rank alone; the watcher reads them at any time.
struct Rank {
  int world, depth, ended;
  double first, last; // first communication, MPI_Finalize
  double entered;     // time of entry to the current MPI call, else 0
  double mpi_s, wait_s;
  long sends, receives, collectives, blocking;
  long network_messages, shared_messages;
  double network_bytes, shared_bytes, collective_bytes;
  // Processor time of its kernel thread, which only this rank uses while it is not in MPI.
  double work_s, left;
  double steps_s[most_steps]; // work_s at collective 1, 2, 4, ...
  // The communicator of the last send not on MPI_COMM_WORLD, and its ranks in MPI_COMM_WORLD.
  MPI_Comm comm;
  int *world_ranks, comm_size;
};

static struct Rank *ranks; // by rank in MPI_COMM_WORLD; null before MPI_Init
static int world_size, ranks_in_process, process_index;
static int live, reported;
static double first_of_process;
static int counts_work;
static double memory_before;
static pthread_mutex_t setup = PTHREAD_MUTEX_INITIALIZER;

extern int comm_ranks_MPI_Comm_rank(MPI_Comm comm, int *rank);
extern int comm_ranks_MPI_Comm_size(MPI_Comm comm, int *size);
extern int comm_ranks_MPI_Comm_test_inter(MPI_Comm comm, int *flag);
extern int comm_ranks_MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
extern int comm_ranks_MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
extern int comm_ranks_MPI_Group_size(MPI_Group group, int *size);
extern int comm_ranks_MPI_Group_free(MPI_Group *group);
extern int comm_ranks_MPI_Group_translate_ranks(MPI_Group from, int n, const int *ranks, MPI_Group to, int *result);
extern int comm_ranks_MPI_Type_size(MPI_Datatype type, int *size);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int environment(const char *name) {
  const char *text = getenv(name);
  return text && atoi(text) > 0 ? atoi(text) : 1;
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Returns a line of /proc/self/status, such as "VmHWM:", in bytes; 0 if there is none.
static double memory(const char *name) {
  char line[256];
  double kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  if (!file)
    return 0;
  while (fgets(line, sizeof(line), file))
    if (!strncmp(line, name, strlen(name)))
      kilobytes = atof(line + strlen(name));
  fclose(file);
  return 1024 * kilobytes;
}

// Describes the work of the ranks of this process as JSON members, in `room` bytes at `text`.
static void describe_work(char *text, size_t room) {
  double sum = 0, steps_s[most_steps] = {0}, peak = memory("VmHWM:");
  int base = process_index * ranks_in_process, steps = most_steps;
  for (int i = base; i < base + ranks_in_process && i < world_size; ++i) {
    const struct Rank *rank = &ranks[i];
    int reached = 0;
    sum += rank->work_s;
    for (; reached < steps && rank->collectives >> reached; ++reached)
      steps_s[reached] += rank->steps_s[reached];
    steps = reached;
  }
  int at = snprintf(text, room, ", \"work_s\": %.9f, \"memory_bytes\": %.0f, \"steps_s\": [", sum,
                    peak > memory_before ? peak - memory_before : 0);
  for (int i = 0; i < steps; ++i)
    at += snprintf(text + at, room - (size_t)at, "%s%.9f", i ? ", " : "", steps_s[i]);
  snprintf(text + at, room - (size_t)at, "]");
}

// Prints, once, the activity of the ranks of this process until `end`.
static void report(double end, int complete) {
  if (__atomic_exchange_n(&reported, 1, __ATOMIC_ACQ_REL) || !ranks)
    return;
  struct Rank sum = {0};
  double compute = 0, longest = 0, first = 0, last = 0;
  int base = process_index * ranks_in_process, communicating = 0;
  for (int i = base; i < base + ranks_in_process && i < world_size; ++i) {
    const struct Rank *rank = &ranks[i];
    if (rank->first == 0)
      continue;
    double until = rank->ended ? rank->last : end;
    // The watcher may report in the middle of a call.
    double inside = rank->entered > 0 && !rank->ended ? end - rank->entered : 0;
    double own = until - rank->first - rank->mpi_s - inside;
    ++communicating;
    compute += own;
    longest = own > longest ? own : longest;
    first = first == 0 || rank->first < first ? rank->first : first;
    last = until > last ? until : last;
    sum.mpi_s += rank->mpi_s + inside;
    sum.wait_s += rank->wait_s + inside;
    sum.sends += rank->sends;
    sum.receives += rank->receives;
    sum.collectives += rank->collectives;
    sum.blocking += rank->blocking;
    sum.network_messages += rank->network_messages;
    sum.shared_messages += rank->shared_messages;
    sum.network_bytes += rank->network_bytes;
    sum.shared_bytes += rank->shared_bytes;
    sum.collective_bytes += rank->collective_bytes;
  }
  char work[64 + 32 * (most_steps + 3)] = "", line[2048 + sizeof(work)];
  if (counts_work)
    describe_work(work, sizeof(work));
  int length = snprintf(
      line, sizeof(line),
      "comm-vratio-profile: {\"process\": %d, \"processes\": %d, \"threads\": %d, \"per_thread\": %d, \"complete\": "
      "%s, "
      "\"communicating_ranks\": %d, \"span_s\": %.9f, \"compute_s\": %.9f, \"longest_compute_s\": %.9f, "
      "\"mpi_s\": %.9f, \"wait_s\": %.9f, \"sends\": %ld, \"receives\": %ld, \"collectives\": %ld, \"blocking\": %ld, "
      "\"network_messages\": %ld, \"network_bytes\": %.0f, \"shared_messages\": %ld, \"shared_bytes\": %.0f, "
      "\"collective_bytes\": %.0f%s}\n",
      process_index, world_size / ranks_in_process, environment("COMM_RANKS_THREADS"),
      environment("COMM_RANKS_PER_THREAD"), complete ? "true" : "false", communicating, last - first, compute, longest,
      sum.mpi_s, sum.wait_s, sum.sends, sum.receives, sum.collectives, sum.blocking, sum.network_messages,
      sum.network_bytes, sum.shared_messages, sum.shared_bytes, sum.collective_bytes, work);
  // A single write, so that lines of several processes do not mix.
  for (int done = 0; done < length;) {
    ssize_t wrote = write(STDERR_FILENO, line + done, (size_t)(length - done));
    if (wrote <= 0)
      return;
    done += (int)wrote;
  }
}

// Ends a profile run after its time limit. The other processes reach the limit at almost the same time and print before
// this process exits and mpirun ends them.
static void *watch(void *seconds) {
  double limit = *(double *)seconds;
  for (;;) {
    usleep(10000);
    double first = *(volatile double *)&first_of_process;
    if (first > 0 && now() - first >= limit)
      break;
  }
  if (!*(volatile int *)&reported) {
    report(now(), 0);
    usleep(500000);
    _exit(0);
  }
  return NULL;
}

static void set_up(void) {
  pthread_mutex_lock(&setup);
  if (!ranks) {
    comm_ranks_MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    ranks_in_process = environment("COMM_RANKS_THREADS") * environment("COMM_RANKS_PER_THREAD");
    int rank = 0;
    comm_ranks_MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    process_index = rank / ranks_in_process;
    live = ranks_in_process;
    counts_work = getenv("COMM_VRATIO_WORK") && atoi(getenv("COMM_VRATIO_WORK")) > 0;
    memory_before = counts_work ? memory("VmRSS:") : 0;
    struct Rank *table = calloc((size_t)world_size, sizeof(struct Rank));
    static double limit;
    const char *seconds = getenv("COMM_VRATIO_SECONDS");
    limit = seconds ? atof(seconds) : 0;
    pthread_t watcher;
    if (table && limit > 0 && pthread_create(&watcher, NULL, watch, &limit) == 0)
      pthread_detach(watcher);
    __atomic_store_n(&ranks, table, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&setup);
}

static struct Rank *vratio_enter(void **next, const char *name) {
  if (!*next && !(*next = dlsym(RTLD_NEXT, name))) {
    fprintf(stderr, "comm-vratio: error: the runtime of ranks has no %s: build the profiler again\n", name);
    _exit(1);
  }
  int number = 0;
  if (!ranks || comm_ranks_MPI_Comm_rank(MPI_COMM_WORLD, &number) != MPI_SUCCESS)
    return NULL;
  struct Rank *rank = &ranks[number];
  if (rank->ended || rank->depth++)
    return NULL;
  rank->world = number;
  if (counts_work && rank->first > 0)
    rank->work_s += processor_time() - rank->left;
  rank->entered = now();
  if (rank->first == 0) {
    rank->first = rank->entered;
    if (first_of_process == 0)
      first_of_process = rank->entered;
  }
  return rank;
}

static void vratio_leave(struct Rank *rank, int may_wait) {
  if (!rank)
    return;
  double spent = now() - rank->entered;
  rank->depth = 0;
  rank->entered = 0;
  rank->mpi_s += spent;
  if (may_wait) {
    rank->wait_s += spent;
    ++rank->blocking;
  }
  if (counts_work)
    rank->left = processor_time();
}

// Returns the MPI_COMM_WORLD rank of a rank of `comm`.
static int world_rank(struct Rank *rank, int peer, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD)
    return peer;
  if (comm != rank->comm) {
    int is_inter = 0, *own = NULL;
    MPI_Group group, world;
    free(rank->world_ranks);
    rank->world_ranks = NULL;
    rank->comm = comm;
    comm_ranks_MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter)
      comm_ranks_MPI_Comm_remote_group(comm, &group);
    else
      comm_ranks_MPI_Comm_group(comm, &group);
    comm_ranks_MPI_Comm_group(MPI_COMM_WORLD, &world);
    comm_ranks_MPI_Group_size(group, &rank->comm_size);
    own = malloc((size_t)rank->comm_size * sizeof(int));
    rank->world_ranks = malloc((size_t)rank->comm_size * sizeof(int));
    if (own && rank->world_ranks) {
      for (int i = 0; i < rank->comm_size; ++i)
        own[i] = i;
      comm_ranks_MPI_Group_translate_ranks(group, rank->comm_size, own, world, rank->world_ranks);
    }
    free(own);
    comm_ranks_MPI_Group_free(&group);
    comm_ranks_MPI_Group_free(&world);
  }
  return rank->world_ranks && peer < rank->comm_size ? rank->world_ranks[peer] : rank->world;
}

static void vratio_sent(struct Rank *rank, long long count, MPI_Datatype type, int peer, MPI_Comm comm) {
  ++rank->sends;
  int size = 0;
  // The runtime reports invalid arguments.
  if (peer < 0 || count < 0 || comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL ||
      comm_ranks_MPI_Type_size(type, &size) != MPI_SUCCESS)
    return;
  double bytes = (double)count * size;
  int is_near = world_rank(rank, peer, comm) / ranks_in_process == process_index;
  if (is_near) {
    ++rank->shared_messages;
    rank->shared_bytes += bytes;
  } else {
    ++rank->network_messages;
    rank->network_bytes += bytes;
  }
}

static void vratio_collective(struct Rank *rank, long long count, MPI_Datatype type) {
  long calls = ++rank->collectives;
  if (counts_work && !(calls & (calls - 1)) && calls < 1l << most_steps)
    rank->steps_s[__builtin_ctzl((unsigned long)calls)] = rank->work_s;
  int size = 0;
  if (count > 0 && type != MPI_DATATYPE_NULL && comm_ranks_MPI_Type_size(type, &size) == MPI_SUCCESS)
    rank->collective_bytes += (double)count * size;
}

#include "Wrappers.inc"

#define NEXT(NAME, ...)                                                                                                \
  static int (*next)(__VA_ARGS__);                                                                                     \
  if (!next)                                                                                                           \
  next = (int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, "comm_ranks_" #NAME)

int comm_ranks_MPI_Init(int *argc, char ***argv) {
  NEXT(MPI_Init, int *, char ***);
  int code = next(argc, argv);
  set_up();
  return code;
}

int comm_ranks_MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  NEXT(MPI_Init_thread, int *, char ***, int, int *);
  int code = next(argc, argv, required, provided);
  set_up();
  return code;
}

int comm_ranks_MPI_Comm_free(MPI_Comm *comm) {
  NEXT(MPI_Comm_free, MPI_Comm *);
  int number = 0;
  if (ranks && comm_ranks_MPI_Comm_rank(MPI_COMM_WORLD, &number) == MPI_SUCCESS && comm && ranks[number].comm == *comm)
    ranks[number].comm = MPI_COMM_NULL;
  return next(comm);
}

int comm_ranks_MPI_Finalize(void) {
  NEXT(MPI_Finalize, void);
  int number = 0;
  if (ranks && comm_ranks_MPI_Comm_rank(MPI_COMM_WORLD, &number) == MPI_SUCCESS && !ranks[number].ended) {
    if (counts_work && ranks[number].first > 0)
      ranks[number].work_s += processor_time() - ranks[number].left;
    ranks[number].last = now();
    ranks[number].ended = 1;
    if (__atomic_sub_fetch(&live, 1, __ATOMIC_ACQ_REL) == 0)
      report(ranks[number].last, 1);
  }
  return next();
}
