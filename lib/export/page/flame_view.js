// SPDX-License-Identifier: MIT
// The view 'Flame graph': its choices, the graph, and a row about the selected frame.
import { kindColours, pairColours, rankColour } from './colour.js'
import { copy, el, fill } from './dom.js'
import { FlameGraph, flameText } from './flame.js'
import { NOISE_UNKNOWN } from './pair.js'
import { brief, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Tree} Tree */

/**
 * A row of buttons of which one is pressed.
 * @param {string} name
 * @param {[string, string][]} choices value, label
 * @param {string} value
 * @param {(value: string) => void} choose
 */
export function choice(name, choices, value, choose) {
	return el('div.choice', { role: 'group', 'aria-label': name }, el('span.choice-name', { text: name }),
		...choices.map(([of, label]) => el('button', {
			type: 'button', text: label, 'aria-pressed': String(of === value), onclick: () => choose(of),
		})))
}

// Buttons for a function.
/** @param {App} app @param {number} of @param {() => string} [stack] of a frame in a graph */
export function functionActions(app, of, stack) {
	const name = app.profile.names[of]
	const exact = app.exactly(of)
	const hasCode = app.hasCode(of)
	/** @param {string} label @param {string} help @param {() => void} act */
	const button = (label, help, act) => el('button', { type: 'button', text: label, title: help, onclick: act })
	return el('span.actions', {},
		stack && button('Callers and callees', 'Show who calls it and what it calls (s)', () => app.openSandwich(of)),
		hasCode && button('Code', 'Show its instructions and source lines (a)', () => app.openCode(of)),
		button('Focus', 'Keep only samples with this function in their stack (f)', () => app.set({ focus: exact })),
		button('Ignore', 'Drop samples with this function in their stack', () => app.set({ ignore: exact })),
		button('Hide', 'Leave the function out of stacks', () => app.set({ hide: exact })),
		button('Copy name', 'Copy the name (c)', () => copy(name, 'Name')),
		stack && button('Copy stack', 'Copy the stack (C)', () => copy(stack(), 'Stack')))
}

// The contents of the row below a graph.
/** @param {App} app @param {Tree} tree @param {number} node */
function details(app, tree, node) {
	if (node < 0) {
		return [el('span.muted', { text: 'Click a frame to zoom, Escape shows all. Arrow keys move.' })]
	}
	const [name, place, ...sums] = app.describe(tree, node)
	const frame = tree.frame[node]
	if (frame < 0) return [el('b.mono', { text: name }), el('span.muted', { text: place })]
	return [el('div.detail-text', {}, el('b.mono', { text: name }), el('span.muted', { text: place }),
		el('span.muted', { text: sums.join(' · ') })),
	functionActions(app, app.profile.frameFunction[frame], () => app.stackText(tree, node))]
}

/** A graph with the row about the selected frame below it. */
export class FlamePane {
	/** @param {App} app @param {string} name @param {(node: number) => void} zoomed @param {number} [most] rows: then it is only as high as its frames are */
	constructor(app, name, zoomed, most = 0) {
		this.app = app
		this.most = most
		this.details = el('div.details')
		this.graph = new FlameGraph(name, {
			label: (tree, node) => app.label(tree, node),
			paint: (tree, node, isNarrow) => this.paint(tree, node, isNarrow), sign: (tree, node) => app.sign(tree, node),
			describe: (tree, node) => app.describe(tree, node),
			tip: (lines, x, y) => app.tip(lines, x, y),
			zoomed, selected: node => this.show(node), key: (key, node) => this.key(key, node),
		})
		/** @type {(tree: Tree, node: number, isNarrow: boolean) => string} */
		this.paint = () => ''
		this.element = el('div.flame-pane', {}, this.graph.element, this.details)
	}
	/** @param {Tree} tree @param {number} zoom @param {boolean} upwards */
	update(tree, zoom, upwards) {
		this.paint = this.app.paintNodes()
		this.graph.matched = this.app.searchedFrames()
		this.graph.upwards = upwards
		const same = this.graph.tree === tree
		this.graph.setTree(tree, zoom)
		if (!same) this.show(-1)
		if (this.most) this.element.style.flex = `0 0 ${Math.min(this.most, this.graph.depth) * 20 + 40}px`
	}
	/** Only the search has changed. */
	search() {
		this.graph.setSearch(this.app.searchedFrames())
	}
	/** @param {number} node */
	show(node) {
		if (this.graph.tree) fill(this.details, ...details(this.app, this.graph.tree, node))
	}
	/** @param {string} key @param {number} node */
	key(key, node) {
		const tree = /** @type {Tree} */ (this.graph.tree)
		const frame = tree.frame[node]
		if (frame < 0) return false
		const of = this.app.profile.frameFunction[frame]
		if (key === 's') this.app.openSandwich(of)
		else if (key === 'a' && this.app.hasCode(of)) this.app.openCode(of)
		else if (key === 'f') this.app.set({ focus: this.app.exactly(of) })
		else if (key === 'c') copy(this.app.profile.names[of], 'Name')
		else if (key === 'C') copy(this.app.stackText(tree, node), 'Stack')
		else return false
		return true
	}
}

