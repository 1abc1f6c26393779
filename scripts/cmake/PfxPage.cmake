# SPDX-License-Identifier: MIT
# The HTML page, joined from its sources in lib/export/page, and the style and script of the SVG, from
# lib/export/svg; built in as bytes.

function(pfx_html_page library)
	set(page ${CMAKE_BINARY_DIR}/generated/page_bytes.c)
	file(GLOB inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lib/export/page/*)
	add_custom_command(OUTPUT ${page}
		COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/join_page
			${CMAKE_SOURCE_DIR}/lib/export/page ${page}
		DEPENDS ${CMAKE_SOURCE_DIR}/scripts/join_page ${inputs}
		COMMENT "the HTML page" VERBATIM)
	set(svg ${CMAKE_BINARY_DIR}/generated/svg_bytes.c)
	file(GLOB svg_inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lib/export/svg/*)
	add_custom_command(OUTPUT ${svg}
		COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/join_page --svg
			${CMAKE_SOURCE_DIR}/lib/export/svg ${svg}
		DEPENDS ${CMAKE_SOURCE_DIR}/scripts/join_page ${svg_inputs}
			${CMAKE_SOURCE_DIR}/lib/export/page/fitting.js
		COMMENT "the style and script of the SVG" VERBATIM)
	target_sources(${library} PRIVATE ${page} ${svg})
endfunction()
