# SPDX-License-Identifier: MIT
# lib/python: the loader is part of the program; the interpreter (python_*.c) is pfx-python.so,
# which the program loads for scripts and which calls the program's functions.
include(GNUInstallDirs)
set(PFX_PYTHON_LOADED "/python_[a-z]+_with_python\\.c$")
pfx_library(python ${CMAKE_SOURCE_DIR}/lib/python ${PFX_PYTHON_LOADED})

if(PFX_HAVE_PYTHON)
	pfx_sources(${CMAKE_SOURCE_DIR}/lib/python PFX_PYTHON_SOURCES)
	list(FILTER PFX_PYTHON_SOURCES INCLUDE REGEX ${PFX_PYTHON_LOADED})
	add_library(pfx-python MODULE ${PFX_PYTHON_SOURCES})
	target_include_directories(pfx-python PRIVATE
		$<TARGET_PROPERTY:pfx_python,INTERFACE_INCLUDE_DIRECTORIES>)
	target_link_libraries(pfx-python PRIVATE PkgConfig::PYTHON)
	set_target_properties(pfx-python PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cmd)
	install(TARGETS pfx-python LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pfx)
	file(RELATIVE_PATH PFX_LIBRARY_PLACE ${CMAKE_INSTALL_FULL_BINDIR}
		${CMAKE_INSTALL_FULL_LIBDIR}/pfx)
	target_compile_definitions(pfx_python PRIVATE PFX_LIBRARY_PLACE="${PFX_LIBRARY_PLACE}")
endif()
