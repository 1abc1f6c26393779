/* SPDX-License-Identifier: MIT */
/* The class of a member function. GCC gives the call operator of a lambda no line where it is
 * declared, only its class has one. */
#include "sym/dwarf/dwarf_internal.h"

/* The DIE that contains the one at an offset. A DIE follows its parent and older siblings, and
 * all that these contain. */
static bool find_parent(Dwarf_Die *unit, Dwarf_Off wanted, Dwarf_Die *ret)
{
	Dwarf_Die die, last;
	unsigned depth;

	*ret = *unit;
	for (depth = 0; depth < PFX_DIE_DEPTH_MAX; depth++) {
		if (dwarf_child(ret, &die))
			return false;
		last = die;
		do {
			if (dwarf_dieoffset(&die) > wanted)
				break;
			last = die;
		} while (pfx_die_next(&die));
		if (dwarf_dieoffset(&last) == wanted)
			return true;
		*ret = last;
	}
	return false;
}

uint32_t pfx_die_class_line(const Dwarf_Die *function)
{
	Dwarf_Die die = *function, unit, parent;
	Dwarf_Attribute attr;
	Dwarf_Word line;
	int tag;

	if (dwarf_attr(&die, DW_AT_specification, &attr) && !dwarf_formref_die(&attr, &die))
		return 0;
	if (!dwarf_diecu(&die, &unit, NULL, NULL) ||
	    !find_parent(&unit, dwarf_dieoffset(&die), &parent))
		return 0;
	tag = dwarf_tag(&parent);
	if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) ||
	    !dwarf_attr(&parent, DW_AT_decl_line, &attr) || dwarf_formudata(&attr, &line) ||
	    line > UINT32_MAX)
		return 0;
	return (uint32_t)line;
}
