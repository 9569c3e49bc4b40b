// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header of that name which is not MPI's.
int something_else(void);
