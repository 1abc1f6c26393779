// SPDX-License-Identifier: MIT
// Filters, and what they make of stacks: which of them have samples that are shown, and by which frames.
import { KIND_INLINED } from './profile.js'

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * @typedef {object} Filter
 * @property {number} event
 * @property {number} other the event that it is shown beside, -1 for none
 * @property {number} from microseconds
 * @property {number} to not included
 * @property {number[]} process empty for all
 * @property {number[]} thread empty for all
 * @property {string} comm '' for all
 * @property {number[]} cpu empty for all
 * @property {number} library only samples that were taken in it, -1 for all
 * @property {string} level '' for all, 'user' or 'kernel'
 * @property {string} focus an expression: only samples with such a function
 * @property {string} ignore not samples with such a function
 * @property {string} hide without such functions
 * @property {string} show only with such functions
 * @property {string} showFrom without the callers of such functions; not samples without any
 * @property {boolean} inlined whether inlined functions are shown
 * @property {string} group '', 'process' or 'thread'
 * @property {boolean} bySamples weights are numbers of samples instead of periods
 */

/** @returns {Filter} */
export function allSamples() {
	return {
		event: 0, other: -1, from: -Infinity, to: Infinity, process: [], thread: [], comm: '', cpu: [], library: -1,
		level: '', focus: '', ignore: '', hide: '', show: '', showFrom: '', inlined: true, group: '', bySamples: false,
	}
}

/**
 * The regular expression that the user wrote; null if it is not valid or empty.
 * @param {string} text
 */
export function expression(text) {
	if (!text) return null
	try {
		return new RegExp(text)
	} catch {
		return null
	}
}

/** Values by what they depend on: the last few. */
export class Memo {
	/** @param {number} most */
	constructor(most) {
		this.most = most
		/** @type {Map<string, any>} */
		this.made = new Map()
	}
	/** @template T @param {string} key @param {() => T} make @returns {T} */
	get(key, make) {
		const value = this.made.has(key) ? this.made.get(key) : make()
		this.made.delete(key)
		this.made.set(key, value)
		if (this.made.size > this.most) this.made.delete(this.made.keys().next().value)
		return value
	}
}

const matched = new Memo(8)

/**
 * Which functions an expression matches; null without one.
 * @param {Profile} profile
 * @param {string} text
 * @returns {Uint8Array|null} not to be changed
 */
export function matchFunctions(profile, text) {
	const wanted = expression(text)
	return wanted && matched.get(text, () => Uint8Array.from(profile.names, name => Number(wanted.test(name))))
}

/**
 * Which functions are shown; null if all.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function shownFunctions(profile, filter) {
	const hide = matchFunctions(profile, filter.hide)
	const show = matchFunctions(profile, filter.show)
	if (!hide && !show) return null
	return profile.names.map((_, i) => !(hide && hide[i]) && !(show && !show[i]))
}

/**
 * The frames that are shown: -1 for those that are left out.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {Int32Array|null} null if all are shown as they are
 */
export function shownFrames(profile, filter) {
	const functions = shownFunctions(profile, filter)
	if (!functions && filter.inlined) return null
	return Int32Array.from(profile.frameFunction, (of, frame) => {
		if (functions && !functions[of]) return -1
		return !filter.inlined && profile.kinds[of] === KIND_INLINED ? -1 : frame
	})
}

/**
 * The frame of each node, or of its nearest caller, that is shown; -1 if none is.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {Int32Array|null} null if all are shown as they are
 */
export function lastShown(profile, filter) {
	const frames = shownFrames(profile, filter)
	const from = matchFunctions(profile, filter.showFrom)
	if (!frames && !from) return null
	const { nodeParent, nodeFrame, frameFunction } = profile
	const last = new Int32Array(profile.nodeCount).fill(-1)
	for (let i = 1; i < last.length; i++) {
		const above = last[nodeParent[i]]
		const frame = frames ? frames[nodeFrame[i]] : nodeFrame[i]
		const begins = above >= 0 || !from || from[frameFunction[frame]]
		last[i] = frame >= 0 && begins ? frame : above
	}
	return last
}

