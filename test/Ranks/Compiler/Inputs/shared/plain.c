/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built without -fcomm-ranks, and first in the order of libraries: its variable is the one that all use. */
int replaced = 77;
