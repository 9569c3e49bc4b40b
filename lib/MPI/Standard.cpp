//===- Standard.cpp - What the MPI standard says of each function --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Effects.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace comm::mpi;

namespace {
struct Minimum {
  const char *function;
  unsigned param;
  int64_t value;
};
} // namespace

#include "Standard.inc"

std::optional<int64_t> comm::mpi::getMinimum(const Function &function, unsigned param) {
  for (const Minimum &minimum : minimums)
    if (minimum.param == param && llvm::StringRef(minimum.function) == function.name)
      return minimum.value;
  return std::nullopt;
}

bool Param::isScalarOut() const {
  if (direction != Direction::Out || isArray)
    return false;
  switch (role) {
  case Role::Comm:
  case Role::Message:
  case Role::Status:
  case Role::Logical:
  case Role::Datatype:
  case Role::Op:
  case Role::Win:
  case Role::Group:
  case Role::Info:
    return true;
  case Role::Buffer:
  case Role::Request:
  case Role::Address:
    return false;
  default:
    return llvm::StringRef(cType) == "int";
  }
}

int Function::findParam(llvm::StringRef wanted) const {
  for (unsigned i = 0; i < numParams; ++i)
    if (wanted == paramData[i].name)
      return i;
  return -1;
}

int Function::findAfter(unsigned index, Role role) const {
  for (unsigned i = index + 1; i < numParams; ++i)
    if (paramData[i].role == role)
      return i;
  return -1;
}

int Function::findRole(Role role, Direction direction) const {
  for (unsigned i = 0; i < numParams; ++i)
    if (paramData[i].role == role && paramData[i].direction == direction)
      return i;
  return -1;
}

bool Function::isOneSided() const {
  return std::any_of(paramData, paramData + numParams, [](const Param &param) { return param.role == Role::Win; });
}

llvm::ArrayRef<Function> comm::mpi::allFunctions() { return functions; }

const Function *comm::mpi::lookupFunction(llvm::StringRef name) {
  const Function *end = std::end(functions);
  const Function *it = std::lower_bound(std::begin(functions), end, name, [](const Function &f, llvm::StringRef n) {
    return llvm::StringRef(f.name) < n;
  });
  return it != end && name == it->name ? it : nullptr;
}

bool comm::mpi::isReservedName(llvm::StringRef name) {
  name.consume_front("\1"); // LLVM's mark of a name that is not to be mangled
  if (name.starts_with("mpi_") || name.starts_with("pmpi_"))
    return true;
  name.consume_front("P");
  return name.consume_front("MPI_") && !name.empty() && llvm::isUpper(name.front());
}