// What the colours mean.
/** @param {App} app @param {Tree} tree that is shown */
export function legend(app, tree) {
	const { profile, state, libraries } = app
	const pair = app.pair()
	const byChange = pair !== null && state.colour === 'change'
	const isKnown = pair !== null && (!pair.isDiff() || pair.knowsNodes(tree))
	/** @type {{name: string, colour: string, title?: string}[]} */
	const rows = byChange ? pairColours(pair, isKnown) : state.colour === 'kind' ? kindColours() : libraries.order.slice(0, 8).map(of => ({
		name: brief(profile.libraries[of].name), title: brief(profile.libraries[of].path), colour: rankColour(libraries.ranks[of]),
	}))
	return el('ul.legend', { 'aria-label': 'Colours' }, ...rows.map(({ name, colour, title }) => {
		const swatch = el('span.swatch')
		swatch.style.backgroundColor = colour
		return el('li', { title }, swatch, name)
	}), byChange && !isKnown && el('li.muted', { text: NOISE_UNKNOWN }),
	state.colour !== 'kind' && !byChange && libraries.order.length > 8 && el('li.muted', { text: 'others grey' }))
}

// Choices about the two events of a pair.
/** @param {App} app */
export function pairChoices(app) {
	const { state } = app
	const pair = app.pair()
	if (!pair) return []
	const [first, other] = pair.names
	return [
		choice('Widths', [['first', first], ['other', other], ['both', 'Both']], state.widths, widths => app.set({ widths })),
		pair.isDiff() && choice('Compare', [['share', 'Shares'], ['amount', app.unit() === 'ns' ? 'Times' : 'Numbers']],
			state.basis, basis => app.set({ basis })),
	]
}

/** @param {App} app */
export function flameView(app) {
	const choices = el('div.choices')
	const pane = new FlamePane(app, 'Flame graph', node => app.zoomTo(node, true))
	const colours = el('div.legend-row')
	const root = el('div.view.fill', {}, choices, pane.element, colours)
	return {
		id: 'flame', label: 'Flame graph', root,
		show() {
			const { state } = app
			fill(choices,
				choice('Stacks', [['callees', 'From the root'], ['callers', 'From the sampled function']], state.stacks,
					stacks => app.set({ stacks, zoom: '' })),
				choice('Root', [['down', 'Top'], ['up', 'Bottom']], state.direction, direction => app.set({ direction })),
				choice('Group', [['', 'Merged'], ['process', 'Process'], ['thread', 'Thread']], state.group,
					group => app.set({ group, zoom: '' })),
				choice('Colour', [['library', 'Library'], ['kind', 'Kind'],
					...(app.pair() ? [/** @type {[string, string]} */ (['change', app.isDiff() ? 'Change' : 'On or off CPU'])] : [])],
				state.colour, colour => app.set({ colour })), ...pairChoices(app))
			fill(colours, legend(app, app.shownTree()))
			pane.update(app.shownTree(), app.zoomed(), state.direction === 'up')
		},
		search: () => pane.search(),
		text: () => flameText(app.shownTree(), (tree, node) => app.label(tree, node)),
		/** Names from the root to the zoomed frame. */
		path() {
			const tree = app.shownTree()
			const nodes = []
			for (let i = app.zoomed(); i > 0; i = tree.parent[i]) nodes.push(i)
			return nodes.reverse().map(node => ({ name: plain(app.label(tree, node)), node }))
		},
	}
}
