// SPDX-License-Identifier: MIT
// The samples that match the filters: the weight of each node of the profile, and the tree that is shown.
import { KIND_INLINED } from './profile.js'
import { TreeBuilder, noWeights, sumUp } from './tree.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./tree.js').Tree} Tree */

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

/**
 * Which functions an expression matches; null without one.
 * @param {Profile} profile
 * @param {string} text
 */
export function matchFunctions(profile, text) {
	const wanted = expression(text)
	return wanted && Uint8Array.from(profile.names, name => Number(wanted.test(name)))
}

// The first sample not before a time.
/** @param {Float64Array} time @param {number} when */
function firstAt(time, when) {
	let low = 0
	let high = time.length
	while (low < high) {
		const middle = (low + high) >>> 1
		if (time[middle] < when) low = middle + 1
		else high = middle
	}
	return low
}

/**
 * The range of samples of the filter's time.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function rangeOf(profile, filter) {
	if (!profile.timed) return { first: 0, end: profile.sampleCount }
	return {
		first: filter.from === -Infinity ? 0 : firstAt(profile.time, filter.from),
		end: filter.to === Infinity ? profile.sampleCount : firstAt(profile.time, filter.to),
	}
}

/**
 * Which tasks the filter keeps.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function tasksOf(profile, filter) {
	return Uint8Array.from(profile.tasks, ({ thread, name }) =>
		Number((!filter.thread.length || filter.thread.includes(thread)) &&
			(!filter.comm || filter.comm === name) &&
			(!filter.process.length || filter.process.includes(profile.threads[thread].process))))
}

/**
 * Which CPUs the filter keeps.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function cpusOf(profile, filter) {
	return Uint8Array.from(profile.cpus, (_, i) => Number(!filter.cpu.length || filter.cpu.includes(i)))
}

/**
 * Nodes that a function matches, or one that calls them.
 * @param {Profile} profile
 * @param {Uint8Array} matched by function
 */
function nodesBelow(profile, matched) {
	const { nodeParent, nodeFrame, frameFunction } = profile
	const below = new Uint8Array(profile.nodeCount)
	for (let i = 1; i < below.length; i++) {
		below[i] = below[nodeParent[i]] | matched[frameFunction[nodeFrame[i]]]
	}
	return below
}

/**
 * Which stacks match the filters of functions and of the sampled place, and have a frame that is shown.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function stacksOf(profile, filter) {
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

/**
 * Calls @visit for each row of samples that matches.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Uint8Array} keep
 * @param {(sample: number) => void} visit
 */
export function eachSample(profile, filter, keep, visit) {
	const { first, end } = rangeOf(profile, filter)
	const { event, task, cpu, stack } = profile
	const tasks = tasksOf(profile, filter)
	const cpus = cpusOf(profile, filter)
	for (let i = first; i < end; i++) {
		if (event[i] !== filter.event || !tasks[task[i]] || !keep[stack[i]]) continue
		if (!cpus[cpu[i]]) continue
		visit(i)
	}
}

/** @typedef {{weights: Float64Array, samples: Float64Array}} StackSums by stack */

// Whether a filter leaves out no sample but by its event and its stack.
/** @param {Filter} filter */
function hasAllSamples({ from, to, thread, process, comm, cpu }) {
	return from === -Infinity && to === Infinity && !thread.length && !process.length && !comm && !cpu.length
}

/**
 * The sums of the samples that a filter keeps, whatever their stacks.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {number} event
 * @returns {StackSums}
 */
function sumSamples(profile, filter, event) {
	if (hasAllSamples(filter)) {
		const { period, times } = profile.stackSums[event]
		return { weights: period.slice(), samples: times.slice() }
	}
	const sums = { weights: new Float64Array(profile.stackCount), samples: new Float64Array(profile.stackCount) }
	const { weights, samples } = sums
	const { stack, count, period, task, cpu } = profile
	const { first, end } = rangeOf(profile, filter)
	const tasks = tasksOf(profile, filter)
	const cpus = cpusOf(profile, filter)
	const events = profile.event
	for (let i = first; i < end; i++) {
		if (events[i] !== event || !tasks[task[i]] || !cpus[cpu[i]]) continue
		weights[stack[i]] += period[i]
		samples[stack[i]] += count[i]
	}
	return sums
}

/** @type {Map<string, StackSums>} the last ones by their filter: all views of a profile begin with them */
const sumsMade = new Map()
const MOST_SUMS = 4

/**
 * The weights of the stacks of one event.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Uint8Array} keep
 * @param {number} event
 * @returns {StackSums}
 */
function sumStacks(profile, filter, keep, event) {
	const key = JSON.stringify({ ...filter, event, other: 0, group: '' })
	let sums = sumsMade.get(key)
	if (sums) return sums
	sums = sumSamples(profile, filter, event)
	const { weights, samples } = sums
	keep.forEach((kept, i) => {
		if (!kept) weights[i] = samples[i] = 0
	})
	if (filter.bySamples) weights.set(samples)
	if (sumsMade.size >= MOST_SUMS) sumsMade.clear()
	sumsMade.set(key, sums)
	return sums
}

/**
 * The events of a filter with their sides: 0, and 1 for the one that the first is shown beside.
 * @param {Filter} filter
 */
function sidesOf(filter) {
	return filter.other < 0 ? [filter.event] : [filter.event, filter.other]
}

