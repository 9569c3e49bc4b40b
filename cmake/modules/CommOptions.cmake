# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Options for developers; CMakePresets.json sets them.
option(COMM_WERROR "warnings are errors" OFF)
set(COMM_SANITIZE "" CACHE STRING "sanitizers for Comm itself, e.g. address,undefined")

if(COMM_WERROR)
  add_compile_options(-Werror)
endif()
if(COMM_SANITIZE)
  # LLVM's own objects are not instrumented, and a vptr check would need their type information.
  add_compile_options(-fsanitize=${COMM_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${COMM_SANITIZE})
  # The sanitizers' runtime is in programs; libraries find it there.
  foreach(kind SHARED MODULE)
    string(REPLACE "-Wl,-z,defs" "" CMAKE_${kind}_LINKER_FLAGS "${CMAKE_${kind}_LINKER_FLAGS}")
  endforeach()
endif()

# Sanitizer defaults for one of our programs that links LLVM's shared libraries.
function(comm_sanitizer_options name)
  if(COMM_SANITIZE MATCHES "address")
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/modules/SanitizerOptions.cpp)
  endif()
endfunction()

set(comm_statistics_as_released NOT LLVM_ENABLE_ASSERTIONS AND NOT LLVM_FORCE_ENABLE_STATS)
# For a folder of passes: uses the llvm::Statistic of LLVM's libraries, even in a build with assertions.
macro(comm_match_statistics)
  if(${comm_statistics_as_released})
    add_compile_options("SHELL:-include ${CMAKE_SOURCE_DIR}/cmake/modules/StatisticLayout.h")
  endif()
endmacro()
