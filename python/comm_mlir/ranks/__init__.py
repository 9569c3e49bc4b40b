# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What commcc and commrun know of programs of user-level ranks."""
