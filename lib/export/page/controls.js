// SPDX-License-Identifier: MIT
// What is around the views: the head, the tabs, the search, and the filters with the share of samples that match.
import { FILTERS } from './app.js'
import { isDark } from './colour.js'
import { byId, copy, el, fill } from './dom.js'
import { startState } from './state.js'
import { brief, counted, duration, moment, plain } from './words.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {{id: string, label: string, root: HTMLElement, show: () => void, search?: () => void, text: () => string, path?: () => {name: string, node: number}[]}} View */

/** @param {string} label @param {[string|number, string][]} rows @param {string|number} value @param {(value: string) => void} choose */
function selection(label, rows, value, choose) {
	const list = /** @type {HTMLSelectElement} */ (el('select', { 'aria-label': label, onchange: () => choose(list.value) },
		...rows.map(([of, text]) => el('option', { value: of, text, selected: String(of) === String(value) }))))
	return list
}

function switchTheme() {
	document.documentElement.dataset.theme = isDark() ? 'light' : 'dark'
}

// A name and its value, which stay in one line.
/** @param {string} name @param {string} value */
function fact(name, value) {
	return el('div', {}, el('dt', { text: name }), el('dd', { text: value, title: value }))
}

/** @param {App} app */
export function showHead(app) {
	const { profile, state } = app
	const event = profile.events[state.event]
	fill(byId('head'), el('div.title', {}, el('span.mark', { text: 'pfx', 'aria-hidden': 'true' }),
		el('h1.mono', { text: brief(profile.title), title: brief(profile.title) }),
		el('span.controls', {},
			eventChoices(app).length > 1 ? selection('Event', eventChoices(app), state.event,
				value => app.set({ event: Number(value), zoom: '' })) : el('span.event', { text: brief(event.name) }),
			event.period !== event.samples && selection('Unit', [['period', event.unit === 'ns' ? 'time' : 'events'], ['samples', 'samples']],
				state.unit, unit => app.set({ unit })),
			el('button', { type: 'button', text: 'Rows as text', title: 'What this view shows, as text to copy', onclick: showText }),
			el('button', { type: 'button', text: isDark() ? 'Light' : 'Dark', title: 'Other colours', onclick: () => { switchTheme(); app.changed() } }))),
	facts(profile.old ? 'New' : '', profile.facts, event.role === 'old' ? null : event),
	profile.old && facts('Old', profile.old.facts, event.role === 'old' ? event : profile.events[event.other] || null))
}

// The events that can be chosen: those of the other recording only where this one lacks them.
/** @param {App} app @returns {[number, string][]} */
function eventChoices({ profile }) {
	const { events } = profile
	return events.map((of, i) => /** @type {[number, string]} */ ([i, brief(of.name) + (of.role === 'old' ? ' (old only)' : '')]))
		.filter(([i]) => events[i].role !== 'old' || !events.some(of => of.other === i))
}

// A row about a recording.
/** @param {string} side @param {[string, string][]} rows @param {import('./profile.js').ProfileEvent|null} event */
function facts(side, rows, event) {
	return el('dl.facts', {}, side && el('div.side', {}, el('dt', { text: side }), el('dd')), ...rows.map(([name, value]) => fact(name, brief(value))),
		fact('Samples', event ? `${counted(event.samples, 'sample')}${event.unit === 'ns' ? ', ' + duration(event.period) : ''}` : 'none'))
}

/** @type {() => string} */
let textOfView = () => ''

/** The rows of the view in a dialog. */
function showText() {
	const dialog = /** @type {HTMLDialogElement} */ (byId('dialog'))
	const text = textOfView()
	fill(dialog, el('div.dialog-head', {}, el('h2', { text: 'Rows as text' }),
		el('button', { type: 'button', text: 'Copy', onclick: () => copy(text, 'Rows') }),
		el('button', { type: 'button', text: 'Close', onclick: () => dialog.close() })),
	el('pre', { tabindex: 0, text: text.length > 2e6 ? text.slice(0, 2e6) + '\n…' : text }))
	dialog.showModal()
}

