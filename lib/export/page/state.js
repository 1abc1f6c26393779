// SPDX-License-Identifier: MIT
// The state of the page as the fragment of its address: a link restores it.

/** The values at the start; a fragment contains those that differ. */
const START = {
	view: 'overview', event: 0, unit: 'period', from: -1, to: -1, process: '', thread: '', comm: '',
	cpu: '', library: -1, level: '', focus: '', ignore: '', hide: '', show: '', showFrom: '', inlined: 1, group: '',
	search: '', zoom: '', function: -1, sort: 'self', order: 'down', direction: 'down', stacks: 'callees',
	colour: 'library', chart: -1, beside: 1, widths: 'first', basis: 'share', lanes: 'threads',
}

/** @typedef {typeof START} State processes, threads and CPUs are lists: their places in the profile, between dots */

// The numbers of such a list below a count.
/** @param {string|number} list @param {number} count */
export function listOf(list, count) {
	return String(list).split('.').filter(Boolean).map(Number).filter(of => Number.isInteger(of) && of >= 0 && of < count)
}

// A list with or without one of its numbers; alone, it is the whole list.
/** @param {string} list @param {number} of @param {boolean} alone */
export function listWith(list, of, alone) {
	const has = list.split('.').filter(Boolean)
	const word = String(of)
	if (alone) return has.length === 1 && has[0] === word ? '' : word
	return (has.includes(word) ? has.filter(other => other !== word) : [...has, word]).join('.')
}

// Sets what is shown at the start.
/** @param {Partial<State>} state */
export function startWith(state) {
	Object.assign(START, state)
}

/** @returns {State} */
export function startState() {
	return { ...START }
}

/** @param {State} state */
export function toFragment(state) {
	const words = new URLSearchParams()
	for (const [key, value] of Object.entries(state)) {
		if (value !== /** @type {any} */ (START)[key]) words.set(key, String(value))
	}
	return words.toString()
}

/** @param {string} fragment @returns {State} */
export function fromFragment(fragment) {
	/** @type {any} */
	const state = startState()
	for (const [key, value] of new URLSearchParams(fragment.replace(/^#/, ''))) {
		if (!Object.hasOwn(START, key)) continue
		const number = Number(value)
		if (typeof state[key] === 'string') state[key] = value
		else if (Number.isInteger(number)) state[key] = number
	}
	return state
}

/**
 * Writes a state to the address. A page in a frame of another site may not; then its address cannot be copied.
 * @param {State} state
 * @param {boolean} step whether Back returns to the state before
 */
export function keepState(state, step) {
	const fragment = '#' + toFragment(state)
	if (fragment === (location.hash || '#')) return
	try {
		if (step) history.pushState(null, '', fragment)
		else history.replaceState(null, '', fragment)
	} catch {
		// Nothing else needs the address.
	}
}
