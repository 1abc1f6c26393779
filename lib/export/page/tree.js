// SPDX-License-Identifier: MIT
// Trees of calls in preorder: children follow their parent, a subtree is a range of nodes.

/**
 * @typedef {object} Tree
 * @property {number} count
 * @property {Int32Array} frame -1 for the root, -2 - g for the group g
 * @property {Int32Array} parent
 * @property {Int32Array} end the node after the subtree
 * @property {Uint16Array} depth
 * @property {Float64Array} self
 * @property {Float64Array} total
 * @property {Float64Array} selfSamples
 * @property {Float64Array} totalSamples
 */

// Adds the weights of subtrees up.
/** @param {Tree} tree */
export function sumUp(tree) {
	const { parent, total, totalSamples } = tree
	total.set(tree.self)
	totalSamples.set(tree.selfSamples)
	for (let i = tree.count - 1; i > 0; i--) {
		const above = parent[i]
		total[above] += total[i]
		totalSamples[above] += totalSamples[i]
	}
	return tree
}

/** An empty list of numbers that grows. */
class Numbers {
	constructor() {
		this.length = 0
		this.at = new Int32Array(1024)
	}
	/** @param {number} value */
	push(value) {
		if (this.length === this.at.length) {
			const larger = new Int32Array(this.length * 2)
			larger.set(this.at)
			this.at = larger
		}
		this.at[this.length++] = value
	}
}

/** A tree that grows by paths from the root; then it is put in preorder. */
export class TreeBuilder {
	constructor() {
		this.parents = new Numbers()
		this.frames = new Numbers()
		this.parents.push(-1)
		this.frames.push(-1)
		/** @type {number[]} */
		this.self = [0]
		/** @type {number[]} */
		this.samples = [0]
		this.slots = new Int32Array(4096).fill(-1)
	}
	grow() {
		const slots = new Int32Array(this.slots.length * 2).fill(-1)
		this.slots = slots
		for (let i = 1; i < this.parents.length; i++) {
			slots[this.slotOf(this.parents.at[i], this.frames.at[i])] = i
		}
	}
	/** @param {number} parent @param {number} frame */
	slotOf(parent, frame) {
		const mask = this.slots.length - 1
		let slot = Math.imul(Math.imul(parent, 0x9e3779b1) ^ frame, 0x85ebca6b)
		slot = (slot ^ (slot >>> 15)) & mask
		for (;;) {
			const found = this.slots[slot]
			if (found < 0) return slot
			if (this.parents.at[found] === parent && this.frames.at[found] === frame) return slot
			slot = (slot + 1) & mask
		}
	}
	// The child of a node with this frame.
	/** @param {number} parent @param {number} frame */
	child(parent, frame) {
		const slot = this.slotOf(parent, frame)
		if (this.slots[slot] >= 0) return this.slots[slot]
		const node = this.parents.length
		this.parents.push(parent)
		this.frames.push(frame)
		this.self.push(0)
		this.samples.push(0)
		this.slots[slot] = node
		if (node * 2 > this.slots.length) this.grow()
		return node
	}
	/** @param {number} node @param {number} weight @param {number} samples */
	add(node, weight, samples) {
		this.self[node] += weight
		this.samples[node] += samples
	}
	// The tree in preorder.
	/** @returns {Tree} */
	finish() {
		const n = this.parents.length
		const parents = this.parents.at
		const sizes = new Int32Array(n).fill(1)
		for (let i = n - 1; i > 0; i--) sizes[parents[i]] += sizes[i]
		const tree = emptyTree(n)
		const places = new Int32Array(n)
		const free = new Int32Array(n)
		for (let i = 0; i < n; i++) {
			const above = parents[i]
			const place = i ? free[above] : 0
			if (i) free[above] += sizes[i]
			places[i] = place
			free[i] = place + 1
			tree.frame[place] = this.frames.at[i]
			tree.parent[place] = i ? places[above] : -1
			tree.depth[place] = i ? tree.depth[places[above]] + 1 : 0
			tree.end[place] = place + sizes[i]
			tree.self[place] = this.self[i]
			tree.selfSamples[place] = this.samples[i]
		}
		return sumUp(tree)
	}
}

/** @param {number} n @returns {Tree} */
export function emptyTree(n) {
	return {
		count: n,
		frame: new Int32Array(n), parent: new Int32Array(n), end: new Int32Array(n),
		depth: new Uint16Array(n),
		self: new Float64Array(n), total: new Float64Array(n),
		selfSamples: new Float64Array(n), totalSamples: new Float64Array(n),
	}
}

