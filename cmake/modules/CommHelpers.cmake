# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that Comm's CMake files share.

# The Python with the packages of requirements.txt: that of the project's virtual environment, if utils/setup.sh created
# one, and otherwise the one on the path.
function(comm_find_python)
  set(venv "${CMAKE_SOURCE_DIR}/.venv/bin/python3")
  if(COMM_WHEEL)
    # The Python that the wheel is for.
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

# A library of Comm: comm_add_library(CommAnalysisOrder ScopeTree.cpp ... DEPENDS ... LINK ...). Always static: tools
# link only the parts that they use, while all of MLIR and LLVM comes from two shared libraries. WITHOUT_MLIR: for
# libraries that include no header of MLIR, so that what links them need not link MLIR. NOT_PRECOMPILED: for libraries
# that hardly use LLVM either, which then see only the headers that their files include. NOT_INSTALLED: only in the build
# tree.
function(comm_add_library name)
  cmake_parse_arguments(arg "WITHOUT_MLIR;NOT_PRECOMPILED;NOT_INSTALLED" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  if(arg_WITHOUT_MLIR)
    comm_library_options(${name} REUSE_FROM CommPrecompiledLLVM)
  else()
    comm_library_options(${name} REUSE_FROM CommPrecompiled)
  endif()
  if(arg_NOT_PRECOMPILED)
    set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                            $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
                                            $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  if(NOT arg_NOT_INSTALLED)
    set_property(GLOBAL APPEND PROPERTY COMM_LIBRARIES ${name})
    install(TARGETS ${name} EXPORT CommTargets ARCHIVE DESTINATION lib)
  endif()
endfunction()

# Copies files of the package comm_mlir to share/comm/python/comm_mlir, where an installation's programs find them if
# the package is missing: comm_copy_python(OUTPUTS FOLDER FILE ...) with files of python/comm_mlir/FOLDER.
function(comm_copy_python outputs folder)
  set(copied)
  foreach(file IN LISTS ARGN)
    cmake_path(APPEND folder "${file}" OUTPUT_VARIABLE path)
    set(to "${CMAKE_BINARY_DIR}/share/comm/python/comm_mlir/${path}")
    add_custom_command(OUTPUT "${to}"
      COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_SOURCE_DIR}/python/comm_mlir/${path}" "${to}"
      DEPENDS "${CMAKE_SOURCE_DIR}/python/comm_mlir/${path}" VERBATIM)
    list(APPEND copied "${to}")
    cmake_path(GET path PARENT_PATH parent)
    install(FILES "${CMAKE_SOURCE_DIR}/python/comm_mlir/${path}"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/comm/python/comm_mlir/${parent}")
  endforeach()
  set(${outputs} ${copied} PARENT_SCOPE)
endfunction()

# A program in Python: comm_add_python_tool(commreport PACKAGE report [DATA FILE ...] [DEPENDS TARGET ...]) copies the
# script to bin/, and comm_mlir/report with its data to share/comm/python, both in the build tree and in an
# installation. The script runs with COMM_PYTHON.
function(comm_add_python_tool name)
  cmake_parse_arguments(arg "" "PACKAGE" "DATA;DEPENDS" ${ARGN})
  include(GNUInstallDirs)
  set(script ${CMAKE_BINARY_DIR}/bin/${name})
  set(copier ${CMAKE_SOURCE_DIR}/cmake/modules/CopyPythonTool.cmake)
  add_custom_command(OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/${name} -DTO=${script} -DPYTHON=${COMM_PYTHON} -P ${copier}
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}" ${copier} VERBATIM)
  set(package "${CMAKE_SOURCE_DIR}/python/comm_mlir/${arg_PACKAGE}")
  file(GLOB modules RELATIVE "${package}" CONFIGURE_DEPENDS "${package}/*.py")
  comm_copy_python(copied ${arg_PACKAGE} ${modules})
  set(folder share/comm/python/comm_mlir/${arg_PACKAGE})
  foreach(file IN LISTS arg_DATA)
    get_filename_component(base ${file} NAME)
    add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/${folder}/${base}"
      COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${CMAKE_BINARY_DIR}/${folder}/${base}"
      DEPENDS ${file} VERBATIM)
    list(APPEND copied "${CMAKE_BINARY_DIR}/${folder}/${base}")
  endforeach()
  add_custom_target(${name} ALL DEPENDS ${script} ${copied})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${arg_DATA} DESTINATION ${CMAKE_INSTALL_DATADIR}/comm/python/comm_mlir/${arg_PACKAGE})
endfunction()

# Generates the classes of the passes of Passes.td in Passes.h.inc: comm_add_passes(CommTransforms TARGET). Their
# statistics count in every build (Comm/Dialect/Comm/Utils/PassStatistic.h).
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
