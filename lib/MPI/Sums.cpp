//===- Sums.cpp - Order-dependent reductions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Sums.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"

using namespace comm;
using llvm::StringLiteral;
using llvm::StringRef;

llvm::ArrayRef<StringRef> mpi::getRoundingOps() {
  static const StringRef names[] = {
#define COMM_ROUNDING_OP(NAME) #NAME,
#include "Comm/MPI/Rounding.def"
  };
  return names;
}

llvm::ArrayRef<StringRef> mpi::getFloatingDatatypes() {
  static const StringRef names[] = {
#define COMM_FLOATING_DATATYPE(NAME) #NAME,
#include "Comm/MPI/Rounding.def"
  };
  return names;
}

bool mpi::mayRound(StringRef op, StringRef datatype) {
  return (op.empty() || llvm::is_contained(getRoundingOps(), op)) &&
         (datatype.empty() || llvm::is_contained(getFloatingDatatypes(), datatype));
}

static constexpr std::pair<mpi::StartKind, StringLiteral> kStartKinds[] = {{mpi::StartKind::Exact, "exact"},
                                                                           {mpi::StartKind::Sum, "sum"},
                                                                           {mpi::StartKind::Ordered, "ordered"},
                                                                           {mpi::StartKind::Either, "either"}};

StringRef mpi::stringifyStartKind(StartKind kind) {
  return llvm::find_if(kStartKinds, [&](auto &entry) { return entry.first == kind; })->second;
}

std::optional<mpi::StartKind> mpi::symbolizeStartKind(StringRef name) {
  for (auto [kind, text] : kStartKinds)
    if (text == name)
      return kind;
  return std::nullopt;
}

std::string mpi::getStartName(StringRef blocking, StartKind kind) {
  llvm::SmallString<16> infix;
  if (kind != StartKind::Exact)
    infix = {stringifyStartKind(kind), "_"};
  return (kStartPrefix + infix + blocking).str();
}
