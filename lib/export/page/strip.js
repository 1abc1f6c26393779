// SPDX-License-Identifier: MIT
// Samples over time as rows of cells, darker where there is more. A range is selected by dragging or by
// the arrow keys.
import { heat, isDark, theme } from './colour.js'
import { announce, el, sized } from './dom.js'
import { brief, moment } from './words.js'

/**
 * @typedef {object} StripRow
 * @property {string} label
 * @property {string} note
 * @property {boolean} [chosen]
 * @property {(alone: boolean) => void} [choose] alone, or beside what is chosen
 */
/**
 * @typedef {object} StripData
 * @property {StripRow[]} rows
 * @property {number} alone how many rows, from the first, have a scale of their own
 * @property {Float64Array} cells row by row
 * @property {number} count of cells in a row
 * @property {number} from
 * @property {number} to
 */
/**
 * @typedef {object} StripHost
 * @property {(from: number, to: number) => void} selected -Infinity and Infinity for no range
 * @property {(lanes: string) => void} lanes chosen: 'threads' or 'cpus'
 * @property {(lines: string[]|null, x: number, y: number) => void} tip
 * @property {(value: number) => string} weight
 */

const AXIS = 18
const ROW = 18
const STEPS = [1, 2, 5]

// A round distance of ticks.
/** @param {number} least */
function tickStep(least) {
	for (let scale = 1; ; scale *= 10) {
		for (const step of STEPS) if (step * scale >= least) return step * scale
	}
}

/** @param {Float64Array} cells @param {number} from @param {number} end */
function largest(cells, from, end) {
	let most = 0
	for (let i = from; i < end; i++) most = Math.max(most, cells[i])
	return most
}

/** @param {number} us @param {number} step */
function tickText(us, step) {
	if (step >= 1e6) return `${Math.round(us / 1e6)} s`
	if (step >= 1e3) return us < 1e6 ? `${Math.round(us / 1e3)} ms` : `${(us / 1e6).toFixed(step >= 1e5 ? 1 : step >= 1e4 ? 2 : 3)} s`
	return `${(us / 1e3).toFixed(3)} ms`
}

/**
 * Draws an axis of time.
 * @param {CanvasRenderingContext2D} context
 * @param {{x: number, y: number, width: number, from: number, to: number, below: number}} place
 */
export function drawAxis(context, { x, y, width, from, to, below }) {
	const scale = width / (to - from || 1)
	const step = tickStep(90 / scale)
	const colours = theme()
	context.font = '11px system-ui, sans-serif'
	context.textBaseline = 'middle'
	for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
		const left = Math.round(x + (at - from) * scale)
		context.fillStyle = colours.line
		context.fillRect(left, y, 1, below)
		context.fillStyle = colours.muted
		if (left + 40 < x + width) context.fillText(tickText(at, step), left + 4, y + AXIS / 2 - 1)
	}
}

