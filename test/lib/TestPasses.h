//===- TestPasses.h - Passes for tests only ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_LIB_TESTPASSES_H
#define COMM_TEST_LIB_TESTPASSES_H

namespace comm::test {
void registerTestPasses();
void registerFootprintPasses();
void registerGraphPasses();
void registerRequestPasses();
} // namespace comm::test

#endif // COMM_TEST_LIB_TESTPASSES_H
