// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message/Network.h"
#include "Rank.h"
#include "core/Thread.h"
