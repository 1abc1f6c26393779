// SPDX-License-Identifier: MIT
// The views 'Memory' and 'Branches': tables of the whole recording, which filters do not change.
import { readColumn } from './columns.js'
import { el, fill } from './dom.js'
import { expression } from './stacks.js'
import { brief, counted, grouped, percent, plain, short } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./controls.js').View} View */

/**
 * @typedef {object} DataTable
 * @property {string} title
 * @property {string[]} columns
 * @property {{keys: string[], samples: number, period: number}[]} rows the heaviest first
 * @property {number} all how many rows there are
 * @property {number} whole
 * @property {number} times samples, or branches
 */

const FIRST_ROWS = 60

/** @param {any} data @returns {DataTable} */
function readTable(data) {
	const samples = readColumn(data.samples, new Float64Array(data.count))
	const period = readColumn(data.period, new Float64Array(data.count))
	return {
		title: data.title, columns: data.columns, all: data.all, whole: data.whole, times: data.times,
		rows: data.keys.map((/** @type {string[]} */ keys, /** @type {number} */ i) => ({ keys, samples: samples[i], period: period[i] })),
	}
}

/** @param {App} app @param {string} kind @returns {DataTable[]} */
function tablesOf(app, kind) {
	return app.profile.tables.filter(of => of.kind === kind && of.event === app.state.event).map(readTable)
}

// The share of the rows whose text in a column begins with a letter or word.
/** @param {DataTable} table @param {string} column @param {RegExp} wanted */
function shareOf(table, column, wanted) {
	const at = table.columns.indexOf(column)
	if (at < 0) return null
	return table.rows.reduce((sum, row) => sum + (wanted.test(row.keys[at]) ? row.samples : 0), 0) / (table.times || 1)
}

// What to see in the tables.
/** @param {string} kind @param {DataTable[]} tables */
function sentence(kind, tables) {
	const [table] = tables
	if (!table) return 'No data of this event.'
	const [top] = table.rows
	if (kind === 'memory') {
		return `${counted(table.times, 'access').replace('accesss', 'accesses')}, ${short(table.whole / (table.times || 1))} cycles of weight each. ` +
			`${percent(top.period, table.whole)} of it: ${brief(top.keys[0])}.`
	}
	const missed = table.rows.length === table.all ? shareOf(table, 'Branch Mispredicted', /^Y/) : null
	return `${grouped(table.times)} branches${missed === null ? '' : `, ${percent(missed, 1)} mispredicted`}.`
}

/** @param {string} kind @param {DataTable} table @param {RegExp|null} wanted @param {number} most @param {() => void} more */
function tableOf(kind, table, wanted, most, more) {
	const rows = wanted ? table.rows.filter(({ keys }) => keys.some(key => wanted.test(key))) : table.rows
	const numbers = kind === 'memory' ? ['Share', 'Samples', 'Mean weight'] : ['Share', 'Branches']
	return [el('div.scrolls', {}, el('table.functions.plain-rows', {},
		el('caption', { text: `${table.title}: ${counted(table.all, 'row')}${table.rows.length < table.all ? `, the first ${grouped(table.rows.length)} of them` : ''}` }),
		el('thead', {}, el('tr', {}, ...numbers.map(text => el('th.number', { scope: 'col', text })),
			...table.columns.map(text => el('th.text', { scope: 'col', text })))),
		el('tbody', {}, ...rows.slice(0, most).map(row => {
			const share = percent(row.period, table.whole)
			const cell = el('td.number.share', { text: share })
			cell.style.setProperty('--part', String(row.period / (table.whole || 1)))
			return el('tr', {}, cell, el('td.number', { text: grouped(row.samples) }),
				kind === 'memory' && el('td.number', { text: short(row.period / (row.samples || 1)) }),
				...row.keys.map(key => el('td.text.mono', { text: brief(key) })))
		})))),
	rows.length > most && el('button.more', { type: 'button', text: `Show all ${grouped(rows.length)} rows`, onclick: more })]
}

/** @param {App} app @param {string} kind 'memory' or 'branches' @param {string} label @returns {View} */
export function tablesView(app, kind, label) {
	const root = el('div.view')
	let most = FIRST_ROWS
	const view = {
		id: kind, label, root,
		show() {
			const tables = tablesOf(app, kind)
			const wanted = expression(app.state.search)
			const more = () => {
				most = Infinity
				view.show()
			}
			fill(root, el('p.lead', { text: sentence(kind, tables) }),
				el('p.muted', { text: 'In the whole recording: filters do not change these tables, the search does.' }),
				...tables.flatMap(table => tableOf(kind, table, wanted, most, more)))
		},
		text: () => tablesOf(app, kind).map(table => [['period', 'samples', ...table.columns].join('\t'),
			...table.rows.map(row => [row.period, row.samples, ...row.keys.map(plain)].join('\t'))].join('\n')).join('\n\n'),
	}
	return view
}
