//===- Splice.h - New bodies into the user's module -------------*- C++ -*-===//
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

/// The attribute of the old bodies that are kept.
inline constexpr llvm::StringLiteral kOriginalAttr = "comm-original";

/// By the function's name in the extract.
using QuestionOf = llvm::function_ref<std::string(llvm::StringRef)>;

/// Replaces the bodies of the functions named in `changed` by those of
/// `result`, a round-tripped extract in the same LLVMContext. The functions
/// keep their own attributes, linkage, comdat, section and debug subprogram;
/// instructions get back the debug locations and the metadata of their
/// originals. Globals that only `result` knows are created. All or nothing: on
/// an error `user` is as it was. `beforeCommit` is called when nothing can fail
/// any more, while the old bodies are still there.
///
/// `getQuestion` names a function without parameters for each function (Comm/MPI/Markers.h), or is empty: if it returns
/// another value than 0, the function runs its old body, which is kept next to the new one.
llvm::Error spliceFunctions(llvm::Module &user, llvm::Module &result, const Extract &extract,
                            const std::vector<std::string> &changed, QuestionOf getQuestion,
                            llvm::function_ref<void()> beforeCommit);

} // namespace comm

#endif // COMM_PLUGIN_ROUNDTRIP_SPLICE_H
