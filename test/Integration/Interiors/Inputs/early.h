// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of an array a program has computed when it first waits: a number that no clock measures.
#ifndef COMM_TEST_EARLY_H
#define COMM_TEST_EARLY_H

#ifdef __cplusplus
extern "C" {
#endif

/// The next wait of this process counts the cells of the array that no longer are NAN.
void watch(const double *cells, long number);
/// What it counted, or -1 if nothing has waited since.
long early(void);
/// As many of these as were not there yet when the first message started.
long during(void);

#ifdef __cplusplus
}
#endif

#endif
