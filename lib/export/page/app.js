// SPDX-License-Identifier: MIT
// The profile with the state of the page, and what is computed from both: the filter, the tree, the sums.
import { libraryRanks, painter, pairPainter } from './colour.js'
import { CHANGE_SIGNS, Pair, changeText, changeWord, doubtText } from './pair.js'
import { KIND_BROKEN } from './profile.js'
import { ownWeights, release, select } from './selection.js'
import { allSamples, expression, matchFunctions } from './stacks.js'
import { fromFragment, keepState, listOf, startState, startWith } from './state.js'
import { invert, nodeAt, pathOf, selfAt, sumFunctions } from './tree.js'
import { LONGEST, brief, counted, percent, placeIn, plain, uncapped, weight } from './words.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./stacks.js').Filter} Filter */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./pair.js').Change} Change */

/** Of callers in no map. */
const BROKEN = 'callers that are in no binary: what they call keeps no frame pointer'
/** The parts of a state that change what is counted. */
const COUNTED = /** @type {(keyof State)[]} */ (['event', 'unit', 'from', 'to', 'process', 'thread', 'comm',
	'cpu', 'library', 'level', 'focus', 'ignore', 'hide', 'show', 'showFrom', 'inlined', 'group', 'beside', 'widths', 'basis'])
/** The filters that are listed above a view, where they can be removed. */
export const FILTERS = /** @type {(keyof State)[]} */ (['from', 'process', 'thread', 'comm', 'cpu', 'library',
	'level', 'focus', 'ignore', 'hide', 'show', 'showFrom'])

// What is shown without a fragment: the first event with samples; of a comparison, the changes.
/** @param {Profile} profile @returns {Partial<State>} */
function firstState({ events }) {
	const event = Math.max(0, events.findIndex(of => of.role !== 'old' && of.samples > 0))
	const { other } = events[event] || { other: -1 }
	return other >= 0 && events[other].role === 'old'
		? { event, colour: 'change', widths: 'both', sort: 'change' } : { event }
}

