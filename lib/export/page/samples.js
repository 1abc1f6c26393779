// SPDX-License-Identifier: MIT
// The samples that a filter keeps, and sums over them. There can be millions: what a change of the filter leaves as it
// was is not counted again, and loops are over columns.
import { Memo, stacksOf } from './stacks.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./stacks.js').Filter} Filter */
/** @typedef {{weights: Float64Array, samples: Float64Array}} StackSums by stack */
/** @typedef {{column: Int32Array, of: Int32Array}} Lanes of[column[sample]] is the lane of a sample, -1 for none */

// The first sample not before a time.
/** @param {Float64Array} time @param {number} when */
function firstAt(time, when) {
	let low = 0
	let high = time.length
	while (low < high) {
		const middle = (low + high) >>> 1
		if (time[middle] < when) low = middle + 1
		else high = middle
	}
	return low
}

const timeless = new Memo(8)

/**
 * Whether the samples of an event were all written at the end, as those of time off the CPU are: their times are not
 * those of what they count.
 * @param {Profile} profile
 * @param {number} event
 */
export function isTimeless(profile, event) {
	if (event < 0 || profile.events[event].role !== 'off' || !profile.timed) return false
	return timeless.get(String(event), () => {
		const { time, sampleCount } = profile
		const first = profile.event.indexOf(event)
		return profile.events[event].samples > 1 && first >= 0 && time[sampleCount - 1] - time[first] < time[sampleCount - 1] / 50
	})
}

/**
 * The range of samples of the filter's time.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function rangeOf(profile, filter) {
	if (!profile.timed || isTimeless(profile, filter.event)) return { first: 0, end: profile.sampleCount }
	return {
		first: filter.from === -Infinity ? 0 : firstAt(profile.time, filter.from),
		end: filter.to === Infinity ? profile.sampleCount : firstAt(profile.time, filter.to),
	}
}

/**
 * Which tasks the filter keeps.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function tasksOf(profile, filter) {
	return Uint8Array.from(profile.tasks, ({ thread, name }) =>
		Number((!filter.thread.length || filter.thread.includes(thread)) &&
			(!filter.comm || filter.comm === name) &&
			(!filter.process.length || filter.process.includes(profile.threads[thread].process))))
}

/**
 * Which CPUs the filter keeps.
 * @param {Profile} profile
 * @param {Filter} filter
 */
function cpusOf(profile, filter) {
	return Uint8Array.from(profile.cpus, (_, i) => Number(!filter.cpu.length || filter.cpu.includes(i)))
}

// Whether a filter leaves out no sample but by its event and its stack.
/** @param {Filter} filter */
function hasAllSamples({ from, to, thread, process, comm, cpu }) {
	return from === -Infinity && to === Infinity && !thread.length && !process.length && !comm && !cpu.length
}

/** @type {Int32Array} all rows in order; with room for those of a filter, whose number is not known before */
let everyRow = new Int32Array(0)
let room = everyRow

/** @param {Profile} profile @param {Filter} filter */
function findSamples(profile, filter) {
	const { first, end } = rangeOf(profile, filter)
	const keep = stacksOf(profile, filter)
	const { event, task, cpu, stack } = profile
	const tasks = filter.thread.length || filter.process.length || filter.comm ? tasksOf(profile, filter) : null
	const cpus = filter.cpu.length ? cpusOf(profile, filter) : null
	const anyEvent = profile.events.length === 1
	if (everyRow.length !== profile.sampleCount) {
		everyRow = new Int32Array(profile.sampleCount)
		for (let i = 0; i < everyRow.length; i++) everyRow[i] = i
		room = everyRow.slice()
	}
	if (!keep && !tasks && !cpus && anyEvent) return everyRow.subarray(first, end)
	let nr = 0
	for (let i = first; i < end; i++) {
		if ((!tasks || tasks[task[i]]) && (!cpus || cpus[cpu[i]]) && (anyEvent || event[i] === filter.event) &&
			(!keep || keep[stack[i]])) room[nr++] = i
	}
	return room.slice(0, nr)
}

const chosen = new Memo(4)

// The parts of a filter that say which samples of its event match.
/** @param {Filter} filter */
function sampleKey(filter) {
	return JSON.stringify({ ...filter, other: 0, group: '', bySamples: 0, from: String(filter.from), to: String(filter.to) })
}