/**
 * Self and total of each function. A function that calls itself counts once.
 * @param {Tree} tree
 * @param {Int32Array} frameFunction
 * @param {number} count of functions
 */
export function sumFunctions(tree, frameFunction, count) {
	const sums = {
		self: new Float64Array(count), total: new Float64Array(count),
		selfSamples: new Float64Array(count), totalSamples: new Float64Array(count),
	}
	eachOutermost(tree, frameFunction, count, (node, of, outermost) => {
		sums.self[of] += tree.self[node]
		sums.selfSamples[of] += tree.selfSamples[node]
		if (!outermost) return
		sums.total[of] += tree.total[node]
		sums.totalSamples[of] += tree.totalSamples[node]
	})
	return sums
}

/**
 * Visits the nodes with samples; @visit learns whether no caller of the node is the same function.
 * @param {Tree} tree
 * @param {Int32Array} frameFunction
 * @param {number} count
 * @param {(node: number, of: number, outermost: boolean) => void} visit
 */
function eachOutermost(tree, frameFunction, count, visit) {
	const active = new Int32Array(count)
	const path = new Int32Array(65536)
	let depth = 0
	for (let i = 1; i < tree.count;) {
		while (depth && tree.end[path[depth - 1]] <= i) {
			active[frameFunction[tree.frame[path[--depth]]]]--
		}
		if (!tree.totalSamples[i]) {
			i = tree.end[i]
			continue
		}
		if (tree.frame[i] >= 0) {
			const of = frameFunction[tree.frame[i]]
			visit(i, of, active[of]++ === 0)
			path[depth++] = i
		}
		i++
	}
}

/**
 * The two trees of a sandwich: what the function calls, and who calls it.
 * @param {Tree} tree
 * @param {Int32Array} frameFunction
 * @param {number} count
 * @param {number} wanted
 */
export function sandwich(tree, frameFunction, count, wanted) {
	const callees = new TreeBuilder()
	const callers = new TreeBuilder()
	const middle = frameFunction.indexOf(wanted)
	eachOutermost(tree, frameFunction, count, (node, of, outermost) => {
		if (of !== wanted || !outermost) return
		addSubtree(callees, tree, node, middle)
		const top = callers.child(0, middle)
		addCallers(callers, tree, tree.parent[node], top, tree.total[node], tree.totalSamples[node])
	})
	return { callees: callees.finish(), callers: callers.finish() }
}

/** @param {TreeBuilder} to @param {Tree} tree @param {number} top @param {number} frame */
function addSubtree(to, tree, top, frame) {
	const place = [to.child(0, frame)]
	const base = tree.depth[top]
	to.add(place[0], tree.self[top], tree.selfSamples[top])
	for (let i = top + 1; i < tree.end[top];) {
		if (!tree.totalSamples[i]) {
			i = tree.end[i]
			continue
		}
		const depth = tree.depth[i] - base
		place[depth] = to.child(place[depth - 1], tree.frame[i])
		to.add(place[depth], tree.self[i], tree.selfSamples[i])
		i++
	}
}

/**
 * Adds the path from @node to the root below the node @at.
 * @param {TreeBuilder} to
 * @param {Tree} tree
 * @param {number} node
 * @param {number} at
 * @param {number} weight
 * @param {number} samples
 */
function addCallers(to, tree, node, at, weight, samples) {
	for (let i = node; i > 0; i = tree.parent[i]) at = to.child(at, tree.frame[i])
	to.add(at, weight, samples)
}

// The tree from callees to callers.
/** @param {Tree} tree */
export function invert(tree) {
	const to = new TreeBuilder()
	for (let i = 1; i < tree.count; i++) {
		if (tree.selfSamples[i]) addCallers(to, tree, i, 0, tree.self[i], tree.selfSamples[i])
	}
	return to.finish()
}

/**
 * The children of a node that have samples, the heaviest first.
 * @param {Tree} tree
 * @param {number} node
 */
export function childrenOf(tree, node) {
	const children = []
	for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) {
		if (tree.totalSamples[i]) children.push(i)
	}
	const { total } = tree
	return children.sort((a, b) => total[b] - total[a] || tree.frame[a] - tree.frame[b])
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
