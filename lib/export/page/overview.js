// SPDX-License-Identifier: MIT
// The first view: where the time went, in which libraries, and what to doubt.
import { changeColour, rankColour } from './colour.js'
import { el, fill, unbroken } from './dom.js'
import { fitting } from './fitting.js'
import { FlamePane, legend, pairChoices } from './flame_view.js'
import { NOISE_UNKNOWN, changeWord } from './pair.js'
import { isTimeless } from './samples.js'
import { functionRow, otherText } from './table_view.js'
import { brief, counted, grouped, percent, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./table_view.js').FunctionRow} FunctionRow */

const HEAVIEST = 9
/** Pixels before the name of a heavy function. */
const NAME_MARGIN = 6
const MOST_OFF = 4
const MOST_LIBRARIES = 6

// Functions sorted by self, or by how much it changed, independent of the table's order.
/** @param {App} app @returns {FunctionRow[]} */
function heaviest(app) {
	return app.once('heaviest', () => {
		const { self } = app.sums()
		const other = app.otherSums()
		const diff = app.isDiff()
		const rows = [...self.keys()].filter(of => self[of] || (other && other.self[of])).map(of => functionRow(app, of))
		/** @param {FunctionRow} row */
		const size = row => row.other && diff ? Math.abs(row.other.change.by) : row.self
		return rows.sort((a, b) => size(b) - size(a) || b.self - a.self || a.of - b.of)
	})
}

// The totals of two recordings, and how many functions differ by more than noise.
/** @param {App} app @param {FunctionRow[]} rows @param {import('./pair.js').Pair} pair */
function changeSentence(app, rows, pair) {
	const [now, old] = pair.totals
	if (!now || !old) return `The ${now ? 'old' : 'new'} recording has no samples that match.`
	const clear = rows.filter(row => row.other && row.other.change.isClear).length
	const known = rows.some(row => row.other && row.other.change.isKnown)
	const found = known ? `${clear ? counted(clear, 'function') : 'No function'} changed beyond noise.` : NOISE_UNKNOWN
	const by = now < old ? `−${percent(old - now, old)}` : `+${percent(now - old, old)}`
	return `${app.weight(now)}, was ${app.weight(old)}: ${by}. ${found}`
}

// How many functions take half of the whole.
/** @param {App} app @param {FunctionRow[]} rows */
function sentence(app, rows) {
	const pair = app.pair()
	if (pair && pair.isDiff()) return changeSentence(app, rows, pair)
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
	const pair = app.pair()
	const bar = el('span.bar')
	bar.style.width = `${(100 * sizeOf(app, row)) / most}%`
	bar.style.backgroundColor = row.other && pair && pair.isDiff()
		? changeColour(pair, Math.sign(row.other.change.by), row.other.change)
		: rankColour(app.libraries.ranks[profile.library[row.of]] ?? -1)
	return el('li', {}, el('button.heavy', {
		type: 'button', title: `${brief(profile.names[row.of])}\n${app.weight(row.self)}, ${counted(row.samples, 'sample')}; total ${app.share(row.total)}`,
		onclick: () => app.openSandwich(row.of),
	}, el('span.heavy-share', { text: row.other && pair && pair.isDiff() ? app.changeText(row.other.change, false) : app.share(row.self) }),
	el('span.heavy-name', {}, bar, el('span.mono', { text: brief(profile.names[row.of]) })),
	el('span.heavy-library', { text: besideText(app, row) || brief(app.libraryName(row.of)) })))
}

// Names that are cut off lose their arguments instead: the ends of long ones tell them apart.
/** @param {HTMLElement} list */
function shortenNames(list) {
	const cut = [...list.querySelectorAll('.heavy-name .mono')].map(of => ({ of, all: of.scrollWidth, room: of.clientWidth })).filter(({ all, room }) => all > room)
	for (const { of, all, room } of cut) {
		const name = of.textContent || ''
		of.textContent = fitting(name, Math.max(3, Math.floor(((room - NAME_MARGIN) * name.length) / (all - NAME_MARGIN))))
	}
}

// What the bar of a row shows.
/** @param {App} app @param {FunctionRow} row */
function sizeOf(app, row) {
	return row.other && app.isDiff() ? Math.abs(row.other.change.by) : row.self
}

// The weights of both events in words; '' for one event.
/** @param {App} app @param {FunctionRow} row */
function besideText(app, row) {
	const pair = app.pair()
	if (!pair || !row.other) return ''
	if (!pair.isDiff()) return row.other.self ? `off CPU ${app.weight(row.other.self)}` : ''
	const word = changeWord(row.other.change)
	if (word === 'new' || word === 'gone') return word
	return `${percent(row.self, pair.totals[0])}, was ${percent(row.other.self, pair.totals[1])}`
}

// Weights of the libraries of the sampled functions.
/** @param {App} app */
function libraryRows(app) {
	const { profile } = app
	const weights = new Float64Array(profile.libraries.length + 1)
	const others = new Float64Array(profile.libraries.length + 1)
	for (const row of heaviest(app)) {
		weights[profile.library[row.of] + 1] += row.self
		others[profile.library[row.of] + 1] += row.other ? row.other.self : 0
	}
	return [...weights.keys()].filter(i => weights[i] || others[i]).sort((a, b) => weights[b] - weights[a] || others[b] - others[a] || a - b)
		.map(i => ({ of: i - 1, weight: weights[i], other: others[i] }))
}

/** @param {App} app */
function libraryCard(app) {
	const rows = libraryRows(app)
	const pair = app.pair()
	const stack = el('div.stack', { 'aria-hidden': 'true' })
	const colour = (/** @type {number} */ of) => rankColour(app.libraries.ranks[of] ?? -1)
	for (const { of, weight } of rows.slice(0, 8)) {
		const part = el('span')
		part.style.flexGrow = String(weight)
		part.style.backgroundColor = colour(of)
		stack.append(part)
	}
	const isOff = pair !== null && !pair.isDiff()
	const most = isOff ? MOST_LIBRARIES - MOST_OFF + 1 : MOST_LIBRARIES
	const rest = rows.slice(most).reduce((sum, row) => sum + row.weight, 0)
	return el('section.card', {}, el('h2', { text: 'By library' }), stack,
		el('ul.libraries', {}, ...rows.slice(0, most).map(({ of, weight, other }) => {
			const swatch = el('span.swatch')
			swatch.style.backgroundColor = colour(of)
			const library = app.profile.libraries[of]
			return el('li', {}, el('button.plain', {
				type: 'button', title: `${library ? brief(library.path) + '\n' : ''}Show only samples in it`, disabled: !library,
				onclick: () => app.set({ library: of }),
			}, swatch, el('span.name', { text: library ? brief(library.name) : '[unknown]' }),
			el('span.number', { text: app.share(weight) }), pair && pair.isDiff() && el('span.number.muted', { text: `was ${percent(other, pair.totals[1])}` })))
		}), rest > 0 && el('li.others', {}, el('span.swatch'), el('span.name', { text: counted(rows.length - most, 'other') }),
			el('span.number', { text: app.share(rest) }))), ...(pair && isOff ? offRows(app, pair) : []))
}

// The functions in which threads slept the longest.
/** @param {App} app @param {import('./pair.js').Pair} pair */
function offRows(app, pair) {
	const rows = heaviest(app).filter(row => row.other && row.other.self)
		.sort((a, b) => (b.other?.self || 0) - (a.other?.self || 0)).slice(0, MOST_OFF)
	const isWhole = app.state.from >= 0 && isTimeless(app.profile, app.other())
	return [el('h2', { text: `Off the CPU: ${app.weight(pair.totals[1])}${isWhole ? ', in all: when is not recorded' : ''}` }),
		el('ul.libraries', {}, ...rows.map(({ of, other }) => el('li', {}, el('button.plain', {
			type: 'button', title: 'Show who calls it', onclick: () => app.openSandwich(of),
		}, el('span.name.mono', { text: brief(app.profile.names[of]) }), el('span.number', { text: app.weight(other?.self || 0) })))))]
}

/** @param {App} app */
function doubtCard(app) {
	const { notes, facts } = app.profile
	return el('section.card', {}, el('h2', { text: notes.length ? 'What to doubt' : 'Nothing found to doubt' }),
		notes.length ? el('ul.notes', {}, ...notes.map(note => el('li', {}, el('p', { text: plain(note.text) }),
			note.mend && el('p.mend', {}, ...unbroken(plain(note.mend))))))
			: el('p.good', { text: `No samples were lost while recording, there are call chains, and ${
				facts.some(([name]) => name === 'Without symbol') ? 'nearly all' : 'all'} sampled code has symbols. Nothing else was checked.` }))
}

/** @param {App} app */
function title(app) {
	if (app.isDiff()) return 'What changed'
	return app.unit() === 'ns' ? 'Where the time went' : 'Where the samples are'
}

/** @param {App} app */
export function overview(app) {
	const cards = el('div.cards')
	const pane = new FlamePane(app, 'Flame graph', node => app.zoomTo(node, true))
	const choices = el('div.choices')
	const colours = el('div.legend-row')
	const root = el('div.view.fill.overview', {}, cards, choices, pane.element, colours)
	return {
		id: 'overview', label: 'Overview', root,
		show() {
			const rows = heaviest(app)
			const shown = rows.slice(0, HEAVIEST)
			fill(cards, el('section.card.wide', {}, el('h2', { text: title(app) }),
				el('p.lead', { text: sentence(app, rows) }),
				el('ol.heaviest', {}, ...shown.map(row => heavyRow(app, row, sizeOf(app, shown[0]) || 1))),
				rows.length > shown.length && el('button.link.all', {
					type: 'button', text: `All ${grouped(app.functionCount())} functions`,
					onclick: () => app.set({ view: 'table', search: '' }),
				})), libraryCard(app), doubtCard(app))
			root.classList.toggle('compared', app.isDiff())
			shortenNames(cards)
			fill(choices, ...pairChoices(app))
			choices.hidden = !app.pair()
			fill(colours, app.pair() ? legend(app, app.shownTree()) : null)
			pane.update(app.shownTree(), app.zoomed(), app.state.direction === 'up')
		},
		search: () => pane.search(),
		text: () => ['self\ttotal\tsamples\tname' + (app.pair() ? '\tother self\tother total\tother samples' : ''),
			...heaviest(app).map(row => [row.self, row.total, row.samples, plain(app.profile.names[row.of]), ...otherText(row)].join('\t'))].join('\n'),
	}
}