/** @param {App} app @param {View[]} views */
export function showBar(app, views) {
	const { state, profile } = app
	textOfView = () => (views.find(view => view.id === state.view) || views[0]).text()
	const bar = byId('bar')
	if (!bar.firstChild) makeBar(app, views, bar)
	for (const tab of bar.querySelectorAll('[role=tab]')) {
		const is = /** @type {HTMLElement} */ (tab).dataset.view === state.view
		tab.setAttribute('aria-selected', String(is))
		tab.setAttribute('tabindex', is ? '0' : '-1')
	}
	const search = /** @type {HTMLInputElement} */ (byId('search'))
	if (document.activeElement !== search) search.value = state.search
	search.setAttribute('aria-invalid', String(!app.isExpression(state.search)))
	byId('matched').textContent = !state.search ? '' : app.isExpression(state.search)
		? app.searchedText() : 'not a valid expression'
	const nr = FILTERS.filter(key => state[key] !== startState()[key]).length
	byId('filter').textContent = nr ? `Filters (${nr})` : 'Filters'
	byId('filter').hidden = !profile.sampleCount
}

/** @param {App} app @param {View[]} views @param {HTMLElement} bar */
function makeBar(app, views, bar) {
	const search = /** @type {HTMLInputElement} */ (el('input', {
		id: 'search', type: 'search', placeholder: 'Search functions: an expression', 'aria-label': 'Search functions',
		spellcheck: 'false', autocomplete: 'off', oninput: () => app.set({ search: search.value }, false),
	}))
	const tabs = el('div.tabs', { role: 'tablist', 'aria-label': 'Views', onkeydown: (/** @type {KeyboardEvent} */ e) => turn(e, app, views) },
		...views.map(view => el('button.tab', {
			type: 'button', role: 'tab', id: `tab-${view.id}`, 'data-view': view.id, 'aria-controls': 'main', text: view.label,
			onclick: () => app.set({ view: view.id }),
		})))
	fill(bar, tabs, el('span.search', {}, el('span', { id: 'matched', 'aria-live': 'polite' }), search,
		el('button', { type: 'button', id: 'filter', text: 'Filters', 'aria-expanded': 'false', 'aria-controls': 'filters', onclick: () => toggleFilters(app) })))
	document.addEventListener('keydown', event => {
		const inText = /^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {HTMLElement} */ (event.target).tagName)
		if (event.key === '/' && !inText) {
			event.preventDefault()
			search.focus()
			search.select()
		}
		const nr = Number(event.key)
		if (!inText && !event.ctrlKey && !event.altKey && !event.metaKey && views[nr - 1]) app.set({ view: views[nr - 1].id })
	})
}

// Arrow keys on the tabs.
/** @param {KeyboardEvent} event @param {App} app @param {View[]} views */
function turn(event, app, views) {
	const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
	if (!step) return
	const at = views.findIndex(view => view.id === app.state.view)
	const next = views[(at + step + views.length) % views.length]
	app.set({ view: next.id })
	byId(`tab-${next.id}`).focus()
}

/** @param {App} app */
function toggleFilters(app) {
	const filters = byId('filters')
	filters.hidden = !filters.hidden
	byId('filter').setAttribute('aria-expanded', String(!filters.hidden))
	showFilters(app)
}

const EXPRESSIONS = /** @type {[('focus'|'ignore'|'hide'|'show'|'showFrom'), string, string][]} */ ([
	['focus', 'Focus', 'Only samples with such a function'], ['ignore', 'Ignore', 'Only samples without such a function'],
	['hide', 'Hide', 'Leave such functions out of stacks'], ['show', 'Show', 'Leave all other functions out'],
	['showFrom', 'Show from', 'Leave out what calls such functions'],
])

