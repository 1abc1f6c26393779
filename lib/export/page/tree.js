// SPDX-License-Identifier: MIT
// Trees of calls in preorder: children follow their parent, a subtree is a range of nodes.

/**
 * @typedef {object} Weights of the nodes of a tree, of one event
 * @property {Float64Array} self
 * @property {Float64Array} total
 * @property {Float64Array} selfSamples
 * @property {Float64Array} totalSamples
 */
/**
 * @typedef {object} TreeParts
 * @property {number} count
 * @property {Int32Array} frame -1 for the root, -2 - g for the group g
 * @property {Int32Array} parent
 * @property {Int32Array} end the node after the subtree
 * @property {Uint16Array} depth
 * @property {Weights|null} other the weights of the event that the first one is shown beside; null: none
 * @property {Float64Array} width what a node's place in a picture is made of
 */
/** @typedef {Weights & TreeParts} Tree */

/** @param {number} n @returns {Weights} */
export function noWeights(n) {
	return {
		self: new Float64Array(n), total: new Float64Array(n),
		selfSamples: new Float64Array(n), totalSamples: new Float64Array(n),
	}
}

// Adds what subtrees have to their roots. The two may be one.
/** @param {Int32Array} parent @param {Float64Array} total @param {Float64Array} totalSamples */
export function sumTotals(parent, total, totalSamples) {
	const isOne = total === totalSamples
	for (let i = parent.length - 1; i > 0; i--) {
		const samples = totalSamples[i]
		if (!samples) continue
		const above = parent[i]
		totalSamples[above] += samples
		if (!isOne) total[above] += total[i]
	}
}

/** @param {Int32Array} parent @param {Weights} weights */
function sumSide(parent, { self, total, selfSamples, totalSamples }) {
	total.set(self)
	totalSamples.set(selfSamples)
	sumTotals(parent, total, totalSamples)
}

// Adds the weights of subtrees up.
/** @param {Tree} tree */
export function sumUp(tree) {
	sumSide(tree.parent, tree)
	if (tree.other) sumSide(tree.parent, tree.other)
	tree.width = tree.total
	return tree
}

// Whether neither event has samples in a subtree.
/** @param {Tree} tree @param {number} node */
export function isEmpty(tree, node) {
	return !tree.totalSamples[node] && !(tree.other && tree.other.totalSamples[node])
}

// What a node has by itself, of one event of a tree, without the numbers of all nodes.
/** @param {Tree} tree @param {Weights} weights of the tree @param {number} node */
export function selfAt(tree, { total }, node) {
	const { end } = tree
	let self = total[node]
	for (let i = node + 1; i < end[node]; i = end[i]) self -= total[i]
	return self
}

