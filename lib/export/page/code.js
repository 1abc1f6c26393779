// SPDX-License-Identifier: MIT
// The code of a function with its cost: instructions, source lines. Filters do not change these costs.
import { readColumn } from './columns.js'

/**
 * @typedef {object} Cost
 * @property {number} period
 * @property {number} samples
 */
/**
 * @typedef {object} Instruction
 * @property {string} address
 * @property {string} text
 * @property {number} line index of lines, -1 if not known
 * @property {number} target the instruction that it jumps to, -1 for none
 * @property {string} inlined the innermost inlined function, '' for none
 * @property {Cost} cost
 */
/**
 * @typedef {object} CodeLine
 * @property {string} file
 * @property {number} number
 * @property {string|null} text null if the page has no sources
 * @property {number} first its first instruction, -1 for none
 * @property {Cost} cost
 */
/**
 * @typedef {object} Code
 * @property {number} function
 * @property {string} note why there are no instructions
 * @property {Instruction[]} instructions
 * @property {CodeLine[]} lines as the compiler numbered them
 * @property {{file: string, lines: CodeLine[]}[]} parts the lines by file, with those between them if there are sources
 * @property {Cost} total
 */

/** @param {number} n @param {any} column */
const ints = (n, column) => readColumn(column, new Int32Array(n))

/** @param {Cost} to @param {Cost} more */
function addCost(to, more) {
	to.period += more.period
	to.samples += more.samples
}

// The costs of an event by instruction.
/** @param {any} data @param {number} event @returns {Cost[]} */
function costsOf({ instructions, costs }, event) {
	const into = Array.from({ length: instructions.count }, () => ({ period: 0, samples: 0 }))
	const n = costs.count
	const [at, events] = [ints(n, costs.instruction), ints(n, costs.event)]
	const [samples, periods] = [readColumn(costs.samples, new Float64Array(n)), readColumn(costs.period, new Float64Array(n))]
	for (let i = 0; i < n; i++) {
		if (events[i] === event) addCost(into[at[i]], { period: periods[i], samples: samples[i] })
	}
	return into
}

/** @param {any} data @param {number} event @returns {Instruction[]} */
function readInstructions(data, event) {
	const { instructions: of, inlined } = data
	const [offset, line, target, within] = [of.offset, of.line, of.target, of.inlined].map(column => ints(of.count, column))
	const start = BigInt('0x' + data.start)
	return costsOf(data, event).map((cost, i) => ({
		address: (start + BigInt(offset[i])).toString(16), text: of.text[i], line: line[i] - 1, target: target[i] - 1,
		inlined: within[i] ? inlined[within[i] - 1] : '', cost,
	}))
}

/** @param {any} data @param {Instruction[]} instructions @returns {CodeLine[]} */
function readLines({ lines, files }, instructions) {
	const [file, number] = [ints(lines.count, lines.file), ints(lines.count, lines.number)]
	const rows = Array.from(number, (of, i) => (
		{ file: files[file[i]], number: of, text: null, first: -1, cost: { period: 0, samples: 0 } }))
	instructions.forEach(({ line, cost }, i) => {
		if (line < 0) return
		if (rows[line].first < 0) rows[line].first = i
		addCost(rows[line].cost, cost)
	})
	return rows
}

// The lines with code, and where the page has sources, the lines between them.
/** @param {any} data @param {CodeLine[]} lines */
function partsOf({ sources = [] }, lines) {
	/** @type {Map<string, CodeLine>} */
	const known = new Map()
	for (const line of lines) {
		const key = `${line.number} ${line.file}`
		const same = known.get(key)
		if (same) addCost(same.cost, line.cost)
		else known.set(key, { ...line, cost: { ...line.cost } })
	}
	const parts = sources.map((/** @type {any} */ source) => ({
		file: source.file,
		lines: source.text.map((/** @type {string} */ text, /** @type {number} */ i) => {
			const key = `${source.first + i} ${source.file}`
			const line = known.get(key)
			known.delete(key)
			return { file: source.file, number: source.first + i, first: -1, cost: { period: 0, samples: 0 }, ...line, text }
		}),
	}))
	const rest = [...known.values()].sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.number - b.number)
	for (const line of rest) {
		const last = parts[parts.length - 1]
		if (last && last.file === line.file && last.lines[0].text === null) last.lines.push(line)
		else parts.push({ file: line.file, lines: [line] })
	}
	return heaviestFirst(parts)
}

// By the cost of their files; the parts of a file stay together and in order.
/** @param {Code['parts']} parts */
function heaviestFirst(parts) {
	/** @type {Map<string, number>} */
	const sums = new Map()
	for (const { file, lines } of parts) sums.set(file, lines.reduce((sum, { cost }) => sum + cost.period, sums.get(file) || 0))
	const order = [...sums.keys()].sort((a, b) => (sums.get(b) || 0) - (sums.get(a) || 0))
	return order.flatMap(file => parts.filter(part => part.file === file))
}

/** @param {any} data a row of the page's list of code @param {number} event @returns {Code} */
export function readCode(data, event) {
	const code = { function: data.function, note: data.note || '', total: { period: 0, samples: 0 } }
	if (!data.instructions) return { ...code, instructions: [], lines: [], parts: [] }
	const instructions = readInstructions(data, event)
	const lines = readLines(data, instructions)
	for (const { cost } of instructions) addCost(code.total, cost)
	return { ...code, instructions, lines, parts: partsOf(data, lines) }
}