/** @param {App} app */
export function showFilters(app) {
	const filters = byId('filters')
	if (filters.hidden || filters.contains(document.activeElement) && document.activeElement?.tagName === 'INPUT') return
	const { profile, state } = app
	/** @param {'process'|'thread'|'cpu'|'library'} key @param {string} label @param {string[]} names */
	const list = (key, label, names) => {
		if (names.length < 2) return false
		const value = state[key]
		const several = typeof value === 'string' && value.includes('.')
		/** @type {[string|number, string][]} */
		const rows = [[key === 'library' ? -1 : '', 'all'], ...(several ? [/** @type {[string, string]} */ ([value, `${value.split('.').length} of them`])] : []),
			...names.map((name, i) => /** @type {[number, string]} */ ([i, brief(name)]))]
		return el('label', {}, label, selection(label, rows, value, chosen => app.set({ [key]: key === 'library' ? Number(chosen) : chosen })))
	}
	fill(filters, ...EXPRESSIONS.map(([key, label, help]) => {
		const input = /** @type {HTMLInputElement} */ (el('input', {
			type: 'text', value: state[key], placeholder: help, title: help, spellcheck: 'false',
			'aria-invalid': String(!app.isExpression(state[key])),
			onchange: () => app.set({ [key]: input.value }),
		}))
		return el('label', {}, label, input)
	}),
	list('process', 'Process', profile.processes.map((_, i) => app.processName(i))),
	list('thread', 'Thread', profile.threads.map((_, i) => app.threadName(i))),
	list('cpu', 'CPU', profile.cpus.map(cpu => cpu < 0 ? 'unknown' : String(cpu))),
	list('library', 'Library', profile.libraries.map(library => library.name)),
	el('label', {}, 'Level', selection('Level', [['', 'all'], ['user', 'user'], ['kernel', 'kernel']], state.level, level => app.set({ level }))),
	el('label.check', {}, inlinedBox(app), 'Inlined functions'))
}

/** @param {App} app */
function inlinedBox(app) {
	const box = /** @type {HTMLInputElement} */ (el('input', {
		type: 'checkbox', checked: app.state.inlined === 1, onchange: () => app.set({ inlined: box.checked ? 1 : 0 }),
	}))
	return box
}

// A filter in words.
/** @param {App} app @param {string} key */
function filterText(app, key) {
	const { state, profile } = app
	const { from, to, process, thread, cpu } = app.filter()
	switch (key) {
	case 'from': return `${from === -Infinity ? 'start' : moment(from)} to ${to === Infinity ? 'end' : moment(to)}`
	case 'process': return `process ${process.map(of => brief(app.processName(of))).join(', ')}`
	case 'thread': return `thread ${thread.map(of => brief(app.threadName(of))).join(', ')}`
	case 'cpu': return `CPU ${cpu.map(of => profile.cpus[of]).join(', ')}`
	case 'library': return `in ${brief(profile.libraries[state.library].name)}`
	case 'level': return `${state.level} code`
	default: return `${key === 'showFrom' ? 'show from' : key} ${plain(String(/** @type {any} */ (state)[key]))}`
	}
}

// What is shown: the share of all, the filters, the zoom.
/** @param {App} app @param {View[]} views */
export function showCrumbs(app, views) {
	const { state } = app
	const start = startState()
	const set = FILTERS.filter(key => state[key] !== start[key])
	const view = views.find(of => of.id === state.view)
	const path = view && view.path ? view.path() : []
	const crumbs = byId('crumbs')
	crumbs.hidden = !set.length && !path.length
	if (crumbs.hidden) return
	const share = app.whole() ? (100 * app.total()) / app.whole() : 0
	fill(crumbs, set.length > 0 && el('span.crumb-share', { text: `${share.toFixed(2)}% of all:` }),
		...set.map(key => el('button.chip', {
			type: 'button', title: 'Remove this filter',
			onclick: () => app.set(/** @type {any} */ (key === 'from' ? { from: -1, to: -1 } : { [key]: start[key] })),
		}, filterText(app, key), el('span.cross', { text: ' ×', 'aria-label': 'remove' }))),
		set.length > 1 && el('button.link', {
			type: 'button', text: 'Show all',
			onclick: () => app.set(Object.fromEntries([...FILTERS, /** @type {const} */ ('to')].map(key => [key, start[key]]))),
		}),
		path.length > 0 && el('span.path', {}, el('button.link', { type: 'button', text: 'all', onclick: () => app.zoomTo(0) }),
			...(path.length > 6 ? [' › …'] : []),
			...path.slice(-6).flatMap(({ name, node }) => [' › ', el('button.link.mono', {
				type: 'button', text: name.length > 40 ? name.slice(0, 39) + '…' : name, onclick: () => app.zoomTo(node),
			})])))
}

/** @param {App} app @param {View[]} views */
export function showFoot(app, views) {
	fill(byId('foot'), el('p', { text: `This page contains ${app.profile.holds.map(plain).join(', ')}. It loads nothing and sends nothing.` }),
		el('p', { text: `Keys: / search, 1 to ${views.length} views, arrows in the graph and on the timeline.` }))
}
