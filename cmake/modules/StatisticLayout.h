// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::Statistic has different classes with and without assertions, and libMLIR's constructor of a pass's statistics
// expects the one of its own build. This is included first in code of passes, in builds with assertions on a release of
// LLVM, so that the class is the one in the libraries.
#ifdef __cplusplus
#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#else
#include "llvm/ADT/Statistic.h"
#endif
static_assert(sizeof(llvm::Statistic) == sizeof(llvm::NoopStatistic), "statistics as in a release of LLVM");
#endif
