//===- Places.cpp - Position of a process among others --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/Utils/Pointers.h"
#include "Comm/MPI/Effects.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace comm;

namespace {
/// A location in a variable; all of it if it holds several numbers, or if the offset is unknown.
struct Place {
  const void *variable;
  std::optional<int64_t> offset;
};
} // namespace

/// Identifies a file-scope variable by its name and others by their address.
static const void *getVariable(Value pointer) {
  Value base = getBasePointer(pointer);
  auto address = base.getDefiningOp<LLVM::AddressOfOp>();
  return address ? address.getGlobalNameAttr().getAttr().getAsOpaquePointer() : base.getAsOpaquePointer();
}

void comm::markPlaces(ModuleOp module) {
  DataLayout layout(module);
  SmallVector<Place> places;
  module.walk([&](Operation *op) {
    if (auto query = dyn_cast<MPIOpInterface>(op)) {
      Value rank = query.isLocal() ? query.getParam("rank") : Value();
      if (rank && isa<LLVM::LLVMPointerType>(rank.getType()))
        places.push_back({getVariable(rank), getConstantOffset(rank, layout)});
      return;
    }
    auto call = dyn_cast<LLVM::CallOp>(op);
    const mpi::Function *called = call && call.getCallee() ? mpi::lookupLinkerName(*call.getCallee()) : nullptr;
    int coordinates = called ? called->findParam("coords") : -1;
    if (coordinates >= 0 && coordinates < static_cast<int>(call.getArgOperands().size()))
      places.push_back({getVariable(call.getArgOperands()[coordinates]), std::nullopt});
  });
  if (places.empty())
    return;
  llvm::DenseSet<const void *> variables;
  for (const Place &place : places)
    variables.insert(place.variable);
  module.walk([&](LLVM::LoadOp load) {
    const void *variable = load.getType().isInteger(32) ? getVariable(load.getAddr()) : nullptr;
    if (!variable || !variables.contains(variable))
      return;
    std::optional<int64_t> offset = getConstantOffset(load.getAddr(), layout);
    if (llvm::any_of(places, [&](const Place &place) {
          return place.variable == variable && (!place.offset || place.offset == offset);
        }))
      load->setDiscardableAttr(kPlaceAttrName, UnitAttr::get(load.getContext()));
  });
}
