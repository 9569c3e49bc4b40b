// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures: the functions that instrumented code calls around an operation in flight. Lock-free, except at the first
// use of a site.

#include "report/Sites.h"

#include "comm/report.h"

#include <stdio.h>
#include <time.h>

using namespace comm::runtime;

/// Values of comm_report_site::registered.
enum : uint32_t { Unknown = 0, Registered = 1, Rejected = 2 };

static comm_report_site *sites;

double comm::runtime::monotonicSeconds() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

namespace {
/// The contents of comm_report_site::figures: a Figures that threads may update concurrently. `least` and `shortest`
/// hold complements of numbers, so that 0, the initial value of static storage, is the neutral element: no execution
/// has to initialize the field first, which could overwrite another thread's update. Durations are stored as bits of
/// doubles, which have the same order as their values if these are nonnegative.
struct SharedDurations {
  uint64_t executions, seconds, shortest, longest;
};
struct SharedFigures {
  SharedDurations durations[numMeasures];
  struct {
    uint64_t messages, sum, least, most;
  } bytes;
};
static_assert(sizeof(SharedFigures) == sizeof(uint64_t) * COMM_REPORT_FIGURES, "report.h says how many there are");
static_assert(sizeof(comm_report_site) % 8 == 0 && alignof(comm_report_site) == 8, "sites of a section are an array");
} // namespace

/// The linker's symbols for the ends of the section; null without one.
extern "C" {
extern comm_report_site __start_comm_report_v3[] __attribute__((weak, visibility("hidden")));
extern comm_report_site __stop_comm_report_v3[] __attribute__((weak, visibility("hidden")));
}

static uint64_t toBits(double value) {
  uint64_t bits;
  static_assert(sizeof(bits) == sizeof(value), "doubles have 64 bits");
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static double fromBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static uint64_t load(const uint64_t &from) { return __atomic_load_n(&from, __ATOMIC_RELAXED); }
static void raise(uint64_t &most, uint64_t value) {
  uint64_t known = load(most);
  while (value > known &&
         !__atomic_compare_exchange_n(&most, &known, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    // `known` now holds the value that another thread stored.
  }
}

static void add(SharedDurations &to, double duration) {
  // The clock was changed, or the value is not a number.
  if (!(duration >= 0))
    duration = 0;
  // C++17 has no atomic addition of doubles.
  uint64_t sum = load(to.seconds);
  while (!__atomic_compare_exchange_n(&to.seconds, &sum, toBits(fromBits(sum) + duration), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  raise(to.shortest, ~toBits(duration));
  raise(to.longest, toBits(duration));
  __atomic_fetch_add(&to.executions, 1, __ATOMIC_RELAXED);
}

static SharedFigures &figuresOf(comm_report_site *site) { return *reinterpret_cast<SharedFigures *>(site->figures); }

static void addBytes(comm_report_site *site, int64_t bytes) {
  if (bytes < 0)
    return;
  auto &to = figuresOf(site).bytes;
  raise(to.least, ~static_cast<uint64_t>(bytes));
  raise(to.most, bytes);
  __atomic_fetch_add(&to.sum, bytes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&to.messages, 1, __ATOMIC_RELAXED);
}

static void registerSite(comm_report_site *site) {
  bool known = site->abi_version == COMM_REPORT_ABI_VERSION;
  uint32_t expected = Unknown;
  if (!__atomic_compare_exchange_n(&site->registered, &expected, known ? Registered : Rejected, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    return; // another thread was first
  if (!known) {
    static uint32_t warned;
    if (__atomic_exchange_n(&warned, 1, __ATOMIC_RELAXED) == 0)
      fprintf(stderr,
              "comm: warning: the interval report leaves out a call compiled "
              "for version %u of its interface, this runtime has version %d: "
              "compile the program again\n",
              site->abi_version, COMM_REPORT_ABI_VERSION);
    return;
  }
  comm_report_site *first = __atomic_load_n(&sites, __ATOMIC_RELAXED);
  do {
    site->next = first;
  } while (!__atomic_compare_exchange_n(&sites, &first, site, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  ensureFinalizeHook();
}

static void ensureRegistered(comm_report_site *site) {
  if (__builtin_expect(__atomic_load_n(&site->registered, __ATOMIC_ACQUIRE) == Unknown, 0))
    registerSite(site);
}

/// Sites of other versions must not be written to: their layout differs.
static bool isMeasured(comm_report_site *site) {
  return __atomic_load_n(&site->registered, __ATOMIC_ACQUIRE) == Registered;
}

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED double comm_report_enter(comm_report_site *site) {
  ensureRegistered(site);
  return monotonicSeconds();
}

EXPORTED double comm_report_begin(comm_report_site *site) {
  ensureRegistered(site);
  // Read the clock last, so that the interval excludes our own work.
  return monotonicSeconds();
}

EXPORTED double comm_report_started(comm_report_site *site, double entered, int64_t bytes) {
  double duration = monotonicSeconds() - entered;
  ensureRegistered(site);
  if (isMeasured(site)) {
    add(figuresOf(site).durations[Start], duration);
    addBytes(site, bytes);
  }
  return monotonicSeconds();
}

EXPORTED double comm_report_end(comm_report_site *site, double begin) {
  double now = monotonicSeconds();
  if (begin == 0.0)
    return 0.0;
  if (isMeasured(site))
    add(figuresOf(site).durations[Interval], now - begin);
  return monotonicSeconds();
}

EXPORTED double comm_report_turn(comm_report_site *, double ended) { return ended == 0.0 ? 0.0 : monotonicSeconds(); }

EXPORTED void comm_report_waited(comm_report_site *site, double entered) {
  double duration = monotonicSeconds() - entered;
  if (entered != 0.0 && isMeasured(site))
    add(figuresOf(site).durations[Wait], duration);
}

EXPORTED void comm_report_blocked(comm_report_site *site, double entered, int64_t bytes) {
  double duration = monotonicSeconds() - entered;
  if (entered == 0.0 || !isMeasured(site))
    return;
  add(figuresOf(site).durations[Blocking], duration);
  addBytes(site, bytes);
}

static Figures read(comm_report_site *site) {
  Figures figures = {};
  const SharedFigures &shared = figuresOf(site);
  for (int i = 0; i < numMeasures; ++i) {
    const SharedDurations &from = shared.durations[i];
    if (uint64_t executions = load(from.executions))
      figures.durations[i] = {executions, fromBits(load(from.seconds)), fromBits(~load(from.shortest)),
                              fromBits(load(from.longest))};
  }
  if (uint64_t messages = load(shared.bytes.messages))
    figures.bytes = {messages, load(shared.bytes.sum), ~load(shared.bytes.least), load(shared.bytes.most)};
  return figures;
}

static bool collect(Table &table, comm_report_site *site) {
  return table.add({{orEmpty(site->mpi_call), orEmpty(site->function), orEmpty(site->file), orEmpty(site->inlined_at)},
                    site->line,
                    site->column},
                   read(site));
}

bool comm::runtime::collectSites(Table &table) {
  for (comm_report_site *site = __atomic_load_n(&sites, __ATOMIC_ACQUIRE); site; site = site->next)
    if (read(site).executions() && !collect(table, site))
      return false;
  // Add sites that were not executed; the others are already there.
  for (comm_report_site *site = __start_comm_report_v3; site != __stop_comm_report_v3; ++site)
    if (site->abi_version == COMM_REPORT_ABI_VERSION && !read(site).executions() && !collect(table, site))
      return false;
  return true;
}
