// SPDX-License-Identifier: MIT
// Two events beside each other: those of two recordings, whose difference is shown, or time on the CPU and off it.
import { selfAt } from './tree.js'
import { percent } from './words.js'

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./tree.js').Weights} Weights */
/** @typedef {import('./profile.js').Noise} Noise */
/** @typedef {import('./profile.js').Findings} Findings */

/** What the second event is, as words: of the first, of the second. */
const SIDES = /** @type {Record<string, [string, string]>} */ ({ old: ['New', 'Old'], off: ['On CPU', 'Off CPU'] })

/** Verdicts of `pfx diff`; the page computes none of its own. */
const WITHIN = 1
const BEYOND = 2

/**
 * Two numbers of one frame, function or library, and what became of it.
 * @typedef {object} Change
 * @property {number} first share or weight, see Pair.isShare
 * @property {number} other
 * @property {number} by first - other
 * @property {number} strength -1 (it is gone) to 1 (it is new)
 * @property {boolean} isClear beyond noise, as `pfx diff` finds it
 * @property {boolean} isKnown whether that is known: the recordings were compared without the page's filters
 * @property {number} half the difference can be so much more or less; 0 if not known
 */

/** The relation of two events under a filter. */
export class Pair {
	/**
	 * @param {string} role of the second event: 'old' or 'off'
	 * @param {boolean} isShare whether shares of the totals are compared, not the weights
	 * @param {Tree} tree
	 * @param {Noise|null} noise what `pfx diff` finds; null if it does not compare this
	 * @param {Int32Array} nodeParent of the profile, whose nodes the noise is of
	 */
	constructor(role, isShare, tree, noise, nodeParent) {
		this.role = role
		this.noise = noise
		this.nodeParent = nodeParent
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
	/**
	 * @param {number} first weight
	 * @param {number} other
	 * @param {Findings|null} [findings]
	 * @param {number} [at] of them
	 * @returns {Change}
	 */
	change(first, other, findings = null, at = 0) {
		const a = this.isShare ? first / (this.totals[0] || 1) : first
		const b = this.isShare ? other / (this.totals[1] || 1) : other
		const verdict = findings ? findings.verdict[at] : 0
		return {
			first: a, other: b, by: a - b, strength: a + b ? (a - b) / (a + b) : 0,
			isClear: verdict === BEYOND, isKnown: verdict === WITHIN || verdict === BEYOND,
			half: findings ? findings.half[at] : 0,
		}
	}
	// Whether the noise of the nodes of a tree is known.
	/** @param {Tree} tree */
	knowsNodes(tree) {
		return this.noise !== null && tree.parent === this.nodeParent && this.noise.nodes.verdict.some(Boolean)
	}
	/** @param {Tree} tree @param {number} node */
	ofNode(tree, node) {
		const other = tree.other || tree
		const nodes = this.noise && tree.parent === this.nodeParent ? this.noise.nodes : null
		return this.change(tree.total[node], other.total[node], nodes, node)
	}
	/** @param {Tree} tree @param {number} node */
	ofSelf(tree, node) {
		const other = tree.other || tree
		return this.change(selfAt(tree, tree, node), selfAt(tree, other, node))
	}
	/** @param {Weights} sums @param {Weights} other @param {number} of a function */
	ofFunctionSelf(sums, other, of) {
		return this.change(sums.self[of], other.self[of], this.noise && this.noise.self, of)
	}
	/** @param {Weights} sums @param {Weights} other @param {number} of */
	ofFunction(sums, other, of) {
		return this.change(sums.total[of], other.total[of], this.noise && this.noise.total, of)
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

export const NOISE_UNKNOWN = 'Whether that is more than noise is known only without filters, and from the root.'

// How sure a change is, in words; '' if it is beyond noise.
/** @param {Change} change @param {(value: number) => string} amount */
export function doubtText(change, amount) {
	if (!change.first && !change.other) return ''
	if (!change.isKnown) return 'noise not known'
	return change.isClear ? '' : `within noise ±${amount(change.half)}`
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