/** A tree that grows by paths from the root; then it is put in preorder. */
export class TreeBuilder {
	/** @param {boolean} paired whether nodes have weights of two events */
	constructor(paired) {
		this.length = 1
		this.parents = new Int32Array(1024).fill(-1, 0, 1)
		this.frames = new Int32Array(1024).fill(-1, 0, 1)
		/** Self and samples of each event. */
		this.weights = Array.from({ length: paired ? 4 : 2 }, () => new Float64Array(1024))
		this.slots = new Int32Array(4096).fill(-1)
	}
	grow() {
		/** @template {Int32Array|Float64Array} T @param {T} from @param {T} into */
		const copy = (from, into) => {
			into.set(from)
			return into
		}
		const room = this.parents.length * 2
		this.parents = copy(this.parents, new Int32Array(room))
		this.frames = copy(this.frames, new Int32Array(room))
		this.weights = this.weights.map(of => copy(of, new Float64Array(room)))
		this.slots = new Int32Array(room * 4).fill(-1)
		for (let i = 1; i < this.length; i++) this.slots[this.slotOf(this.parents[i], this.frames[i])] = i
	}
	/** @param {number} parent @param {number} frame */
	slotOf(parent, frame) {
		const { slots, parents, frames } = this
		const mask = slots.length - 1
		let slot = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b)
		slot = Math.imul(slot ^ (slot >>> 15), 0xc2b2ae35)
		slot = (slot ^ (slot >>> 16)) & mask
		for (;;) {
			const found = slots[slot]
			if (found < 0 || (parents[found] === parent && frames[found] === frame)) return slot
			slot = (slot + 1) & mask
		}
	}
	// The child of a node with this frame.
	/** @param {number} parent @param {number} frame */
	child(parent, frame) {
		const slot = this.slotOf(parent, frame)
		if (this.slots[slot] >= 0) return this.slots[slot]
		const node = this.length++
		this.slots[slot] = node
		this.parents[node] = parent
		this.frames[node] = frame
		if (this.length === this.parents.length) this.grow()
		return node
	}
	/** @param {number} node @param {number} side 0, or 1 for the other event @param {number} weight @param {number} samples */
	add(node, side, weight, samples) {
		this.weights[2 * side][node] += weight
		this.weights[2 * side + 1][node] += samples
	}
	// Adds what a node of a tree has by itself.
	/** @param {number} node @param {Tree} tree @param {number} from */
	addSelf(node, tree, from) {
		this.add(node, 0, tree.self[from], tree.selfSamples[from])
		if (tree.other) this.add(node, 1, tree.other.self[from], tree.other.selfSamples[from])
	}
	// Adds what a node of a tree has with all below it.
	/** @param {number} node @param {Tree} tree @param {number} from */
	addTotal(node, tree, from) {
		this.add(node, 0, tree.total[from], tree.totalSamples[from])
		if (tree.other) this.add(node, 1, tree.other.total[from], tree.other.totalSamples[from])
	}
	// The tree in preorder.
	/** @returns {Tree} */
	finish() {
		const { length: n, parents, frames, weights } = this
		const sizes = new Int32Array(n).fill(1)
		for (let i = n - 1; i > 0; i--) sizes[parents[i]] += sizes[i]
		const tree = emptyTree(n, weights.length > 2)
		const into = [tree.self, tree.selfSamples, ...(tree.other ? [tree.other.self, tree.other.selfSamples] : [])]
		const places = new Int32Array(n)
		const free = new Int32Array(n)
		for (let i = 0; i < n; i++) {
			const above = parents[i]
			const place = i ? free[above] : 0
			if (i) free[above] += sizes[i]
			places[i] = place
			free[i] = place + 1
			tree.frame[place] = frames[i]
			tree.parent[place] = i ? places[above] : -1
			tree.depth[place] = i ? tree.depth[places[above]] + 1 : 0
			tree.end[place] = place + sizes[i]
		}
		into.forEach((to, column) => {
			for (let i = 0; i < n; i++) to[places[i]] = weights[column][i]
		})
		return sumUp(tree)
	}
}

/** @param {number} n @param {boolean} paired @returns {Tree} */
export function emptyTree(n, paired) {
	const weights = noWeights(n)
	return {
		count: n,
		frame: new Int32Array(n), parent: new Int32Array(n), end: new Int32Array(n),
		depth: new Uint16Array(n), ...weights, other: paired ? noWeights(n) : null, width: weights.total,
	}
}

/** @type {WeakMap<Int32Array, Int32Array>} by the parents of the nodes */
const outermostOf = new WeakMap()

/**
 * The functions of nodes that are not among the callers of these, -1 for other nodes.
 * @param {Tree} tree
 * @param {Int32Array} frameFunction
 * @param {number} count of functions
 */
function outermost(tree, frameFunction, count) {
	const known = outermostOf.get(tree.parent)
	if (known) return known
	const { frame, end } = tree
	const found = new Int32Array(tree.count).fill(-1)
	const active = new Int32Array(count)
	const path = new Int32Array(65536)
	let depth = 0
	for (let i = 1; i < found.length; i++) {
		while (depth && end[path[depth - 1]] <= i) active[frameFunction[frame[path[--depth]]]]--
		if (frame[i] < 0) continue
		const of = frameFunction[frame[i]]
		if (!active[of]++) found[i] = of
		path[depth++] = i
	}
	outermostOf.set(tree.parent, found)
	return found
}

