// SPDX-License-Identifier: MIT
// The view 'Code': source lines and instructions of a function with their cost in the whole recording.
import { readCode } from './code.js'
import { el, fill } from './dom.js'
import { CHOICE_ROOM, fitting } from './fitting.js'
import { LONGEST, brief, counted, percent, placeIn, plain, grouped } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./code.js').Code} Code */
/** @typedef {import('./code.js').CodeLine} CodeLine */
/** @typedef {import('./code.js').Instruction} Instruction */
/** @typedef {import('./code.js').Cost} Cost */

const TAB = '    '
/** Characters of places and of names of files. */
const PLACE_ROOM = 24
const FILE_ROOM = 64

// Text of code as it is laid out, with tabs as blanks.
/** @param {string} text */
function codeText(text) {
	return plain(text.replaceAll('\t', TAB))
}

// An instruction without the name of the symbol that it jumps to: it is in the function that is shown.
/** @param {string} text */
function withoutSymbol(text) {
	return text.replace(/\s*<.*>$/, '')
}

class CodeTables {
	/** @param {App} app @param {Code} code */
	constructor(app, code) {
		this.app = app
		this.code = code
		/** @type {Map<number, HTMLElement[]>} rows of source by index of lines */
		this.lineRows = new Map()
		/** @type {HTMLElement[]} */
		this.instructionRows = []
		this.marked = -1
	}
	/** @param {Cost} cost */
	value(cost) {
		return this.app.state.unit === 'samples' ? cost.samples : cost.period
	}
	// Cells with the share of the function, and the samples. The bar is full in the row with the highest cost.
	/** @param {Cost} cost @param {number} most */
	costCells(cost, most) {
		const share = cost.samples ? percent(this.value(cost), this.value(this.code.total)) : ''
		const cell = el('td.number.share', { text: share, title: share && this.app.weight(this.value(cost)) })
		if (share) cell.style.setProperty('--part', String(this.value(cost) / (most || 1)))
		return [cell, el('td.number.muted', { text: cost.samples ? grouped(cost.samples) : '' })]
	}
	// Marks the instructions of a line, and the line.
	/** @param {number} line */
	mark(line) {
		this.marked = this.marked === line ? -1 : line
		for (const [of, rows] of this.lineRows) rows.forEach(row => row.classList.toggle('marked', of === this.marked))
		this.code.instructions.forEach((of, i) =>
			this.instructionRows[i].classList.toggle('marked', of.line >= 0 && of.line === this.marked))
	}
	/** @param {number} instruction */
	goTo(instruction) {
		const row = this.instructionRows[instruction]
		row.scrollIntoView({ block: 'center' })
		row.querySelector('button')?.focus()
	}
	// A button that shows the instructions of a line.
	/** @param {CodeLine} line */
	lineButton(line) {
		if (line.first < 0) return String(line.number)
		return el('button.link', {
			type: 'button', text: String(line.number), title: 'Show its instructions',
			onclick: () => {
				const of = this.code.instructions[line.first].line
				this.mark(of)
				if (this.marked === of) this.goTo(line.first)
			},
		})
	}
	/** @param {{cost: Cost}[]} rows */
	most(rows) {
		return rows.reduce((most, { cost }) => Math.max(most, this.value(cost)), 0)
	}
	/** @param {CodeLine} line @param {number} most */
	lineRow(line, most) {
		const row = el('tr', {}, ...this.costCells(line.cost, most), el('td.number.muted', {}, this.lineButton(line)),
			line.text !== null && el('td.text', {}, el('pre', { text: codeText(line.text) })))
		if (line.first >= 0) {
			const of = this.code.instructions[line.first].line
			this.lineRows.set(of, [...(this.lineRows.get(of) || []), row])
		}
		return row
	}
	/** @param {{file: string, lines: CodeLine[]}} part @param {number} most */
	sourceTable(part, most) {
		const hasText = part.lines[0].text !== null
		return el('table.code.lines', {}, el('caption.mono', { text: placeIn(part.file, 0, FILE_ROOM), title: brief(part.file) }),
			headings(['Self', 'Samples', 'Line', ...(hasText ? ['Source'] : [])]),
			el('tbody', {}, ...part.lines.map(line => this.lineRow(line, most))))
	}
	// The line of an instruction as a button that marks it.
	/** @param {Instruction} of */
	placeCell(of) {
		const line = this.code.lines[of.line]
		const inlined = of.inlined && ` in ${brief(of.inlined)}`
		return el('td.text.muted.place', {}, line && el('button.link', {
			type: 'button', text: placeIn(line.file.split('/').pop() || '', line.number, PLACE_ROOM),
			title: placeIn(line.file, line.number, LONGEST) + inlined, onclick: () => {
				this.mark(of.line)
				this.lineRows.get(of.line)?.[0].scrollIntoView({ block: 'center' })
			},
		}), inlined && el('span', { text: inlined, title: inlined }))
	}
	/** @param {Instruction} of */
	textCell(of) {
		const text = codeText(of.text)
		if (of.target < 0) return el('td.text', { title: text }, el('pre', { text }))
		return el('td.text', {}, el('button.link.mono', {
			type: 'button', text: withoutSymbol(text), title: `Go to ${this.code.instructions[of.target].address}`, onclick: () => this.goTo(of.target),
		}))
	}
	instructionTable() {
		const { instructions, lines } = this.code
		const most = this.most(instructions)
		this.instructionRows = instructions.map(of => el('tr', {}, ...this.costCells(of.cost, most),
			el('td.number.muted.mono', { text: of.address }), this.textCell(of), lines.length > 0 && this.placeCell(of)))
		const address = el('th.number', { scope: 'col', text: 'Address' })
		address.style.width = `calc(${instructions.reduce((width, of) => Math.max(width, of.address.length), 7)} * 7.6px + 18px)`
		return el('table.code.instructions', {}, el('caption', { text: counted(instructions.length, 'instruction') }),
			el('thead', {}, el('tr', {}, el('th.number.share', { scope: 'col', text: 'Self' }),
				el('th.number', { scope: 'col', text: 'Samples' }), address,
				el('th.text', { scope: 'col', text: 'Instruction' }), lines.length > 0 && el('th.text.place', { scope: 'col', text: 'Line' }))),
			el('tbody', {}, ...this.instructionRows))
	}
	// Both tables; the instruction with the highest cost is what people look for.
	show() {
		const { code } = this
		if (!code.instructions.length) return []
		const instructions = this.instructionTable()
		const most = this.most(code.parts.flatMap(part => part.lines))
		const sources = code.parts.map(part => this.sourceTable(part, most))
		return [this.hottest(), el(sources.length ? 'div.code-columns' : 'div', {},
			sources.length > 0 && el('div.code-pane', { tabindex: 0, role: 'region', 'aria-label': 'Source lines' }, ...sources),
			el('div.code-pane', { tabindex: 0, role: 'region', 'aria-label': 'Instructions' }, instructions))]
	}
	best() {
		const { instructions } = this.code
		return instructions.reduce((most, of, i) => this.value(of.cost) > this.value(instructions[most].cost) ? i : most, 0)
	}
	// In each table, the row with the highest cost becomes visible.
	scroll() {
		const row = this.instructionRows[this.best()]
		const line = this.lineRows.get(this.code.instructions[this.best()]?.line)
		for (const of of [row, line?.[0]]) {
			const pane = /** @type {HTMLElement|null|undefined} */ (of?.closest('.code-pane'))
			if (of && pane) pane.scrollTop = of.offsetTop - pane.offsetTop - pane.clientHeight / 3
		}
	}
	hottest() {
		const { instructions, total } = this.code
		const best = this.best()
		if (!instructions[best].cost.samples) return el('p.muted', { text: 'No samples of this event.' })
		return el('p', {}, `Highest cost, ${percent(this.value(instructions[best].cost), this.value(total))}: `,
			el('button.link.mono', { type: 'button', text: codeText(instructions[best].text), onclick: () => this.goTo(best) }))
	}
}