/**
 * Which functions are shown; null if all.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function shownFunctions(profile, filter) {
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
function shownFrames(profile, filter) {
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
function lastShown(profile, filter) {
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
 * The tree of all nodes as they are.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Uint8Array} keep
 */
function plainTree(profile, filter, keep) {
	const { stackNode, nodeCount } = profile
	const weights = noWeights(nodeCount)
	const tree = {
		count: nodeCount, frame: profile.nodeFrame, parent: profile.nodeParent, end: profile.nodeEnd, depth: profile.nodeDepth,
		...weights, width: weights.total, other: filter.other < 0 ? null : noWeights(nodeCount),
	}
	sidesOf(filter).forEach((event, side) => {
		const { self, selfSamples } = side && tree.other ? tree.other : tree
		const sums = sumStacks(profile, filter, keep, event)
		stackNode.forEach((node, i) => {
			self[node] += sums.weights[i]
			selfSamples[node] += sums.samples[i]
		})
	})
	return sumUp(tree)
}

/** Of a large profile so many groups have a tree each; the others share one, which is the last. */
const MOST_GROUPS = 24
const LARGE = 200000

/**
 * The group of each task: its process or thread, -1 without groups.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Uint8Array} keep
 */
function groupsOf(profile, filter, keep) {
	const { tasks, threads, processes, task, period } = profile
	const groups = tasks.map(({ thread }) => filter.group === 'thread' ? thread
		: filter.group === 'process' ? threads[thread].process : -1)
	const count = filter.group === 'thread' ? threads.length : processes.length
	if (!filter.group || count <= MOST_GROUPS || profile.nodeCount < LARGE) return groups
	const weights = new Float64Array(count)
	for (const event of sidesOf(filter)) {
		eachSample(profile, { ...filter, event }, keep, i => { weights[groups[task[i]]] += period[i] })
	}
	const shown = new Set([...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b).slice(0, MOST_GROUPS))
	return groups.map(group => shown.has(group) ? group : count)
}

/**
 * The distinct pairs of group and node with their weights, ordered by group. Where no node of a stack is
 * shown, it is the sampled function, after all nodes.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Uint8Array} keep
 */
function pairsOf(profile, filter, keep) {
	const { stack, stackNode, stackOwn, nodeCount, period, count, task } = profile
	const last = lastShown(profile, filter)
	const nodes = stackNode.map((node, i) => last && last[node] < 0 ? nodeCount + stackOwn[i] : node)
	const pairs = new TreeBuilder(filter.other >= 0)
	const groups = groupsOf(profile, filter, keep)
	sidesOf(filter).forEach((event, side) => {
		if (filter.group) {
			eachSample(profile, { ...filter, event }, keep, i => {
				const pair = pairs.child(groups[task[i]], nodes[stack[i]])
				pairs.add(pair, side, filter.bySamples ? count[i] : period[i], count[i])
			})
			return
		}
		const sums = sumStacks(profile, filter, keep, event)
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
 * @param {Uint8Array} keep
 * @param {Int32Array|null} frames
 */
function builtTree(profile, filter, keep, frames) {
	const { nodeFrame, nodeParent, nodeCount, frameFunction } = profile
	const from = matchFunctions(profile, filter.showFrom)
	const { pairs, order } = pairsOf(profile, filter, keep)
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
	const keep = stacksOf(profile, filter)
	const frames = shownFrames(profile, filter)
	return frames || filter.group || filter.showFrom ? builtTree(profile, filter, keep, frames) : plainTree(profile, filter, keep)
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

/**
 * What functions take by themselves, as `pfx report` counts it: with what is inlined in them; and how much of
 * that is apart from their stacks, which can call code without a symbol by another name.
 * @param {Profile} profile
 * @param {Filter} filter
 */
export function ownWeights(profile, filter) {
	const { names } = profile
	const owns = ownFunctions(profile, filter)
	const self = new Float64Array(names.length)
	const samples = new Float64Array(names.length)
	const apart = new Float64Array(names.length)
	const apartSamples = new Float64Array(names.length)
	const last = lastShown(profile, filter)
	const isApart = Uint8Array.from(owns, (own, i) =>
		Number(own >= 0 && !(last && last[profile.stackNode[i]] < 0) && !isInStack(profile, i, own)))
	const sums = sumStacks(profile, filter, stacksOf(profile, filter), filter.event)
	owns.forEach((own, i) => {
		if (own < 0) return
		self[own] += sums.weights[i]
		samples[own] += sums.samples[i]
		if (!isApart[i]) return
		apart[own] += sums.weights[i]
		apartSamples[own] += sums.samples[i]
	})
	return { self, samples, apart, apartSamples }
}

/**
 * Weights of cells of time: a row of all samples, and then @lanes rows.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {{from: number, to: number, cells: number, lanes: number}} shape
 * @param {(sample: number) => number} laneOf -1 for none
 */
export function cellsOf(profile, filter, shape, laneOf) {
	const into = new Float64Array(shape.cells * (shape.lanes + 1))
	const scale = shape.cells / Math.max(1, shape.to - shape.from)
	const { time, period, count } = profile
	const keep = stacksOf(profile, filter)
	eachSample(profile, { ...filter, from: shape.from, to: shape.to }, keep, i => {
		const lane = shape.lanes ? laneOf(i) : -1
		const cell = Math.min(shape.cells - 1, Math.floor((time[i] - shape.from) * scale))
		const weight = filter.bySamples ? count[i] : period[i]
		into[cell] += weight
		if (lane >= 0) into[(lane + 1) * shape.cells + cell] += weight
	})
	return into
}
