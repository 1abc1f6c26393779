// SPDX-License-Identifier: MIT
// Call chains of one thread over time: equal frames of samples that follow each other are one box.
import { theme } from './colour.js'
import { el, sized } from './dom.js'
import { FITTED, fitting } from './fitting.js'
import { NARROW, NarrowBoxes } from './narrow.js'
import { eachSample } from './samples.js'
import { drawAxis } from './strip.js'
import { brief, moment, plain } from './words.js'

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./stacks.js').Filter} Filter */
/** @typedef {{from: number, to: number, depth: number, node: number}} Box */

/**
 * @typedef {object} ChartHost
 * @property {(frame: number, isNarrow: boolean) => string} paint
 * @property {(from: number, to: number) => void} selected
 * @property {(lines: string[]|null, x: number, y: number) => void} tip
 * @property {(of: number) => void} chosen a function
 */

const AXIS = 18
const ROW = 19
const MOST_ROWS = 20000

/**
 * Samples of a thread: where each begins and ends, and its node. A sample lasts until the next one, but
 * not longer than a few of them usually do: then the thread did not run.
 * @param {Profile} profile
 * @param {Filter} filter with a thread
 */
export function threadSamples(profile, filter) {
	/** @type {number[]} */
	const rows = []
	eachSample(profile, filter, i => rows.push(i))
	const gaps = []
	for (let i = 1; i < rows.length; i++) gaps.push(profile.time[rows[i]] - profile.time[rows[i - 1]])
	const usual = Float64Array.from(gaps).sort()[gaps.length >> 1] || 1000
	return rows.map((row, i) => {
		const from = profile.time[row]
		const next = i + 1 < rows.length ? profile.time[rows[i + 1]] - from : usual
		return { from, to: from + (next <= 2.5 * usual ? next : usual), node: profile.stackNode[profile.stack[row]] }
	})
}

/**
 * Boxes of a range of time. A sample that ends less than @least after the last one that is drawn is skipped.
 * @param {Profile} profile
 * @param {{from: number, to: number, node: number}[]} samples
 * @param {number} from
 * @param {number} to
 * @param {number} least
 * @returns {Box[]}
 */
export function boxesOf(profile, samples, from, to, least) {
	/** @type {Box[]} */
	const done = []
	/** @type {Box[]} */
	let open = []
	let last = -Infinity
	for (const sample of samples) {
		if (sample.to < from || sample.from >= to) continue
		if (sample.to < last + least) continue
		const path = []
		for (let i = sample.node; i > 0; i = profile.nodeParent[i]) path.push(i)
		path.reverse()
		let same = 0
		const joined = open.length > 0 && sample.from - open[0].to <= least
		while (joined && same < open.length && same < path.length && open[same].node === path[same]) {
			open[same++].to = sample.to
		}
		done.push(...open.slice(same))
		open = open.slice(0, same)
		for (let depth = same; depth < path.length; depth++) {
			open.push({ from: sample.from, to: sample.to, depth, node: path[depth] })
		}
		last = sample.to
	}
	return done.concat(open)
}

