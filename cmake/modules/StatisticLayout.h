// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::Statistic is another class with assertions than without, and libMLIR's
// constructor of a pass's statistics is for the one that libMLIR was built
// with. Included first where passes are, in builds with assertions on a release
// of LLVM: there the class is as the libraries know it.
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
