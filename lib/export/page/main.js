// SPDX-License-Identifier: MIT
// The start of the page: reads the data, makes the views, and shows the one that the address names.
import { App } from './app.js'
import { chartView, threadWeights } from './chart_view.js'
import { codeView } from './code_view.js'
import { readData } from './columns.js'
import { showBar, showCrumbs, showFilters, showFoot, showHead } from './controls.js'
import { byId, el, fill } from './dom.js'
import { flameView } from './flame_view.js'
import { overview } from './overview.js'
import { readProfile } from './profile.js'
import { sandwichView } from './sandwich_view.js'
import { cellsOf } from './selection.js'
import { Strip, stripText } from './strip.js'
import { tableView } from './table_view.js'
import { brief, percent, plain, weight } from './words.js'

const CELLS = 400
const MOST_THREADS = 5

// Puts the lines of a tooltip beside the mouse.
/** @param {string[]|null} lines @param {number} x @param {number} y */
function showTip(lines, x, y) {
	const tip = byId('tip')
	tip.classList.toggle('shown', lines !== null)
	if (!lines) return
	fill(tip, ...lines.filter(Boolean).map((text, i) => el(i ? 'div' : 'b.mono', { text })))
	const { offsetWidth, offsetHeight } = tip
	tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - offsetWidth - 8))}px`
	tip.style.top = `${y + 18 + offsetHeight > innerHeight ? y - offsetHeight - 10 : y + 18}px`
}

// The rows of the timeline: all samples, and on the overview the heaviest threads.
/** @param {App} app @returns {import('./strip.js').StripData} */
function stripData(app) {
	const { profile } = app
	const to = Math.max(1, Math.ceil(profile.time[profile.sampleCount - 1] || 0) + 1)
	return app.once(`strip ${app.state.view === 'overview'}`, () => {
		const threads = app.state.view === 'overview' ? threadWeights(app).slice(0, MOST_THREADS) : []
		const shown = threads.length > 1 ? threads : []
		const filter = { ...app.filter(), from: -Infinity, to: Infinity }
		const rowOf = new Int32Array(profile.threads.length).fill(-1)
		shown.forEach(({ thread }, i) => { rowOf[thread] = i + 1 })
		const shape = { from: 0, to, cells: CELLS, rows: shown.length + 1 }
		const cells = cellsOf(profile, filter, shape, i => rowOf[profile.tasks[profile.task[i]].thread])
		cells.set(cellsOf(profile, filter, { ...shape, rows: 1 }, () => 0))
		const rows = [{ label: 'All', note: '' }, ...shown.map(row => ({
			label: app.threadName(row.thread), note: percent(row.weight, app.total()),
			choose: () => app.set({ thread: app.state.thread === row.thread ? -1 : row.thread }),
		}))]
		return { rows, cells, count: CELLS, from: 0, to }
	})
}

/** @param {App} app */
function makeStrip(app) {
	const strip = new Strip('Samples over time', {
		selected: (from, to) => app.set({ from: from === -Infinity ? -1 : from, to: to === Infinity ? -1 : to }),
		tip: showTip, weight: value => weight(value, app.unit()),
	})
	if (app.profile.timed) byId('time').append(strip.element)
	else byId('time').hidden = true
	return strip
}

/** @param {App} app */
function viewsOf(app) {
	const { profile } = app
	return [overview(app), flameView(app), ...(profile.timed ? [chartView(app)] : []), tableView(app),
		sandwichView(app), ...(profile.code.length ? [codeView(app)] : [])]
}

/** @param {App} app */
function run(app) {
	const views = viewsOf(app)
	const strip = makeStrip(app)
	document.title = `${brief(app.profile.title)} · pfx`
	app.tip = showTip
	app.changed = () => {
		showTip(null, 0, 0)
		const view = views.find(of => of.id === app.state.view) || views[0]
		app.state.view = view.id
		const main = byId('main')
		if (main.firstChild !== view.root || main.childNodes.length > 1) fill(main, view.root)
		main.dataset.view = view.id
		showHead(app)
		showBar(app, views)
		showFilters(app)
		showCrumbs(app, views)
		if (app.profile.timed) {
			const { from, to } = app.filter()
			strip.setData(stripData(app), from, to)
		}
		view.show()
	}
	addEventListener('popstate', () => app.restore(location.hash))
	addEventListener('hashchange', () => app.restore(location.hash))
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.changed())
	addEventListener('beforeprint', () => app.changed())
	addEventListener('afterprint', () => app.changed())
	byId('skip').addEventListener('click', event => {
		event.preventDefault()
		byId('main').focus()
	})
	showFoot(app, views)
	app.restore(location.hash)
	// What a view shows, as text, for tests and for scripts that read the page.
	Object.assign(window, {
		pfx: {
			views: views.map(view => view.id),
			/** @param {string} id */
			text: id => (views.find(view => view.id === id) || views[0]).text(),
			strip: () => stripText(stripData(app)),
			app,
		},
	})
}

async function begin() {
	try {
		run(new App(readProfile(await readData(byId('data')))))
	} catch (error) {
		fill(byId('main'), el('p', { text: `The profile cannot be shown: ${plain(String(error))}` }))
	}
	document.documentElement.dataset.ready = 'yes'
}

begin()
