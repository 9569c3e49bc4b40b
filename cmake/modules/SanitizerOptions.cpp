// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AddressSanitizer defaults for programs that link LLVM's shared libraries, which are not instrumented. Containers that
// those have grown, and allocator slabs that they share with inline functions of ours, would look wrong. ASAN_OPTIONS
// overrides these.

extern "C" __attribute__((used, visibility("default"))) const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0";
}
