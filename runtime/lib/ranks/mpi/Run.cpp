// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The process from main of the start file to the end of the last rank.
#include "core/Entry.h"
#include "core/Faults.h"
#include "core/Images.h"
#include "core/Rank.h"
#include "core/Stacks.h"
#include "message/Network.h"
#include "objects/Communicator.h"
#include "objects/Datatype.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace comm::ranks {

Process process;

/// Pins the calling kernel thread to its own core if there are enough for the processes of this machine; otherwise
/// leaves the placement to the system.
static void pin(int index) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed))
    return;
  auto number = [](const char *name, int otherwise) {
    const char *text = getenv(name);
    return text && *text ? atoi(text) : otherwise;
  };
  // Open MPI's variables for the processes on this machine. If it had bound them, each process would see only its
  // cores.
  int localRank = number("OMPI_COMM_WORLD_LOCAL_RANK", 0);
  int localSize = number("OMPI_COMM_WORLD_LOCAL_SIZE", 1);
  int cores = CPU_COUNT(&allowed);
  bool bound = cores < sysconf(_SC_NPROCESSORS_ONLN);
  int wanted = process.options.threads * (bound ? 1 : localSize);
  if (wanted > cores)
    return;
  int place = index + (bound ? 0 : localRank * process.options.threads);
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed) && place-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      sched_setaffinity(0, sizeof(one), &one);
      return;
    }
}

/// Marks the running rank as ended and switches to another one.
[[noreturn]] static void endRank(int status) {
  Rank &rank = self();
  rank.thread->enterRuntime();
  rank.ended = true;
  rank.status = status;
  int none = 0;
  if (status)
    process.firstStatus.compare_exchange_strong(none, status);
  Thread &thread = *rank.thread;
  if (thread.takesTurns)
    thread.takeTurn();
  if (--thread.live == 0)
    thread.wake(&thread.base);
  process.live.fetch_sub(1);
  thread.finish();
}

/// How a rank ends: by exit, quick_exit, or _exit.
enum class Ending { Orderly, Quick, AtOnce };

static void runAll(std::vector<AtExit> *functions) {
  while (functions && !functions->empty()) {
    AtExit last = functions->back();
    functions->pop_back();
    if (last.plain)
      last.plain();
    else
      last.withArgument(last.argument);
  }
}

static void add(std::vector<AtExit> *&functions, AtExit function) {
  if (!functions)
    functions = new std::vector<AtExit>;
  functions->push_back(function);
}

[[noreturn]] static void exitRank(int status, Ending ending = Ending::Orderly) {
  static const char *const names[] = {"exit", "quick_exit", "_exit"};
  if (getpid() != process.pid) { // a forked child, which does not run its parent's ranks
    if (ending == Ending::Quick)
      runAll(self().atQuickExit);
    if (ending == Ending::Orderly)
      fflush(nullptr);
    _exit(status);
  }
  if (!thisThread)
    die(nullptr, status ? status & 0xff : 1, "a thread that a rank started calls %s(%d): let the rank call it",
        names[static_cast<int>(ending)], status);
  Rank &rank = self();
  if (ending != Ending::AtOnce)
    runAll(ending == Ending::Quick ? rank.atQuickExit : rank.atExit);
  if (rank.initialized && !rank.finalized) {
    comm_ranks_call_site = nullptr;
    die(&rank, status ? status & 0xff : 1,
        "ended with status %d without calling MPI_Finalize; that ends the "
        "program, as under mpirun",
        status);
  }
  endRank(status);
}

static char **copyArguments() {
  auto **copy = static_cast<char **>(malloc((process.argc + 1) * sizeof(char *)));
  for (int i = 0; i < process.argc; ++i)
    copy[i] = strdup(process.argv[i]);
  copy[process.argc] = nullptr;
  return copy;
}

/// main may have two parameters or none, as in any C program.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
static void runRank(Fiber *fiber) {
  construct();
  (void)fiber;
  // main may modify its arguments, so each rank has its own; they live until the program ends, as in a process.
  exitRank(process.image->main(process.argc, copyArguments(), process.envp));
}

