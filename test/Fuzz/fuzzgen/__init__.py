# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random MPI programs, correct by construction. See docs/fuzzing.md."""
