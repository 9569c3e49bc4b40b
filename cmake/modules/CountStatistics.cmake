# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFROM=FILE -DTO=FILE -P CountStatistics.cmake: makes the statistics of passes that mlir-tblgen generated also
# count in release builds of LLVM.
file(READ "${FROM}" text)
string(REPLACE "::mlir::Pass::Statistic" "::comm::PassStatistic" text "${text}")
file(WRITE "${TO}" "${text}")
