// SPDX-License-Identifier: MIT
// The view 'Table': a row for each function, sorted by any column.
import { byOrder, el, fill, nextPicture } from './dom.js'
import { listed } from './fitting.js'
import { changeWord } from './pair.js'
import { brief, counted, grouped, percent, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./pair.js').Change} Change */
/**
 * @typedef {object} FunctionRow
 * @property {number} of
 * @property {number} self
 * @property {number} total
 * @property {number} samples
 * @property {{self: number, total: number, samples: number, change: Change, totalChange: Change}} [other] of the event that
 *     it is shown beside
 */

const FIRST_ROWS = 250
/** Rows in sight; the others follow the picture of these. */
const SEEN_ROWS = 60
/** Columns that small screens leave out. */
const DETAILS = ['otherTotal', 'totalChange', 'place']
/** Classes of columns that other screens leave out. */
const CLASSES = /** @type {Record<string, string>} */ ({ place: 'place', samples: 'count' })
/** Characters of a place in a source file. */
const PLACE_ROOM = 34
/** Characters of a name in two lines, and in three on a small screen. */
/** @type {[number, number]} */
const NAME_ROOM = [150, 54]
/** @type {[number, number]} */
const PAIRED_ROOM = [72, 54]

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} label
 * @property {boolean} isText
 * @property {string} [pair] only beside an event: 'any', or 'old' in a comparison
 * @property {(app: App, row: FunctionRow) => string|number} value what it is sorted by
 */
/** @type {Column[]} */
const COLUMNS = [
	{ id: 'self', label: 'Self', isText: false, value: (_, row) => row.self },
	{ id: 'other', label: '', isText: false, pair: 'any', value: (_, row) => row.other?.self || 0 },
	{ id: 'change', label: 'Change', isText: false, pair: 'old', value: (_, row) => row.other?.change.by || 0 },
	{ id: 'total', label: 'Total', isText: false, value: (_, row) => row.total },
	{ id: 'otherTotal', label: '', isText: false, pair: 'any', value: (_, row) => row.other?.total || 0 },
	{ id: 'totalChange', label: 'Change', isText: false, pair: 'old', value: (_, row) => row.other?.totalChange.by || 0 },
	{ id: 'samples', label: 'Samples', isText: false, value: (_, row) => row.samples },
	{ id: 'name', label: 'Function', isText: true, value: (app, row) => app.profile.names[row.of] },
	{ id: 'library', label: 'Library', isText: true, value: (app, row) => app.libraryName(row.of) },
	{ id: 'place', label: 'Source', isText: true, value: (app, row) => app.place(row.of) },
]

// The column of sources only if there are some; those of a second event only beside one.
/** @param {App} app @returns {Column[]} */
function columnsOf(app) {
	const hasPlaces = app.once('has places', () => app.profile.files.some(Boolean))
	const pair = app.pair()
	return COLUMNS.filter(of => (of.id !== 'place' || hasPlaces) && (!of.pair || (pair && (of.pair === 'any' || of.pair === pair.role))))
		.map(of => {
			if (!pair) return of
			if (of.id === 'self') return { ...of, label: pair.isDiff() ? 'Self' : 'Self on CPU' }
			if (of.id === 'total') return { ...of, label: pair.isDiff() ? 'Total' : 'Total on CPU' }
			return of.label ? of : { ...of, label: pair.names[1] }
		})
}

/** @param {App} app @param {number} of @returns {FunctionRow} */
export function functionRow(app, of) {
	const sums = app.sums()
	const row = { of, self: sums.self[of], total: sums.total[of], samples: sums.selfSamples[of] }
	const [pair, other] = [app.pair(), app.otherSums()]
	if (!pair || !other) return row
	return { ...row, other: {
		self: other.self[of], total: other.total[of], samples: other.selfSamples[of],
		change: pair.ofFunctionSelf(sums, other, of),
		totalChange: pair.ofFunction(sums, other, of),
	} }
}

