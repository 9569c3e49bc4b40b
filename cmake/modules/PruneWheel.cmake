# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Removes files from a wheel's folder that are only needed to link Comm's compiler: archives and headers. COMM_ARCHIVES
# names the libraries.
foreach(name IN LISTS COMM_ARCHIVES)
  file(REMOVE "${CMAKE_INSTALL_PREFIX}/lib/lib${name}.a")
endforeach()
file(REMOVE_RECURSE "${CMAKE_INSTALL_PREFIX}/lib/cmake" "${CMAKE_INSTALL_PREFIX}/include/Comm"
     "${CMAKE_INSTALL_PREFIX}/include/comm-c")
file(REMOVE "${CMAKE_INSTALL_PREFIX}/lib/libCommCDag.a")
# The package contains these modules.
file(GLOB_RECURSE modules "${CMAKE_INSTALL_PREFIX}/share/comm/python/*.py")
if(modules)
  file(REMOVE ${modules})
endif()