export class App {
	/** @param {Profile} profile */
	constructor(profile) {
		this.profile = profile
		startWith(firstState(profile))
		this.state = startState()
		this.libraries = libraryRanks(profile)
		/** @type {() => void} */
		this.changed = () => {}
		/** The view has zoomed: what is around it follows. */
		this.zoomShown = () => {}
		/** Only the search has changed. */
		this.searchChanged = () => {}
		/** @type {(lines: string[]|null, x: number, y: number) => void} */
		this.tip = () => {}
		/** @type {Map<string, any>} */
		this.made = new Map()
		/** The state of these values. */
		this.madeFor = this.state
	}
	// Makes a value once, until the counted samples change.
	/** @template T @param {string} name @param {() => T} make @returns {T} */
	once(name, make) {
		if (this.state !== this.madeFor) {
			const isSame = COUNTED.every(of => this.state[of] === this.madeFor[of])
			if (!isSame) this.forget()
			this.madeFor = this.state
		}
		if (!this.made.has(name)) this.made.set(name, make())
		return this.made.get(name)
	}
	forget() {
		const old = this.made.get('selected')
		if (old) release(this.profile, old)
		this.made.clear()
	}
	/** @param {Partial<State>} change @param {boolean} [step] whether Back returns */
	set(change, step = true) {
		this.state = { ...this.state, ...change }
		keepState(this.state, step)
		if ('search' in change && Object.keys(change).length === 1) this.searchChanged()
		else this.changed()
	}
	/** @param {string} fragment */
	restore(fragment) {
		const state = fromFragment(fragment)
		const { profile } = this
		/** @type {(keyof State)[]} */
		const numbers = ['event', 'library', 'function', 'chart']
		const counts = [profile.events, profile.libraries, profile.names, profile.threads].map(list => list.length)
		numbers.forEach((key, i) => {
			const value = /** @type {number} */ (state[key])
			if (value >= counts[i] || value < -1) /** @type {any} */ (state)[key] = startState()[key]
		})
		state.event = Math.max(0, state.event)
		state.process = listOf(state.process, profile.processes.length).join('.')
		state.thread = listOf(state.thread, profile.threads.length).join('.')
		state.cpu = listOf(state.cpu, profile.cpus.length).join('.')
		this.state = state
		this.changed()
	}
	/** @returns {Filter} */
	filter() {
		const { state } = this
		return {
			...allSamples(),
			event: state.event, other: this.other(), process: listOf(state.process, this.profile.processes.length),
			thread: listOf(state.thread, this.profile.threads.length), comm: state.comm,
			cpu: listOf(state.cpu, this.profile.cpus.length), library: state.library, level: state.level, focus: state.focus,
			ignore: state.ignore, hide: state.hide, show: state.show, showFrom: state.showFrom, inlined: state.inlined === 1,
			group: state.group, bySamples: state.unit === 'samples',
			from: state.from < 0 ? -Infinity : state.from, to: state.to < 0 ? Infinity : state.to,
		}
	}
	/** The event that the chosen one is shown beside; -1 for none. */
	other() {
		const { other } = this.profile.events[this.state.event]
		return this.state.beside ? other : -1
	}
	/** What the two events are to each other; null for one event. */
	pair() {
		const other = this.other()
		if (other < 0) return null
		const { role } = this.profile.events[other]
		const isShare = role === 'old' && this.state.basis === 'share'
		return this.once('pair', () => new Pair(role, isShare, this.selected(), this.noise(), this.profile.nodeParent))
	}
	/** What `pfx diff` finds of the two events; null if filters leave other samples than it compared. */
	noise() {
		const { state, profile } = this
		const first = startState()
		if (FILTERS.some(of => state[of] !== first[of]) || state.inlined !== first.inlined) return null
		return profile.noise.find(of => of.event === state.event && of.unit === state.unit && of.basis === state.basis) || null
	}
	/** Whether another recording is compared with. */
	isDiff() {
		const pair = this.pair()
		return pair !== null && pair.isDiff()
	}
	selected() {
		return this.once('selected', () => select(this.profile, this.filter()))
	}
	/** The tree from the root to the sampled functions. */
	tree() {
		const pair = this.pair()
		return pair ? this.once('tree', () => pair.withWidths(this.selected(), this.state.widths)) : this.selected()
	}
	// The width of a tree that was made of tree().
	/** @param {Tree} tree */
	withWidths(tree) {
		const pair = this.pair()
		return pair ? pair.withWidths(tree, this.state.widths) : tree
	}
	/** The tree of the flame graph. */
	shownTree() {
		if (this.state.stacks !== 'callers') return this.tree()
		return this.once('inverted', () => this.withWidths(invert(this.tree())))
	}
	sums() {
		return this.once('sums', () => this.sumsOf(this.state.event, this.tree()))
	}
	/** Of the event that it is shown beside. */
	otherSums() {
		const { other } = this.tree()
		return other && this.once('other sums', () => this.sumsOf(this.other(), other))
	}
	/** @param {number} event @param {import('./tree.js').Weights} weights */
	sumsOf(event, weights) {
		const { profile } = this
		const own = ownWeights(profile, { ...this.filter(), event })
		const sums = sumFunctions(this.tree(), weights, profile.frameFunction, profile.names.length)
		return {
			self: own.self, selfSamples: own.samples,
			total: sums.total.map((total, of) => total + own.apart[of]),
			totalSamples: sums.totalSamples.map((total, of) => total + own.apartSamples[of]),
		}
	}
	/** The functions with samples. */
	functionCount() {
		const other = this.otherSums()
		return this.sums().totalSamples.reduce((count, nr, of) => count + Number(nr > 0 || (other !== null && other.totalSamples[of] > 0)), 0)
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
	// Where a function is, in so many characters.
	/** @param {number} of @param {number} [room] */
	place(of, room = LONGEST) {
		const { files, lines } = this.profile
		return files[of] ? placeIn(files[of], lines[of], room) : ''
	}
	/** @param {Tree} tree @param {number} node */
	label(tree, node) {
		const frame = tree.frame[node]
		const { profile } = this
		if (frame >= 0) return profile.names[profile.frameFunction[frame]]
		if (frame === -1) return 'all'
		const [names, of] = this.state.group === 'process' ? [this.profile.processes.length, 'processes'] : [this.profile.threads.length, 'threads']
		if (-2 - frame === names) return `other ${of}`
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
			lines.push(this.profile.kinds[of] === KIND_BROKEN ? BROKEN : [brief(this.libraryName(of)), this.place(of)].filter(Boolean).join(' · '))
		}
		return [...lines, ...this.sumsText(tree, node)]
	}
	// The weights of a node in words, of both events if there are two.
	/** @param {Tree} tree @param {number} node */
	sumsText(tree, node) {
		const pair = this.pair()
		/** @param {import('./tree.js').Weights} of @param {number} whole @param {string} name */
		const sums = (of, whole, name) => [
			`${name}total ${percent(of.total[node], whole)} · ${this.weight(of.total[node])} · ${counted(of.totalSamples[node], 'sample')}`,
			`${name}self ${percent(selfAt(tree, of, node), whole)} · ${this.weight(selfAt(tree, of, node))}`]
		if (!pair || !tree.other) return sums(tree, this.total(), '')
		const [first, other] = pair.names.map(name => uncapped(name) + ': ')
		return [...sums(tree, pair.totals[0], first), ...sums(tree.other, pair.totals[1], other),
			...(pair.isDiff() ? [`change of total ${this.changeText(pair.ofNode(tree, node))}, of self ${this.changeText(pair.ofSelf(tree, node), false)}`] : [])]
	}
	// A change in words.
	/** @param {Change} change @param {boolean} [words] */
	changeText(change, words = true) {
		const pair = this.pair()
		const word = words ? changeWord(change) : ''
		const doubt = words && this.doubtText(change)
		return changeText(change, pair !== null && pair.isShare, value => this.weight(value)) +
			(word === 'new' || word === 'gone' ? ` (${word})` : doubt ? ` (${doubt})` : '')
	}
	// How sure a change is, in words; '' if it is beyond noise.
	/** @param {Change} change */
	doubtText(change) {
		const pair = this.pair()
		return doubtText(change, value => pair && pair.isShare ? percent(value, 1) : this.weight(value))
	}
	// The stack of a node as text, the root first.
	/** @param {Tree} tree @param {number} node */
	stackText(tree, node) {
		const rows = []
		for (let i = node; i > 0; i = tree.parent[i]) rows.push(plain(this.label(tree, i)))
		return rows.reverse().join('\n')
	}
	/** @returns {(frame: number, isNarrow?: boolean) => string} */
	paint() {
		return painter(this.profile, this.libraries.ranks, this.state.colour)
	}
	/**
	 * Colours of the nodes of a tree.
	 * @returns {(tree: Tree, node: number, isNarrow: boolean) => string}
	 */
	paintNodes() {
		const pair = this.pair()
		if (pair && this.state.colour === 'change') return pairPainter(pair)
		const paint = this.paint()
		return (tree, node, isNarrow) => paint(tree.frame[node], isNarrow)
	}
	// What became of a frame, as a sign before its name.
	/** @param {Tree} tree @param {number} node */
	sign(tree, node) {
		const pair = this.pair()
		return pair && pair.isDiff() && node ? CHANGE_SIGNS[changeWord(pair.ofNode(tree, node))] || '' : ''
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
	/** The weights of the samples with a function that the search matches: of the event, and of the other one. */
	searchedWeights() {
		const frames = this.searchedFrames()
		const sums = [0, 0]
		const tree = this.tree()
		if (!frames) return sums
		for (let i = 1; i < tree.count;) {
			if (tree.frame[i] >= 0 && frames[tree.frame[i]]) {
				sums[0] += tree.total[i]
				if (tree.other) sums[1] += tree.other.total[i]
				i = tree.end[i]
			} else {
				i++
			}
		}
		return sums
	}
	/** The same in words. */
	searchedText() {
		const [first, other] = this.searchedWeights()
		const pair = this.pair()
		if (!pair) return `${this.share(first)} matched`
		return `${this.share(first)} matched, ${pair.isDiff() ? 'was' : 'off CPU'} ${percent(other, pair.totals[1])}`
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
	/** @param {number} node @param {boolean} [isShown] whether the view shows it already */
	zoomTo(node, isShown = false) {
		const zoom = pathOf(this.shownTree(), node).map(frame => frame.toString(36)).join('.')
		if (!isShown) {
			this.set({ zoom })
			return
		}
		this.state = { ...this.state, zoom }
		keepState(this.state, true)
		this.zoomShown()
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
