// SPDX-License-Identifier: MIT
// A profile as typed arrays. Knows neither filters nor the screen.
import { readColumn } from './columns.js'

/** @typedef {{verdict: Uint8Array, half: Float64Array}} Findings */
/** @typedef {{event: number, unit: string, basis: string, self: Findings, total: Findings, nodes: Findings}} Noise */

/**
 * @typedef {object} ProfileEvent
 * @property {string} name
 * @property {string} unit
 * @property {number} samples
 * @property {number} period
 * @property {number} other the event that it is shown beside, -1 for none
 * @property {string} role 'old' of another recording, 'off' of time off the CPU, else ''
 */
/** @typedef {{title: string, facts: [string, string][]}} OldRecording */
/** @typedef {{pid: number, name: string}} ProfileProcess */
/** @typedef {{tid: number, process: number, name: string}} ProfileThread */
/** @typedef {{thread: number, name: string}} ProfileTask a thread under one of its names */
/** @typedef {{name: string, path: string}} ProfileLibrary */
/** @typedef {{text: string, mend: string}} ProfileNote */

/** What a function is; a column of functions. */
export const KIND_USER = 0
export const KIND_KERNEL = 1
export const KIND_JIT = 2
export const KIND_UNKNOWN = 3
export const KIND_INLINED = 4
/** Callers in no map. */
export const KIND_BROKEN = 5

/**
 * @typedef {object} Profile
 * @property {string} title
 * @property {[string, string][]} facts
 * @property {ProfileNote[]} notes
 * @property {string[]} holds
 * @property {any[]} code functions with their code, as code.js reads them
 * @property {any[]} tables of memory accesses and branches, as tables_view.js reads them
 * @property {boolean} timed
 * @property {OldRecording|null} old the recording that this one is compared with
 * @property {ProfileEvent[]} events
 * @property {ProfileProcess[]} processes
 * @property {ProfileThread[]} threads
 * @property {ProfileTask[]} tasks
 * @property {number[]} cpus
 * @property {ProfileLibrary[]} libraries
 * @property {string[]} names of functions
 * @property {Int32Array} library of functions, -1 if not known
 * @property {string[]} files of functions, '' if not known
 * @property {Int32Array} lines
 * @property {Uint8Array} kinds
 * @property {Int32Array} frameFunction
 * @property {number} nodeCount
 * @property {Int32Array} nodeFrame -1 for the root, node 0; nodes are in preorder
 * @property {Int32Array} nodeParent
 * @property {Int32Array} nodeEnd
 * @property {Uint16Array} nodeDepth
 * @property {number} stackCount
 * @property {Int32Array} stackNode
 * @property {Int32Array} stackOwn the function that was sampled, with what is inlined in it; -1 if not known
 * @property {Uint8Array} stackKernel
 * @property {{period: Float64Array, times: Float64Array}[]} stackSums by event, of all samples of a stack
 * @property {Noise[]} noise what `pfx diff` finds in the recording beside the old one
 * @property {number} sampleCount rows of the columns below, which are read when they are first used
 * @property {Float64Array} time microseconds since the first sample, ascending
 * @property {Uint16Array} event
 * @property {Int32Array} task
 * @property {Int32Array} cpu index of cpus
 * @property {Int32Array} stack
 * @property {Float64Array} count samples of a row
 * @property {Float64Array} period their sum
 */

/** @param {number} n @param {any} column */
const ints = (n, column) => readColumn(column, new Int32Array(n))
/** @param {number} n @param {any} column */
const floats = (n, column) => readColumn(column, new Float64Array(n))

/**
 * Parents, ends of subtrees and depths of nodes in preorder, from the number of levels up.
 * @param {Int32Array} up
 */
function shapeOf(up) {
	const n = up.length
	const parent = new Int32Array(n)
	const end = new Int32Array(n)
	const depth = new Uint16Array(n)
	const path = [0]
	parent[0] = -1
	for (let i = 1; i < n; i++) {
		for (let left = Math.min(up[i], path.length - 1); left > 0; left--) end[/** @type {number} */ (path.pop())] = i
		parent[i] = path[path.length - 1]
		depth[i] = path.length
		path.push(i)
	}
	for (const i of path) end[i] = n
	return { parent, end, depth }
}

