// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No report of leaks at the end of a program: most MPI libraries never free all
// they allocate, and the exit code would change. commcc asks the linker for
// comm_check_asan_options where -fcomm-check alone brought AddressSanitizer;
// else this object file stays in the archive. ASAN_OPTIONS has the last word.

extern "C" {
extern const char comm_check_asan_options[];
const char comm_check_asan_options[] = "detect_leaks=0";

__attribute__((visibility("default"))) const char *__asan_default_options() { return comm_check_asan_options; }
}
