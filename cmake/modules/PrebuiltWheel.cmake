# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes a wheel from a build tree without compiling. Tests make wheels this way, like
# `pip wheel . --config-settings=cmake.define.COMM_PREBUILT=$PWD/build`.
if(NOT EXISTS "${COMM_PREBUILT}/cmake_install.cmake")
  message(FATAL_ERROR "COMM_PREBUILT: ${COMM_PREBUILT} is not a build tree of Comm: run `make build`")
endif()
foreach(component IN ITEMS Unspecified Wheel)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --install \"${COMM_PREBUILT}\"
    --prefix \"\${CMAKE_INSTALL_PREFIX}\" --component ${component} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT ${component})
endforeach()
