// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_TEST_LINK_TIME_H
#define COMM_TEST_LINK_TIME_H
int exchange(void *out, int length, int to, void *in, int capacity, int from);
int most(int mine);
#endif
