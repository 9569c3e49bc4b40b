// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Graph.h"
#include "llvm/ADT/StringRef.h"
