# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules of commreport: report (the file), tables (text), plots (pictures), cli."""