/**
 * What each function has with all it calls, of one event of a tree. A function that calls itself counts once.
 * @param {Tree} tree
 * @param {Weights} weights of the tree
 * @param {Int32Array} frameFunction
 * @param {number} count of functions
 */
export function sumFunctions(tree, weights, frameFunction, count) {
	const sums = { total: new Float64Array(count), totalSamples: new Float64Array(count) }
	const first = outermost(tree, frameFunction, count)
	const { end } = tree
	const { total, totalSamples } = weights
	for (let i = 1; i < first.length;) {
		const samples = totalSamples[i]
		if (!samples) {
			i = end[i]
			continue
		}
		const of = first[i]
		if (of >= 0) {
			sums.total[of] += total[i]
			sums.totalSamples[of] += samples
		}
		i++
	}
	return sums
}

/**
 * The two trees of a sandwich: what the function calls, and who calls it.
 * @param {Tree} tree
 * @param {Int32Array} frameFunction
 * @param {number} count
 * @param {number} wanted
 */
export function sandwich(tree, frameFunction, count, wanted) {
	const callees = new TreeBuilder(tree.other !== null)
	const callers = new TreeBuilder(tree.other !== null)
	const middle = frameFunction.indexOf(wanted)
	const first = outermost(tree, frameFunction, count)
	for (let i = 1; i < first.length; i++) {
		if (first[i] !== wanted || isEmpty(tree, i)) continue
		addSubtree(callees, tree, i, middle)
		callers.addTotal(callersOf(callers, tree, tree.parent[i], callers.child(0, middle)), tree, i)
	}
	return { callees: callees.finish(), callers: callers.finish() }
}

/** @param {TreeBuilder} to @param {Tree} tree @param {number} top @param {number} frame */
function addSubtree(to, tree, top, frame) {
	const place = [to.child(0, frame)]
	const base = tree.depth[top]
	to.addSelf(place[0], tree, top)
	for (let i = top + 1; i < tree.end[top];) {
		if (isEmpty(tree, i)) {
			i = tree.end[i]
			continue
		}
		const depth = tree.depth[i] - base
		place[depth] = to.child(place[depth - 1], tree.frame[i])
		to.addSelf(place[depth], tree, i)
		i++
	}
}

/**
 * The end of the path from @node to the root, as a path below the node @at.
 * @param {TreeBuilder} to
 * @param {Tree} tree
 * @param {number} node
 * @param {number} at
 */
function callersOf(to, tree, node, at) {
	for (let i = node; i > 0; i = tree.parent[i]) at = to.child(at, tree.frame[i])
	return at
}

// The tree from callees to callers.
/** @param {Tree} tree */
export function invert(tree) {
	const to = new TreeBuilder(tree.other !== null)
	const more = tree.other ? tree.other.selfSamples : tree.selfSamples
	for (let i = 1; i < tree.count; i++) {
		if (tree.selfSamples[i] || more[i]) to.addSelf(callersOf(to, tree, i, 0), tree, i)
	}
	return to.finish()
}

/**
 * The children of a node that have samples, the widest first.
 * @param {Tree} tree
 * @param {number} node
 * @param {number} [least] only those with this width
 */
export function childrenOf(tree, node, least = 0) {
	const { width, frame, end } = tree
	const children = []
	for (let i = node + 1; i < end[node]; i = end[i]) {
		if (width[i] >= least && !isEmpty(tree, i)) children.push(i)
	}
	return children.length < 2 ? children : children.sort((a, b) => width[b] - width[a] || frame[a] - frame[b])
}

// The frames from below the root to a node.
/** @param {Tree} tree @param {number} node */
export function pathOf(tree, node) {
	const frames = []
	for (let i = node; i > 0; i = tree.parent[i]) frames.push(tree.frame[i])
	return frames.reverse()
}

// The node at the end of a path, or of as much of it as there is.
/** @param {Tree} tree @param {number[]} frames */
export function nodeAt(tree, frames) {
	let node = 0
	for (const frame of frames) {
		let child = node + 1
		while (child < tree.end[node] && tree.frame[child] !== frame) child = tree.end[child]
		if (child >= tree.end[node]) break
		node = child
	}
	return node
}
