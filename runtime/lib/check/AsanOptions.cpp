// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disables the leak report at exit: most MPI libraries leak, and the exit code would change. commcc requests
// comm_check_asan_options if AddressSanitizer is only enabled because of -fcomm-check; otherwise the linker does not
// extract this object file. ASAN_OPTIONS takes precedence.

extern "C" {
extern const char comm_check_asan_options[];
const char comm_check_asan_options[] = "detect_leaks=0";

__attribute__((visibility("default"))) const char *__asan_default_options() { return comm_check_asan_options; }
}
