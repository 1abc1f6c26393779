// SPDX-License-Identifier: MIT
// The profile with the state of the page, and what is computed from both: the filter, the tree, the sums.
import { libraryRanks, painter } from './colour.js'
import { allSamples, expression, matchFunctions, ownWeights, select } from './selection.js'
import { fromFragment, keepState, startState, startWithEvent } from './state.js'
import { nodeAt, pathOf, invert, sumFunctions } from './tree.js'
import { brief, counted, percent, plain, weight } from './words.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./selection.js').Filter} Filter */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./tree.js').Tree} Tree */

/** The parts of a state that change what is counted. */
const COUNTED = /** @type {(keyof State)[]} */ (['event', 'unit', 'from', 'to', 'process', 'thread', 'comm',
	'cpu', 'library', 'level', 'focus', 'ignore', 'hide', 'show', 'showFrom', 'inlined', 'group'])
/** The filters that are listed above a view, where they can be removed. */
export const FILTERS = /** @type {(keyof State)[]} */ (['from', 'process', 'thread', 'comm', 'cpu', 'library',
	'level', 'focus', 'ignore', 'hide', 'show', 'showFrom'])

export class App {
	/** @param {Profile} profile */
	constructor(profile) {
		this.profile = profile
		startWithEvent(Math.max(0, profile.events.findIndex(event => event.samples > 0)))
		this.state = startState()
		this.libraries = libraryRanks(profile)
		/** @type {() => void} */
		this.changed = () => {}
		/** @type {(lines: string[]|null, x: number, y: number) => void} */
		this.tip = () => {}
		/** @type {Map<string, any>} */
		this.made = new Map()
	}
	// Makes a value once, until the counted samples change.
	/** @template T @param {string} name @param {() => T} make @returns {T} */
	once(name, make) {
		const key = COUNTED.map(of => this.state[of]).join('\n')
		if (this.made.get('key') !== key) {
			this.made.clear()
			this.made.set('key', key)
		}
		if (!this.made.has(name)) this.made.set(name, make())
		return this.made.get(name)
	}
	/** @param {Partial<State>} change @param {boolean} [step] whether Back returns */
	set(change, step = true) {
		this.state = { ...this.state, ...change }
		keepState(this.state, step)
		this.changed()
	}
	/** @param {string} fragment */
	restore(fragment) {
		const state = fromFragment(fragment)
		const { profile } = this
		/** @type {(keyof State)[]} */
		const numbers = ['event', 'process', 'thread', 'cpu', 'library', 'function', 'chart']
		const counts = [profile.events, profile.processes, profile.threads, profile.cpus, profile.libraries,
			profile.names, profile.threads].map(list => list.length)
		numbers.forEach((key, i) => {
			const value = /** @type {number} */ (state[key])
			if (value >= counts[i] || value < -1) /** @type {any} */ (state)[key] = startState()[key]
		})
		state.event = Math.max(0, state.event)
		this.state = state
		this.changed()
	}
	/** @returns {Filter} */
	filter() {
		const { state } = this
		return {
			...allSamples(),
			event: state.event, process: state.process, thread: state.thread, comm: state.comm,
			cpu: state.cpu, library: state.library, level: state.level, focus: state.focus,
			ignore: state.ignore, hide: state.hide, show: state.show, showFrom: state.showFrom, inlined: state.inlined === 1,
			group: state.group, bySamples: state.unit === 'samples',
			from: state.from < 0 ? -Infinity : state.from, to: state.to < 0 ? Infinity : state.to,
		}
	}
	/** The tree from the root to the sampled functions. */
	tree() {
		return this.once('tree', () => select(this.profile, this.filter()))
	}
	/** The tree of the flame graph. */
	shownTree() {
		if (this.state.stacks !== 'callers') return this.tree()
		return this.once('inverted', () => invert(this.tree()))
	}
	sums() {
		return this.once('sums', () => {
			const own = ownWeights(this.profile, this.filter())
			const sums = sumFunctions(this.tree(), this.profile.frameFunction, this.profile.names.length)
			return {
				self: own.self, selfSamples: own.samples,
				total: sums.total.map((total, of) => total + own.apart[of]),
				totalSamples: sums.totalSamples.map((total, of) => total + own.apartSamples[of]),
			}
		})
	}
	/** The weight of all samples of the event. */
	whole() {
		const event = this.profile.events[this.state.event]
		return this.state.unit === 'samples' ? event.samples : event.period
	}
	/** The weight of the samples that match the filter. */
	total() {
		return this.tree().total[0]
	}
	unit() {
		return this.state.unit === 'samples' ? 'samples' : this.profile.events[this.state.event].unit
	}
	/** @param {number} value */
	weight(value) {
		return this.unit() === 'samples' ? counted(value, 'sample') : weight(value, this.unit())
	}
	/** @param {number} value */
	share(value) {
		return percent(value, this.total())
	}
	/** @param {number} of */
	libraryName(of) {
		const library = this.profile.libraries[this.profile.library[of]]
		return library ? library.name : '[unknown]'
	}
	/** @param {number} of */
	place(of) {
		const { files, lines } = this.profile
		return files[of] ? brief(files[of]) + (lines[of] ? `:${lines[of]}` : '') : ''
	}
	/** @param {Tree} tree @param {number} node */
	label(tree, node) {
		const frame = tree.frame[node]
		const { profile } = this
		if (frame >= 0) return profile.names[profile.frameFunction[frame]]
		if (frame === -1) return 'all'
		return this.state.group === 'process' ? this.processName(-2 - frame) : this.threadName(-2 - frame)
	}
	/** @param {number} i */
	processName(i) {
		const { name, pid } = this.profile.processes[i]
		return `${name} ${pid}`
	}
	/** @param {number} i */
	threadName(i) {
		const { name, tid } = this.profile.threads[i]
		return `${name} ${tid}`
	}
	// Lines about a frame.
	/** @param {Tree} tree @param {number} node */
	describe(tree, node) {
		const frame = tree.frame[node]
		const lines = [brief(this.label(tree, node))]
		if (frame >= 0) {
			const of = this.profile.frameFunction[frame]
			lines.push([brief(this.libraryName(of)), this.place(of)].filter(Boolean).join(' · '))
		}
		lines.push(`total ${this.share(tree.total[node])} · ${this.weight(tree.total[node])} · ${counted(tree.totalSamples[node], 'sample')}`)
		lines.push(`self ${this.share(tree.self[node])} · ${this.weight(tree.self[node])}`)
		return lines
	}
	// The stack of a node as text, the root first.
	/** @param {Tree} tree @param {number} node */
	stackText(tree, node) {
		const rows = []
		for (let i = node; i > 0; i = tree.parent[i]) rows.push(plain(this.label(tree, i)))
		return rows.reverse().join('\n')
	}
	/** @returns {(frame: number) => string} */
	paint() {
		return painter(this.profile, this.libraries.ranks, this.state.colour)
	}
	/** Which functions the search matches; null without one. */
	searched() {
		return matchFunctions(this.profile, this.state.search)
	}
	/** The same by frame. */
	searchedFrames() {
		const functions = this.searched()
		return functions && Uint8Array.from(this.profile.frameFunction, of => functions[of])
	}
	/** The weight of the samples with a function that the search matches. */
	searchedWeight() {
		const frames = this.searchedFrames()
		if (!frames) return 0
		const tree = this.tree()
		let sum = 0
		for (let i = 1; i < tree.count;) {
			if (tree.frame[i] >= 0 && frames[tree.frame[i]]) {
				sum += tree.total[i]
				i = tree.end[i]
			} else {
				i++
			}
		}
		return sum
	}
	/** @param {string} text */
	isExpression(text) {
		return !text || expression(text) !== null
	}
	/** The zoomed node, from its path. */
	zoomed() {
		const frames = this.state.zoom ? this.state.zoom.split('.').map(word => parseInt(word, 36)) : []
		return nodeAt(this.shownTree(), frames)
	}
	/** @param {number} node */
	zoomTo(node) {
		const frames = pathOf(this.shownTree(), node)
		this.set({ zoom: frames.map(frame => frame.toString(36)).join('.') })
	}
	// An expression for one function only.
	/** @param {number} of */
	exactly(of) {
		return '^' + this.profile.names[of].replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$'
	}
	/** @param {number} of */
	hasCode(of) {
		return this.profile.code.some(row => row.function === of)
	}
	// Shows the instructions of a function.
	/** @param {number} of */
	openCode(of) {
		this.set({ view: 'code', function: of })
	}
	// Shows the callers and callees of a function.
	/** @param {number} of */
	openSandwich(of) {
		this.set({ view: 'sandwich', function: of })
	}
}
