// SPDX-License-Identifier: MIT
// Names of functions where there is little room. The SVG has this, too, and its first picture the same in C:
// lib/base/names/fitting_name.c.

/** Longer names are cut off: templates can have 64 kB, and a picture 100 such frames. */
export const FITTED = 8192
/** Characters of a name in a list to choose from. */
export const CHOICE_ROOM = 46
const ANONYMOUS = '(anonymous namespace)'

/**
 * A name without its brackets and what is in them: arguments of templates, and parameters. '' if they do not match.
 * @param {string} name
 */
function withoutBrackets(name) {
	let depth = 0
	let text = ''
	for (let i = 0; i < name.length; i++) {
		const c = name[i]
		if (!depth && name.startsWith(ANONYMOUS, i)) {
			text += ANONYMOUS
			i += ANONYMOUS.length - 1
			continue
		}
		if ((c === '<' || c === '(') && i && !/operator[<(]*$/.test(text)) depth++
		if (!depth) text += c
		else if (c === '>' || c === ')') depth--
	}
	return depth ? '' : text
}

/** Narrower windows have the layout of small screens. */
const SMALL = 760

// A name in a list, where a tooltip has all of it: @room characters, or @small of them on a small screen.
/** @param {string} name @param {number} room @param {number} small */
export function listed(name, room, small) {
	return fitting(name, innerWidth < SMALL ? small : room)
}

/**
 * As much of a name as fits into a number of characters: all, or it without arguments and parameters, or of that the last
 * part.
 * @param {string} name
 * @param {number} room
 */
export function fitting(name, room) {
	if (name.length <= room) return name
	if (room < 3) return ''
	const bare = /[<(]/.test(name) ? withoutBrackets(name.slice(0, FITTED)) : name
	if (bare && bare.length <= room) return bare
	const last = bare.lastIndexOf('::')
	const text = last > 0 && last + 2 < bare.length ? bare.slice(last + 2) : bare || name
	return text.length <= room ? text : text.slice(0, room - 1) + '…'
}
