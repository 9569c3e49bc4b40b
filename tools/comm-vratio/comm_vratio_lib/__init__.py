# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many ranks to run on each core: the model of the virtualization ratio (docs/vratio.md)."""
