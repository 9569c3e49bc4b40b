//===- Interfaces.cpp - C API: what operations do -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Interfaces.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace comm;

static MPIOpInterface asMPI(MlirOperation op) { return cast<MPIOpInterface>(unwrap(op)); }

static MlirStringRef asString(const char *text) { return wrap(StringRef(text ? text : "")); }

bool commOperationIsMPI(MlirOperation op) { return isa<MPIOpInterface>(unwrap(op)); }

MlirStringRef commMPIGetFunction(MlirOperation op) { return wrap(asMPI(op).getMPIFunctionName()); }

MlirStringRef commMPIGetCalledFunction(MlirOperation op) { return asString(asMPI(op).getCalledFunction().name); }

CommMode commMPIGetMode(MlirOperation op) { return static_cast<CommMode>(asMPI(op).getMode()); }

intptr_t commMPIGetNumParams(MlirOperation op) { return asMPI(op).getParamNames().size(); }

MlirStringRef commMPIGetParamName(MlirOperation op, intptr_t index) { return wrap(asMPI(op).getParamNames()[index]); }

intptr_t commMPIGetNumParamValues(MlirOperation op, intptr_t index) { return asMPI(op).getParamOperands(index).size(); }

MlirValue commMPIGetParamValue(MlirOperation op, intptr_t index, intptr_t position) {
  return wrap(Value(asMPI(op).getParamOperands(index)[position]));
}

intptr_t commMPIGetNumOutcomes(MlirOperation op) { return asMPI(op).getOutcomeNames().size(); }

MlirStringRef commMPIGetOutcomeName(MlirOperation op, intptr_t index) {
  return wrap(asMPI(op).getOutcomeNames()[index]);
}

MlirValue commMPIGetOutcome(MlirOperation op, intptr_t index) {
  ResultRange results = asMPI(op).getOutcomeResults(index);
  return wrap(results.empty() ? Value() : Value(results.front()));
}

unsigned commMPIGetFacts(MlirOperation op) {
  MPIOpInterface mpi = asMPI(op);
  unsigned facts = 0;
  auto add = [&](bool holds, CommFact fact) { facts |= holds ? fact : 0; };
  add(mpi.isLocal(), CommFactLocal);
  add(mpi.completesRemotely(), CommFactCompletesRemotely);
  add(mpi.needsPostedReceive(), CommFactNeedsPostedReceive);
  add(mpi.completesAtOnce(), CommFactCompletesAtOnce);
  add(mpi.isNeighborhood(), CommFactNeighborhood);
  add(mpi.isOneSided(), CommFactOneSided);
  add(mpi.isElementwiseReduction(), CommFactElementwiseReduction);
  add(mpi.reachesBeyondArguments(), CommFactReachesBeyondArguments);
  add(mpi.hasAsyncForm(), CommFactHasAsyncForm);
  return facts;
}

void commMPIForEachAccess(MlirOperation op, CommAccessCallback callback, void *userData) {
  for (const BufferAccess &access : asMPI(op).getAccesses()) {
    CommAccess result;
    result.param = asString(access.param ? access.param->name : nullptr);
    result.buffer = wrap(access.buffer);
    result.count = wrap(access.count);
    result.datatype = wrap(access.datatype);
    result.extent = static_cast<CommExtent>(access.extent);
    result.reads = access.reads;
    result.writes = access.writes;
    result.inFlight = access.inFlight;
    callback(&result, userData);
  }
}

CommMatching commMPIGetMatching(MlirOperation op) {
  Matching matching = asMPI(op).getMatching();
  CommMatching result;
  result.kind = static_cast<CommMatchingKind>(matching.kind);
  result.communicator = wrap(matching.communicator);
  result.peer = wrap(matching.peer);
  result.tag = wrap(matching.tag);
  result.source = static_cast<CommSource>(matching.source);
  return result;
}

CommRemoteAccess commMPIGetRemoteAccess(MlirOperation op) {
  RemoteAccess access = asMPI(op).getRemoteAccess();
  CommRemoteAccess result;
  result.kind = static_cast<CommRemoteKind>(access.kind);
  result.window = wrap(access.window);
  result.origin = wrap(access.origin);
  result.count = wrap(access.count);
  result.datatype = wrap(access.datatype);
  result.target = wrap(access.target);
  result.displacement = wrap(access.displacement);
  result.targetCount = wrap(access.targetCount);
  result.targetDatatype = wrap(access.targetDatatype);
  result.sameAtBothEnds = access.kind != RemoteAccess::Kind::None && access.isSameAtBothEnds();
  return result;
}

bool commOperationIsCompletion(MlirOperation op) { return isa<CompletionOpInterface>(unwrap(op)); }

intptr_t commCompletionGetNumRequests(MlirOperation op) {
  return cast<CompletionOpInterface>(unwrap(op)).getRequests().size();
}

MlirValue commCompletionGetRequest(MlirOperation op, intptr_t index) {
  return wrap(Value(cast<CompletionOpInterface>(unwrap(op)).getRequests()[index]));
}

bool commCompletionCompletesAll(MlirOperation op) { return cast<CompletionOpInterface>(unwrap(op)).completesAll(); }

MlirStringRef commValueGetConstantName(MlirValue value) { return wrap(getConstantName(unwrap(value))); }
