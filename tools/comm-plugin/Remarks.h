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

/// Emits `remarks` through the LLVMContext of `user`, where -Rpass=comm,
/// -Rpass-missed=comm, -Rpass-analysis=comm and -fsave-optimization-record
/// take them up. To be called before the bodies are replaced.
void emitRemarks(llvm::Module &user, const Extract &extract, const std::vector<PassRemark> &remarks);

/// A remark on what is so for the whole file because of that use of an MPI function: why there is less overlap.
void emitFileRemark(const llvm::User &user, llvm::StringRef name, llvm::StringRef text);

/// Says, once a call and whatever the warning options are, that Comm leaves
/// something alone: "file: warning: Comm leaves WHAT: CAUSE [-Rcomm]". Not a
/// compiler diagnostic, so that -Werror does not make an error of it.
void warnLeftAlone(const llvm::Module &user, llvm::StringRef what, llvm::StringRef cause);

} // namespace comm

#endif // COMM_TOOLS_PLUGIN_REMARKS_H
