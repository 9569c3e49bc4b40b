# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFROM=FILE -DTO=FILE -P CountStatistics.cmake: gives the passes that mlir-tblgen wrote statistics that count in
# release builds of LLVM as well.
file(READ "${FROM}" text)
string(REPLACE "::mlir::Pass::Statistic" "::comm::PassStatistic" text "${text}")
file(WRITE "${TO}" "${text}")
