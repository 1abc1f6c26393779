# SPDX-License-Identifier: MIT
# pfx_library(NAME DIR [LOADED]): one static library per folder, with its rooms (subfolders), linked only to the
# libraries in scripts/layers.txt. Files that match the expression LOADED belong to a library that the program
# loads. Only scripts/check_layers checks the dependencies between rooms.
# A file X_with_LIB.c is compiled if the package LIB was found, X_without_LIB.c if not.

file(STRINGS ${CMAKE_SOURCE_DIR}/scripts/layers.txt PFX_LAYERS REGEX "^[a-z]+:")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
	${CMAKE_SOURCE_DIR}/scripts/layers.txt)

function(pfx_layer_of name ret)
	foreach(line IN LISTS PFX_LAYERS)
		if(line MATCHES "^${name}:(.*)$")
			string(STRIP "${CMAKE_MATCH_1}" below)
			separate_arguments(below)
			set(${ret} ${below} PARENT_SCOPE)
			return()
		endif()
	endforeach()
	message(FATAL_ERROR "scripts/layers.txt has no line for '${name}'")
endfunction()

function(pfx_sources dir ret)
	file(GLOB all CONFIGURE_DEPENDS ${dir}/*.c ${ARGN})
	set(chosen)
	foreach(source IN LISTS all)
		if(source MATCHES "_with_([a-z0-9]+)\\.c$")
			string(TOUPPER ${CMAKE_MATCH_1} lib)
			if(NOT PFX_HAVE_${lib})
				continue()
			endif()
		elseif(source MATCHES "_without_([a-z0-9]+)\\.c$")
			string(TOUPPER ${CMAKE_MATCH_1} lib)
			if(PFX_HAVE_${lib})
				continue()
			endif()
		endif()
		list(APPEND chosen ${source})
	endforeach()
	set(${ret} ${chosen} PARENT_SCOPE)
endfunction()

function(pfx_library name dir)
	pfx_sources(${dir} sources ${dir}/*/*.c)
	if(ARGN)
		list(FILTER sources EXCLUDE REGEX ${ARGN})
	endif()
	if(NOT sources)
		add_library(pfx_${name} INTERFACE)
		set(scope INTERFACE)
	else()
		add_library(pfx_${name} STATIC ${sources})
		set(scope PUBLIC)
	endif()
	target_include_directories(pfx_${name} ${scope} ${CMAKE_SOURCE_DIR}/lib
		${CMAKE_SOURCE_DIR}/lib/include ${CMAKE_SOURCE_DIR}
		${CMAKE_BINARY_DIR}/generated)
	pfx_layer_of(${name} below)
	foreach(lib IN LISTS below)
		target_link_libraries(pfx_${name} ${scope} pfx_${lib})
	endforeach()
endfunction()
