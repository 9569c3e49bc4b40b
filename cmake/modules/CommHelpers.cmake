# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that the CMake files of Comm share.

# The Python that has the packages of requirements.txt: the project's own virtual environment if utils/setup.sh made
# one, else the one on the path.
function(comm_find_python)
  set(venv "${CMAKE_SOURCE_DIR}/.venv/bin/python3")
  if(COMM_WHEEL)
    # The one that the wheel is for.
    set(COMM_PYTHON "${Python_EXECUTABLE}" CACHE FILEPATH "the Python interpreter that Comm's build uses" FORCE)
  elseif(NOT COMM_PYTHON AND EXISTS "${venv}")
    set(COMM_PYTHON "${venv}" CACHE FILEPATH "the Python interpreter that Comm's build uses" FORCE)
  elseif(NOT COMM_PYTHON)
    find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
    set(COMM_PYTHON "${Python3_EXECUTABLE}" CACHE FILEPATH "the Python interpreter that Comm's build uses" FORCE)
  endif()
  execute_process(COMMAND "${COMM_PYTHON}" -c "import pympistandard" RESULT_VARIABLE missing ERROR_QUIET)
  if(missing)
    message(FATAL_ERROR "${COMM_PYTHON} has no package `pympistandard`: run utils/setup.sh, or set COMM_PYTHON")
  endif()
endfunction()

# A library of Comm: comm_add_library(CommAnalysisOrder ScopeTree.cpp ... DEPENDS ... LINK ...). Always static: the tools link
# what they use of it, and all of MLIR and LLVM comes from the two shared libraries.
function(comm_add_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -Wall -Wextra
                                         -Wno-unused-parameter>)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                            $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
                                            $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY COMM_LIBRARIES ${name})
  install(TARGETS ${name} EXPORT CommTargets ARCHIVE DESTINATION lib)
endfunction()

# A program in Python: comm_add_python_tool(commreport MODULES commreport_lib [DATA FILE ...] [DEPENDS TARGET ...]) copies the script
# to bin/ and the modules, with their data, to share/comm/python, in the build tree as after installation. The
# script runs with COMM_PYTHON.
function(comm_add_python_tool name)
  cmake_parse_arguments(arg "" "MODULES" "DATA;DEPENDS" ${ARGN})
  include(GNUInstallDirs)
  file(GLOB modules RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${arg_MODULES}/*.py)
  set(copied)
  macro(copy from to)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${to}
      COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/${from} ${CMAKE_BINARY_DIR}/${to}
      DEPENDS ${from})
    list(APPEND copied ${CMAKE_BINARY_DIR}/${to})
  endmacro()
  set(script ${CMAKE_BINARY_DIR}/bin/${name})
  set(copier ${CMAKE_SOURCE_DIR}/cmake/modules/CopyPythonTool.cmake)
  add_custom_command(OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/${name} -DTO=${script} -DPYTHON=${COMM_PYTHON} -P ${copier}
    DEPENDS ${name} ${copier} VERBATIM)
  list(APPEND copied ${script})
  foreach(module IN LISTS modules)
    copy(${module} share/comm/python/${module})
  endforeach()
  foreach(file IN LISTS arg_DATA)
    get_filename_component(base ${file} NAME)
    copy(${file} share/comm/python/${arg_MODULES}/${base})
  endforeach()
  add_custom_target(${name} ALL DEPENDS ${copied})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()

  set(python ${CMAKE_INSTALL_DATADIR}/comm/python)
  install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${arg_MODULES} DESTINATION ${python} FILES_MATCHING PATTERN "*.py")
  install(FILES ${arg_DATA} DESTINATION ${python}/${arg_MODULES})
endfunction()

# The classes of the passes of Passes.td, in Passes.h.inc: comm_add_passes(CommTransforms TARGET). Their statistics count in
# every build (Comm/Dialect/Comm/Utils/PassStatistic.h).
function(comm_add_passes group target)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.generated.inc -gen-pass-decls -name ${group})
  set(header "${CMAKE_CURRENT_BINARY_DIR}/Passes.h.inc")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DFROM=${CMAKE_CURRENT_BINARY_DIR}/Passes.generated.inc" "-DTO=${header}"
            -P "${CMAKE_SOURCE_DIR}/cmake/modules/CountStatistics.cmake"
    DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/Passes.generated.inc" "${CMAKE_SOURCE_DIR}/cmake/modules/CountStatistics.cmake"
    VERBATIM)
  list(APPEND TABLEGEN_OUTPUT "${header}")
  add_public_tablegen_target(${target})
endfunction()