/**
 * The rows of the samples of a filter, in order.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {Int32Array}
 */
function samplesOf(profile, filter) {
	return chosen.get(sampleKey(filter), () => findSamples(profile, filter))
}

/**
 * Calls @visit for each row of samples that matches.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {(sample: number) => void} visit
 */
export function eachSample(profile, filter, visit) {
	for (const row of samplesOf(profile, filter)) visit(row)
}

/** @param {Profile} profile @param {Filter} filter @returns {StackSums} */
function sumSamples(profile, filter) {
	const sums = { weights: new Float64Array(profile.stackCount), samples: new Float64Array(profile.stackCount) }
	const { weights, samples } = sums
	const { stack, count, period } = profile
	const rows = samplesOf(profile, filter)
	for (let i = 0; i < rows.length; i++) {
		const row = rows[i]
		const of = stack[row]
		weights[of] += period[row]
		samples[of] += count[row]
	}
	return sums
}

// Of all samples of an event: the page has these sums.
/** @param {Profile} profile @param {Filter} filter @returns {StackSums} */
function sumsOfEvent(profile, filter) {
	const { period, times } = profile.stackSums[filter.event]
	const keep = stacksOf(profile, filter)
	if (!keep) return { weights: period, samples: times }
	return { weights: period.map((weight, i) => keep[i] * weight), samples: times.map((nr, i) => keep[i] * nr) }
}

const sumsMade = new Memo(4)

/**
 * The weights of the stacks of a filter's event, and their numbers of samples.
 * @param {Profile} profile
 * @param {Filter} filter
 * @returns {StackSums} not to be changed
 */
export function sumStacks(profile, filter) {
	const { weights, samples } = sumsMade.get(sampleKey(filter), () =>
		hasAllSamples(filter) ? sumsOfEvent(profile, filter) : sumSamples(profile, filter))
	return { weights: filter.bySamples ? samples : weights, samples }
}

// Lanes of threads.
/** @param {Profile} profile @param {Int32Array} of by thread @returns {Lanes} */
export function threadLanes(profile, of) {
	return { column: profile.task, of: Int32Array.from(profile.tasks, ({ thread }) => of[thread]) }
}

/**
 * The weights of lanes.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {Lanes} lanes
 * @param {number} count
 */
export function sumLanes(profile, filter, { column, of }, count) {
	const weights = filter.bySamples ? profile.count : profile.period
	const rows = samplesOf(profile, filter)
	const sums = new Float64Array(count)
	for (let i = 0; i < rows.length; i++) {
		const row = rows[i]
		const lane = of[column[row]]
		if (lane >= 0) sums[lane] += weights[row]
	}
	return sums
}

const cellsMade = new Memo(1)

/**
 * The cell of time of each sample.
 * @param {Profile} profile
 * @param {{from: number, to: number, cells: number}} shape
 * @returns {Uint16Array}
 */
function cellOfSamples({ time, sampleCount }, { from, to, cells }) {
	return cellsMade.get([from, to, cells].join(), () => {
		const scale = cells / Math.max(1, to - from)
		const of = new Uint16Array(sampleCount)
		for (let i = 0; i < of.length; i++) of[i] = Math.min(cells - 1, Math.floor((time[i] - from) * scale))
		return of
	})
}

/**
 * Weights of cells of time: a row of all samples, and then a row of each lane.
 * @param {Profile} profile
 * @param {Filter} filter
 * @param {{from: number, to: number, cells: number, lanes: number}} shape
 * @param {Lanes} lanes
 */
export function cellsOf(profile, filter, shape, { column, of }) {
	const { cells } = shape
	const into = new Float64Array(cells * (shape.lanes + 1))
	const cellOf = cellOfSamples(profile, shape)
	const weights = filter.bySamples ? profile.count : profile.period
	const rows = samplesOf(profile, { ...filter, from: -Infinity, to: Infinity })
	for (let i = 0; i < rows.length; i++) {
		const row = rows[i]
		const cell = cellOf[row]
		const weight = weights[row]
		into[cell] += weight
		const lane = of[column[row]]
		if (lane >= 0) into[(lane + 1) * cells + cell] += weight
	}
	return into
}
