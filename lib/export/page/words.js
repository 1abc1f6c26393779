// SPDX-License-Identifier: MIT
// Names and numbers as text for people. Names come from recordings and are not trusted.
import { fitting } from './fitting.js'

/** Characters that are invisible, or change the order of others. */
const UNSEEN =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Most names are of these characters only, which is found out faster. */
const ASCII = /^[ -~]*$/

/**
 * A name in which these characters are written like \u202e.
 * @param {string} name
 */
export function plain(name) {
	if (ASCII.test(name)) return name
	return name.replace(UNSEEN, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
}

/** Characters of a name that are shown. */
export const LONGEST = 400

/**
 * A name, or as much of it as is shown of one that is very long.
 * @param {string} name
 */
export function brief(name) {
	return plain(name.length > LONGEST ? fitting(name, LONGEST + 1) : name)
}

/**
 * A place in a source file: its line is always there, of a path that is too long the end.
 * @param {string} file
 * @param {number} line 0 if it is not known
 * @param {number} room in characters
 */
export function placeIn(file, line, room) {
	const text = plain(file.slice(-LONGEST)) + (line ? `:${line}` : '')
	if (text.length <= room) return text
	const end = text.slice(1 - room)
	const folder = end.indexOf('/')
	const isName = folder < 0 || folder > room / 2 && end.length - folder < room / 3
	return '…' + (isName ? end : end.slice(folder))
}

/** @param {number} part @param {number} whole */
export function percent(part, whole) {
	return (whole ? (100 * part) / whole : 0).toFixed(2) + '%'
}

/** @param {number} n */
export function grouped(n) {
	return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ',')
}

const SCALES = /** @type {[number, string][]} */ ([[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e4, ' k']])

// A number in three or four digits.
/** @param {number} n */
export function short(n) {
	for (const [scale, letter] of SCALES) {
		if (n >= scale) return (n / (letter === ' k' ? 1000 : scale)).toPrecision(3) + letter
	}
	return grouped(n)
}

const TIMES = /** @type {[number, string][]} */ ([[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [1, ' ns']])

/** @param {number} ns */
export function duration(ns) {
	if (!ns) return '0 s'
	if (ns >= 120e9) return `${Math.floor(ns / 60e9)} min ${Math.round((ns % 60e9) / 1e9)} s`
	for (const [scale, unit] of TIMES) {
		if (ns < scale) continue
		const digits = ns / scale >= 1000 ? 0 : 2 - Math.floor(Math.log10(ns / scale))
		return (ns / scale).toFixed(Math.max(0, digits)) + unit
	}
	return `${ns} ns`
}

// A time as seconds since the first sample.
/** @param {number} us */
export function moment(us) {
	return (us / 1e6).toFixed(3) + ' s'
}

/**
 * A weight in the unit of its event.
 * @param {number} n
 * @param {string} unit 'ns', 'samples' or ''
 */
export function weight(n, unit) {
	if (unit === 'ns') return duration(n)
	return short(n)
}

// A phrase within a sentence.
/** @param {string} text */
export function uncapped(text) {
	return text.slice(0, 1).toLowerCase() + text.slice(1)
}

/** @param {number} n @param {string} one */
export function counted(n, one) {
	return `${grouped(n)} ${one}${n === 1 ? '' : 's'}`
}
