//===- ObjectUses.h - All uses of an object in a module ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_PLUGIN_SOURCES_OBJECTUSES_H
#define COMM_LIB_PLUGIN_SOURCES_OBJECTUSES_H

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

#include <memory>
#include <optional>

namespace llvm {
class AnyMemIntrinsic;
class CallBase;
class Constant;
class ConstantRange;
class DataLayout;
class DominatorTree;
class Function;
class GEPOperator;
class LoadInst;
class Module;
class Operator;
class StoreInst;
class Type;
class Value;
} // namespace llvm

namespace comm {

/// Bytes of an object from `offset` on, or from `offset` plus any multiple of `stride` if that is not 0: an element of
/// an array of structures.
struct Place {
  static constexpr uint64_t kAnywhere = ~uint64_t(0);

  int64_t offset = 0;
  uint64_t stride = 0;
  /// The largest multiple of the stride, from 0: an element of an array in a structure. If it is `kAnywhere`, multiples
  /// may also be negative.
  uint64_t span = 0;

  Place operator+(const Place &more) const;
  /// Extends this to cover both places; returns false if it already did.
  bool join(const Place &other);
  /// Returns whether the `bytes` from here and the `otherBytes` from `other` do not overlap.
  bool isApart(uint64_t bytes, const Place &other, uint64_t otherBytes) const;
  bool operator==(const Place &other) const {
    return offset == other.offset && stride == other.stride && span == other.span;
  }

private:
  bool endsBefore(uint64_t bytes, const Place &other) const;
};

/// The accesses to the memory of a variable or an allocation in all functions of the module.
struct ObjectUses {
  /// A parameter through which MPI writes `bytes`, or an unknown number of bytes if that is 0.
  struct Outcome {
    const mpi::Function *function;
    const mpi::Param *param;
    uint64_t bytes;
    const llvm::CallBase *call;
  };
  template <typename T> using At = llvm::SmallVector<std::pair<T, Place>, 4>;
  At<llvm::LoadInst *> loads;
  At<llvm::StoreInst *> stores;
  At<Outcome> outcomes;
  /// Memory intrinsics, at the places that they write and that they read.
  At<llvm::AnyMemIntrinsic *> fills, reads;
  /// Nothing else writes the object, and no pointer to it escapes.
  bool areAll = false;
};

/// The objects of a module that does not change meanwhile. The analysis is field-sensitive and interprocedural but
/// flow-insensitive: any store may precede any load.
class Objects {
public:
  explicit Objects(llvm::Module &module);
  ~Objects();

  using Pointees = llvm::MapVector<llvm::Value *, Place>;
  /// Returns the objects that the pointer may point to, and the places: local variables, global ones that only this
  /// module knows, allocations. Returns nullopt if it may point to anything else.
  std::optional<Pointees> findObjects(llvm::Value &pointer);
  /// `object` must be a result of findObjects.
  const ObjectUses &getUses(llvm::Value &object);
  /// Returns the initial contents of the object at that place; null if unknown.
  llvm::Constant *getInitialValue(llvm::Value &object, const Place &where, llvm::Type *type) const;
  /// Returns the dominator tree of a function of the module, computed on demand.
  const llvm::DominatorTree &getDominance(const llvm::Function &function);

private:
  friend class BackwardSearch;
  friend class ForwardSearch;
  struct Scalars;
  bool isAllocation(const llvm::CallBase &call) const;
  /// Returns the offset that the GEP adds to its base pointer.
  Place getStep(const llvm::GEPOperator &gep);
  llvm::ConstantRange getRange(llvm::Value &index, const llvm::Operator &user);

  const llvm::DataLayout &layout;
  llvm::TargetLibraryInfoImpl libraryOfTarget;
  llvm::TargetLibraryInfo library;
  llvm::DenseMap<llvm::Value *, std::unique_ptr<ObjectUses>> uses;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<llvm::DominatorTree>> dominance;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<Scalars>> scalars;
  unsigned depth = 0, steps = 0;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_OBJECTUSES_H
