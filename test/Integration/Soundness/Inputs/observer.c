// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The observer of answers.c, as a communication layer in a file of its own.
#include "observer.h"
