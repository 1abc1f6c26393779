# SPDX-License-Identifier: MIT
# The table of vendor events, generated from pmu-events by scripts/gen_pmu_events. PFX_PMU_EVENTS_DIR is
# another folder of the same layout (a kernel tree's tools/perf/pmu-events), whose architectures replace
# those in the tree.

set(PFX_PMU_EVENTS_DIR "" CACHE PATH "pmu-events of a kernel tree or a vendor, to be built in")
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(pfx_vendor_table library)
	set(places ${PFX_PMU_EVENTS_DIR} ${CMAKE_SOURCE_DIR}/pmu-events)
	set(table ${CMAKE_BINARY_DIR}/generated/vendor_table.c)
	set(inputs)
	foreach(place IN LISTS places)
		file(GLOB_RECURSE found CONFIGURE_DEPENDS ${place}/*.json ${place}/*mapfile.csv
			${place}/*.txt)
		list(APPEND inputs ${found})
	endforeach()
	file(GLOB modules CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/vendor/*.py)
	add_custom_command(OUTPUT ${table}
		COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/gen_pmu_events ${places} ${table}
		DEPENDS ${CMAKE_SOURCE_DIR}/scripts/gen_pmu_events ${modules} ${inputs}
		COMMENT "vendor events" VERBATIM)
	target_sources(${library} PRIVATE ${table})
endfunction()
