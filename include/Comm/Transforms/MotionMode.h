//===- MotionMode.h - How far code moves ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_MOTIONMODE_H
#define COMM_TRANSFORMS_MOTIONMODE_H

namespace comm {

/// Nguyen et al., section 5.2: `Basic` is the related work that they compare with, `Extended` their method.
enum class MotionMode { Off, Basic, Extended };

} // namespace comm

#endif // COMM_TRANSFORMS_MOTIONMODE_H
