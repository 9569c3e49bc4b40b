//===- CDagSession.h - The state of a CommCDag ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CAPI_CDAGSESSION_H
#define COMM_LIB_CAPI_CDAGSESSION_H

#include "comm-c/CDag.h"

#include "Comm/CDag/Compile.h"
#include "GraphText.h"

#include <string>
#include <vector>

namespace comm::cdag {

/// A graph and what was detected in it.
struct Session {
  explicit Session(uint32_t ranks) : graph(ranks) {}
  Graph graph;
  std::vector<Place> places; ///< of operations, if read from text
  Schedule schedule;
  bool isDetected = false;
};

inline Session &sessionOf(CommCDag graph) { return *static_cast<Session *>(graph.ptr); }

/// Returns the error, with its place in the text if known.
std::string describe(const Session &session, const Error &error);

} // namespace comm::cdag

#endif // COMM_LIB_CAPI_CDAGSESSION_H
