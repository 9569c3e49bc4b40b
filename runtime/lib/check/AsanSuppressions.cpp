// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI itself writes into poisoned receive buffers, at any time it is called
// between start and wait. Its libraries are not instrumented, but the memcpy,
// readv or process_vm_readv that they call are AddressSanitizer's, which
// check their arguments. So errors in such functions are suppressed where an
// MPI library (or the transport below it) is on the call stack.
//
// A program that has its own __asan_default_suppressions defines also
// comm_check_asan_suppressions (any text that is not empty; it should hold
// these lines): the linker then leaves this object file in the archive.

extern "C" {
extern const char comm_check_asan_suppressions[];
const char comm_check_asan_suppressions[] =
    // Open MPI 4 and 5, with its plugins and what it is built on.
    "interceptor_via_lib:/libmpi.so\n"
    "interceptor_via_lib:/libmpi_*.so\n"
    "interceptor_via_lib:/libopen-rte.so\n"
    "interceptor_via_lib:/libopen-pal.so\n"
    "interceptor_via_lib:/mca_*.so\n"
    "interceptor_via_lib:/libpmix.so\n"
    // MPICH and what derives from it.
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
