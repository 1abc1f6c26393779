# SPDX-License-Identifier: MIT
# lib/python: the loader is part of the program; the interpreter (python_*.c) is pfx-python.so,
# which the program loads for scripts and which calls the program's functions.
include(GNUInstallDirs)
set(PFX_PYTHON_LOADED "/(python|module)_[a-z]+_with_python\\.c$")
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

# lib/python/module: the package `pfx`, on libpfx.so; in the stable ABI, so that it works with any Python from 3.11 on.
set(PFX_PYTHON_DIR "" CACHE PATH "folder for Python packages, relative to the prefix (by default that of the Python found)")
if(PFX_HAVE_PYTHON AND NOT PFX_FUZZ)
	if(PFX_PYTHON_DIR)
		set(packages ${PFX_PYTHON_DIR})
	else()
		pkg_get_variable(version python3-embed python_version)
		if(NOT version)
			string(REGEX MATCH "^[0-9]+\\.[0-9]+" version ${PYTHON_VERSION})
		endif()
		set(packages lib/python${version}/dist-packages)
	endif()
	set(module ${CMAKE_SOURCE_DIR}/lib/python/module)
	set(files ${module}/__init__.py ${module}/__init__.pyi ${module}/py.typed)
	pfx_sources(${module} sources)
	add_library(pfx-module MODULE ${sources})
	target_link_libraries(pfx-module PRIVATE pfx-shared)
	target_include_directories(pfx-module PRIVATE ${CMAKE_SOURCE_DIR}/lib/include)
	target_include_directories(pfx-module SYSTEM PRIVATE ${PYTHON_INCLUDE_DIRS})
	file(RELATIVE_PATH library /${packages}/pfx /${CMAKE_INSTALL_LIBDIR})
	set_target_properties(pfx-module PROPERTIES PREFIX "" OUTPUT_NAME _pfx SUFFIX .abi3.so C_VISIBILITY_PRESET hidden
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/python/pfx INSTALL_RPATH $ORIGIN/${library}
		BUILD_RPATH $ORIGIN BUILD_RPATH_USE_ORIGIN ON) # in a wheel they are neighbours
	foreach(file IN LISTS files)
		get_filename_component(name ${file} NAME)
		configure_file(${file} ${CMAKE_BINARY_DIR}/lib/python/pfx/${name} COPYONLY)
	endforeach()
	install(TARGETS pfx-module LIBRARY DESTINATION ${packages}/pfx)
	install(FILES ${files} DESTINATION ${packages}/pfx)
endif()
