// SPDX-License-Identifier: MIT
// The samples that match the filters: the weight of each node of the profile, and the tree that is shown.
import { lazily } from './profile.js'
import { eachSample, sumStacks } from './samples.js'
import { lastShown, matchFunctions, ownersOf, shownFrames } from './stacks.js'
import { TreeBuilder, sumTotals } from './tree.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./stacks.js').Filter} Filter */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./tree.js').Weights} Weights */

/**
 * The events of a filter with their sides: 0, and 1 for the one that the first is shown beside.
 * @param {Filter} filter
 */
function sidesOf(filter) {
	return filter.other < 0 ? [filter.event] : [filter.event, filter.other]
}

/** @type {Float64Array[]} of trees that nothing shows any more: to make new ones takes longer than to fill them */
const spare = []
const MOST_SPARE = 4

/** @param {number} count */
function zeros(count) {
	const old = spare.pop()
	return old && old.length === count ? old.fill(0) : new Float64Array(count)
}

// A tree of select() whose numbers are not needed any more.
/** @param {Profile} profile @param {Tree} tree */
export function release(profile, tree) {
	if (tree.parent !== profile.nodeParent) return
	for (const { total, totalSamples } of tree.other ? [tree, tree.other] : [tree]) {
		spare.push(total)
		if (totalSamples !== total) spare.push(totalSamples)
	}
	spare.splice(MOST_SPARE)
}

/**
 * Weights of the nodes of a profile. What nodes have by themselves is seldom asked for.
 * @param {Profile} profile
 * @param {import('./samples.js').StackSums} sums
 * @returns {Weights}
 */
function weightsOf(profile, sums) {
	/** @param {Float64Array} from @param {Float64Array} [into] */
	const own = (from, into = new Float64Array(profile.nodeCount)) => {
		const { stackNode } = profile
		for (let i = 0; i < from.length; i++) into[stackNode[i]] += from[i]
		return into
	}
	const totalSamples = own(sums.samples, zeros(profile.nodeCount))
	const total = sums.weights === sums.samples ? totalSamples : own(sums.weights, zeros(profile.nodeCount))
	sumTotals(profile.nodeParent, total, totalSamples)
	return lazily({ total, totalSamples }, { self: () => own(sums.weights), selfSamples: () => own(sums.samples) })
}

/**
 * The tree of all nodes as they are.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {Tree}
 */
function plainTree(profile, filter) {
	const [weights, other] = sidesOf(filter).map(event => weightsOf(profile, sumStacks(profile, { ...filter, event })))
	return Object.assign(weights, {
		count: profile.nodeCount, frame: profile.nodeFrame, parent: profile.nodeParent, end: profile.nodeEnd,
		depth: profile.nodeDepth, width: weights.total, other: other || null,
	})
}

/** Of a large profile so many groups have a tree each; the others share one, which is the last. */
const MOST_GROUPS = 24
const LARGE = 200000

