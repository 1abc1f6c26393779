# SPDX-License-Identifier: MIT
# pfx_script_tests(KIND): registers test_*.sh and test_*.py of the current folder with CTest. They get
# PFX (the program), PFX_DEMO (a workload), PFX_KIT (makes recordings) and PFX_SOURCE_DIR in the
# environment, run in an empty directory of their own, and exit with 77 to be skipped; their last line is the reason.
function(pfx_script_tests kind)
	file(GLOB scripts CONFIGURE_DEPENDS test_*.sh test_*.py)
	foreach(source IN LISTS scripts)
		get_filename_component(name ${source} NAME_WE)
		if(source MATCHES "\\.py$")
			set(runner python3)
		else()
			set(runner bash)
		endif()
		set(scratch ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
		# also empty if the test is repeated
		add_test(NAME ${kind}.${name} COMMAND sh -c
			"rm -rf \"$1\" && mkdir \"$1\" && cd \"$1\" && shift && exec \"$@\""
			sh ${scratch} ${runner} ${source})
		set_tests_properties(${kind}.${name} PROPERTIES
			SKIP_RETURN_CODE 77 TIMEOUT 3600 LABELS ${kind} ENVIRONMENT
			"PFX=$<TARGET_FILE:pfx>;PFX_DEMO=$<TARGET_FILE:pfx-demo>;PFX_KIT=$<TARGET_FILE:pfx-kit>;PFX_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
	endforeach()
endfunction()
