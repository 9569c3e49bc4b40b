//===- OpenMP.h - OpenMP regions and their runtime --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang outlines each parallel region into a function and passes it to the runtime, which calls it in all threads of a
// team.
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

/// The threads that a function of the runtime synchronizes: none (Clock also reads the time), those of a team (also for
/// Reduction, whose result no other thread may access meanwhile), or any thread of the process.
enum class OpenMPScope { Thread, Clock, Team, Reduction, Process };

/// Returns the scope of a runtime function in OpenMPRuntime.def; none if the program defines the function itself.
std::optional<OpenMPScope> lookupOpenMP(const llvm::Function &function);
std::optional<OpenMPScope> lookupOpenMP(const llvm::CallBase &call);

/// Adds the metadata that clang adds (`!callback`) to functions that run a region: which argument is the region and
/// what it is passed. Returns true if any was missing.
bool declareForks(llvm::Module &module);

/// Returns the call of the region that this runtime call makes, if any. Needs the metadata of declareForks or clang.
/// For a region with an `if` clause, the thread also calls it directly, between runtime calls that make it a team of
/// its own.
std::optional<llvm::AbstractCallSite> findRegionCall(const llvm::CallBase &call);

/// Returns the region that the call runs, or null.
const llvm::Function *findRegion(const llvm::CallBase &call);

/// Whether the instruction adds a thread's part to the result of a reduction while other threads add theirs.
bool isPartOfReduction(const llvm::Instruction &instruction);

/// Marks the functions that only run while no other thread runs code of the program, except for threads of regions that
/// they run (kAloneAttrName). The module must be the whole program apart from system libraries. Returns true if any was
/// marked.
bool markAloneFunctions(llvm::Module &module);

/// Returns the index of the argument of a runtime function that is the region to run; none if it runs none.
std::optional<unsigned> getRegionArgument(llvm::StringRef function);

/// Describes what an instruction of a region does to keep communication from crossing it: "calls printf at x.c:12".
std::string describeObstacle(const llvm::Instruction &instruction);

} // namespace comm

#endif // COMM_ANALYSIS_MEMORY_OPENMP_H
