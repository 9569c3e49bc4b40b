# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The support for user-level ranks in commcc and commrun."""