export class Strip {
	/** @param {string} name @param {StripHost} host */
	constructor(name, host) {
		this.host = host
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas'))
		this.labels = el('div.strip-labels')
		this.plot = el('div.strip-plot', {
			tabindex: 0, role: 'application', 'aria-label': name, 'aria-roledescription': 'timeline',
			'aria-describedby': 'strip-help',
			onpointerdown: (/** @type {PointerEvent} */ e) => this.press(e),
			onpointermove: (/** @type {PointerEvent} */ e) => this.move(e),
			onpointerup: (/** @type {PointerEvent} */ e) => this.release(e),
			onpointerleave: () => this.host.tip(null, 0, 0),
			ondblclick: () => this.host.selected(-Infinity, Infinity),
			onkeydown: (/** @type {KeyboardEvent} */ e) => this.keydown(e),
		}, this.canvas)
		this.element = el('div.strip', {}, this.labels, this.plot)
		/** @type {StripData} */
		this.data = { rows: [], alone: 1, cells: new Float64Array(0), count: 0, from: 0, to: 1 }
		this.from = -Infinity
		this.to = Infinity
		/** @type {boolean|null} */
		this.drawn = null
		/** @type {number|null} */
		this.pressed = null
		new ResizeObserver(() => this.draw()).observe(this.plot)
	}
	// Keeps the place of so many rows, until there is data.
	/** @param {number} rows */
	reserve(rows) {
		if (!this.data.count) this.plot.style.height = `${AXIS + rows * ROW + 2}px`
	}
	/** @param {StripData} data @param {number} from @param {number} to @param {string} lanes '' if there is no choice */
	setData(data, from, to, lanes) {
		if (this.data === data && this.from === from && this.to === to && this.drawn === isDark()) return
		this.drawn = isDark()
		this.data = data
		this.from = from
		this.to = to
		this.labels.replaceChildren(this.laneButton(lanes), ...data.rows.map(row => row.choose
			? el('button.strip-label', { type: 'button', 'aria-pressed': String(row.chosen === true), title: `${brief(row.label)}: show it alone; with Shift or Ctrl, add it or take it away`,
				onclick: (/** @type {MouseEvent} */ e) => row.choose?.(!e.shiftKey && !e.ctrlKey && !e.metaKey) },
				el('span.name', { text: brief(row.label) }), el('span.note', { text: row.note }))
			: el('div.strip-label', { title: brief(row.label) },
				el('span.name', { text: brief(row.label) }), el('span.note', { text: row.note }))))
		this.plot.style.height = `${AXIS + data.rows.length * ROW + 2}px`
		this.draw()
	}
	// What the lanes are, and can be; it is above their names.
	/** @param {string} lanes */
	laneButton(lanes) {
		if (!lanes) return el('div.strip-lanes')
		const byCpu = lanes === 'cpus'
		return el('div.strip-lanes', {}, el('button.link', {
			type: 'button', text: byCpu ? 'By CPU' : 'By thread', title: byCpu ? 'Show threads instead' : 'Show CPUs instead',
			onclick: () => this.host.lanes(byCpu ? 'threads' : 'cpus'),
		}))
	}
	width() {
		return Math.max(50, this.plot.clientWidth)
	}
	draw() {
		const { rows, alone, cells, count, from, to } = this.data
		if (!count) return
		const width = this.width()
		const height = AXIS + rows.length * ROW + 2
		const context = sized(this.canvas, width, height)
		drawAxis(context, { x: 0, y: 0, width, from, to, below: AXIS })
		const wide = width / count
		const mostOfLanes = largest(cells, alone * count, cells.length)
		for (let row = 0; row < rows.length; row++) {
			const most = row < alone ? largest(cells, row * count, (row + 1) * count) : mostOfLanes
			for (let i = 0; i < count; i++) {
				context.fillStyle = heat(most ? cells[row * count + i] / most : 0)
				context.fillRect(i * wide, AXIS + row * ROW, wide + 0.3, ROW - 2)
			}
		}
		this.drawRange(context, width, height)
	}
	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {number} width
	 * @param {number} height
	 */
	drawRange(context, width, height) {
		if (this.from === -Infinity && this.to === Infinity) return
		const [left, right] = [this.x(this.from), this.x(this.to)]
		const colours = theme()
		context.globalAlpha = 0.72
		context.fillStyle = colours.ground
		context.fillRect(0, AXIS, left, height)
		context.fillRect(right, AXIS, width - right, height)
		context.globalAlpha = 1
		context.fillStyle = colours.accent
		context.fillRect(left - 1, AXIS - 4, 2, height)
		context.fillRect(right - 1, AXIS - 4, 2, height)
		context.fillRect(left, AXIS - 4, right - left, 2)
	}
	/** @param {number} time */
	x(time) {
		const { from, to } = this.data
		const share = (Math.min(Math.max(time, from), to) - from) / (to - from || 1)
		return share * this.width()
	}
	/** @param {PointerEvent} event whole microseconds */
	time(event) {
		const { from, to } = this.data
		const x = event.clientX - this.canvas.getBoundingClientRect().left
		const share = Math.min(1, Math.max(0, x / this.width()))
		return Math.round(from + share * (to - from))
	}
	/** @param {PointerEvent} event */
	press(event) {
		if (event.button) return
		this.pressed = this.time(event)
		this.plot.setPointerCapture(event.pointerId)
	}
	/** @param {PointerEvent} event */
	move(event) {
		const time = this.time(event)
		if (this.pressed !== null && Math.abs(this.x(time) - this.x(this.pressed)) > 3) {
			this.from = Math.min(time, this.pressed)
			this.to = Math.max(time, this.pressed)
			this.draw()
		}
		this.host.tip(this.describe(event, time), event.clientX, event.clientY)
	}
	/** @param {PointerEvent} event @param {number} time */
	describe(event, time) {
		const { rows, cells, count, from, to } = this.data
		const y = event.clientY - this.canvas.getBoundingClientRect().top
		const row = Math.floor((y - AXIS) / ROW)
		if (this.pressed !== null && this.from !== -Infinity) {
			return [`${moment(this.from)} to ${moment(this.to)}`, `${moment(this.to - this.from)} long`]
		}
		if (row < 0 || row >= rows.length) return [moment(time)]
		const cell = Math.min(count - 1, Math.floor(((time - from) / (to - from || 1)) * count))
		return [brief(rows[row].label), `at ${moment(time)}: ${this.host.weight(cells[row * count + cell])}`]
	}
	/** @param {PointerEvent} event */
	release(event) {
		if (this.pressed === null) return
		const moved = Math.abs(this.x(this.time(event)) - this.x(this.pressed)) > 3
		this.pressed = null
		if (moved) this.host.selected(this.from, this.to)
	}
	/** @param {KeyboardEvent} event */
	keydown(event) {
		const { from, to } = this.data
		const step = Math.max(1, Math.round((to - from) / 100))
		let [first, last] = [Math.max(from, this.from), Math.min(to, this.to)]
		if (event.key === 'Escape') {
			[first, last] = [-Infinity, Infinity]
		} else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
			const by = event.key === 'ArrowRight' ? step : -step
			if (this.from === -Infinity) [first, last] = [from, from + Math.round((to - from) / 10)]
			else if (event.shiftKey) last = Math.max(first + step, Math.min(to, last + by))
			else if (first + by >= from && last + by <= to) [first, last] = [first + by, last + by]
		} else {
			return
		}
		event.preventDefault()
		this.host.selected(first, last)
		announce(first === -Infinity ? 'the whole time' : `${moment(first)} to ${moment(last)}`)
	}
}

// The rows of a strip as text: the weight of each row.
/** @param {StripData} data */
export function stripText(data) {
	return ['weight\trow', ...data.rows.map((row, at) => {
		let sum = 0
		for (let i = at * data.count; i < (at + 1) * data.count; i++) sum += data.cells[i]
		return `${sum}\t${brief(row.label)}`
	})].join('\n')
}