static void runThread(int index) {
  Thread &thread = process.threads[index];
  thread.attach();
  pin(index);
  installSignalStack();
  int first = index * process.options.perThread;
  for (int i = 0; i < process.options.perThread; ++i) {
    Rank &rank = process.ranks[first + i];
    rank.world = makeWorld(rank);
    Thread::prepare(&rank.fiber, runRank);
    thread.wake(&rank.fiber);
  }
  thread.runToEnd();
  thisThread = nullptr;
}

static void makeRanks() {
  Options &options = process.options;
  process.ranksHere = options.perThread * options.threads;
  if (static_cast<long long>(process.ranksHere) * process.count > INT_MAX) {
    if (process.index == 0)
      fprintf(stderr, "comm-ranks: error: %d processes of %d ranks are more ranks than MPI can number: run fewer\n",
              process.count, process.ranksHere);
    network.abort(2);
  }
  process.ranksTotal = process.ranksHere * process.count;
  process.live = process.ranksHere;
  process.ranks = new Rank[process.ranksHere];
  process.threads = new Thread[options.threads];
  for (int i = 0; i < process.ranksHere; ++i) {
    Rank &rank = process.ranks[i];
    rank.global = process.index * process.ranksHere + i;
    rank.thread = &process.threads[i / options.perThread];
    rank.fiber.rank = &rank;
  }
  for (int i = 0; i < options.threads; ++i) {
    process.threads[i].index = i;
    process.threads[i].live = options.perThread;
    process.threads[i].countsEntries = network.combines();
  }
}

} // namespace comm::ranks

using namespace comm::ranks;

extern "C" {

COMM_RANKS_EXPORT int comm_ranks_run(int argc, char **argv, char **envp, const comm_ranks_image *image) {
  if (image->abi_version != COMM_RANKS_ABI_VERSION) {
    fprintf(stderr,
            "comm-ranks: error: the program was built for version %u of the "
            "runtime, this is version %d: build it again\n",
            image->abi_version, COMM_RANKS_ABI_VERSION);
    return 2;
  }
  clock_gettime(CLOCK_MONOTONIC, &process.started);
  process.options = readOptions();
  process.argc = argc;
  process.pid = getpid();
  process.argv = argv;
  process.envp = envp;
  process.image = image;
  network.start();
  initDatatypes();
  makeRanks();
  auto fiberOf = [](int i) { return &process.ranks[i].fiber; };
  makeStacks(process.ranksHere, process.options.stackBytes, fiberOf);
  makeImages(*image, process.ranksHere, fiberOf);
  installFaultHandlers();
  std::vector<std::thread> threads;
  for (int i = 1; i < process.options.threads; ++i)
    threads.emplace_back(runThread, i);
  runThread(0);
  for (auto &thread : threads)
    thread.join();
  thisThread = &process.threads[0];
  network.stop(process.threads[0]);
  thisThread = nullptr;
  return process.firstStatus.load();
}

COMM_RANKS_EXPORT int comm_ranks_atexit(void (*function)(void)) {
  Entry entry;
  add(self().atExit, {function, nullptr, nullptr});
  return 0;
}

COMM_RANKS_EXPORT int comm_ranks_at_quick_exit(void (*function)(void)) {
  Entry entry;
  add(self().atQuickExit, {function, nullptr, nullptr});
  return 0;
}

COMM_RANKS_EXPORT int comm_ranks_cxa_atexit(void (*function)(void *), void *argument, void *dso) {
  (void)dso;
  Entry entry;
  add(self().atExit, {nullptr, function, argument});
  return 0;
}

COMM_RANKS_EXPORT void comm_ranks_exit(int status) { exitRank(status); }
COMM_RANKS_EXPORT void comm_ranks_quick_exit(int status) { exitRank(status, Ending::Quick); }
COMM_RANKS_EXPORT void comm_ranks__exit(int status) { exitRank(status, Ending::AtOnce); }

COMM_RANKS_EXPORT void comm_ranks_uncovered(const char *mpi_call) {
  die(thisThread ? &self() : nullptr, 1,
      "%s is not covered by -fcomm-ranks: do without it, or build without -fcomm-ranks and run with mpirun", mpi_call);
}

} // extern "C"
