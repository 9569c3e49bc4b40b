//===- DetectMode.h - How to look for collectives ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_DETECTMODE_H
#define COMM_TRANSFORMS_DETECTMODE_H

namespace comm {

/// Ahead: what is proved becomes a collective, and everything else stays. RunTime: every graph goes to the runtime.
/// All: what is proved becomes a collective, and everything else goes to the runtime.
enum class DetectMode { Off, Ahead, RunTime, All };

} // namespace comm

#endif // COMM_TRANSFORMS_DETECTMODE_H
