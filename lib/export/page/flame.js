// SPDX-License-Identifier: MIT
// A flame graph on a canvas: drawing, search, mouse and keyboard. Frames narrower than half a pixel are
// left out. The canvas is as high as what is seen of it; the element around it scrolls.
import { theme } from './colour.js'
import { announce, el, sized } from './dom.js'
import { childrenOf } from './tree.js'
import { fitting, plain } from './words.js'

/** @typedef {import('./tree.js').Tree} Tree */

/**
 * @typedef {object} FlameHost what the flame graph asks of the page
 * @property {(tree: Tree, node: number) => string} label
 * @property {(frame: number) => string} paint
 * @property {(tree: Tree, node: number) => string[]} describe lines of the tooltip
 * @property {(node: number) => void} zoomed
 * @property {(node: number) => void} selected
 * @property {(key: string, node: number) => boolean} key whether it did something
 * @property {(lines: string[]|null, x: number, y: number) => void} tip
 */

const ROW = 20
const NARROWEST = 0.5

export class FlameGraph {
	/**
	 * @param {string} name for screen readers
	 * @param {FlameHost} host
	 */
	constructor(name, host) {
		this.host = host
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas'))
		this.space = el('div.flame-space', {}, this.canvas)
		this.element = el('div.flame', {
			tabindex: 0, role: 'application', 'aria-label': name, 'aria-roledescription': 'flame graph',
			'aria-describedby': 'flame-help',
			onscroll: () => this.draw(), onmousemove: (/** @type {MouseEvent} */ e) => this.hover(e),
			onmouseleave: () => this.leave(), onclick: (/** @type {MouseEvent} */ e) => this.click(e),
			ondblclick: () => this.zoomTo(0),
			onkeydown: (/** @type {KeyboardEvent} */ e) => this.keydown(e),
		}, this.space)
		/** @type {Tree|null} */
		this.tree = null
		this.zoom = 0
		this.cursor = -1
		this.hovered = -1
		this.upwards = false
		/** @type {Uint8Array|null} */
		this.matched = null
		/** @type {Map<number, number[]>} */
		this.children = new Map()
		/** @type {{x: number, end: number, node: number}[][]} */
		this.rows = []
		this.depth = 0
		this.charWidth = 0
		new ResizeObserver(() => this.draw()).observe(this.element)
	}
	/** @param {Tree} tree @param {number} zoom */
	setTree(tree, zoom) {
		if (tree !== this.tree) {
			this.tree = tree
			this.children.clear()
			this.cursor = -1
		}
		this.zoom = zoom
		this.hovered = -1
		this.layout()
	}
	// Marks frames; null marks none.
	/** @param {Uint8Array|null} matched by frame */
	setSearch(matched) {
		this.matched = matched
		this.draw()
	}
	/** @param {boolean} upwards the root is at the bottom */
	setUpwards(upwards) {
		this.upwards = upwards
		this.layout()
	}
	/** @param {number} node */
	childrenOf(node) {
		let children = this.children.get(node)
		if (!children && this.tree) {
			children = childrenOf(this.tree, node)
			this.children.set(node, children)
		}
		return children || []
	}
	width() {
		return Math.max(50, this.element.clientWidth)
	}
	/** Levels that are drawn below the zoomed frame. */
	levels() {
		const tree = this.tree
		if (!tree) return 0
		const least = (tree.total[this.zoom] * NARROWEST) / this.width()
		let deepest = 0
		for (let i = this.zoom; i < tree.end[this.zoom];) {
			if (tree.total[i] < least || !tree.total[i]) {
				i = tree.end[i]
				continue
			}
			deepest = Math.max(deepest, tree.depth[i])
			i++
		}
		return deepest + 1
	}
	/** The height of all rows, and where the view starts. */
	layout() {
		this.depth = this.levels()
		this.space.style.height = `${this.depth * ROW}px`
		const base = this.tree ? this.tree.depth[this.zoom] : 0
		const first = Math.max(0, base - 3) * ROW
		this.element.scrollTop = this.upwards ? this.depth * ROW - this.element.clientHeight - first : first
		this.draw()
	}
	draw() {
		const tree = this.tree
		const height = this.element.clientHeight
		if (!tree || !height) return
		const width = this.width()
		const context = sized(this.canvas, width, height)
		context.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace'
		context.textBaseline = 'middle'
		this.charWidth = context.measureText('mmmmmmmmmm').width / 10
		this.rows = []
		const path = []
		for (let i = this.zoom; i >= 0; i = tree.parent[i]) path.push(i)
		for (const node of path.slice(1).reverse()) this.drawFrame(context, node, 0, width, true)
		this.drawBelow(context, this.zoom, 0, width)
	}
	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {number} node
	 * @param {number} x
	 * @param {number} width
	 */
	drawBelow(context, node, x, width) {
		const tree = /** @type {Tree} */ (this.tree)
		const scale = width / (tree.total[node] || 1)
		/** @type {[number, number][]} */
		const waiting = [[node, x]]
		while (waiting.length) {
			const [at, left] = /** @type {[number, number]} */ (waiting.pop())
			this.drawFrame(context, at, left, left + tree.total[at] * scale, false)
			let next = left
			for (const child of this.childrenOf(at)) {
				const wide = tree.total[child] * scale
				if (wide < NARROWEST) break
				waiting.push([child, next])
				next += wide
			}
		}
	}
	// The top of a row in the canvas.
	/** @param {number} depth */
	top(depth) {
		const row = this.upwards ? this.depth - 1 - depth : depth
		// Few rows of an upward graph are at the bottom.
		const lift = this.upwards ? Math.max(0, this.element.clientHeight - this.depth * ROW) : 0
		return row * ROW - this.element.scrollTop + lift
	}
	/**
	 * @param {CanvasRenderingContext2D} context
	 * @param {number} node
	 * @param {number} x
	 * @param {number} end
	 * @param {boolean} above whether it contains the zoomed frame
	 */
	drawFrame(context, node, x, end, above) {
		const tree = /** @type {Tree} */ (this.tree)
		const depth = tree.depth[node]
		const y = this.top(depth)
		if (y < -ROW || y > this.element.clientHeight) return
		;(this.rows[depth] ||= []).push({ x, end, node })
		const colours = theme()
		const frame = tree.frame[node]
		const matched = this.matched && frame >= 0 && this.matched[frame]
		const wide = Math.max(NARROWEST, end - x - (end - x > 2 ? 1 : 0))
		context.globalAlpha = above ? 0.55 : this.matched && !matched ? 0.42 : 1
		context.fillStyle = matched ? colours.matched : this.host.paint(frame)
		context.fillRect(x, y, wide, ROW - 1)
		if (node === this.cursor || node === this.hovered) {
			context.globalAlpha = 1
			context.strokeStyle = colours.text
			context.lineWidth = node === this.cursor ? 2 : 1
			context.strokeRect(x + 1, y + 1, Math.max(1, wide - 2), ROW - 3)
		}
		const room = Math.floor((wide - 8) / this.charWidth)
		if (room < 3) return
		const text = fitting(plain(this.host.label(tree, node).slice(0, 2000)), room)
		context.globalAlpha = above || (this.matched && !matched) ? 0.75 : 1
		context.fillStyle = matched ? '#1c2126' : colours.text
		context.fillText(text, x + 4, y + ROW / 2)
		context.globalAlpha = 1
	}
	// The frame at a place of the window, -1 for none.
	/** @param {MouseEvent} event */
	at(event) {
		const box = this.canvas.getBoundingClientRect()
		const x = event.clientX - box.left
		const y = event.clientY - box.top
		for (let depth = 0; depth < this.rows.length; depth++) {
			const top = this.top(depth)
			if (!this.rows[depth] || y < top || y >= top + ROW) continue
			for (const row of this.rows[depth]) if (x >= row.x && x < row.end) return row.node
		}
		return -1
	}
	/** @param {MouseEvent} event */
	hover(event) {
		const node = this.at(event)
		if (node !== this.hovered) {
			this.hovered = node
			this.draw()
		}
		const tree = this.tree
		this.host.tip(node < 0 || !tree ? null : this.host.describe(tree, node), event.clientX, event.clientY)
	}
	leave() {
		this.hovered = -1
		this.host.tip(null, 0, 0)
		this.draw()
	}
	/** @param {MouseEvent} event */
	click(event) {
		const node = this.at(event)
		if (node < 0) return
		this.cursor = node
		this.host.selected(node)
		this.zoomTo(node)
	}
	/** @param {number} node */
	zoomTo(node) {
		this.zoom = node
		this.layout()
		this.host.zoomed(node)
	}
	/** @param {number} node */
	select(node) {
		const tree = this.tree
		if (node < 0 || !tree) return
		this.cursor = node
		const top = this.top(tree.depth[node])
		if (top < 0) this.element.scrollTop += top - ROW
		if (top > this.element.clientHeight - ROW) this.element.scrollTop += top - this.element.clientHeight + 2 * ROW
		this.draw()
		this.host.selected(node)
		announce(this.host.describe(tree, node).join(', '))
	}
	// The frame beside another one.
	/** @param {number} node @param {number} step */
	beside(node, step) {
		const tree = /** @type {Tree} */ (this.tree)
		if (node <= 0) return -1
		const siblings = this.childrenOf(tree.parent[node])
		return siblings[siblings.indexOf(node) + step] ?? -1
	}
	// Where an arrow leads; -1 for nowhere.
	/** @param {string} key @param {number} at */
	neighbour(key, at) {
		const inwards = this.upwards ? 'ArrowUp' : 'ArrowDown'
		const outwards = this.upwards ? 'ArrowDown' : 'ArrowUp'
		if (key === inwards) return this.childrenOf(at)[0] ?? -1
		if (key === outwards) return /** @type {Tree} */ (this.tree).parent[at]
		if (key === 'ArrowLeft') return this.beside(at, -1)
		if (key === 'ArrowRight') return this.beside(at, 1)
		return -1
	}
	/** @param {KeyboardEvent} event */
	keydown(event) {
		if (!this.tree || event.ctrlKey || event.metaKey || event.altKey) return
		const at = this.cursor < 0 ? this.zoom : this.cursor
		const { key } = event
		if (key.startsWith('Arrow')) {
			this.select(this.cursor < 0 ? this.zoom : this.neighbour(key, at))
		} else if (key === 'Enter') {
			this.zoomTo(at)
		} else if (key === 'Backspace') {
			this.zoomTo(Math.max(0, this.tree.parent[this.zoom]))
		} else if (key === 'Escape' && this.zoom) {
			this.zoomTo(0)
		} else if (!this.host.key(key, at)) {
			return
		}
		event.preventDefault()
		event.stopPropagation()
	}
}

/**
 * The rows of a flame graph as text: depth, samples, weight, self, name.
 * @param {Tree} tree
 * @param {(tree: Tree, node: number) => string} label
 */
export function flameText(tree, label) {
	const rows = ['depth\tsamples\ttotal\tself\tname']
	const waiting = [0]
	while (waiting.length) {
		const node = /** @type {number} */ (waiting.pop())
		rows.push([tree.depth[node], tree.totalSamples[node], tree.total[node], tree.self[node],
			plain(label(tree, node))].join('\t'))
		waiting.push(...childrenOf(tree, node).reverse())
	}
	return rows.join('\n')
}

