// SPDX-License-Identifier: MIT
// Colours of frames. No view depends on them: names, tooltips and tables have the same facts as text.
import { KIND_BROKEN, KIND_INLINED, KIND_JIT, KIND_KERNEL, KIND_UNKNOWN } from './profile.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./pair.js').Pair} Pair */
/** @typedef {import('./tree.js').Tree} Tree */

/** Hue and saturation; neighbours differ for people who see no red or no green, too. */
const LIBRARY_HUES = [[211, 62], [32, 78], [168, 40], [268, 44], [338, 56], [54, 62], [190, 52], [12, 60]]
const GREY = [40, 5]
/** More and less; or on the CPU and off it. */
const PAIR_HUES = { old: [[22, 86], [211, 74]], off: [[32, 70], [268, 50]] }
const KIND_HUES = { kernel: [14, 62], user: [211, 58], inlined: [190, 44], jit: [140, 38], unknown: GREY }

/** What is drawn on a canvas; the rest is in the style sheet. */
const THEMES = {
	light: { light: 79, text: '#1c2126', dim: 93, matched: '#ffb000', line: '#e3e0d9', muted: '#6a727b', ground: '#ffffff', accent: '#23607f', heat: [205, 52] },
	dark: { light: 36, text: '#f2f1ed', dim: 20, matched: '#c77700', line: '#343a40', muted: '#98a1aa', ground: '#1b1f23', accent: '#86c1de', heat: [203, 55] },
}

/** @type {boolean|null} asking for it takes longer than drawing a frame */
let dark = null

/** Paper is light. */
let isPrinted = false

/** @param {boolean} printed whether the page is about to be printed */
export function setPrinted(printed) {
	isPrinted = printed
	document.documentElement.toggleAttribute('data-printed', printed)
}

/** Which of the two is in use. */
export function isDark() {
	if (dark !== null) return dark
	const chosen = document.documentElement.dataset.theme
	const isPaper = isPrinted || matchMedia('print').matches
	dark = !isPaper && (chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches)
	return dark
}

/** To be called when the colours may have changed. */
export function renewTheme() {
	dark = null
}

export function theme() {
	return isDark() ? THEMES.dark : THEMES.light
}

/**
 * The heaviest libraries have a hue each, the others are grey: number of the hue, or -1.
 * @param {Profile} profile
 */
export function libraryRanks(profile) {
	const weights = new Float64Array(profile.libraries.length)
	const { stackOwn, stackSums, library } = profile
	for (const { period } of stackSums) {
		for (let i = 0; i < period.length; i++) {
			const own = stackOwn[i]
			if (own >= 0 && library[own] >= 0) weights[library[own]] += period[i]
		}
	}
	const ranks = new Int32Array(weights.length).fill(-1)
	const order = [...weights.keys()].filter(i => weights[i]).sort((a, b) => weights[b] - weights[a] || a - b)
	order.slice(0, LIBRARY_HUES.length).forEach((of, rank) => { ranks[of] = rank })
	return { ranks, order }
}

/** @param {number[]} hue @param {number} light @param {number} shift */
function shade([hue, saturation], light, shift) {
	const s = isDark() ? saturation * 0.62 : saturation
	return `hsl(${hue} ${s}% ${light + shift}%)`
}

// The colour of a library by its rank.
/** @param {number} rank */
export function rankColour(rank) {
	return shade(rank < 0 ? GREY : LIBRARY_HUES[rank], theme().light, 0)
}

// A small, constant difference between neighbours.
/** @param {number} of */
function shiftOf(of) {
	return ((Math.imul(of + 1, 0x9e3779b1) >>> 28) - 7.5) * 0.45
}

/** @param {Profile} profile @param {number} frame */
export function kindOf(profile, frame) {
	const kind = profile.kinds[profile.frameFunction[frame]]
	if (kind === KIND_KERNEL) return 'kernel'
	if (kind === KIND_INLINED) return 'inlined'
	if (kind === KIND_JIT) return 'jit'
	return kind === KIND_UNKNOWN || kind === KIND_BROKEN ? 'unknown' : 'user'
}