/** @param {any} column @param {number} n @param {number} scale @returns {Findings} */
function readFindings(column, n, scale) {
	return { verdict: readColumn(column.verdict, new Uint8Array(n)), half: floats(n, column.half).map(half => half * scale) }
}

/** @param {any[]} list @param {number} functions @param {number} nodes @returns {Noise[]} */
function readNoise(list, functions, nodes) {
	return list.map(of => {
		const scale = of.basis === 'share' ? 1e-6 : 1
		return {
			event: of.event, unit: of.unit, basis: of.basis, self: readFindings(of.self, functions, scale),
			total: readFindings(of.total, functions, scale), nodes: readFindings(of.nodes, nodes, scale),
		}
	})
}

/** @param {Float64Array} times */
function addUp(times) {
	for (let i = 1; i < times.length; i++) times[i] += times[i - 1]
	return times
}

/**
 * Adds properties that are made when they are first used.
 * @template {object} T
 * @template {Record<string, () => unknown>} M
 * @param {T} to
 * @param {M} makers
 * @returns {T & {[K in keyof M]: ReturnType<M[K]>}}
 */
export function lazily(to, makers) {
	for (const [name, make] of Object.entries(makers)) {
		Object.defineProperty(to, name, {
			configurable: true, enumerable: true,
			get() {
				const value = make()
				Object.defineProperty(to, name, { value })
				return value
			},
		})
	}
	return /** @type {any} */ (to)
}

// The events; views need one, which a recording without samples may lack.
/** @param {any} data @returns {ProfileEvent[]} */
function eventsOf(data) {
	const none = { name: 'no event', unit: 'samples', samples: 0, period: 0 }
	return (data.events.length ? data.events : [none]).map((/** @type {any} */ event) => ({ other: -1, role: '', ...event }))
}

/**
 * @param {any} data
 * @returns {Profile}
 */
export function readProfile(data) {
	if (data.schema !== 'pfx.page/1') throw new Error('the page has no data that it can read')
	const { functions, frames, nodes, stacks, samples, strings } = data
	const nodeFrame = ints(nodes.count, nodes.frame)
	nodeFrame[0] = -1
	const shape = shapeOf(ints(nodes.count, nodes.up))
	return lazily({
		title: data.title, facts: data.facts, notes: data.notes, holds: data.holds,
		timed: data.timed, old: data.old || null,
		events: eventsOf(data), processes: data.processes, threads: data.threads, tasks: data.tasks,
		cpus: data.cpus, libraries: data.libraries, code: data.code || [], tables: data.tables || [],
		names: Array.from(ints(functions.count, functions.name), i => strings[i]),
		library: ints(functions.count, functions.library).map(of => of - 1),
		files: Array.from(ints(functions.count, functions.file), i => strings[i]),
		lines: ints(functions.count, functions.line),
		kinds: readColumn(functions.kind, new Uint8Array(functions.count)),
		frameFunction: ints(frames.count, frames.function),
		nodeCount: nodes.count, nodeFrame,
		nodeParent: shape.parent, nodeEnd: shape.end, nodeDepth: shape.depth,
		stackCount: stacks.count,
		stackNode: ints(stacks.count, stacks.node),
		stackOwn: ints(stacks.count, stacks.own).map(own => own - 1),
		stackKernel: readColumn(stacks.kernel, new Uint8Array(stacks.count)),
		stackSums: data.events.length ? stacks.sums.map((/** @type {any} */ { period, times }) => ({
			period: floats(stacks.count, period), times: floats(stacks.count, times),
		})) : [{ period: new Float64Array(stacks.count), times: new Float64Array(stacks.count) }],
		sampleCount: samples.count,
	}, {
		time: () => addUp(floats(samples.count, samples.time)),
		event: () => readColumn(samples.event, new Uint16Array(samples.count)),
		task: () => ints(samples.count, samples.task),
		cpu: () => ints(samples.count, samples.cpu),
		stack: () => ints(samples.count, samples.stack),
		noise: () => readNoise(data.noise || [], functions.count, nodes.count),
		count: () => floats(samples.count, samples.times),
		period: () => floats(samples.count, samples.period),
	})
}
