//===- OpenMP.h - Parallel regions and the runtime beneath them ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang makes a function of each parallel region and gives it to the runtime, which calls it in all threads of a team.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MEMORY_OPENMP_H
#define COMM_ANALYSIS_MEMORY_OPENMP_H

#include "llvm/IR/AbstractCallSite.h"

#include <optional>
#include <string>

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace comm {

/// Which threads a function of the runtime orders with each other: none (of which one tells the time), those of a team
/// (of reductions, too, whose results nobody else may look at meanwhile), any.
enum class OpenMPScope { Thread, Clock, Team, Reduction, Process };

/// The scope of a function of the runtime that the table (OpenMPRuntime.def) describes and that is not the program's.
std::optional<OpenMPScope> lookupOpenMP(const llvm::Function &function);
std::optional<OpenMPScope> lookupOpenMP(const llvm::CallBase &call);

/// Says of the functions that run a region, as clang does, which argument is the region and what it gets (`!callback`).
/// Returns true if any was not told.
bool declareForks(llvm::Module &module);

/// The call of the region that a call of the runtime makes, if it is one; after declareForks or from clang. Where a
/// region has an `if`, its thread also calls it directly, between calls that make it a team of its own.
std::optional<llvm::AbstractCallSite> findRegionCall(const llvm::CallBase &call);

/// The region that the call runs, or null.
const llvm::Function *findRegion(const llvm::CallBase &call);

/// Whether the instruction is what a thread does to add its part to the result of a reduction, next to others.
bool isPartOfReduction(const llvm::Instruction &instruction);

/// Marks the functions (kAloneAttrName) that run while no other thread runs the program's code, except for those
/// of regions that they run themselves, where the module is all of the program except for the libraries of the system.
/// Returns true if there is one.
bool markAloneFunctions(llvm::Module &module);

/// Which argument of a function of the runtime with that name is the region that it runs; none if it runs none.
std::optional<unsigned> getRegionArgument(llvm::StringRef function);

/// What a region does by an instruction that keeps communication from crossing it: "calls printf at x.c:12".
std::string describeObstacle(const llvm::Instruction &instruction);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_OPENMP_H