/**
 * The function that has a stack's samples as its own: the sampled one, or its nearest caller that is shown.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function ownFunctions(profile, filter) {
	const functions = shownFunctions(profile, filter)
	const last = functions && lastShown(profile, filter)
	if (!functions || !last) return profile.stackOwn
	return profile.stackOwn.map((own, stack) => {
		if (own < 0 || functions[own]) return own
		const frame = last[profile.stackNode[stack]]
		return frame < 0 ? -1 : profile.frameFunction[frame]
	})
}

/**
 * Nodes that a function matches, or one that calls them.
 * @param {Profile} profile
 * @param {Uint8Array} matched by function
 */
function nodesBelow(profile, matched) {
	const { nodeEnd, nodeFrame, frameFunction } = profile
	const below = new Uint8Array(profile.nodeCount)
	for (let i = 1; i < below.length;) {
		if (!matched[frameFunction[nodeFrame[i]]]) {
			i++
			continue
		}
		below.fill(1, i, nodeEnd[i])
		i = nodeEnd[i]
	}
	return below
}

/** @param {Profile} profile @param {Filter} filter */
function findStacks(profile, filter) {
	const keep = new Uint8Array(profile.stackCount).fill(1)
	const { stackNode, stackOwn, stackKernel, library } = profile
	const focus = matchFunctions(profile, filter.focus)
	const ignore = matchFunctions(profile, filter.ignore)
	const focused = focus && nodesBelow(profile, focus)
	const ignored = ignore && nodesBelow(profile, ignore)
	const kernel = Number(filter.level === 'kernel')
	const last = lastShown(profile, filter)
	const functions = shownFunctions(profile, filter)
	const from = matchFunctions(profile, filter.showFrom)
	for (let i = 0; i < keep.length; i++) {
		const own = stackOwn[i]
		const ownStays = own >= 0 && (!functions || functions[own]) && (!from || from[own])
		if (last && last[stackNode[i]] < 0 && !ownStays) keep[i] = 0
		if (focus && focused && !focused[stackNode[i]] && !focus[own]) keep[i] = 0
		if (ignore && ignored && (ignored[stackNode[i]] || ignore[own])) keep[i] = 0
		if (filter.level && stackKernel[i] !== kernel) keep[i] = 0
		if (filter.library >= 0 && library[own] !== filter.library) keep[i] = 0
	}
	return keep
}

// The parts of a filter that stacks depend on.
/** @param {Filter} filter */
function stackKey({ library, level, focus, ignore, hide, show, showFrom, inlined }) {
	return JSON.stringify([library, level, focus, ignore, hide, show, showFrom, inlined])
}

const found = new Memo(4)
const ALL = stackKey(allSamples())

/**
 * Which stacks match the filters of functions and of the sampled place, and have a frame that is shown.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {Uint8Array|null} null if all do
 */
export function stacksOf(profile, filter) {
	const key = stackKey(filter)
	return key === ALL ? null : found.get(key, () => findStacks(profile, filter))
}

// Whether a function is in a stack.
/** @param {Profile} profile @param {number} stack @param {number} of */
function isInStack(profile, stack, of) {
	const { stackNode, nodeParent, nodeFrame, frameFunction } = profile
	for (let i = stackNode[stack]; i > 0; i = nodeParent[i]) {
		if (frameFunction[nodeFrame[i]] === of) return true
	}
	return false
}

const owned = new Memo(2)

/**
 * The functions that have the stacks' samples as their own, and which of these are apart from their stacks,
 * which can call code without a symbol by another name.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function ownersOf(profile, filter) {
	const { hide, show, showFrom, inlined } = filter
	return owned.get(JSON.stringify([hide, show, showFrom, inlined]), () => {
		const owns = ownFunctions(profile, filter)
		const last = lastShown(profile, filter)
		return {
			owns,
			apart: Uint8Array.from(owns, (own, i) =>
				Number(own >= 0 && !(last && last[profile.stackNode[i]] < 0) && !isInStack(profile, i, own))),
		}
	})
}
