// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "check/Asan.h"

// Declared here because not every compiler that builds the runtime ships
// sanitizer headers; weak because most programs have no AddressSanitizer.
extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void *, size_t);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *, size_t);
__attribute__((weak)) void *__asan_region_is_poisoned(void *, size_t);
__attribute__((weak)) size_t __asan_get_free_stack(void *, void **, size_t, int *);
__attribute__((weak)) void __asan_get_shadow_mapping(size_t *, size_t *);
__attribute__((weak)) void *__asan_get_report_address(void);
__attribute__((weak)) void __asan_set_error_report_callback(void (*)(const char *));
extern const char comm_check_asan_suppressions[];
}

using namespace comm::runtime;

static void (*explainAddress)(uintptr_t);

static void onReport(const char *) { explainAddress(reinterpret_cast<uintptr_t>(__asan_get_report_address())); }

bool comm::runtime::hasAsan() {
  // Referring to the suppressions makes the linker extract them from the archive together with the checker.
  return __asan_poison_memory_region && comm_check_asan_suppressions[0];
}

void comm::runtime::explainAsanReports(void (*explain)(uintptr_t)) {
  explainAddress = explain;
  if (__asan_set_error_report_callback && __asan_get_report_address)
    __asan_set_error_report_callback(onReport);
}

void comm::runtime::poison(uintptr_t begin, size_t size) {
  __asan_poison_memory_region(reinterpret_cast<void *>(begin), size);
}

void comm::runtime::unpoison(uintptr_t begin, size_t size) {
  __asan_unpoison_memory_region(reinterpret_cast<void *>(begin), size);
}

bool comm::runtime::isPoisoned(uintptr_t begin, size_t size) {
  return __asan_region_is_poisoned && __asan_region_is_poisoned(reinterpret_cast<void *>(begin), size);
}

bool comm::runtime::isFreed(uintptr_t address) {
  void *trace[1];
  int thread;
  return __asan_get_free_stack && __asan_get_free_stack(reinterpret_cast<void *>(address), trace, 1, &thread) > 0;
}

bool comm::runtime::isOutOfScope(uintptr_t address) {
  if (!__asan_get_shadow_mapping)
    return false;
  size_t scale, offset;
  __asan_get_shadow_mapping(&scale, &offset);
  unsigned char shadow = *reinterpret_cast<unsigned char *>((address >> scale) + offset);
  // kAsanStackAfterReturnMagic and kAsanStackUseAfterScopeMagic, which are
  // also in the legend of every report.
  return shadow == 0xf5 || shadow == 0xf8;
}
