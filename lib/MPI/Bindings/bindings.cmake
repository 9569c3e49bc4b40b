# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Include this from the CMakeLists.txt that builds lib/MPI/ABI.cpp. Generates MPIBindings.inc in the current binary
# directory. The target that compiles ABI.cpp needs that directory in its include path and a dependency on
# CommMPIBindingsIncGen. New JSON files here are found automatically.

file(GLOB COMM_MPI_BINDINGS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.json)
# Measurements of costs.py.
file(GLOB COMM_MPI_COSTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../Costs/*.json)
# Measurements of progress.py.
file(GLOB COMM_MPI_PROGRESS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../Progress/*.json)
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/MPIBindings.inc
  COMMAND "${COMM_PYTHON}" ${CMAKE_CURRENT_LIST_DIR}/generate.py
          -o ${CMAKE_CURRENT_BINARY_DIR}/MPIBindings.inc ${COMM_MPI_BINDINGS} --costs ${COMM_MPI_COSTS}
          --progress ${COMM_MPI_PROGRESS}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/generate.py ${COMM_MPI_BINDINGS} ${COMM_MPI_COSTS} ${COMM_MPI_PROGRESS}
  COMMENT "Generating the tables of MPI handle bindings"
  VERBATIM)
add_custom_target(CommMPIBindingsIncGen
  DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/MPIBindings.inc)
