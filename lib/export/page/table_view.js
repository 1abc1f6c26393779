// SPDX-License-Identifier: MIT
// The view 'Table': a row for each function, sorted by any column.
import { byOrder, el, fill } from './dom.js'
import { brief, counted, grouped, percent, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {{of: number, self: number, total: number, samples: number}} FunctionRow */

const FIRST_ROWS = 250

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} label
 * @property {boolean} isText
 * @property {(app: App, row: FunctionRow) => string|number} value what it is sorted by
 */
/** @type {Column[]} */
const COLUMNS = [
	{ id: 'self', label: 'Self', isText: false, value: (_, row) => row.self },
	{ id: 'total', label: 'Total', isText: false, value: (_, row) => row.total },
	{ id: 'samples', label: 'Samples', isText: false, value: (_, row) => row.samples },
	{ id: 'name', label: 'Function', isText: true, value: (app, row) => app.profile.names[row.of] },
	{ id: 'library', label: 'Library', isText: true, value: (app, row) => app.libraryName(row.of) },
	{ id: 'place', label: 'Source', isText: true, value: (app, row) => app.place(row.of) },
]

// The column of sources only if there are some.
/** @param {App} app */
function columnsOf(app) {
	const hasPlaces = app.once('has places', () => app.profile.files.some(Boolean))
	return hasPlaces ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'place')
}

// The functions with samples that match the search, sorted.
/** @param {App} app @returns {FunctionRow[]} */
export function functionRows(app) {
	const sums = app.sums()
	const searched = app.searched()
	const rows = []
	for (let of = 0; of < sums.total.length; of++) {
		if (!sums.totalSamples[of] || (searched && !searched[of])) continue
		rows.push({ of, self: sums.self[of], total: sums.total[of], samples: sums.selfSamples[of] })
	}
	const column = COLUMNS.find(({ id }) => id === app.state.sort) || COLUMNS[0]
	const sign = app.state.order === 'up' ? 1 : -1
	return rows.sort((a, b) => {
		const order = byOrder(column.value(app, a), column.value(app, b))
		return order * sign || b.total - a.total || a.of - b.of
	})
}

/** @param {App} app @param {Column} column */
function heading(app, column) {
	const { sort, order } = app.state
	const sorted = sort === column.id
	const next = sorted ? (order === 'up' ? 'down' : 'up') : column.isText ? 'up' : 'down'
	return el('th', {
		scope: 'col', class: column.isText ? 'text' : 'number',
		'aria-sort': sorted ? (order === 'up' ? 'ascending' : 'descending') : null,
	}, el('button', {
		type: 'button', text: column.label + (sorted ? (order === 'up' ? ' ▲' : ' ▼') : ''),
		onclick: () => app.set({ sort: column.id, order: next }, false),
	}))
}

// A share, with a bar below it.
/** @param {App} app @param {number} value */
function shareCell(app, value) {
	const share = percent(value, app.total())
	const cell = el('td.number.share', { title: app.weight(value), text: share })
	cell.style.setProperty('--share', share)
	return cell
}

/** @param {App} app @param {FunctionRow} row */
function tableRow(app, row) {
	const name = brief(app.profile.names[row.of])
	return el('tr', {}, shareCell(app, row.self), shareCell(app, row.total),
		el('td.number', { text: grouped(row.samples) }),
		el('th.text.name', { scope: 'row' }, el('button.link.mono', {
			type: 'button', text: name, title: 'Show who calls it and what it calls',
			onclick: () => app.openSandwich(row.of),
		})),
		el('td.text', { text: brief(app.libraryName(row.of)) }),
		columnsOf(app).length === COLUMNS.length && el('td.text.muted', { text: app.place(row.of) }))
}

/** @param {App} app */
export function tableView(app) {
	const root = el('div.view')
	let all = false
	const view = {
		id: 'table', label: 'Table', root,
		show() {
			const rows = functionRows(app)
			const shown = all ? rows : rows.slice(0, FIRST_ROWS)
			fill(root, el('table.functions', {},
				el('caption', { text: `${counted(rows.length, 'function')}; self is the time in a function itself, total with what it calls` }),
				el('thead', {}, el('tr', {}, ...columnsOf(app).map(column => heading(app, column)))),
				el('tbody', {}, ...shown.map(row => tableRow(app, row)))),
			shown.length < rows.length && el('button.more', {
				type: 'button', text: `Show all ${grouped(rows.length)} functions`,
				onclick: () => { all = true; view.show() },
			}))
		},
		text: () => ['self\ttotal\tsamples\tlibrary\tname', ...functionRows(app).map(row =>
			[row.self, row.total, row.samples, plain(app.libraryName(row.of)), plain(app.profile.names[row.of])].join('\t'))].join('\n'),
	}
	return view
}
