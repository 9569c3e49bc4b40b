//===- Flights.cpp - What is in flight while loops run --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flights.h"

#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace comm;

//===----------------------------------------------------------------------===//
// Message lengths
//===----------------------------------------------------------------------===//

Message comm::getMessage(MPIOpInterface start) {
  // Arguments that are significant only at the root may be anything elsewhere, and so may those that MPI_IN_PLACE makes
  // insignificant. The receiving side is significant in both cases.
  Value count = start.getParam("count"), datatype = start.getParam("datatype");
  if (!count)
    count = start.getParam("recvcount");
  if (!datatype)
    datatype = start.getParam("recvtype");
  bool isKnown = count && datatype && isa<IntegerType>(count.getType()) && isa<DatatypeType>(datatype.getType());
  if (isKnown && start.getParam("root"))
    isKnown = start.getParam("count") && !getConstantName(datatype).empty();
  return isKnown ? Message{count, datatype} : Message();
}

mpi::UnaidedLimits comm::getUnaidedLimits(MPIOpInterface start, const mpi::ABI &abi) {
  if (start.getMatching().kind == Matching::Kind::Collective)
    return abi.getUnaidedLimits(start.getMPIFunctionName()).value_or(mpi::UnaidedLimits());
  auto limit = static_cast<int64_t>(abi.getEagerLimit(mpi::Transport::Network).value_or(0));
  return {limit, limit};
}

/// Returns true if the message is known to arrive without further MPI calls, whichever processes take part.
static bool isShort(MPIOpInterface start, const mpi::ABI &abi) {
  Message message = getMessage(start);
  std::optional<int64_t> count = message.count ? getConstantInteger(message.count) : std::nullopt;
  std::optional<unsigned> size =
      message.datatype ? abi.getDatatypeSize(getConstantName(message.datatype)) : std::nullopt;
  mpi::UnaidedLimits limits = getUnaidedLimits(start, abi);
  return count && size && *count <= std::min(limits.ofTwo, limits.ofMore) / std::max<int64_t>(*size, 1);
}

//===----------------------------------------------------------------------===//
// Communications in flight
//===----------------------------------------------------------------------===//

static bool isMessageOrCollective(MPIOpInterface start) {
  switch (start.getMatching().kind) {
  case Matching::Kind::Send:
  case Matching::Kind::Receive:
  case Matching::Kind::Collective:
    return !start.isOneSided();
  default:
    return false;
  }
}

/// MPI may call a function of the program when it makes progress.
static StringRef whyNot(MPIOpInterface start) {
  Value op = start.getParam("op");
  if (op && getConstantName(op).empty())
    return "its operator may be a function of the program";
  return "";
}

namespace {
class FlightFinder {
public:
  FlightFinder(const Chain &chain, RequestFlows &requests, const mpi::ABI &abi, bool ignoresSizes)
      : chain(chain), requests(requests), abi(abi), ignoresSizes(ignoresSizes) {}
  void run();
  std::vector<Flight> flights;

private:
  void add(MPIOpInterface start, unsigned begin, unsigned end, Operation *wait);
  unsigned findLastSend(unsigned begin, unsigned end) const;
  void addCompleted(Operation *wait, unsigned unit);

  const Chain &chain;
  RequestFlows &requests;
  const mpi::ABI &abi;
  bool ignoresSizes;
  /// Starts of requests in memory in the units so far that no unfollowed wait has completed.
  SmallVector<std::pair<MPIOpInterface, unsigned>> open;
};
} // namespace

/// Returns the last unit before `end` that starts a send, or `begin` if there is none after it. A long message that is
/// let in before fills the way back, and the answer to that send comes after all of it: the two messages would travel
/// one after the other.
unsigned FlightFinder::findLastSend(unsigned begin, unsigned end) const {
  for (unsigned unit = end; unit-- > begin + 1;) {
    bool sends = false;
    chain.getUnits()[unit].walk([&](Operation *op) {
      auto start = dyn_cast<MPIOpInterface>(op);
      sends |= start && start.getMatching().kind == Matching::Kind::Send;
    });
    if (sends)
      return unit;
  }
  return begin;
}

void FlightFinder::add(MPIOpInterface start, unsigned begin, unsigned end, Operation *wait) {
  bool isInMemory = isWaitInMemory(wait);
  bool isPrograms = isInMemory ? !wait->hasAttr(kLeftAttrName) : start->hasAttr(kProgramsIntervalAttrName);
  StringRef name = isPrograms ? StringRef(start.getCalledFunction().name) : getDisplayName(start);
  StringRef why = whyNot(start);
  unsigned helpedFrom = start.getMatching().kind == Matching::Kind::Receive ? findLastSend(begin, end) : begin;
  if (begin < end && isMessageOrCollective(start) && (ignoresSizes || !why.empty() || !isShort(start, abi)))
    flights.push_back({start, begin, helpedFrom, end, isInMemory, name, why});
}

/// Completes starts. An unfollowed wait may complete any open one; if it does not, MPI is called needlessly.
void FlightFinder::addCompleted(Operation *wait, unsigned unit) {
  const CompletedStarts *completed = wait->hasAttr(kFollowedAttrName) ? requests.find(wait) : nullptr;
  if (completed && !completed->isKnown())
    completed = nullptr;
  auto isCompleted = [&](const std::pair<MPIOpInterface, unsigned> &start) {
    return !completed ||
           llvm::any_of(completed->starts, [&](const InFlightStart &each) { return each.start == start.first; });
  };
  for (auto &[start, begin] : open)
    if (isCompleted({start, begin}))
      add(start, begin, unit, wait);
  llvm::erase_if(open, isCompleted);
}

void FlightFinder::run() {
  for (unsigned index = 0; index < chain.getUnits().size(); ++index) {
    const Unit &unit = chain.getUnits()[index];
    if (std::optional<Interval> interval = unit.isPiece() ? std::nullopt : getInterval(unit.op)) {
      int wait = chain.findUnit(interval->wait);
      if (wait >= 0 && chain.getUnits()[wait].op == interval->wait)
        add(interval->start, index, wait, interval->wait);
      continue;
    }
    SmallVector<MPIOpInterface> starts;
    unit.walk([&](Operation *op) {
      if (isStartInMemory(op))
        starts.push_back(cast<MPIOpInterface>(op));
      else if (isWaitInMemory(op) && !isConditionalWait(op))
        addCompleted(op, index);
    });
    for (MPIOpInterface start : starts)
      open.push_back({start, index});
  }
}

std::vector<Flight> comm::findFlights(const Chain &chain, RequestFlows &requests, const mpi::ABI &abi,
                                      bool ignoresSizes) {
  FlightFinder finder(chain, requests, abi, ignoresSizes);
  finder.run();
  return std::move(finder.flights);
}
