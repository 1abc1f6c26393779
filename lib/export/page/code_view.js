// SPDX-License-Identifier: MIT
// The view 'Code': source lines and instructions of a function with their cost in the whole recording.
import { el, fill } from './dom.js'
import { brief, percent, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./profile.js').FunctionCode} FunctionCode */

/** @param {number} value @param {number} whole */
function cost(value, whole) {
	const share = value ? percent(value, whole) : ''
	const cell = el('td.number.share', { text: share })
	if (share) cell.style.setProperty('--share', share)
	return cell
}

/** @param {FunctionCode} code @param {number} event @param {number} whole */
function sourceTables(code, event, whole) {
	return code.sources.map(source => el('table.code', {}, el('caption', { text: brief(source.file) }),
		el('thead', {}, el('tr', {}, ...['Self', 'Total', 'Line', 'Source'].map(text => el('th', { scope: 'col', text })))),
		el('tbody', {}, ...source.rows.map(row => el('tr', {}, cost(row.self[event] || 0, whole),
			cost(row.total[event] || 0, whole), el('td.number.muted', { text: row.line }),
			el('td.text', {}, el('pre', { text: plain(row.text).replaceAll('\\u0009', '    ') })))))))
}

/** @param {FunctionCode} code @param {number} event @param {number} whole */
function instructionTable(code, event, whole) {
	return el('table.code', {}, el('caption', { text: 'Instructions' }),
		el('thead', {}, el('tr', {}, ...['Self', 'Address', 'Instruction', 'Line'].map(text => el('th', { scope: 'col', text })))),
		el('tbody', {}, ...code.instructions.map(row => el('tr', {}, cost(row.self[event] || 0, whole),
			el('td.number.muted.mono', { text: row.address }), el('td.text', {}, el('pre', { text: plain(row.text) })),
			el('td.number.muted', { text: row.line || '' })))))
}

/** @param {App} app */
export function codeView(app) {
	const root = el('div.view')
	const { code, names } = app.profile
	const wanted = () => code.find(of => of.function === app.state.function) || code[0]
	return {
		id: 'code', label: 'Code', root,
		show() {
			const chosen = wanted()
			const event = app.state.event
			const whole = app.whole()
			const list = /** @type {HTMLSelectElement} */ (el('select', {
				onchange: () => app.set({ function: Number(list.value) }),
			}, ...code.map(of => el('option', {
				value: of.function, selected: of === chosen, text: brief(names[of.function]).slice(0, 80),
			}))))
			fill(root, el('h2.mono', { text: brief(names[chosen.function]) }),
				el('p.muted', { text: [brief(app.libraryName(chosen.function)), app.place(chosen.function)].filter(Boolean).join(' · ') }),
				el('p.muted', { text: 'Shares of all samples of the event in the whole recording; filters do not change them.' }),
				el('label.pick', {}, 'Function ', list), chosen.note && el('p', { text: plain(chosen.note) }),
				...sourceTables(chosen, event, whole),
				chosen.instructions.length > 0 && instructionTable(chosen, event, whole))
		},
		text() {
			const chosen = wanted()
			const event = app.state.event
			const rows = chosen.sources.flatMap(source => source.rows.map(row =>
				`${row.self[event] || 0}\t${row.total[event] || 0}\t${plain(source.file)}:${row.line}\t${plain(row.text)}`))
			return ['self\ttotal\tline\tsource', ...rows, '', 'self\taddress\tinstruction',
				...chosen.instructions.map(row => `${row.self[event] || 0}\t${row.address}\t${plain(row.text)}`)].join('\n')
		},
	}
}
