// SPDX-License-Identifier: MIT
// Two events beside each other: those of two recordings, whose difference is shown, or time on the CPU and off it.
import { percent } from './words.js'

/** @typedef {import('./tree.js').Tree} Tree */

/** What the second event is, as words: of the first, of the second. */
const SIDES = /** @type {Record<string, [string, string]>} */ ({ old: ['New', 'Old'], off: ['On CPU', 'Off CPU'] })

/** Differences below this many standard deviations of the numbers of samples can be chance. */
const LEAST_DEVIATION = 2

/**
 * Two numbers of one frame, function or library, and what became of it.
 * @typedef {object} Change
 * @property {number} first share or weight, see Pair.isShare
 * @property {number} other
 * @property {number} by first - other
 * @property {number} strength -1 (it is gone) to 1 (it is new)
 * @property {boolean} isClear not within chance
 */

/** The relation of two events under a filter. */
export class Pair {
	/**
	 * @param {string} role of the second event: 'old' or 'off'
	 * @param {boolean} isShare whether shares of the totals are compared, not the weights
	 * @param {Tree} tree
	 */
	constructor(role, isShare, tree) {
		this.role = role
		this.isShare = isShare
		this.names = SIDES[role] || SIDES.old
		const other = tree.other || tree
		this.totals = [tree.total[0], other.total[0]]
		this.samples = [tree.totalSamples[0], other.totalSamples[0]]
	}
	isDiff() {
		return this.role === 'old'
	}
	// What makes the weights of the first event comparable to those of the second.
	scale() {
		return this.isShare && this.totals[0] && this.totals[1] ? this.totals[1] / this.totals[0] : 1
	}
	/** @param {number} first @param {number} other */
	isClear(first, other) {
		const k = this.isShare && this.samples[0] && this.samples[1] ? this.samples[0] / this.samples[1] : 1
		return Math.abs(first - other * k) >= LEAST_DEVIATION * Math.sqrt(first + other * k * k)
	}
	/**
	 * @param {number} first weight
	 * @param {number} other
	 * @param {number} firstSamples
	 * @param {number} otherSamples
	 * @returns {Change}
	 */
	change(first, other, firstSamples, otherSamples) {
		const a = this.isShare ? first / (this.totals[0] || 1) : first
		const b = this.isShare ? other / (this.totals[1] || 1) : other
		return {
			first: a, other: b, by: a - b, strength: a + b ? (a - b) / (a + b) : 0,
			isClear: this.isClear(firstSamples, otherSamples),
		}
	}
	/** @param {Tree} tree @param {number} node */
	ofNode(tree, node) {
		const other = tree.other || tree
		return this.change(tree.total[node], other.total[node], tree.totalSamples[node], other.totalSamples[node])
	}
	/** @param {Tree} tree @param {number} node */
	ofSelf(tree, node) {
		const other = tree.other || tree
		return this.change(tree.self[node], other.self[node], tree.selfSamples[node], other.selfSamples[node])
	}
	/**
	 * A tree with the widths of one of the events, or of both.
	 * @param {Tree} tree
	 * @param {string} widths 'first', 'other' or 'both'
	 * @returns {Tree}
	 */
	withWidths(tree, widths) {
		const { other, total } = tree
		if (!other || widths === 'first') return tree
		if (widths === 'other') return Object.create(tree, { width: { value: other.total } })
		const scale = this.scale()
		return Object.create(tree, { width: { value: total.map((weight, i) => weight * scale + other.total[i]) } })
	}
}

// A change as text: of a share in percent, of a weight in its unit.
/** @param {Change} change @param {boolean} isShare @param {(value: number) => string} weight */
export function changeText(change, isShare, weight) {
	const sign = change.by < 0 ? '−' : '+'
	return sign + (isShare ? percent(Math.abs(change.by), 1) : weight(Math.abs(change.by)))
}

// What became of something, in a word; '' if nothing clear did.
/** @param {Change} change */
export function changeWord(change) {
	if (!change.isClear || !change.by) return ''
	if (!change.other) return 'new'
	if (!change.first) return 'gone'
	return change.by > 0 ? 'more' : 'less'
}

/** Signs of these words before names in pictures. */
export const CHANGE_SIGNS = /** @type {Record<string, string>} */ ({ new: '+ ', gone: '× ', more: '▲ ', less: '▼ ' })
