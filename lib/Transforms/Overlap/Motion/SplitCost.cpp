//===- SplitCost.cpp - Whether a nonblocking form pays --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/SplitCost.h"

#include "Motion/Streams.h"

#include "Comm/Dialect/Comm/IR/CommStructuralOps.h"
#include "Comm/Dialect/Comm/Utils/CSignature.h"
#include "Comm/Dialect/Comm/Utils/Interval.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/Transforms/Utils/SendReceive.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace comm;

/// Hiding less than this never pays: a start and a wait are two calls.
static constexpr uint64_t kLeastHidden = 40;

SplitCost::SplitCost(ModuleOp module, StringRef name, StringRef profile) : profile(module, profile) {
  if (const mpi::ABI *abi = mpi::ABI::lookup(getABIName(name, module))) {
    abis.push_back(abi);
    return;
  }
  for (const mpi::ABI &abi : mpi::ABI::all())
    abis.push_back(&abi);
}

/// Returns the bytes of a block that the program specifies.
static std::optional<uint64_t> getConstantBytes(MPIOpInterface op, const mpi::ABI &abi) {
  for (StringRef name : {"count", "sendcount", "recvcount"}) {
    Value count = op.getParam(name);
    if (!count)
      continue;
    std::optional<int64_t> number = getConstantInteger(count);
    Value datatype = op.getParam(name == "count" ? "datatype" : name == "sendcount" ? "sendtype" : "recvtype");
    if (!datatype || !number || *number < 0)
      return std::nullopt;
    std::optional<unsigned> size = abi.getDatatypeSize(getConstantName(datatype));
    return size ? std::optional<uint64_t>(*number * *size) : std::nullopt;
  }
  for (StringRef name : {"buf", "sendbuf", "recvbuf"}) {
    Value buffer = op.getParam(name);
    auto memory = buffer ? dyn_cast<MemRefType>(buffer.getType()) : MemRefType();
    if (memory && memory.hasStaticShape() && memory.getElementType().isIntOrFloat())
      return memory.getNumElements() * llvm::divideCeil(memory.getElementTypeBitWidth(), 8);
  }
  return std::nullopt;
}

std::optional<uint64_t> SplitCost::getBytes(MPIOpInterface op, const mpi::ABI &abi) const {
  if (std::optional<uint64_t> bytes = getConstantBytes(op, abi))
    return bytes;
  std::optional<SiteFacts> facts = profile.lookup(op);
  return facts ? facts->getLargestMessage() : std::nullopt;
}

SiteFacts::Judgment SplitCost::judge(const SiteFacts &facts) const {
  ExtraCost extra = facts.getExtraCost(abis).value_or(ExtraCost{0, 0});
  return facts.judge({std::max(extra.least, kLeastHidden), std::max(extra.most, kLeastHidden)});
}

/// Returns how long another communication of an interval takes in that setting, or UINT64_MAX if that is unknown.
uint64_t SplitCost::getBlockingCost(MPIOpInterface other, const mpi::MeasuredCost &setting, const mpi::ABI &abi) const {
  if (std::optional<SiteFacts> facts = profile.lookup(other); facts && facts->getBlocking())
    return *facts->getBlocking();
  auto cost = abi.getFormCost(other.getMPIFunctionName(), setting.transport, setting.processes,
                              getBytes(other, abi).value_or(setting.bytes));
  return cost ? cost->blocking : UINT64_MAX;
}

std::optional<std::string> SplitCost::whyNot(MPIOpInterface start, WorkEstimate work,
                                             ArrayRef<MPIOpInterface> others) const {
  if (Value communicator = start.getCommunicator(); communicator && getConstantName(communicator) == "MPI_COMM_SELF" &&
                                                    start.getMatching().kind == Matching::Kind::Collective)
    return "involves a single process, which waits for no one";
  std::optional<SiteFacts> facts = profile.lookup(start);
  if (facts) {
    SiteFacts::Judgment judgment = judge(*facts);
    if (judgment.verdict == SiteFacts::Verdict::Useless)
      return judgment.why;
    if (judgment.verdict == SiteFacts::Verdict::Pays)
      return std::nullopt;
    if (std::optional<uint64_t> interval = facts->getInterval())
      work = {llvm::SaturatingMultiply(*interval, WorkEstimate::kCyclesPerNanosecond), /*isUnknown=*/false};
  }
  auto [isStream, isNew] = streams.try_emplace(start);
  if (isNew)
    isStream->second = isInStream(start);
  if (isStream->second)
    return "is part of a stream: all communication of its loop goes one way, so no process waits for a latency";
  if (work.isUnknown)
    return std::nullopt;
  // A split is useful if it may pay in some setting. All processes check alike at run time whether it is the current
  // one.
  std::optional<uint64_t> leastExtra;
  uint64_t nanoseconds = work.getNanoseconds();
  for (const mpi::ABI *abi : abis) {
    bool isMeasured = false, pays = false;
    abi->forEachFormCost(start.getMPIFunctionName(), getBytes(start, *abi), [&](const mpi::MeasuredCost &row) {
      if (row.processes == 1 || (facts && row.transport != facts->getTransport()))
        return;
      isMeasured = true;
      uint64_t hidden = nanoseconds;
      for (MPIOpInterface other : others)
        hidden = llvm::SaturatingAdd(hidden, getBlockingCost(other, row, *abi));
      pays |= hidden > std::max(row.cost.getExtra(), kLeastHidden);
      leastExtra = std::min(leastExtra.value_or(UINT64_MAX), row.cost.getExtra());
    });
    if (pays || (!isMeasured && (nanoseconds > kLeastHidden || !others.empty())))
      return std::nullopt;
  }
  std::string text = llvm::formatv("hides at most about {0} ns", nanoseconds);
  if (!others.empty())
    text += llvm::formatv(" and {0} other{1}", others.size(), others.size() == 1 ? "" : "s");
  if (leastExtra.value_or(0) > kLeastHidden)
    text += llvm::formatv(", and its nonblocking form costs {0} ns more", *leastExtra);
  return text;
}

bool SplitCost::isWorthHiding(const WorkEstimate &work) {
  return work.isUnknown || work.getNanoseconds() > kLeastHidden;
}

bool SplitCost::delaysReceiver(MPIOpInterface send) const {
  if (send.getMatching().kind != Matching::Kind::Send || send.completesAtOnce())
    return false;
  // In an MPI_Sendrecv, each side waits for the other.
  if (isHalf(send))
    return false;
  return llvm::any_of(abis, [&](const mpi::ABI *abi) {
    std::optional<uint64_t> bytes = getBytes(send, *abi);
    for (mpi::Transport transport : {mpi::Transport::Shared, mpi::Transport::Network})
      if (!bytes || *bytes > abi->getEagerLimit(transport).value_or(0))
        return true;
    return false;
  });
}
