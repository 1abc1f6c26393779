# SPDX-License-Identifier: MIT
# libpfx for other programs: a shared library that exports the names in lib/api/libpfx.map, an archive of all objects,
# the headers, pfx.pc and a CMake package. PFX_SOVERSION changes when programs have to be compiled again
# (Documentation/libpfx.md).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(PFX_SOVERSION 0)
set(PFX_EXPORTS ${CMAKE_SOURCE_DIR}/lib/api/libpfx.map)

add_library(pfx-shared SHARED)
target_sources(pfx-shared PRIVATE ${PFX_EXPORTS}) # no sources of its own
target_link_libraries(pfx-shared PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,pfx_api>")
target_link_options(pfx-shared PRIVATE -Wl,--version-script=${PFX_EXPORTS} -Wl,-Bsymbolic -Wl,--gc-sections)
if(PFX_HAVE_IBERTY) # its allocator prints and ends the process
	foreach(function malloc calloc realloc strdup)
		target_link_options(pfx-shared PRIVATE -Wl,--defsym=x${function}=pfx_${function})
	endforeach()
endif()
set_target_properties(pfx-shared PROPERTIES LINKER_LANGUAGE C LINK_DEPENDS ${PFX_EXPORTS}
	VERSION ${PROJECT_VERSION} SOVERSION ${PFX_SOVERSION})

# The archive has the objects of lib/api and of all folders below it.
set(PFX_API_FOLDERS api)
set(todo api)
while(todo)
	list(POP_FRONT todo folder)
	pfx_layer_of(${folder} below)
	list(REMOVE_ITEM below ${PFX_API_FOLDERS})
	list(APPEND PFX_API_FOLDERS ${below})
	list(APPEND todo ${below})
endwhile()
add_library(pfx-static STATIC EXCLUDE_FROM_ALL)
set_target_properties(pfx-static PROPERTIES LINKER_LANGUAGE C EXCLUDE_FROM_ALL FALSE)
set(PFX_PRIVATE_MODULES)
foreach(folder IN LISTS PFX_API_FOLDERS)
	get_target_property(type pfx_${folder} TYPE)
	if(NOT type STREQUAL INTERFACE_LIBRARY)
		target_sources(pfx-static PRIVATE $<TARGET_OBJECTS:pfx_${folder}>)
	endif()
endforeach()
foreach(kind shared static)
	set_target_properties(pfx-${kind} PROPERTIES OUTPUT_NAME pfx
		ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endforeach()

# What a program needs that links the archive. Flags, not modules: programs would get the include folders of those.
foreach(name IN LISTS PFX_PACKAGE_NAMES)
	list(GET PFX_PKG_${name} 1 folders)
	string(REPLACE "," ";" folders "${folders}")
	set(used FALSE)
	foreach(folder IN LISTS folders)
		if(folder IN_LIST PFX_API_FOLDERS)
			set(used TRUE)
		endif()
	endforeach()
	if(NOT PFX_HAVE_${name} OR NOT used)
		continue()
	elseif(name STREQUAL IBERTY)
		string(APPEND PFX_PC_LIBRARIES " -liberty")
	else()
		string(REGEX REPLACE "-L/usr/lib[^;]*;" "" flags "${${name}_LDFLAGS}")
		string(REPLACE ";" " " flags "${flags}")
		string(APPEND PFX_PC_LIBRARIES " ${flags}")
	endif()
endforeach()
# The installed files may be moved: pfx.pc finds the others from where it is.
file(RELATIVE_PATH PFX_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(scripts/cmake/pfx.pc.in ${CMAKE_BINARY_DIR}/generated/pfx.pc @ONLY)
configure_package_config_file(scripts/cmake/pfx-config.cmake.in ${CMAKE_BINARY_DIR}/generated/pfx-config.cmake
	INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pfx PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/pfx-config-version.cmake
	VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(TARGETS pfx-shared pfx-static LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Manual pages are the comments of the headers.
file(GLOB PFX_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lib/include/pfx/*.h)
set(PFX_MANUAL ${CMAKE_BINARY_DIR}/generated/man3)
add_custom_command(OUTPUT ${PFX_MANUAL}/libpfx.3
	COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/scripts/make_manual ${PFX_MANUAL}
	DEPENDS ${CMAKE_SOURCE_DIR}/scripts/make_manual ${PFX_HEADERS} VERBATIM)
add_custom_target(pfx-manual ALL DEPENDS ${PFX_MANUAL}/libpfx.3)
install(DIRECTORY ${PFX_MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/lib/include/pfx DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/generated/pfx.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/generated/pfx-config.cmake
	${CMAKE_BINARY_DIR}/generated/pfx-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pfx)
