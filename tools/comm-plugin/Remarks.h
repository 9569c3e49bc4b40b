//===- Remarks.h - Remarks of passes as clang's own -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_PLUGIN_REMARKS_H
#define COMM_TOOLS_PLUGIN_REMARKS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
class User;
} // namespace llvm

namespace comm {
struct Extract;
struct PassRemark;

/// Emits `remarks` through the LLVMContext of `user`, which makes -Rpass=comm, -Rpass-missed=comm, -Rpass-analysis=comm
/// and -fsave-optimization-record work. Must be called before the bodies are replaced.
void emitRemarks(llvm::Module &user, const Extract &extract, const std::vector<PassRemark> &remarks);

/// Emits a remark that the use of an MPI function reduces the overlap in the whole file.
void emitFileRemark(const llvm::User &user, llvm::StringRef name, llvm::StringRef text);

/// Warns, once per call and regardless of warning options, that Comm skips something: "file: warning: Comm leaves WHAT:
/// CAUSE [-Rcomm]". Not a compiler diagnostic, so -Werror does not turn it into an error.
void warnLeftAlone(const llvm::Module &user, llvm::StringRef what, llvm::StringRef cause);

} // namespace comm

#endif // COMM_TOOLS_PLUGIN_REMARKS_H
