# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a developer may switch; CMakePresets.json does so.
option(COMM_WERROR "warnings are errors" OFF)
set(COMM_SANITIZE "" CACHE STRING "sanitizers for Comm itself, e.g. address,undefined")

if(COMM_WERROR)
  add_compile_options(-Werror)
endif()
if(COMM_SANITIZE)
  # LLVM's own objects are not instrumented: a vptr check would need their type information.
  add_compile_options(-fsanitize=${COMM_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${COMM_SANITIZE})
endif()
