// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI itself writes to poisoned receive buffers in any call between start and wait. MPI libraries are not instrumented,
// but they call AddressSanitizer's memcpy, readv or process_vm_readv, which check their arguments. Errors in such
// functions are therefore suppressed if an MPI library (or the transport below it) is on the call stack.
//
// A program that has its own __asan_default_suppressions must also define comm_check_asan_suppressions as nonempty
// text, which should contain these lines: the linker then does not extract this object file.

extern "C" {
extern const char comm_check_asan_suppressions[];
const char comm_check_asan_suppressions[] =
    // Open MPI 4 and 5, with its plugins and dependencies.
    "interceptor_via_lib:/libmpi.so\n"
    "interceptor_via_lib:/libmpi_*.so\n"
    "interceptor_via_lib:/libopen-rte.so\n"
    "interceptor_via_lib:/libopen-pal.so\n"
    "interceptor_via_lib:/mca_*.so\n"
    "interceptor_via_lib:/libpmix.so\n"
    // MPICH and its derivatives.
    "interceptor_via_lib:/libmpich*.so\n"
    "interceptor_via_lib:/libpmpi.so\n"
    // Transports.
    "interceptor_via_lib:/libucp.so\n"
    "interceptor_via_lib:/libuct*.so\n"
    "interceptor_via_lib:/libucs*.so\n"
    "interceptor_via_lib:/libucm*.so\n"
    "interceptor_via_lib:/libfabric.so\n"
    "interceptor_via_lib:/libpsm2.so\n";

__attribute__((visibility("default"))) const char *__asan_default_suppressions() {
  return comm_check_asan_suppressions;
}
}
