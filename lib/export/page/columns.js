// SPDX-License-Identifier: MIT
// The data of the page: one JSON object, whose long columns of numbers are texts.
//
// A column is a text of numbers in base-64 digits, as source maps have them:
// five bits in each digit, the lowest first; a digit of 32 or more is followed by another one. A
// column whose values are all equal is that value as a JSON number instead.
//
// Above a limit the data is packed with gzip, in base64: the length of the object in four bytes, lowest first,
// the object, and bytes of columns. There a column is {at, bytes}: from the byte @at on, the lowest bytes of all
// its values, then the next ones, and so on, so many for each value. The object's members (lib/export/export_html.c writes
// them, readProfile() of profile.js reads them; a list of N numbers that is a column says so):
//
//   schema     'pfx.page/1'
//   title      the program that was recorded
//   facts      [name, value] about the recording; notes: {text, mend}; holds: what the data reveals
//   timed      whether the samples have times
//   events     {name, unit, samples, period} for each; the unit is 'ns' or ''; other: the event that it is
//              shown beside; role: 'old' of the recording that this one is compared with, 'off' of time off
//              the CPU
//   old        of the recording that this one is compared with: title, facts
//   processes  {pid, name}; threads: {tid, process, name}; tasks: {thread, name}, a thread under one name
//   cpus       their numbers; libraries: {name, path}
//   strings    texts that others refer to by their place in this list; the first is empty
//   functions  count, and the columns name and file (of strings), line, library (1 is the first, 0 if not
//              known) and kind
//   frames     count, and the column function
//   nodes      the tree of calls in preorder, the root first: count, and the columns frame and up, which
//              is how many levels above the node before it the parent's child is
//   stacks     count, and the columns node (the last frame), own (the sampled function, 1 is the first,
//              0 if not known) and kernel (0 or 1); sums: for each event, of the samples of the stack, the columns
//              period and times
//   samples    count, and the columns time (microseconds since the row before), event, task, cpu, stack,
//              times (samples in the row) and period (their sum)
//   tables     of memory accesses and branches: kind ('memory', 'branches'), title, event, columns (titles),
//              count (rows), all (rows that there are), whole (period), times (samples or branches), keys (a list
//              of texts for each row), and the columns samples and period
//   noise      what `pfx diff` finds, for each event with an old one, unit ('period', 'samples') and basis
//              ('share', 'amount'): self and total by function, nodes by node, each with the columns verdict
//              (0 unknown, 1 within noise, 2 beyond) and half (of the interval: of a share in 1e-4 %)
//   code       for functions with much cost: function; note, why there are no instructions; else
//              start       the first address, in hexadecimal digits
//              instructions  count, text, and the columns offset (from the start), line, target (an
//                          instruction) and inlined; 1 is the first, 0 is none
//              costs       where there are any: count, and the columns instruction, event, samples, period
//              lines       count, and the columns file and number; files: their names
//              inlined     names of inlined functions
//              sources     parts of files, if wanted: file, first (the number of the line), text

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const VALUES = new Uint8Array(128)
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i

/** The bytes of columns of packed data. */
let packed = new Uint8Array(0)

/**
 * A column of packed data.
 * @template {Int32Array|Float64Array|Uint8Array|Uint16Array} T
 * @param {{at: number, bytes: number}} column
 * @param {T} into
 * @returns {T}
 */
function readBytes({ at, bytes }, into) {
	const rows = into.length
	into.set(packed.subarray(at, at + rows))
	for (let byte = 1, scale = 256; byte < bytes; byte++, scale *= 256) {
		const from = packed.subarray(at + byte * rows, at + (byte + 1) * rows)
		if (into instanceof Int32Array) addToInts(into, from, scale)
		else addToNumbers(into, from, scale)
	}
	return into
}

// Of one type of array each, which is several times as fast.
/** @param {Int32Array} into @param {Uint8Array} from @param {number} scale */
function addToInts(into, from, scale) {
	for (let i = 0; i < from.length; i++) into[i] += from[i] * scale
}

/** @param {Float64Array|Uint8Array|Uint16Array} into @param {Uint8Array} from @param {number} scale */
function addToNumbers(into, from, scale) {
	for (let i = 0; i < from.length; i++) into[i] += from[i] * scale
}

/**
 * Reads a column into an array of its rows, which are 0.
 * @template {Int32Array|Float64Array|Uint8Array|Uint16Array} T
 * @param {string|number|{at: number, bytes: number}|undefined} column
 * @param {T} into
 * @returns {T}
 */
export function readColumn(column, into) {
	if (typeof column === 'object') return readBytes(column, into)
	if (typeof column !== 'string') {
		into.fill(column || 0)
		return into
	}
	const length = column.length
	for (let at = 0, row = 0; at < length && row < into.length; row++) {
		let digit = VALUES[column.charCodeAt(at++) & 127]
		let value = digit & 31
		if (digit > 31) {
			digit = VALUES[column.charCodeAt(at++) & 127]
			value += (digit & 31) << 5
			for (let scale = 1024; digit > 31; scale *= 32) {
				digit = VALUES[column.charCodeAt(at++) & 127]
				value += (digit & 31) * scale
			}
		}
		into[row] = value
	}
	return into
}

/**
 * The inverse of readColumn(), for tests and tools.
 * @param {ArrayLike<number>} values
 * @returns {string|number}
 */
export function writeColumn(values) {
	let same = values.length > 0
	for (let i = 1; i < values.length && same; i++) same = values[i] === values[0]
	if (same) return values[0]
	const parts = []
	for (let i = 0; i < values.length; i++) {
		let value = values[i]
		do {
			const low = value % 32
			value = (value - low) / 32
			parts.push(DIGITS[low + (value ? 32 : 0)])
		} while (value)
	}
	return parts.join('')
}

/**
 * @param {string} text
 * @returns {BlobPart}
 */
function fromBase64(text) {
	const modern = /** @type {any} */ (Uint8Array).fromBase64
	if (modern) return modern.call(Uint8Array, text)
	const bytes = atob(text)
	const into = new Uint8Array(bytes.length)
	for (let i = 0; i < bytes.length; i++) into[i] = bytes.charCodeAt(i)
	return into
}

/**
 * The object in the page's element of data.
 * @param {HTMLElement} element
 * @returns {Promise<any>}
 */
export async function readData(element) {
	const text = element.textContent || ''
	element.textContent = ''
	if (element.dataset.packed !== 'gzip') return JSON.parse(text)
	const bytes = fromBase64(text.trim())
	// Older type checkers do not know it.
	const { DecompressionStream } = /** @type {any} */ (globalThis)
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
	const all = new Uint8Array(await new Response(stream).arrayBuffer())
	const length = new DataView(all.buffer).getUint32(0, true)
	packed = all.subarray(4 + length)
	return JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length)))
}