/**
 * The group of each task: its process or thread, -1 without groups.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function groupsOf(profile, filter) {
	const { tasks, threads, processes, task, period } = profile
	const groups = tasks.map(({ thread }) => filter.group === 'thread' ? thread
		: filter.group === 'process' ? threads[thread].process : -1)
	const count = filter.group === 'thread' ? threads.length : processes.length
	if (!filter.group || count <= MOST_GROUPS || profile.nodeCount < LARGE) return groups
	const weights = new Float64Array(count)
	for (const event of sidesOf(filter)) {
		eachSample(profile, { ...filter, event }, i => { weights[groups[task[i]]] += period[i] })
	}
	const shown = new Set([...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MOST_GROUPS))
	return groups.map(group => shown.has(group) ? group : count)
}

/**
 * The distinct pairs of group and node with their weights, ordered by group. Where no node of a stack is
 * shown, it is the sampled function, after all nodes.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function pairsOf(profile, filter) {
	const { stack, stackNode, stackOwn, nodeCount, period, count, task } = profile
	const last = lastShown(profile, filter)
	const nodes = stackNode.map((node, i) => last && last[node] < 0 ? nodeCount + stackOwn[i] : node)
	const pairs = new TreeBuilder(filter.other >= 0)
	const groups = groupsOf(profile, filter)
	sidesOf(filter).forEach((event, side) => {
		if (filter.group) {
			eachSample(profile, { ...filter, event }, i => {
				const pair = pairs.child(groups[task[i]], nodes[stack[i]])
				pairs.add(pair, side, filter.bySamples ? count[i] : period[i], count[i])
			})
			return
		}
		const sums = sumStacks(profile, { ...filter, event })
		nodes.forEach((node, i) => {
			if (sums.samples[i]) pairs.add(pairs.child(-1, node), side, sums.weights[i], sums.samples[i])
		})
	})
	const order = Int32Array.from({ length: pairs.length - 1 }, (_, i) => i + 1)
	const group = pairs.parents
	return { pairs, order: order.sort((a, b) => group[a] - group[b] || a - b) }
}

/**
 * The tree of the frames that are shown; by process or thread if the filter groups them.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Int32Array|null} frames
 */
function builtTree(profile, filter, frames) {
	const { nodeFrame, nodeParent, nodeCount, frameFunction } = profile
	const from = matchFunctions(profile, filter.showFrom)
	const { pairs, order } = pairsOf(profile, filter)
	const to = new TreeBuilder(filter.other >= 0)
	/** @param {number} node @param {number} pair */
	const add = (node, pair) => {
		const { weights } = pairs
		for (let side = 0; side < weights.length / 2; side++) {
			to.add(node, side, weights[2 * side][pair], weights[2 * side + 1][pair])
		}
	}
	const places = new Int32Array(nodeCount)
	const groupOf = new Int32Array(nodeCount).fill(-2)
	const path = new Int32Array(65536)
	for (const pair of order) {
		const group = pairs.parents[pair]
		if (groupOf[0] !== group) {
			groupOf[0] = group
			places[0] = group < 0 ? 0 : to.child(0, -2 - group)
		}
		let at = pairs.frames[pair]
		if (at >= nodeCount) {
			add(to.child(places[0], frameFunction.indexOf(at - nodeCount)), pair)
			continue
		}
		let length = 0
		for (; groupOf[at] !== group; at = nodeParent[at]) path[length++] = at
		let place = places[at]
		while (length) {
			at = path[--length]
			const frame = frames ? frames[nodeFrame[at]] : nodeFrame[at]
			const begins = !from || place !== places[0] || from[frameFunction[frame]]
			if (frame >= 0 && begins) place = to.child(place, frame)
			places[at] = place
			groupOf[at] = group
		}
		add(place, pair)
	}
	return to.finish()
}

/**
 * The tree of the samples that match the filter.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {Tree}
 */
export function select(profile, filter) {
	const frames = shownFrames(profile, filter)
	return frames || filter.group || filter.showFrom ? builtTree(profile, filter, frames) : plainTree(profile, filter)
}

/**
 * What functions take by themselves, as `pfx report` counts it: with what is inlined in them; and how much of
 * that is apart from their stacks.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function ownWeights(profile, filter) {
	const count = profile.names.length
	const { owns, apart: isApart } = ownersOf(profile, filter)
	const { weights, samples } = sumStacks(profile, filter)
	const own = {
		self: new Float64Array(count), samples: new Float64Array(count),
		apart: new Float64Array(count), apartSamples: new Float64Array(count),
	}
	for (let i = 0; i < owns.length; i++) {
		const of = owns[i]
		if (of < 0) continue
		own.self[of] += weights[i]
		own.samples[of] += samples[i]
		if (!isApart[i]) continue
		own.apart[of] += weights[i]
		own.apartSamples[of] += samples[i]
	}
	return own
}
