// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defaults of AddressSanitizer for programs that link LLVM's shared libraries,
// which are not instrumented: containers that they have grown, and slabs of
// allocators that they share with inline functions of ours, look wrong. What
// ASAN_OPTIONS says comes on top.

extern "C" __attribute__((used, visibility("default"))) const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0";
}
