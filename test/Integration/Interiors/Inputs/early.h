// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of an array that a program has computed at its first wait: a number that does not depend on a clock.
#ifndef COMM_TEST_EARLY_H
#define COMM_TEST_EARLY_H

#ifdef __cplusplus
extern "C" {
#endif

/// The next wait of this process counts the cells of the array that no longer are NAN.
void watch(const double *cells, long number);
/// Returns the count, or -1 without a wait since the last call.
long early(void);
/// Likewise for the next wait for an MPI_Irecv (of at most 64) rather than for a sum.
long beforeReceive(void);
/// As many of these as were not there yet when the first message started.
long during(void);

#ifdef __cplusplus
}
#endif

#endif
