//===- CDag.h - C API: communication graphs ------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of sends, receives and local operations, and the collectives that are found in them (docs/cdag.md). Nothing
// here needs a context. An error is a sentence in lower case.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_C_CDAG_H
#define COMM_C_CDAG_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CommCDag {
  void *ptr;
} CommCDag;

/// What commCDag... functions that fail return instead of an operation.
#define COMM_CDAG_NONE 0xffffffffu
/// As the peer of a receive: from any process.
#define COMM_CDAG_ANY_SOURCE 0xffffffffu
/// As the tag of a receive: any.
#define COMM_CDAG_ANY_TAG (-1)

/// An empty graph of so many processes.
MLIR_CAPI_EXPORTED CommCDag commCDagCreate(uint32_t ranks);
/// A graph from the text of docs/cdag.md. Null, after the callback got "line:column: error", if it is none.
MLIR_CAPI_EXPORTED CommCDag commCDagParse(MlirStringRef text, uint32_t maxRanks, MlirStringCallback error,
                                          void *userData);
/// A collective spelled out as messages, by the names of commCDagForEachPattern.
MLIR_CAPI_EXPORTED CommCDag commCDagCreatePattern(MlirStringRef name, uint32_t ranks, uint64_t bytes, uint32_t root,
                                                  MlirStringCallback error, void *userData);
MLIR_CAPI_EXPORTED void commCDagForEachPattern(MlirStringCallback callback, void *userData);
MLIR_CAPI_EXPORTED void commCDagDestroy(CommCDag graph);

/// Each adds an operation of process `rank` and returns its number. Addresses and sizes are bytes. Bad arguments return
/// COMM_CDAG_NONE; the first of these errors is what commCDagGetError tells.
MLIR_CAPI_EXPORTED uint32_t commCDagAddSend(CommCDag graph, uint32_t rank, uint64_t address, uint64_t size,
                                            uint32_t peer, int32_t tag);
MLIR_CAPI_EXPORTED uint32_t commCDagAddRecv(CommCDag graph, uint32_t rank, uint64_t address, uint64_t size,
                                            uint32_t peer, int32_t tag);
MLIR_CAPI_EXPORTED uint32_t commCDagAddCopy(CommCDag graph, uint32_t rank, uint64_t to, uint64_t from, uint64_t size);
/// `op` waits for `on`; both are operations of one process.
MLIR_CAPI_EXPORTED void commCDagAddDependency(CommCDag graph, uint32_t op, uint32_t on);
/// Calls back, once, with the first error of building; not at all if there is none.
MLIR_CAPI_EXPORTED void commCDagGetError(CommCDag graph, MlirStringCallback callback, void *userData);

MLIR_CAPI_EXPORTED uint32_t commCDagGetNumRanks(CommCDag graph);
MLIR_CAPI_EXPORTED uint32_t commCDagGetNumOperations(CommCDag graph);
MLIR_CAPI_EXPORTED uint32_t commCDagGetNumDependencies(CommCDag graph);

typedef struct CommCDagOptions {
  double tau;                ///< density of vector collectives
  bool subsets;              ///< collectives of some processes
  bool reductions, barriers; ///< look for these
  bool reorderFloatingPoint;
  bool keepWaitSets; ///< whoever waited for a process still does
} CommCDagOptions;
MLIR_CAPI_EXPORTED CommCDagOptions commCDagGetDefaultOptions(void);

typedef struct CommCDagResult {
  uint32_t messages;     ///< of the graph
  uint32_t keptMessages; ///< that no collective replaces
  uint32_t syncMessages; ///< of which only the order remains
  uint32_t transfers;    ///< assignments of the single-transfer form
  bool analyzed;         ///< false: the graph was too large, and stays as it is
} CommCDagResult;

/// Checks the graph (matching, deadlocks, races) and looks for collectives. Failure, after the callback got the error,
/// if the graph is wrong.
MLIR_CAPI_EXPORTED MlirLogicalResult commCDagDetect(CommCDag graph, CommCDagOptions options, CommCDagResult *result,
                                                    MlirStringCallback error, void *userData);

/// A collective that commCDagDetect found.
typedef struct CommCDagCollective {
  MlirStringRef kind; ///< "allreduce"
  MlirStringRef op;   ///< "sum"; empty if it does not reduce
  uint32_t root;      ///< COMM_CDAG_NONE if it has none
  uint64_t bytes;     ///< moved, or contributed to a reduction
  intptr_t numMembers;
  uint32_t const *members;
} CommCDagCollective;
typedef void (*CommCDagCollectiveCallback)(CommCDagCollective const *collective, void *userData);
MLIR_CAPI_EXPORTED void commCDagForEachCollective(CommCDag graph, CommCDagCollectiveCallback callback, void *userData);

/// Runs graph and schedule on random bytes and compares: the number of runs, with seeds from `seed` on. Failure, after
/// the callback got the difference, if there is one. To be called after commCDagDetect.
MLIR_CAPI_EXPORTED MlirLogicalResult commCDagVerify(CommCDag graph, uint32_t runs, uint64_t seed,
                                                    MlirStringCallback error, void *userData);

/// What operations take, in seconds (LogGP).
typedef struct CommCDagModel {
  double latency;      ///< of a message
  double overhead;     ///< of a send, and of a receive, for its process
  double perByte;      ///< of a message, on the way out of its process
  double perByteLocal; ///< of a copy or reduction
} CommCDagModel;

/// An operation that ran.
typedef struct CommCDagTime {
  uint32_t op;
  uint32_t rank;
  MlirStringRef kind; ///< "send", "recv", "copy", "reduce", "nop"
  double start, end;  ///< of what its process does, in seconds
} CommCDagTime;
typedef void (*CommCDagTimeCallback)(CommCDagTime const *time, void *userData);

/// Runs the graph by the model, each process one operation at a time, and calls back for each, in the order of starts.
/// Sends do not wait for receives. Failure, after the callback got the error, if the graph is wrong.
MLIR_CAPI_EXPORTED MlirLogicalResult commCDagSimulate(CommCDag graph, CommCDagModel model,
                                                      CommCDagTimeCallback callback, MlirStringCallback error,
                                                      void *userData);

/// The graph before and after detection, for Graphviz. To be called after commCDagDetect.
MLIR_CAPI_EXPORTED void commCDagDraw(CommCDag graph, MlirStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // COMM_C_CDAG_H
