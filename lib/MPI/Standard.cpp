//===- Standard.cpp - MPI functions in the standard -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Standard.h"
#include "Comm/MPI/Effects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

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

bool Param::isNumber() const {
  switch (role) {
  case Role::Rank:
  case Role::Tag:
  case Role::Count:
  case Role::Displacement:
  case Role::Logical:
  case Role::Index:
  case Role::Integer:
    return true;
  default:
    return false;
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
  return llvm::any_of(params(), [](const Param &param) { return param.role == Role::Win; });
}

bool Function::usesRequests() const {
  return llvm::any_of(params(), [](const Param &param) { return param.role == Role::Request; });
}

/// Whether it is an MPI object, which has state.
static bool isObject(Role role) {
  switch (role) {
  case Role::Datatype:
  case Role::Comm:
  case Role::Op:
  case Role::Request:
  case Role::Status:
  case Role::Message:
  case Role::Group:
  case Role::Errhandler:
  case Role::Info:
  case Role::File:
  case Role::Win:
  case Role::Session:
    return true;
  default:
    return false;
  }
}

bool Function::onlyConverts() const {
  return !returnsErrorCode && numParams > 0 &&
         llvm::none_of(params(), [](const Param &param) { return param.isAddress() || param.role == Role::VarArgs; });
}

bool Function::onlyAsks() const {
  if (onlyConverts())
    return true;
  bool isTold = false, answers = false;
  for (const Param &param : params()) {
    if (param.direction == Direction::InOut || (param.direction == Direction::Out && isObject(param.role)))
      return false;
    (param.direction == Direction::In ? isTold : answers) = true;
  }
  return isTold && answers;
}

int Function::findSource() const {
  int source = findParam("source");
  return source >= 0 && paramData[source].direction == Direction::In ? source : -1;
}

bool Function::observesStarts() const {
  // (A ready send is only correct after its receive has been posted.)
  if (sendMode != SendMode::None && sendMode != SendMode::Standard)
    return true;
  // It asks about an operation that may not be complete: a request, or the message of a probe.
  bool isAsked = findSource() >= 0;
  for (const Param &param : params()) {
    if (param.role != Role::Request || !param.reads())
      continue;
    isAsked = true;
    // The address of something that is only read: the operation's progress changes, the handle does not.
    if (param.isPointer && !param.isArray && !param.writes())
      return true;
  }
  return isAsked && llvm::any_of(params(), [](const Param &param) {
           bool isNumber = param.role == Role::Logical || param.role == Role::Index || param.role == Role::Integer ||
                           param.role == Role::Count;
           return isNumber && param.direction == Direction::Out;
         });
}

bool Function::keepsAddress(unsigned index) const {
  if (index >= numParams || isTool)
    return true;
  const Param &param = paramData[index];
  if (!param.isAddress() && param.role != Role::VarArgs)
    return false;
  if (param.isAsync)
    return true;
  switch (param.role) {
  case Role::Buffer:
    // Count and datatype describe the buffer of a message. For a window, or an attached buffer, only the size is given.
    return isOneSided() || !isMessage(index) || findRole(Role::Request, Direction::Out) >= 0;
  case Role::Memory:
  case Role::Address:
  case Role::Function:
  case Role::VarArgs:
    return true;
  default: {
    bool isArgument = param.isNumber() || param.role == Role::Datatype; // an array, in MPI_Ialltoallw
    return isArgument && llvm::any_of(params(), [](const Param &other) { return other.isAsync; });
  }
  }
}

bool Function::reachesBeyondArguments() const {
  if (mayCallBack || findRole(Role::Request, Direction::In) >= 0 || findRole(Role::Request, Direction::InOut) >= 0)
    return true;
  for (unsigned i = 0; i < numParams; ++i)
    if (keepsAddress(i))
      return true;
  return false;
}

llvm::ArrayRef<Function> comm::mpi::allFunctions() { return functions; }

const Function *comm::mpi::lookupFunction(llvm::StringRef name) {
  const Function *end = std::end(functions);
  const Function *it = std::lower_bound(std::begin(functions), end, name, [](const Function &f, llvm::StringRef n) {
    return llvm::StringRef(f.name) < n;
  });
  return it != end && name == it->name ? it : nullptr;
}

const Function *comm::mpi::lookupLinkerName(llvm::StringRef name) {
  if (!isReservedName(name))
    return nullptr;
  static const llvm::StringMap<const Function *> known = [] { // Fortran ignores the case of names
    llvm::StringMap<const Function *> names;
    for (const Function &function : functions)
      names[llvm::StringRef(function.name).lower()] = &function;
    return names;
  }();
  std::string lower = name.lower();
  llvm::StringRef rest = lower;
  rest.consume_front("\1");
  rest.consume_front("p");
  rest = rest.rtrim('_');
  for (llvm::StringRef suffix : {"_f08ts", "_f08", "_fts", "_f"})
    if (rest.consume_back(suffix))
      break;
  return known.lookup(rest);
}

bool comm::mpi::isReservedName(llvm::StringRef name) {
  name.consume_front("\1"); // LLVM's prefix of a name that is not to be mangled
  if (name.starts_with("mpi_") || name.starts_with("pmpi_"))
    return true;
  name.consume_front("P");
  return name.consume_front("MPI_") && !name.empty() && llvm::isUpper(name.front());
}
