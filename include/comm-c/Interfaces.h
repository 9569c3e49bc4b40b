//===- Interfaces.h - C API: what operations do to memory and messages *- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask of operations (Comm/Dialect/Comm/IR/CommInterfaces.td). All of it is defined for operations that
// verify (commOperationVerifyItself) and are in a block. Values and strings that are absent are null.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_INTERFACES_H
#define COMM_C_INTERFACES_H

#include "comm-c/Dialect.h"

#ifdef __cplusplus
extern "C" {
#endif

/// True if the operation stands for a call of MPI: the other functions named commMPI... may be called.
MLIR_CAPI_EXPORTED bool commOperationIsMPI(MlirOperation op);

/// "MPI_Send" for comm.send; the function that is called in its mode: "MPI_Isend" for an async one.
MLIR_CAPI_EXPORTED MlirStringRef commMPIGetFunction(MlirOperation op);
MLIR_CAPI_EXPORTED MlirStringRef commMPIGetCalledFunction(MlirOperation op);
MLIR_CAPI_EXPORTED CommMode commMPIGetMode(MlirOperation op);

/// Parameters, in the order of the standard, and their operands.
MLIR_CAPI_EXPORTED intptr_t commMPIGetNumParams(MlirOperation op);
MLIR_CAPI_EXPORTED MlirStringRef commMPIGetParamName(MlirOperation op, intptr_t index);
MLIR_CAPI_EXPORTED intptr_t commMPIGetNumParamValues(MlirOperation op, intptr_t index);
MLIR_CAPI_EXPORTED MlirValue commMPIGetParamValue(MlirOperation op, intptr_t index, intptr_t position);

/// Outcomes: results by name, "request" and "error" among them.
MLIR_CAPI_EXPORTED intptr_t commMPIGetNumOutcomes(MlirOperation op);
MLIR_CAPI_EXPORTED MlirStringRef commMPIGetOutcomeName(MlirOperation op, intptr_t index);
MLIR_CAPI_EXPORTED MlirValue commMPIGetOutcome(MlirOperation op, intptr_t index);

/// Facts of an operation, bits of what commMPIGetFacts returns.
typedef enum CommFact {
  CommFactLocal = 1,                 ///< no other process can take part or notice
  CommFactCompletesRemotely = 2,     ///< completion tells that another process reached some point
  CommFactNeedsPostedReceive = 4,    ///< correct only where the matching receive is known to be posted
  CommFactCompletesAtOnce = 8,       ///< completes without waiting for any other process
  CommFactNeighborhood = 16,         ///< exchanges with the neighbors of a topology
  CommFactOneSided = 32,             ///< makes, uses, synchronizes or ends a window
  CommFactElementwiseReduction = 64, ///< may be reduced in pieces
  CommFactReachesBeyondArguments = 128,
  CommFactHasAsyncForm = 256, ///< MPI has a nonblocking form
} CommFact;
MLIR_CAPI_EXPORTED unsigned commMPIGetFacts(MlirOperation op);

/// How many bytes are accessed, seen from the pointer.
typedef enum CommExtent {
  CommExtentElements,        ///< `count` elements of `datatype`
  CommExtentElementsPerRank, ///< as many for each process of the communicator
  CommExtentUnknown,         ///< any bytes of the object that it points into
  CommExtentScalar,          ///< one object of the parameter's C type
  CommExtentMemRef,          ///< the memory that a memref describes
} CommExtent;

/// What MPI does with one pointer that it is given.
typedef struct CommAccess {
  MlirStringRef param; ///< the parameter that the pointer is
  MlirValue buffer, count, datatype;
  CommExtent extent;
  bool reads, writes;
  /// The access goes on after the call returned, until the request completes or the window is synchronized.
  bool inFlight;
} CommAccess;
typedef void (*CommAccessCallback)(CommAccess const *access, void *userData);
MLIR_CAPI_EXPORTED void commMPIForEachAccess(MlirOperation op, CommAccessCallback callback, void *userData);

/// How MPI matches an operation with those of other processes.
typedef enum CommMatchingKind {
  CommMatchingNone,
  CommMatchingSend,
  CommMatchingReceive,
  CommMatchingSendReceive,
  CommMatchingProbe,
  CommMatchingCollective,
} CommMatchingKind;

/// What the IR shows of the source of a receive or probe.
typedef enum CommSource {
  CommSourceKnown,    ///< none, a process, or MPI_PROC_NULL
  CommSourceMaybeAny, ///< nothing shows that it is not MPI_ANY_SOURCE
  CommSourceAny,      ///< MPI_ANY_SOURCE, at least on some path
} CommSource;

typedef struct CommMatching {
  CommMatchingKind kind;
  MlirValue communicator, peer, tag;
  CommSource source;
} CommMatching;
MLIR_CAPI_EXPORTED CommMatching commMPIGetMatching(MlirOperation op);

/// A get or a put: what it copies.
typedef enum CommRemoteKind { CommRemoteNone, CommRemoteGet, CommRemotePut } CommRemoteKind;
typedef struct CommRemoteAccess {
  CommRemoteKind kind;
  MlirValue window, origin, count, datatype;
  MlirValue target, displacement, targetCount, targetDatatype;
  bool sameAtBothEnds;
} CommRemoteAccess;
MLIR_CAPI_EXPORTED CommRemoteAccess commMPIGetRemoteAccess(MlirOperation op);

/// Operations that complete requests, or ask whether they are complete.
MLIR_CAPI_EXPORTED bool commOperationIsCompletion(MlirOperation op);
MLIR_CAPI_EXPORTED intptr_t commCompletionGetNumRequests(MlirOperation op);
MLIR_CAPI_EXPORTED MlirValue commCompletionGetRequest(MlirOperation op, intptr_t index);
/// True if all requests are complete when it returns: wait and waitall.
MLIR_CAPI_EXPORTED bool commCompletionCompletesAll(MlirOperation op);

/// The name of the predefined object that a value is ("MPI_INT"), looking through casts; empty if it is not one.
MLIR_CAPI_EXPORTED MlirStringRef commValueGetConstantName(MlirValue value);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_INTERFACES_H
