//===- SiteFacts.cpp - Measurements of a call -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Profile/SiteFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;
using namespace comm;

/// A call that takes this many times the extra cost of its nonblocking form is worth the attempt, however little an
/// estimate finds to hide it: if nothing is hidden, the program loses a twentieth of its time.
static constexpr uint64_t kLong = 20;

/// Converts from microseconds, the unit of reports.
static uint64_t toNanoseconds(double microseconds) {
  return microseconds >= 1e15 ? uint64_t(1e18) : uint64_t(microseconds * 1e3 + 0.5);
}

static bool isOfTwo(const mpi::Function &function) {
  return function.findParam("dest") >= 0 || function.findParam("source") >= 0;
}

static bool isCollective(const mpi::Function &function) {
  return function.hasNonblocking() && !isOfTwo(function) && function.findRole(mpi::Role::Comm, mpi::Direction::In) >= 0;
}

/// Whether the program decided at run time to make the blocking call at its starts (runtime/lib/overlap/Decision.c):
/// they take as long, and the waits take no time. If no blocking call was measured, a start must be longer than any
/// between nodes.
static bool wereStartsBlocking(const report::Measurement &measured) {
  constexpr double kLongestStart = 20; // microseconds
  double least = measured.blocking ? measured.blocking.mean / 2 : kLongestStart;
  return measured.start && measured.wait && measured.wait.mean < measured.start.mean / 10 &&
         measured.start.mean >= least;
}

std::optional<SiteFacts> SiteFacts::make(const report::Measurement &measured, const mpi::Function &function) {
  if (measured.executions == 0 || measured.ranks < 2 || (isCollective(function) && measured.nodes < 2))
    return std::nullopt;
  SiteFacts facts(measured, function);
  if (isCollective(function) && wereStartsBlocking(measured)) {
    facts.measured.blocking.add(measured.start);
    facts.measured.start = facts.measured.wait = {};
  }
  return facts;
}

/// An MPI_Sendrecv becomes two operations, and each of them was counted.
int64_t SiteFacts::getParts() const {
  return function->findParam("dest") >= 0 && function->findParam("source") >= 0 ? 2 : 1;
}

std::optional<uint64_t> SiteFacts::getBlocking() const {
  return measured.blocking ? std::optional(toNanoseconds(measured.blocking.mean)) : std::nullopt;
}

std::optional<uint64_t> SiteFacts::getLongestBlocking() const {
  return measured.blocking ? std::optional(toNanoseconds(measured.blocking.mostMean)) : std::nullopt;
}

std::optional<uint64_t> SiteFacts::getStarted() const {
  if (!measured.start || !measured.wait)
    return std::nullopt;
  return toNanoseconds((measured.start.mean + measured.wait.mean) * getParts());
}

std::optional<uint64_t> SiteFacts::getInterval() const {
  return measured.interval ? std::optional(toNanoseconds(measured.interval.mean)) : std::nullopt;
}

std::optional<uint64_t> SiteFacts::getLargestMessage() const {
  return measured.bytes ? std::optional<uint64_t>(measured.bytes.most) : std::nullopt;
}

std::optional<ExtraCost> SiteFacts::getExtraCost(ArrayRef<const mpi::ABI *> abis) const {
  std::optional<ExtraCost> extra;
  unsigned processes = std::clamp<int64_t>(measured.ranks, 2, UINT32_MAX);
  for (const mpi::ABI *abi : abis)
    if (auto cost = abi->getFormCost(function->name, getTransport(), processes, getLargestMessage().value_or(0)))
      extra = ExtraCost{std::min(extra ? extra->least : UINT64_MAX, cost->getExtra()),
                        std::max(extra ? extra->most : 0, cost->getExtra())};
  return extra;
}

SiteFacts::Judgment SiteFacts::judge(const ExtraCost &extra) const {
  std::optional<uint64_t> blocking = getBlocking(), started = getStarted(), interval = getInterval();
  if (blocking && started) {
    if (*started < *blocking)
      return {Verdict::Pays, ""};
    return {Verdict::Useless,
            formatv("hides nothing: in the profile its start and wait take {0} ns on average, and the "
                    "blocking call {1} ns",
                    *started, *blocking)};
  }
  if (uint64_t longest = getLongestBlocking().value_or(0); blocking && longest <= extra.least)
    return {Verdict::Useless, formatv("has nothing to hide: in the profile the call takes {0} ns on average, and its "
                                      "nonblocking form costs {1} ns more",
                                      longest, extra.least)};
  if (interval && *interval <= extra.least)
    return {Verdict::Useless,
            formatv("lasts {0} ns on average in the profile, and its nonblocking form costs {1} ns more", *interval,
                    extra.least)};
  // The time that is still spent waiting could be hidden, too.
  uint64_t waited = blocking ? *blocking : started.value_or(0);
  return {waited > kLong * std::max<uint64_t>(extra.most, 1) ? Verdict::Pays : Verdict::Unknown, ""};
}