/** @param {string[]} texts */
function headings(texts) {
	return el('thead', {}, el('tr', {}, ...texts.map((text, i) => el(i ? i < 3 ? 'th.number' : 'th.text' : 'th.number.share', { scope: 'col', text }))))
}

/** @param {App} app */
function wantedCode(app) {
	const { code } = app.profile
	return code.find(of => of.function === app.state.function) || code[0]
}

/** @param {App} app @param {number} chosen */
function choiceOf(app, chosen) {
	const { code, names } = app.profile
	const list = /** @type {HTMLSelectElement} */ (el('select', {
		onchange: () => app.set({ function: Number(list.value) }),
	}, ...code.map(of => el('option', {
		value: of.function, selected: of.function === chosen, text: fitting(brief(names[of.function]), CHOICE_ROOM),
	}))))
	return el('label.pick', {}, 'Function ', list)
}

/** @param {App} app */
export function codeView(app) {
	const root = el('div.view')
	const wanted = () => readCode(wantedCode(app), app.state.event)
	return {
		id: 'code', label: 'Code', root,
		show() {
			const code = wanted()
			const of = code.function
			const has = app.profile.code.some(row => row.function === app.state.function) || app.state.function < 0
			const tables = new CodeTables(app, code)
			fill(root, el('div.sandwich-head', {}, !has && el('p', {
				text: `The page has no code of ${brief(app.profile.names[app.state.function])}: it took too little, or is inlined in others. This is the code of:`,
			}), el('h2.mono', { text: brief(app.profile.names[of]) }),
			el('p.muted', { text: [brief(app.libraryName(of)), app.place(of), app.weight(tables.value(code.total)),
				`in the whole ${app.profile.old ? 'new ' : ''}recording: filters do not change these shares of the function`].filter(Boolean).join(' · ') }),
			el('span.actions', {}, choiceOf(app, of), el('button', {
				type: 'button', text: 'Callers and callees', onclick: () => app.openSandwich(of),
			})), code.note && el('p', { text: plain(code.note) })), ...tables.show())
			tables.scroll()
		},
		text() {
			const code = wanted()
			const rows = code.parts.flatMap(part => part.lines.map(line =>
				[line.cost.period, line.cost.samples, `${plain(part.file)}:${line.number}`, codeText(line.text || '')].join('\t')))
			return [`function\t${plain(app.profile.names[code.function])}\t${plain(code.note)}`, 'self\tsamples\tline\tsource', ...rows, '',
				'self\tsamples\taddress\tinstruction', ...code.instructions.map(of =>
					[of.cost.period, of.cost.samples, of.address, codeText(of.text)].join('\t'))].join('\n')
		},
	}
}
