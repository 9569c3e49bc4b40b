/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dlopen and the like in ranks. Functions that depend on their caller (RUNPATH, RTLD_NEXT) are hidden: each program and
 * library has its own.
 */
#ifndef COMM_RANKS_START_DYNAMICLINK_H
#define COMM_RANKS_START_DYNAMICLINK_H

#define HIDDEN __attribute__((visibility("hidden")))

/* Saves the text of an error for this rank's dlerror. */
void comm_ranks_keep_dlerror(void);

#endif
