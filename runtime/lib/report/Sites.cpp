// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measuring half of the report: what instrumented code calls around an
// operation in flight. Lock-free, except at the first use of a site.

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

/// comm_report_site::shortest holds the complement of the bits of the shortest duration. Bits of doubles that are not
/// negative are ordered as their values, so the shortest duration is the greatest code, and 0, what static storage
/// begins with, is less than any: no execution needs to come first and set the field up, which could undo what another
/// thread, as early, found. (A reciprocal would do the same, but round, and divide by the 0 that a clock may measure,
/// which ends programs that trap floating-point exceptions.)
static uint64_t encodeShortest(double duration) {
  uint64_t bits;
  static_assert(sizeof(bits) == sizeof(duration), "doubles have 64 bits");
  memcpy(&bits, &duration, sizeof(bits));
  return ~bits;
}

/// Not for 0, the code of a site that was not executed.
static double decodeShortest(uint64_t code) {
  double duration;
  uint64_t bits = ~code;
  memcpy(&duration, &bits, sizeof(duration));
  return duration;
}

static void registerSite(comm_report_site *site) {
  bool known = site->abi_version == COMM_REPORT_ABI_VERSION;
  uint32_t expected = Unknown;
  if (!__atomic_compare_exchange_n(&site->registered, &expected, known ? Registered : Rejected, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    return; // Another thread came first.
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

extern "C" __attribute__((visibility("default"))) double comm_report_begin(comm_report_site *site) {
  if (__builtin_expect(__atomic_load_n(&site->registered, __ATOMIC_ACQUIRE) == Unknown, 0))
    registerSite(site);
  // The clock is read last, so that the interval holds nothing of ours.
  return monotonicSeconds();
}

extern "C" __attribute__((visibility("default"))) void comm_report_end(comm_report_site *site, double begin) {
  double duration = monotonicSeconds() - begin;
  if (begin == 0.0 || __atomic_load_n(&site->registered, __ATOMIC_ACQUIRE) != Registered)
    return;
  // Threads may finish the same site at once; C++17 has no atomic addition of
  // doubles.
  double sum, more;
  __atomic_load(&site->seconds, &sum, __ATOMIC_RELAXED);
  do {
    more = sum + duration;
  } while (!__atomic_compare_exchange(&site->seconds, &sum, &more, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  uint64_t code = encodeShortest(duration), greatest = __atomic_load_n(&site->shortest, __ATOMIC_RELAXED);
  while (code > greatest &&
         !__atomic_compare_exchange_n(&site->shortest, &greatest, code, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    // `greatest` is now what another thread stored.
  }
  __atomic_fetch_add(&site->executions, 1, __ATOMIC_RELAXED);
}

bool comm::runtime::collectSites(Table &table) {
  for (comm_report_site *site = __atomic_load_n(&sites, __ATOMIC_ACQUIRE); site; site = site->next) {
    uint64_t executions = __atomic_load_n(&site->executions, __ATOMIC_RELAXED);
    double seconds;
    __atomic_load(&site->seconds, &seconds, __ATOMIC_RELAXED);
    if (executions == 0)
      continue;
    if (!table.add({orEmpty(site->mpi_call), orEmpty(site->function), orEmpty(site->file), site->line, site->column},
                   executions, seconds, decodeShortest(__atomic_load_n(&site->shortest, __ATOMIC_RELAXED))))
      return false;
  }
  return true;
}
