//===- ObjectUses.h - All that a module does to an object --------*- C++ -*-===//
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
class DataLayout;
class DominatorTree;
class Function;
class LoadInst;
class Module;
class StoreInst;
class Type;
class Value;
} // namespace llvm

namespace comm {

/// Bytes of an object from `offset` on, or from `offset` and a multiple of `stride` on, if that is not 0: an element
/// of an array of structures.
struct Place {
  int64_t offset = 0;
  uint64_t stride = 0;

  Place operator+(const Place &more) const;
  /// Makes it both places; false if it was.
  bool join(const Place &other);
  /// Whether `bytes` from here on and `otherBytes` from there on have no byte in common.
  bool isApart(uint64_t bytes, const Place &other, uint64_t otherBytes) const;
  bool operator==(const Place &other) const { return offset == other.offset && stride == other.stride; }
};

/// What is done to the memory of a variable or an allocation, in all functions of the module.
struct ObjectUses {
  /// A parameter by which MPI writes `bytes`, or nobody knows how many, if that is 0.
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
  /// Sets, copies and moves of memory: where they write, and where they read.
  At<llvm::AnyMemIntrinsic *> fills, reads;
  /// Nothing else writes the object, and no pointer to it is where that is not seen.
  bool areAll = false;
};

/// The objects of a module that is not changed meanwhile. Field by field and through all functions, but of any time:
/// what is written somewhere may be what is loaded elsewhere.
class Objects {
public:
  explicit Objects(llvm::Module &module);
  ~Objects();

  using Pointees = llvm::MapVector<llvm::Value *, Place>;
  /// The objects that the pointer may be in, and where: local variables, global ones that only this module knows,
  /// allocations. None if it may be another one.
  std::optional<Pointees> findObjects(llvm::Value &pointer);
  /// Of one of these objects.
  const ObjectUses &getUses(llvm::Value &object);
  /// What the object has there before anything is stored; null if that is not known.
  llvm::Constant *getInitialValue(llvm::Value &object, const Place &where, llvm::Type *type) const;
  /// Of a function of the module; made when it is first asked for.
  const llvm::DominatorTree &getDominance(const llvm::Function &function);

private:
  friend class BackwardSearch;
  friend class ForwardSearch;
  bool isAllocation(const llvm::CallBase &call) const;

  const llvm::DataLayout &layout;
  llvm::TargetLibraryInfoImpl libraryOfTarget;
  llvm::TargetLibraryInfo library;
  llvm::DenseMap<llvm::Value *, std::unique_ptr<ObjectUses>> uses;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<llvm::DominatorTree>> dominance;
  unsigned depth = 0, steps = 0;
};

} // namespace comm

#endif // COMM_LIB_PLUGIN_SOURCES_OBJECTUSES_H
