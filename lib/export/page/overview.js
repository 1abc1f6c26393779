// SPDX-License-Identifier: MIT
// The first view: where the time went, in which libraries, and what to doubt.
import { rankColour } from './colour.js'
import { el, fill } from './dom.js'
import { FlamePane } from './flame_view.js'
import { functionRows } from './table_view.js'
import { brief, counted, grouped, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./table_view.js').FunctionRow} FunctionRow */

const HEAVIEST = 9

// Functions sorted by self, independent of the table's order.
/** @param {App} app */
function heaviest(app) {
	return app.once('heaviest', () => {
		const { self, total, selfSamples } = app.sums()
		return [...self.keys()].filter(of => self[of]).sort((a, b) => self[b] - self[a] || a - b)
			.map(of => ({ of, self: self[of], total: total[of], samples: selfSamples[of] }))
	})
}

// How many functions take half of the whole.
/** @param {App} app @param {FunctionRow[]} rows */
function sentence(app, rows) {
	const whole = app.total()
	if (!whole || !rows.length) return 'No samples match the filters.'
	let sum = 0
	let nr = 0
	while (nr < rows.length && sum < whole / 2) sum += rows[nr++].self
	if (nr === 1) return `One function takes ${app.share(sum)} by itself.`
	if (nr > HEAVIEST) return `It is spread: ${grouped(nr)} functions take half of it.`
	return `${nr} functions take ${app.share(sum)} by themselves.`
}

// A row of the list of heavy functions.
/** @param {App} app @param {FunctionRow} row @param {number} most */
function heavyRow(app, row, most) {
	const { profile } = app
	const bar = el('span.bar')
	bar.style.width = `${(100 * row.self) / most}%`
	bar.style.backgroundColor = rankColour(app.libraries.ranks[profile.library[row.of]] ?? -1)
	return el('li', {}, el('button.heavy', {
		type: 'button', title: `${app.weight(row.self)}, ${counted(row.samples, 'sample')}; total ${app.share(row.total)}`,
		onclick: () => app.openSandwich(row.of),
	}, el('span.heavy-share', { text: app.share(row.self) }),
	el('span.heavy-name', {}, bar, el('span.mono', { text: brief(profile.names[row.of]) })),
	el('span.heavy-library', { text: brief(app.libraryName(row.of)) })))
}

// Weights of the libraries of the sampled functions.
/** @param {App} app */
function libraryRows(app) {
	const { profile } = app
	const weights = new Float64Array(profile.libraries.length + 1)
	for (const row of heaviest(app)) weights[profile.library[row.of] + 1] += row.self
	return [...weights.keys()].filter(i => weights[i]).sort((a, b) => weights[b] - weights[a] || a - b)
		.map(i => ({ of: i - 1, weight: weights[i] }))
}

/** @param {App} app */
function libraryCard(app) {
	const rows = libraryRows(app)
	const stack = el('div.stack', { 'aria-hidden': 'true' })
	const colour = (/** @type {number} */ of) => rankColour(app.libraries.ranks[of] ?? -1)
	for (const { of, weight } of rows.slice(0, 8)) {
		const part = el('span')
		part.style.flexGrow = String(weight)
		part.style.backgroundColor = colour(of)
		stack.append(part)
	}
	const rest = rows.slice(6).reduce((sum, row) => sum + row.weight, 0)
	return el('section.card', {}, el('h2', { text: 'By library' }), stack,
		el('ul.libraries', {}, ...rows.slice(0, 6).map(({ of, weight }) => {
			const swatch = el('span.swatch')
			swatch.style.backgroundColor = colour(of)
			const library = app.profile.libraries[of]
			return el('li', {}, el('button.plain', {
				type: 'button', title: 'Show only samples in it', disabled: !library,
				onclick: () => app.set({ library: of }),
			}, swatch, el('span.name', { text: library ? brief(library.name) : '[unknown]' }),
			el('span.number', { text: app.share(weight) })))
		}), rest > 0 && el('li.others', {}, el('span.swatch'), el('span.name', { text: counted(rows.length - 6, 'other') }),
			el('span.number', { text: app.share(rest) }))))
}

/** @param {App} app */
function doubtCard(app) {
	const { notes } = app.profile
	return el('section.card', {}, el('h2', { text: notes.length ? 'What to doubt' : 'Nothing found to doubt' }),
		notes.length ? el('ul.notes', {}, ...notes.map(note => el('li', {}, el('p', { text: plain(note.text) }),
			note.mend && el('p.mend', { text: plain(note.mend) }))))
			: el('p.good', { text: 'No samples were lost while recording, there are call chains, and all sampled code has symbols. Nothing else was checked.' }))
}

/** @param {App} app */
export function overview(app) {
	const cards = el('div.cards')
	const pane = new FlamePane(app, 'Flame graph', node => app.zoomTo(node))
	const root = el('div.view.fill.overview', {}, cards, pane.element)
	return {
		id: 'overview', label: 'Overview', root,
		show() {
			const rows = heaviest(app)
			const shown = rows.slice(0, HEAVIEST)
			fill(cards, el('section.card.wide', {}, el('h2', { text: app.unit() === 'ns' ? 'Where the time went' : 'Where the samples are' }),
				el('p.lead', { text: sentence(app, rows) }),
				el('ol.heaviest', {}, ...shown.map(row => heavyRow(app, row, shown[0].self))),
				rows.length > shown.length && el('button.link.all', {
					type: 'button', text: `All ${grouped(functionRows(app).length)} functions`,
					onclick: () => app.set({ view: 'table' }),
				})), libraryCard(app), doubtCard(app))
			pane.update(app.shownTree(), app.zoomed(), app.state.direction === 'up')
		},
		text: () => ['self\ttotal\tsamples\tname', ...heaviest(app).map(row =>
			[row.self, row.total, row.samples, plain(app.profile.names[row.of])].join('\t'))].join('\n'),
	}
}
