# SPDX-License-Identifier: MIT
# pfx_script_tests(KIND): registers test_*.sh and test_*.py of the current folder with CTest. They get
# PFX (the program), PFX_DEMO (a workload), PFX_KIT (makes recordings) and PFX_SOURCE_DIR in the
# environment, run in an empty directory of their own, with signals as a new login has them (a job in
# the background ignores SIGINT, and recorders would not end), and exit with 77 to be skipped; their last line is the reason.
# PFX_PYTHON3 is the interpreter itself: what is called python3 may be a shell script that looks for
# it (pyenv), which takes five times as long to start. Tests find it first in their PATH, too.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
	OUTPUT_VARIABLE PFX_PYTHON3 OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(python_found ${Python3_EXECUTABLE} DIRECTORY)
get_filename_component(python_folder ${PFX_PYTHON3} DIRECTORY)
set(PFX_TEST_PATH)
if(NOT python_found STREQUAL python_folder)
	set(PFX_TEST_PATH "PATH=path_list_prepend:${python_folder}")
endif()

function(pfx_script_tests kind)
	file(GLOB scripts CONFIGURE_DEPENDS test_*.sh test_*.py)
	foreach(source IN LISTS scripts)
		get_filename_component(name ${source} NAME_WE)
		if(source MATCHES "\\.py$")
			set(runner ${PFX_PYTHON3})
		else()
			set(runner bash)
		endif()
		set(scratch ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
		# also empty if the test is repeated
		add_test(NAME ${kind}.${name} COMMAND sh -c
			"rm -rf \"$1\" && mkdir \"$1\" && cd \"$1\" && shift && exec env --default-signal \"$@\""
			sh ${scratch} ${runner} ${source})
		set_tests_properties(${kind}.${name} PROPERTIES
			SKIP_RETURN_CODE 77 TIMEOUT 3600 LABELS ${kind}
			ENVIRONMENT_MODIFICATION "${PFX_TEST_PATH}" ENVIRONMENT
			"PFX=$<TARGET_FILE:pfx>;PFX_DEMO=$<TARGET_FILE:pfx-demo>;PFX_KIT=$<TARGET_FILE:pfx-kit>;PFX_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
	endforeach()
endfunction()
