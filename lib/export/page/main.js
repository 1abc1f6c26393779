// SPDX-License-Identifier: MIT
// The start of the page: reads the data, makes the views, and shows the one that the address names.
import { App } from './app.js'
import { chartView, cpuWeights, threadWeights } from './chart_view.js'
import { codeView } from './code_view.js'
import { renewTheme, setPrinted } from './colour.js'
import { readData } from './columns.js'
import { showBar, showCrumbs, showFilters, showFoot, showHead } from './controls.js'
import { byId, el, fill, nextPicture } from './dom.js'
import { flameView } from './flame_view.js'
import { overview } from './overview.js'
import { readProfile } from './profile.js'
import { sandwichView } from './sandwich_view.js'
import { cellsOf, isTimeless, threadLanes } from './samples.js'
import { listWith } from './state.js'
import { Strip, stripText } from './strip.js'
import { tableView } from './table_view.js'
import { tablesView } from './tables_view.js'
import { brief, percent, plain, weight } from './words.js'

const CELLS = 400
/** Samples from which on the timeline takes longer than a frame. */
const LARGE = 200000
const TABLES = [['memory', 'Memory'], ['branches', 'Branches']]
const MOST_THREADS = 5
const MOST_CPUS = 16

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

// The rows of the timeline below those of all samples, on the overview: the heaviest threads, or the CPUs.
/** @typedef {{of: number, label: string, weight: number, chosen: boolean, choose: (alone: boolean) => void}} Lane */

/** @param {App} app @returns {Lane[]} */
function lanesOf(app) {
	const { profile, state } = app
	const { thread: threads, cpu: cpus } = app.filter()
	if (state.view !== 'overview') return []
	if (state.lanes === 'cpus') {
		return cpuWeights(app).slice(0, MOST_CPUS).map(({ cpu, weight }) => ({
			of: cpu, weight, label: `CPU ${profile.cpus[cpu] < 0 ? '?' : profile.cpus[cpu]}`, chosen: cpus.includes(cpu),
			choose: alone => app.set({ cpu: listWith(app.state.cpu, cpu, alone) }),
		}))
	}
	/** @type {Lane[]} */
	const lanes = threadWeights(app, true).slice(0, MOST_THREADS).map(({ thread, weight }) => ({
		of: thread, weight, label: app.threadName(thread), chosen: threads.includes(thread),
		choose: alone => app.set({ thread: listWith(app.state.thread, thread, alone) }),
	}))
	return lanes.length > 1 ? lanes : []
}

// The rows of the timeline: all samples, of both events if there are two, and the lanes.
/** @param {App} app @returns {import('./strip.js').StripData} */
function stripData(app) {
	const { profile, state } = app
	const to = Math.max(1, Math.ceil(profile.time[profile.sampleCount - 1] || 0) + 1)
	return app.once(`strip ${state.view === 'overview' && state.lanes}`, () => {
		const lanes = lanesOf(app)
		const pair = app.pair()
		const rowOf = new Int32Array(Math.max(profile.threads.length, profile.cpus.length)).fill(-1)
		lanes.forEach(({ of }, i) => { rowOf[of] = i })
		const laneOf = state.lanes === 'cpus' ? { column: profile.cpu, of: rowOf } : threadLanes(profile, rowOf)
		const noLanes = { ...laneOf, of: laneOf.of.map(() => -1) }
		const filter = app.filter()
		const shape = { from: 0, to, cells: CELLS, lanes: lanes.length }
		// Lanes show what can be chosen, too.
		const chosen = filter.thread.length + filter.cpu.length > 0
		const first = cellsOf(profile, chosen ? { ...filter, thread: [], cpu: [] } : filter, shape, laneOf)
		if (chosen) first.set(cellsOf(profile, filter, { ...shape, lanes: 0 }, noLanes))
		const whole = lanes.reduce((sum, row) => sum + row.weight, 0)
		const other = pair && cellsOf(profile, { ...filter, event: app.other() }, { ...shape, lanes: 0 }, noLanes)
		const isBeside = pair !== null && other !== null && !isTimeless(profile, app.other())
		const alone = isBeside ? 2 : 1
		const cells = new Float64Array(CELLS * (alone + lanes.length))
		cells.set(first.subarray(0, CELLS))
		if (isBeside && other) cells.set(other, CELLS)
		cells.set(first.subarray(CELLS), alone * CELLS)
		const rows = [...(pair ? pair.names.slice(0, alone) : ['All']).map(label => ({ label, note: '' })), ...lanes.map(row => ({
			label: row.label, note: percent(row.weight, chosen ? Math.max(whole, app.total()) : app.total()), choose: row.choose, chosen: row.chosen,
		}))]
		return { rows, alone, cells, count: CELLS, from: 0, to }
	})
}

