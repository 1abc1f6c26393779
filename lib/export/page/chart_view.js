// SPDX-License-Identifier: MIT
// The view 'Over time': the call chains of one thread in the order of time.
import { FlameChart, chartText, threadSamples } from './chart.js'
import { el, fill } from './dom.js'
import { eachSample, stacksOf } from './selection.js'
import { percent } from './words.js'

/** @typedef {import('./app.js').App} App */

// Weights by what @of says of a sample, the heaviest first.
/**
 * @param {App} app
 * @param {import('./selection.js').Filter} filter
 * @param {number} count
 * @param {(sample: number) => number} of
 */
function weightsBy(app, filter, count, of) {
	const { profile } = app
	const weights = new Float64Array(count)
	eachSample(profile, filter, stacksOf(profile, filter), i => {
		weights[of(i)] += filter.bySamples ? profile.count[i] : profile.period[i]
	})
	return [...weights.keys()].filter(i => weights[i]).sort((a, b) => weights[b] - weights[a] || a - b)
		.map(i => ({ i, weight: weights[i] }))
}

// Threads with their weights, the heaviest first; also those that are not chosen, if wanted.
/** @param {App} app @param {boolean} [all] @returns {{thread: number, weight: number}[]} */
export function threadWeights(app, all = false) {
	const { tasks, task, threads } = app.profile
	const filter = all ? { ...app.filter(), thread: [], cpu: [] } : app.filter()
	return app.once(`threads ${all}`, () => weightsBy(app, filter, threads.length, i => tasks[task[i]].thread)
		.map(({ i, weight }) => ({ thread: i, weight })))
}

// CPUs with their weights, in order of their numbers; also those that are not chosen.
/** @param {App} app @returns {{cpu: number, weight: number}[]} */
export function cpuWeights(app) {
	const { cpu, cpus } = app.profile
	return app.once('cpus', () => weightsBy(app, { ...app.filter(), thread: [], cpu: [] }, cpus.length, i => cpu[i])
		.map(({ i, weight }) => ({ cpu: i, weight })).sort((a, b) => a.cpu - b.cpu))
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