export class FlameChart {
	/** @param {Profile} profile @param {ChartHost} host */
	constructor(profile, host) {
		this.profile = profile
		this.host = host
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas'))
		this.space = el('div.flame-space', {}, this.canvas)
		this.element = el('div.flame.chart', {
			tabindex: 0, role: 'application', 'aria-label': 'Call chains over time',
			'aria-roledescription': 'flame chart', 'aria-describedby': 'strip-help',
			onscroll: () => this.draw(),
			onpointerdown: (/** @type {PointerEvent} */ e) => this.press(e),
			onpointermove: (/** @type {PointerEvent} */ e) => this.move(e),
			onpointerup: (/** @type {PointerEvent} */ e) => this.release(e),
			onpointerleave: () => this.host.tip(null, 0, 0),
			onwheel: (/** @type {WheelEvent} */ e) => this.wheel(e),
			ondblclick: () => this.host.selected(-Infinity, Infinity),
			onkeydown: (/** @type {KeyboardEvent} */ e) => this.keydown(e),
		}, this.space)
		/** @type {{from: number, to: number, node: number}[]} */
		this.samples = []
		this.from = 0
		this.to = 1
		/** @type {Box[]} */
		this.boxes = []
		/** @type {Uint8Array|null} */
		this.matched = null
		/** @type {{time: number, at: number}|null} */
		this.pressed = null
		this.dragged = 0
		new ResizeObserver(() => this.draw()).observe(this.element)
	}
	/** @param {{from: number, to: number, node: number}[]} samples @param {number} from @param {number} to */
	setSamples(samples, from, to) {
		this.samples = samples
		this.from = from
		this.to = Math.max(to, from + 1)
		this.draw()
	}
	/** @param {Uint8Array|null} matched by frame */
	setSearch(matched) {
		this.matched = matched
		this.draw()
	}
	width() {
		return Math.max(50, this.element.clientWidth)
	}
	draw() {
		const height = this.element.clientHeight
		if (!height) return
		const width = this.width()
		const scale = width / (this.to - this.from)
		this.boxes = boxesOf(this.profile, this.samples, this.from, this.to, 0.5 / scale)
		const deepest = this.boxes.reduce((most, box) => Math.max(most, box.depth), 0)
		this.space.style.height = `${AXIS + (deepest + 1) * ROW}px`
		const context = sized(this.canvas, width, height)
		context.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace'
		context.textBaseline = 'middle'
		const charWidth = context.measureText('mmmmmmmmmm').width / 10
		const scrolled = this.element.scrollTop
		const narrow = new NarrowBoxes(context, ROW - 1)
		for (const box of this.boxes) this.drawBox(context, box, { scale, charWidth, width, height, scrolled, narrow })
		narrow.finish()
		context.fillStyle = theme().ground
		context.fillRect(0, 0, width, AXIS)
		drawAxis(context, { x: 0, y: 0, width, from: this.from, to: this.to, below: AXIS })
		if (this.pressed && this.dragged) this.drawDrag(context, height)
	}
	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {Box} box
	 * @param {{scale: number, charWidth: number, width: number, height: number, scrolled: number, narrow: NarrowBoxes}} place
	 */
	drawBox(context, box, { scale, charWidth, width, height, scrolled, narrow }) {
		const { profile } = this
		const y = AXIS + box.depth * ROW - scrolled
		if (y < 0 || y > height) return
		const x = Math.max(0, (box.from - this.from) * scale)
		const end = Math.min(width, (box.to - this.from) * scale)
		const isNarrow = end - x <= NARROW
		const frame = profile.nodeFrame[box.node]
		const colours = theme()
		const matched = this.matched && this.matched[frame]
		const alpha = this.matched && !matched ? 0.42 : 1
		const colour = matched ? colours.matched : this.host.paint(frame, isNarrow)
		if (isNarrow) {
			narrow.add(box.depth, x, end, y, colour, alpha)
			return
		}
		narrow.draw({ x, end: end - 1, y, colour, alpha })
		const room = Math.floor((end - x - 9) / charWidth)
		context.globalAlpha = 1
		if (room < 3) return
		context.fillStyle = matched ? '#1c2126' : colours.text
		context.fillText(fitting(plain(profile.names[profile.frameFunction[frame]].slice(0, FITTED)), room), x + 4, y + ROW / 2)
	}
	/** @param {CanvasRenderingContext2D} context @param {number} height */
	drawDrag(context, height) {
		const scale = this.width() / (this.to - this.from)
		const from = (/** @type {{time: number}} */ (this.pressed).time - this.from) * scale
		context.globalAlpha = 0.25
		context.fillStyle = theme().accent
		context.fillRect(Math.min(from, from + this.dragged * scale), 0, Math.abs(this.dragged * scale), height)
		context.globalAlpha = 1
	}
	/** @param {MouseEvent} event */
	time(event) {
		const x = event.clientX - this.canvas.getBoundingClientRect().left
		return Math.round(this.from + (Math.min(Math.max(0, x), this.width()) / this.width()) * (this.to - this.from))
	}
	/** @param {MouseEvent} event */
	boxAt(event) {
		const y = event.clientY - this.canvas.getBoundingClientRect().top
		const depth = Math.floor((y - AXIS + this.element.scrollTop) / ROW)
		const time = this.time(event)
		return y < AXIS ? undefined : this.boxes.find(box => box.depth === depth && box.from <= time && time < box.to)
	}
	/** @param {PointerEvent} event */
	press(event) {
		if (event.button) return
		this.pressed = { time: this.time(event), at: event.clientX }
		this.dragged = 0
		this.element.setPointerCapture(event.pointerId)
	}
	/** @param {PointerEvent} event */
	move(event) {
		if (this.pressed && Math.abs(event.clientX - this.pressed.at) > 3) {
			this.dragged = this.time(event) - this.pressed.time
			this.draw()
		}
		const box = this.boxAt(event)
		this.host.tip(box ? this.describe(box) : null, event.clientX, event.clientY)
	}
	/** @param {Box} box */
	describe(box) {
		const { profile } = this
		const of = profile.frameFunction[profile.nodeFrame[box.node]]
		const library = profile.libraries[profile.library[of]]
		return [brief(profile.names[of]), library ? brief(library.name) : '',
			`${moment(box.from)}, ${((box.to - box.from) / 1000).toFixed(2)} ms in samples that follow each other`]
	}
	/** @param {PointerEvent} event */
	release(event) {
		const pressed = this.pressed
		this.pressed = null
		if (pressed && this.dragged) {
			const other = pressed.time + this.dragged
			this.dragged = 0
			this.host.selected(Math.min(pressed.time, other), Math.max(pressed.time, other))
			return
		}
		const box = this.boxAt(event)
		if (box) this.host.chosen(this.profile.frameFunction[this.profile.nodeFrame[box.node]])
	}
	// Zooms around a time.
	/** @param {number} by @param {number} time */
	zoom(by, time) {
		const from = Math.round(time - (time - this.from) * by)
		const to = Math.round(time + (this.to - time) * by)
		if (to - from > 10) this.host.selected(from, to)
	}
	/** @param {WheelEvent} event */
	wheel(event) {
		if (!event.ctrlKey) return
		event.preventDefault()
		this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.time(event))
	}
	/** @param {KeyboardEvent} event */
	keydown(event) {
		const middle = (this.from + this.to) / 2
		const step = Math.round((this.to - this.from) / 5)
		if (event.key === '+') this.zoom(0.5, middle)
		else if (event.key === '-') this.zoom(2, middle)
		else if (event.key === 'ArrowLeft') this.host.selected(this.from - step, this.to - step)
		else if (event.key === 'ArrowRight') this.host.selected(this.from + step, this.to + step)
		else if (event.key === 'Escape') this.host.selected(-Infinity, Infinity)
		else return
		event.preventDefault()
	}
}

/**
 * The boxes as text.
 * @param {Profile} profile
 * @param {{from: number, to: number, node: number}[]} samples
 */
export function chartText(profile, samples) {
	const boxes = boxesOf(profile, samples, -Infinity, Infinity, 0.5)
		.sort((a, b) => a.from - b.from || a.depth - b.depth)
	const rows = boxes.slice(0, MOST_ROWS).map(box => [box.from, box.to - box.from, box.depth + 1,
		plain(profile.names[profile.frameFunction[profile.nodeFrame[box.node]]])].join('\t'))
	return ['start_us\tlength_us\tdepth\tname', ...rows,
		...(boxes.length > MOST_ROWS ? [`${boxes.length - MOST_ROWS} more`] : [])].join('\n')
}