/** @param {App} app */
function makeStrip(app) {
	const strip = new Strip('Samples over time', {
		lanes: lanes => app.set({ lanes }),
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
	/** @type {import('./controls.js').View[]} */
	const views = [overview(app), flameView(app), ...(profile.timed ? [chartView(app)] : []), tableView(app),
		sandwichView(app), ...(profile.code.length ? [codeView(app)] : []),
		...TABLES.filter(([kind]) => profile.tables.some(of => of.kind === kind)).map(([kind, label]) => tablesView(app, kind, label))]
	return views
}

// How many rows the timeline will have, without counting samples.
/** @param {App} app */
function stripRows(app) {
	const { profile, state } = app
	if (state.view !== 'overview') return app.pair() ? 2 : 1
	const lanes = state.lanes === 'cpus' ? Math.min(MOST_CPUS, profile.cpus.length) : Math.min(MOST_THREADS, profile.threads.length)
	return (app.pair() ? 2 : 1) + (lanes > 1 ? lanes : 0)
}

/** @param {App} app */
function run(app) {
	const views = viewsOf(app)
	const strip = makeStrip(app)
	document.title = `${brief(app.profile.title)} · pfx`
	app.tip = showTip
	app.changed = () => {
		renewTheme()
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
		if (!isShown) strip.reserve(stripRows(app))
		else if (isLarge && strip.data.rows.length === stripRows(app)) showStripLater()
		else showStrip()
		view.show()
	}
	// What answers the first question comes first; the timeline follows.
	let isShown = false
	const showStrip = () => {
		isShown = true
		if (!app.profile.timed) return
		const { from, to } = app.filter()
		strip.setData(stripData(app), from, to, app.state.view === 'overview' && app.profile.cpus.length > 1 ? app.state.lanes : '')
	}
	// Of a large profile after a picture of everything else, too, if its place stays as it is.
	const isLarge = app.profile.sampleCount > LARGE
	let isWaiting = false
	const showStripLater = () => {
		if (isWaiting) return
		isWaiting = true
		nextPicture().then(() => {
			isWaiting = false
			showStrip()
		})
	}
	app.zoomShown = () => showCrumbs(app, views)
	app.searchChanged = () => {
		const view = views.find(of => of.id === app.state.view) || views[0]
		showBar(app, views)
		if (view.search) view.search()
		else view.show()
	}
	addEventListener('popstate', () => app.restore(location.hash))
	addEventListener('hashchange', () => app.restore(location.hash))
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.changed())
	for (const printed of [true, false]) {
		addEventListener(printed ? 'beforeprint' : 'afterprint', () => {
			setPrinted(printed)
			app.changed()
			showStrip()
		})
	}
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
	return showStrip
}

async function begin() {
	try {
		performance.mark('start')
		const data = await readData(byId('data'))
		performance.mark('data')
		const profile = readProfile(data)
		performance.mark('profile')
		const showStrip = run(new App(profile))
		performance.mark('views')
		await nextPicture()
		showStrip()
		// The first change of a filter needs it.
		setTimeout(() => profile.count)
	} catch (error) {
		fill(byId('main'), el('p', { text: `The profile cannot be shown: ${plain(String(error))}` }))
	}
	document.documentElement.dataset.ready = 'yes'
}

begin()
