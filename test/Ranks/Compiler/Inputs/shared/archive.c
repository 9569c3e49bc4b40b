/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In an archive that both libraries contain: with --exclude-libs each has a copy. */
int archive_count = 30;
int archive_next(void) { return ++archive_count; }
