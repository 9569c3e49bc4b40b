// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header with its data behind it.
/// Begins anew.
int behind; // as `behind` says