// The functions with samples that match the search, sorted.
/** @param {App} app @returns {FunctionRow[]} */
export function functionRows(app) {
	const sums = app.sums()
	const searched = app.searched()
	const other = app.otherSums()
	const rows = []
	for (let of = 0; of < sums.total.length; of++) {
		if (!sums.totalSamples[of] && !(other && other.totalSamples[of])) continue
		if (!searched || searched[of]) rows.push(functionRow(app, of))
	}
	const columns = columnsOf(app)
	const column = columns.find(({ id }) => id === app.state.sort) || columns[0]
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
		scope: 'col', class: `${column.isText ? 'text' : 'number'} ${DETAILS.includes(column.id) ? 'detail' : ''} ${CLASSES[column.id] || ''}`,
		'aria-sort': sorted ? (order === 'up' ? 'ascending' : 'descending') : null,
	}, el('button', {
		type: 'button', text: column.label + (sorted ? (order === 'up' ? ' ▲' : ' ▼') : ''),
		onclick: () => app.set({ sort: column.id, order: next }, false),
	}))
}

// A share, with a bar below it.
/** @param {App} app @param {number} value @param {number} [whole] */
function shareCell(app, value, whole = app.total()) {
	const share = percent(value, whole)
	const cell = el('td.number.share', { title: app.weight(value), text: share })
	cell.style.setProperty('--part', String(Math.min(1, whole ? value / whole : 0)))
	return cell
}

/** @param {HTMLElement|null} cell */
function detailed(cell) {
	if (cell) cell.classList.add('detail')
	return cell
}

/** @param {App} app @param {FunctionRow} row */
function tableRow(app, row) {
	const name = brief(app.profile.names[row.of])
	const pair = app.pair()
	const { other } = row
	const word = other && pair && pair.isDiff() ? changeWord(other.totalChange) : ''
	/** @param {Change} change @param {string} [detail] */
	const changeCell = (change, detail = '') => pair && pair.isDiff() && el((change.isClear ? 'td.number' : 'td.number.muted') + detail, {
		text: app.changeText(change, false), title: app.doubtText(change),
	})
	/** @param {number} value */
	const otherCell = value => pair && shareCell(app, value, pair.totals[1])
	return el('tr', {}, shareCell(app, row.self), other && otherCell(other.self), other && changeCell(other.change),
		shareCell(app, row.total), other && detailed(otherCell(other.total)), other && changeCell(other.totalChange, '.detail'),
		el('td.number.count', { text: grouped(row.samples) }),
		el('th.text.name', { scope: 'row' }, el('button.link.mono', {
			type: 'button', text: listed(name, ...(pair ? PAIRED_ROOM : NAME_ROOM)), title: `${name}\nShow who calls it and what it calls`,
			onclick: () => app.openSandwich(row.of),
		}), (word === 'new' || word === 'gone') && el('span.badge', { text: word })),
		el('td.text.library', { text: brief(app.libraryName(row.of)), title: brief(app.libraryName(row.of)) }),
		columnsOf(app).some(({ id }) => id === 'place') && el('td.text.muted.detail.place', { text: app.place(row.of, PLACE_ROOM), title: app.place(row.of) }))
}

// The weights of the second event, for rows as text.
/** @param {FunctionRow} row */
export function otherText({ other }) {
	return other ? [other.self, other.total, other.samples] : []
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
			const isPrinted = document.documentElement.hasAttribute('data-printed')
			const seen = isPrinted ? shown.length : SEEN_ROWS
			const body = el('tbody', {}, ...shown.slice(0, seen).map(row => tableRow(app, row)))
			if (seen < shown.length) {
				nextPicture().then(() => {
					if (body.isConnected) body.append(...shown.slice(seen).map(row => tableRow(app, row)))
				})
			}
			fill(root, el('div.wide', {}, el(app.pair() ? 'table.functions.paired' : 'table.functions', {},
				el('caption', { text: `${counted(rows.length, 'function')}; self is the time in a function itself, total with what it calls` }),
				el('thead', {}, el('tr', {}, ...columnsOf(app).map(column => heading(app, column)))),
				body)),
			shown.length < rows.length && el('button.more', {
				type: 'button', text: `Show all ${grouped(rows.length)} functions`,
				onclick: () => { all = true; view.show() },
			}))
		},
		text: () => ['self\ttotal\tsamples\tlibrary\tname' + (app.pair() ? '\tother self\tother total\tother samples' : ''),
			...functionRows(app).map(row => [row.self, row.total, row.samples, plain(app.libraryName(row.of)),
				plain(app.profile.names[row.of]), ...otherText(row)].join('\t'))].join('\n'),
	}
	return view
}
