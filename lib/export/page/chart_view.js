// SPDX-License-Identifier: MIT
// The view 'Over time': the call chains of one thread in the order of time.
import { FlameChart, chartText, threadSamples } from './chart.js'
import { el, fill } from './dom.js'
import { sumLanes, threadLanes } from './samples.js'
import { percent } from './words.js'

/** @typedef {import('./app.js').App} App */

// Those of @weights that there are, the heaviest first.
/** @param {Float64Array} weights */
function heaviestFirst(weights) {
	return [...weights.keys()].filter(i => weights[i]).sort((a, b) => weights[b] - weights[a] || a - b)
}

/** @param {number} count */
const numbers = count => Int32Array.from({ length: count }, (_, i) => i)

// Threads with their weights, the heaviest first; also those that are not chosen, if wanted.
/** @param {App} app @param {boolean} [all] @returns {{thread: number, weight: number}[]} */
export function threadWeights(app, all = false) {
	const { profile } = app
	const filter = all ? { ...app.filter(), thread: [], cpu: [] } : app.filter()
	return app.once(`threads ${all}`, () => {
		const { length } = profile.threads
		const weights = sumLanes(profile, filter, threadLanes(profile, numbers(length)), length)
		return heaviestFirst(weights).map(thread => ({ thread, weight: weights[thread] }))
	})
}

// CPUs with their weights, in order of their numbers; also those that are not chosen.
/** @param {App} app @returns {{cpu: number, weight: number}[]} */
export function cpuWeights(app) {
	const { profile } = app
	return app.once('cpus', () => {
		const { length } = profile.cpus
		const weights = sumLanes(profile, { ...app.filter(), thread: [], cpu: [] },
			{ column: profile.cpu, of: numbers(length) }, length)
		return heaviestFirst(weights).sort((a, b) => a - b).map(cpu => ({ cpu, weight: weights[cpu] }))
	})
}

/** @param {App} app */
export function chartView(app) {
	const { profile } = app
	const choices = el('div.choices')
	const chart = new FlameChart(profile, {
		paint: (frame, isNarrow) => app.paint()(frame, isNarrow),
		selected: (from, to) => app.set({
			from: from === -Infinity ? -1 : Math.max(0, from), to: to === Infinity ? -1 : to,
		}),
		tip: (lines, x, y) => app.tip(lines, x, y),
		chosen: of => app.openSandwich(of),
	})
	const root = el('div.view.fill', {}, choices, chart.element,
		el('p.muted.hint', { text: 'Drag to select a time, Ctrl and the wheel or + and - zoom, a click shows callers and callees.' }))
	const wanted = () => {
		const threads = threadWeights(app)
		return threads.find(({ thread }) => thread === app.state.chart)?.thread ?? threads[0]?.thread ?? 0
	}
	const samples = () => app.once(`chart ${wanted()}`, () =>
		threadSamples(profile, { ...app.filter(), thread: [wanted()] }))
	return {
		id: 'chart', label: 'Over time', root,
		show() {
			const threads = threadWeights(app)
			const thread = wanted()
			const list = /** @type {HTMLSelectElement} */ (el('select', {
				onchange: () => app.set({ chart: Number(list.value) }),
			}, ...threads.map(row => el('option', {
				value: row.thread, selected: row.thread === thread,
				text: `${app.threadName(row.thread)}, ${percent(row.weight, app.total())}`,
			}))))
			fill(choices, el('label.pick', {}, profile.old ? 'New recording, thread ' : 'Thread ', list))
			const paint = app.paint()
			chart.host.paint = paint
			chart.matched = app.searchedFrames()
			const last = profile.time[profile.sampleCount - 1] || 1
			const { from, to } = app.filter()
			chart.setSamples(samples(), from === -Infinity ? 0 : from, to === Infinity ? last : to)
		},
		search: () => chart.setSearch(app.searchedFrames()),
		text: () => chartText(profile, samples()),
	}
}