/**
 * Colours of frames, by 'library' or by 'kind'.
 * @param {Profile} profile
 * @param {Int32Array} ranks
 * @param {string} by
 * @returns {(frame: number, isNarrow?: boolean) => string} narrow ones have no shades
 */
export function painter(profile, ranks, by) {
	const light = theme().light
	/** @type {string[]} */
	const made = []
	/** @type {string[]} */
	const madeNarrow = []
	const root = shade(GREY, light, isDark() ? -6 : 6)
	/** @param {number} frame */
	const make = frame => {
		const of = profile.frameFunction[frame]
		const rank = ranks[profile.library[of]] ?? -1
		const hue = by === 'kind' ? KIND_HUES[kindOf(profile, frame)] : rank < 0 ? GREY : LIBRARY_HUES[rank]
		made[frame] = shade(hue, light, shiftOf(of))
		madeNarrow[frame] = shade(hue, light, 0)
	}
	return (frame, isNarrow) => {
		if (frame < 0) return root
		if (!made[frame]) make(frame)
		return isNarrow ? madeNarrow[frame] : made[frame]
	}
}

/** Of changes of which the noise is not known. */
const PALE = 0.4

// The colour of a change: grey within noise, the stronger the more.
/** @param {Pair} pair @param {number} strength @param {{isClear: boolean, isKnown: boolean}} change */
export function changeColour(pair, strength, { isClear, isKnown }) {
	const hues = pair.role === 'off' ? PAIR_HUES.off : PAIR_HUES.old
	const [hue, saturation] = strength > 0 ? hues[0] : hues[1]
	const much = (isClear || pair.role === 'off' ? 1 : isKnown ? 0 : PALE) * Math.sqrt(Math.abs(strength))
	const light = isDark() ? 26 + 16 * much : 90 - 24 * much
	return `hsl(${hue} ${4 + (saturation - 4) * much * (isDark() ? 0.7 : 1)}% ${light}%)`
}

/**
 * Colours of the nodes of a tree by the difference of two events.
 * @param {Pair} pair
 * @returns {(tree: Tree, node: number) => string}
 */
export function pairPainter(pair) {
	return (tree, node) => {
		const change = pair.ofNode(tree, node)
		return changeColour(pair, node ? change.strength : 0, change)
	}
}

// Rows of the legend of a difference; pale where noise is not known.
/** @param {Pair} pair @param {boolean} isKnown */
export function pairColours(pair, isKnown) {
	const rows = pair.isDiff()
		? /** @type {[string, number][]} */ (isKnown
			? [['+ new', 1], ['▲ more', 0.4], ['within noise', 0], ['▼ less', -0.4], ['× gone', -1]]
			: [['more', 0.7], ['less', -0.7]])
		: /** @type {[string, number][]} */ ([['on the CPU only', 1], ['mostly on it', 0.4], ['mostly off it', -0.4], ['off the CPU only', -1]])
	return rows.map(([name, strength]) => ({ name, colour: changeColour(pair, strength, { isClear: isKnown, isKnown }) }))
}

/** Rows of the legend by kind. */
export function kindColours() {
	return Object.entries(KIND_HUES).map(([name, hue]) => ({
		name: name === 'jit' ? 'JIT' : name === 'unknown' ? 'no symbol' : name,
		colour: shade(hue, theme().light, 0),
	}))
}

/** Colours of heat that were made: they are texts, which take longer than what is drawn with them. */
/** @type {Map<number, string>} */
const heats = new Map()
const HEATS = 256

// A step of heat, 0 to 1.
/** @param {number} share */
export function heat(share) {
	const step = Math.round(Math.sqrt(Math.min(1, share)) * HEATS)
	const key = isDark() ? -1 - step : step
	const made = heats.get(key) || makeHeat(step / HEATS)
	heats.set(key, made)
	return made
}

/** @param {number} strength */
function makeHeat(strength) {
	const [hue, saturation] = theme().heat
	if (isDark()) return `hsl(${hue} ${saturation}% ${14 + 46 * strength}%)`
	return `hsl(${hue} ${saturation}% ${95 - 55 * strength}%)`
}
