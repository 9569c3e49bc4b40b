// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Faults.h"
#include "core/Entry.h"
#include "core/Rank.h"
#include "core/Stacks.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <sys/mman.h>
#include <typeinfo>
#include <unistd.h>

namespace comm::ranks {

static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[sizeof(signals) / sizeof(*signals)];

static void put(const char *text, size_t bytes) {
  ssize_t ignored = write(STDERR_FILENO, text, bytes);
  (void)ignored;
}

/// snprintf is not async-signal-safe in POSIX, but glibc's takes no lock and allocates no memory for these conversions.
static void onSignal(int signal, siginfo_t *info, void *) {
  Thread *thread = thisThread;
  Rank *rank = thread && thread->current ? thread->current->rank : nullptr;
  char text[512];
  int overflowed = -1;
  const comm_ranks_site *site = comm_ranks_call_site;
  int bytes = 0;
  // Without guards, an overflow continues until something else is hit.
  bool broken = signal == SIGSEGV && rank && canaryIsBroken(thread->current);
  if (signal == SIGSEGV && (isOverflow(info->si_addr, overflowed) || broken)) {
    int global = overflowed >= 0 && !broken ? process.ranks[overflowed].global : rank ? rank->global : -1;
    bytes = snprintf(text, sizeof(text),
                     "comm-ranks: error: rank %d: stack overflow: its stack "
                     "has %zu bytes; set COMM_RANKS_STACK (commrun --stack) "
                     "higher\n",
                     global, process.options.stackBytes);
  } else if (rank) {
    bytes = snprintf(text, sizeof(text), "comm-ranks: error: rank %d: %s at address %p%s%s\n", rank->global,
                     sigdescr_np(signal), info->si_addr, site && site->mpi_call ? ", last MPI call: " : "",
                     site && site->mpi_call ? site->mpi_call : "");
  } else if (Rank *starter = process.ranks && comm_ranks_displacement ? rankOfThread() : nullptr) {
    bytes = snprintf(text, sizeof(text), "comm-ranks: error: rank %d: %s at address %p, in a thread that it started\n",
                     starter->global, sigdescr_np(signal), info->si_addr);
  } else if (process.ranks) {
    bytes = snprintf(text, sizeof(text), "comm-ranks: error: %s at address %p, in a thread that no rank started\n",
                     sigdescr_np(signal), info->si_addr);
  }
  if (bytes > 0)
    put(text, bytes);
  if (site && site->file && rank) {
    bytes = snprintf(text, sizeof(text), "comm-ranks: note: that call is at %s:%u\n", site->file, site->line);
    put(text, bytes);
  }
  // On return, the default action follows: the same exit status as under mpirun. A sanitizer's handler was installed
  // before and reports more.
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); ++i)
    if (signals[i] == signal)
      sigaction(signal, &before[i], nullptr);
  // Not caused by an instruction, so it would not recur by itself.
  if (info->si_code <= 0)
    raise(signal);
}

static void onTerminate() {
  Rank *rank = thisThread && thisThread->current ? thisThread->current->rank : nullptr;
  const std::type_info *type = abi::__cxa_current_exception_type();
  if (!type)
    die(rank, 134, "std::terminate was called without an exception");
  int status = 0;
  char *name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  const char *shown = status == 0 && name ? name : type->name();
  try {
    throw;
  } catch (const std::exception &exception) {
    die(rank, 134, "uncaught exception %s: %s", shown, exception.what());
  } catch (...) {
    die(rank, 134, "uncaught exception of type %s", shown);
  }
}

void installFaultHandlers() {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); ++i)
    sigaction(signals[i], &action, &before[i]);
  std::set_terminate(onTerminate);
}

void installSignalStack() {
  stack_t stack;
  memset(&stack, 0, sizeof(stack));
  stack.ss_size = 64 << 10;
  void *memory = mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  stack.ss_sp = memory;
  sigaltstack(&stack, nullptr);
}

} // namespace comm::ranks
