//===- Sums.cpp - Reductions whose result depends on their order ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Sums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace comm;
using llvm::StringRef;

llvm::ArrayRef<StringRef> mpi::getRoundingOps() {
  static const StringRef names[] = {"MPI_SUM", "MPI_PROD"};
  return names;
}

llvm::ArrayRef<StringRef> mpi::getFloatingDatatypes() {
  static const StringRef names[] = {"MPI_FLOAT",
                                    "MPI_DOUBLE",
                                    "MPI_LONG_DOUBLE",
                                    "MPI_C_COMPLEX",
                                    "MPI_C_FLOAT_COMPLEX",
                                    "MPI_C_DOUBLE_COMPLEX",
                                    "MPI_C_LONG_DOUBLE_COMPLEX",
                                    "MPI_CXX_FLOAT_COMPLEX",
                                    "MPI_CXX_DOUBLE_COMPLEX",
                                    "MPI_CXX_LONG_DOUBLE_COMPLEX",
                                    "MPI_REAL",
                                    "MPI_DOUBLE_PRECISION",
                                    "MPI_COMPLEX",
                                    "MPI_DOUBLE_COMPLEX",
                                    "MPI_REAL2",
                                    "MPI_REAL4",
                                    "MPI_REAL8",
                                    "MPI_REAL16",
                                    "MPI_COMPLEX4",
                                    "MPI_COMPLEX8",
                                    "MPI_COMPLEX16",
                                    "MPI_COMPLEX32"};
  return names;
}

bool mpi::mayRound(StringRef op, StringRef datatype) {
  return (op.empty() || llvm::is_contained(getRoundingOps(), op)) &&
         (datatype.empty() || llvm::is_contained(getFloatingDatatypes(), datatype));
}

std::string mpi::getMarkerName(StringRef blocking, Marker marker) {
  StringRef prefix = marker == Marker::All       ? "comm_nonblocking_"
                     : marker == Marker::AllSums ? "comm_nonblocking_sum_"
                                                 : "comm_nonblocking_ordered_sum_";
  return (llvm::Twine(prefix) + blocking).str();
}

std::string mpi::getSumStartName(StringRef blocking) { return (llvm::Twine("comm.start_sum.") + blocking).str(); }
