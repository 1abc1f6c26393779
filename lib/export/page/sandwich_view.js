// SPDX-License-Identifier: MIT
// The view 'Callers and callees' of one function: its callers above, what it calls below.
import { el, fill } from './dom.js'
import { CHOICE_ROOM, fitting, listed } from './fitting.js'
import { flameText } from './flame.js'
import { FlamePane, functionActions } from './flame_view.js'
import { functionRows } from './table_view.js'
import { childrenOf, sandwich } from './tree.js'
import { brief, percent, uncapped } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Tree} Tree */

const MOST_ROWS = 20
/** Characters of names: in two lines of a table, on small screens too. */
const NAME_ROOM = /** @type {const} */ ([100, 54])

// The functions directly above or below the middle one.
/** @param {App} app @param {Tree} tree @param {string} title */
function neighbours(app, tree, title) {
	const middle = childrenOf(tree, 0)[0]
	const rows = middle === undefined ? [] : childrenOf(tree, middle)
	const pair = app.pair()
	const { other } = tree
	return el('table.neighbours', {}, el('caption', { text: title }),
		pair && el('thead', {}, el('tr', {}, ...[...pair.names, ...(pair.isDiff() ? ['Change'] : [])].map(text =>
			el('th.number', { scope: 'col', text })), el('th.text', { scope: 'col', text: 'Function' }))),
		el('tbody', {}, ...rows.slice(0, 12).map(node => {
			const of = app.profile.frameFunction[tree.frame[node]]
			return el('tr', {}, el('td.number', { text: app.share(tree.total[node]) }),
				pair && other && el('td.number', { text: percent(other.total[node], pair.totals[1]) }),
				pair && pair.isDiff() && el('td.number', { text: app.changeText(pair.ofNode(tree, node), false) }),
				el('td.text', {}, tree.frame[node] < 0 ? brief(app.label(tree, node)) : el('button.link.mono', {
					type: 'button', text: listed(brief(app.profile.names[of]), ...NAME_ROOM), title: brief(app.profile.names[of]), onclick: () => app.openSandwich(of),
				})))
		})), !rows.length && el('tbody', {}, el('tr', {}, el('td.muted', { text: 'none' }))))
}

// What a function takes, of both events if there are two.
/** @param {App} app @param {number} of */
function sumsOfFunction(app, of) {
	const pair = app.pair()
	const [sums, other] = [app.sums(), app.otherSums()]
	if (!pair || !other) {
		return [`self ${app.share(sums.self[of])}`, `total ${app.share(sums.total[of])}`, app.weight(sums.total[of])]
	}
	const change = pair.ofFunction(sums, other, of)
	return [...[sums, other].map(({ self, total }, i) => `${uncapped(pair.names[i])}: self ${percent(self[of], pair.totals[i])}, total ${
		percent(total[of], pair.totals[i])}, ${app.weight(total[of])}`), pair.isDiff() && `change of total ${app.changeText(change)}`]
}

/** @param {App} app */
export function sandwichView(app) {
	const head = el('div.sandwich-head')
	const tables = el('div.columns')
	const callers = new FlamePane(app, 'Callers', () => {}, MOST_ROWS)
	const callees = new FlamePane(app, 'Callees', () => {}, MOST_ROWS)
	const root = el('div.view.fill.sandwich', {}, head, tables,
		el('h3', { text: 'Callers' }), callers.element, el('h3', { text: 'Callees' }), callees.element)
	const trees = () => app.once(`sandwich ${wanted()}`, () => {
		const both = sandwich(app.tree(), app.profile.frameFunction, app.profile.names.length, wanted())
		return { callers: app.withWidths(both.callers), callees: app.withWidths(both.callees) }
	})
	/** The function; without one the one with the most time of its own. */
	const wanted = () => {
		if (app.state.function >= 0) return app.state.function
		const { self } = app.sums()
		return self.reduce((best, weight, of) => weight > self[best] ? of : best, 0)
	}
	return {
		id: 'sandwich', label: 'Callers and callees', root,
		show() {
			if (!app.profile.names.length) {
				fill(root, el('p.lead', { text: 'There are no functions.' }))
				return
			}
			const of = wanted()
			const { callers: above, callees: below } = trees()
			fill(head, el('h2.mono', { text: brief(app.profile.names[of]) }),
				el('p.muted', { text: [brief(app.libraryName(of)), app.place(of),
					...sumsOfFunction(app, of)].filter(Boolean).join(' · ') }),
				functionActions(app, of),
				el('label.pick', {}, 'Function ', functionChoice(app, of)))
			fill(tables, neighbours(app, above, 'Called by'), neighbours(app, below, 'Calls'))
			callers.update(above, childrenOf(above, 0)[0] ?? 0, true)
			callees.update(below, childrenOf(below, 0)[0] ?? 0, false)
		},
		search() {
			callers.search()
			callees.search()
		},
		text() {
			const { callers: above, callees: below } = trees()
			/** @param {Tree} tree @param {number} node */
			const label = (tree, node) => app.label(tree, node)
			return `callers\n${flameText(above, label)}\n\ncallees\n${flameText(below, label)}`
		},
	}
}

// The heaviest functions as a list to choose from.
/** @param {App} app @param {number} of */
export function functionChoice(app, of) {
	const rows = functionRows(app).slice(0, 200).map(row => row.of)
	if (!rows.includes(of)) rows.unshift(of)
	const list = /** @type {HTMLSelectElement} */ (el('select', {
		onchange: () => app.set({ function: Number(list.value) }),
	}, ...rows.map(i => el('option', { value: i, selected: i === of, text: fitting(brief(app.profile.names[i]), CHOICE_ROOM) }))))
	return list
}
