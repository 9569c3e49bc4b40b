//===- Splice.h - Putting new bodies into the user's module -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_ROUNDTRIP_SPLICE_H
#define COMM_PLUGIN_ROUNDTRIP_SPLICE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace comm {
struct Extract;

/// The attribute of old bodies that are kept.
inline constexpr llvm::StringLiteral kOriginalAttr = "comm-original";

/// Maps a function's name in the extract to the name of the function to ask, or "".
using QuestionOf = llvm::function_ref<std::string(llvm::StringRef)>;

/// Replaces the bodies of the functions named in `changed` by those of `result`, a round-tripped extract in the same
/// LLVMContext. The functions keep their own attributes, linkage, comdat, section and debug subprogram; instructions
/// get back the debug locations and the metadata of their originals. Globals that only `result` has are created. All or
/// nothing: on an error, `user` is unchanged. `beforeCommit` is called once nothing can fail any more, while the old
/// bodies still exist.
///
/// For each function, `getQuestion` returns the name of a function without parameters (Comm/MPI/Markers.h) or "". If
/// that function returns a value other than 0 at run time, the old body runs, which is kept next to the new one.
llvm::Error spliceFunctions(llvm::Module &user, llvm::Module &result, const Extract &extract,
                            const std::vector<std::string> &changed, QuestionOf getQuestion,
                            llvm::function_ref<void()> beforeCommit);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_SPLICE_H
