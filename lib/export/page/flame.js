// SPDX-License-Identifier: MIT
// A flame graph on a canvas: drawing, search, mouse and keyboard. Frames narrower than half a pixel are
// left out. The canvas is as high as what is seen of it; the element around it scrolls.
import { theme } from './colour.js'
import { announce, el, sized } from './dom.js'
import { FITTED, fitting } from './fitting.js'
import { NARROW, NARROWEST, NarrowBoxes } from './narrow.js'
import { childrenOf } from './tree.js'
import { plain } from './words.js'

/** @typedef {import('./tree.js').Tree} Tree */

/**
 * @typedef {object} FlameHost what the flame graph asks of the page
 * @property {(tree: Tree, node: number) => string} label
 * @property {(tree: Tree, node: number, isNarrow: boolean) => string} paint neighbours that are narrow should look alike
 * @property {(tree: Tree, node: number) => string} [sign] before the label
 * @property {(tree: Tree, node: number) => string[]} describe lines of the tooltip
 * @property {(node: number) => void} zoomed
 * @property {(node: number) => void} selected
 * @property {(key: string, node: number) => boolean} key whether it did something
 * @property {(lines: string[]|null, x: number, y: number) => void} tip
 */

const ROW = 20

/**
 * The top of a row in the canvas.
 * @param {FlameGraph} graph
 * @param {number} depth
 * @param {number} scrolled
 * @param {number} height
 */
function rowTop(graph, depth, scrolled, height) {
	const row = graph.upwards ? graph.depth - 1 - depth : depth
	// Few rows of an upward graph are at the bottom.
	const lift = graph.upwards ? Math.max(0, height - graph.depth * ROW) : 0
	return row * ROW - scrolled + lift
}

/** Draws frames. */
class Brush {
	/** @param {FlameGraph} graph @param {Tree} tree @param {CanvasRenderingContext2D} context @param {number} height */
	constructor(graph, tree, context, height) {
		this.graph = graph
		this.tree = tree
		this.context = context
		this.height = height
		this.colours = theme()
		this.scrolled = graph.element.scrollTop
		/** The depth of the last row that is seen. */
		this.deepest = 0
		while (this.deepest < graph.depth && this.isSeen(rowTop(graph, this.deepest + 1, this.scrolled, height))) this.deepest++
		this.narrow = new NarrowBoxes(context, ROW - 1)
	}
	// Whether a row is in sight, or will be in rows after it.
	/** @param {number} y */
	isSeen(y) {
		return this.graph.upwards ? y > -ROW : y < this.height
	}
	/**
	 * @param {number} node
	 * @param {number} x
	 * @param {number} end
	 * @param {boolean} above whether it contains the zoomed frame
	 */
	frame(node, x, end, above) {
		const { tree, graph } = this
		const depth = tree.depth[node]
		const y = rowTop(graph, depth, this.scrolled, this.height)
		if (y < -ROW || y > this.height) return
		const frame = tree.frame[node]
		const matched = graph.matched !== null && frame >= 0 && graph.matched[frame] === 1
		const colour = matched ? this.colours.matched : graph.host.paint(tree, node, end - x <= NARROW)
		const alpha = above ? 0.55 : graph.matched && !matched ? 0.42 : 1
		if (end - x <= NARROW) this.narrow.add(depth, x, end, y, colour, alpha)
		else this.wide(node, { x, end: end - 1, y, colour, alpha }, above || (graph.matched !== null && !matched), matched)
	}
	/**
	 * @param {number} node
	 * @param {import('./narrow.js').Box} box
	 * @param {boolean} pale
	 * @param {boolean} matched
	 */
	wide(node, box, pale, matched) {
		const { graph, tree, context } = this
		this.narrow.draw(box)
		const room = Math.floor((box.end - box.x - 8) / graph.charWidth)
		if (room < 3) return
		const sign = graph.host.sign ? graph.host.sign(tree, node) : ''
		const text = sign + fitting(plain(graph.host.label(tree, node).slice(0, FITTED)), room - sign.length)
		context.globalAlpha = pale ? 0.75 : 1
		context.fillStyle = matched ? '#1c2126' : this.colours.text
		context.fillText(text, box.x + 4, box.y + ROW / 2)
		context.globalAlpha = 1
	}
	finish() {
		this.narrow.finish()
	}
}

export class FlameGraph {
	/**
	 * @param {string} name for screen readers
	 * @param {FlameHost} host
	 */
	constructor(name, host) {
		this.host = host
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas'))
		this.marks = /** @type {HTMLCanvasElement} */ (el('canvas.marks'))
		this.space = el('div.flame-space', {}, el('div.flame-layers', {}, this.canvas, this.marks))
		this.element = el('div.flame', {
			tabindex: 0, role: 'application', 'aria-label': name, 'aria-roledescription': 'flame graph',
			'aria-describedby': 'flame-help',
			onscroll: () => this.redraw(), onmousemove: (/** @type {MouseEvent} */ e) => this.hover(e),
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
		this.depth = 0
		this.least = 0
		this.charWidth = 0
		/** What the last picture depends on. */
		this.drawn = ''
		const observer = new ResizeObserver(() => this.redraw())
		observer.observe(this.element)
		observer.observe(this.space)
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
	// The children of a node that are wide enough to be drawn, the widest first.
	/** @param {number} node */
	childrenOf(node) {
		let children = this.children.get(node)
		if (!children && this.tree) {
			children = childrenOf(this.tree, node, this.least)
			this.children.set(node, children)
		}
		return children || []
	}
	/** The width of the narrowest frame that is drawn. */
	renewLeast() {
		const least = this.tree ? (this.tree.width[this.zoom] * NARROWEST) / this.width() : 0
		if (least !== this.least) this.children.clear()
		this.least = least
	}
	width() {
		return Math.max(50, this.element.clientWidth)
	}
	/** Levels that are drawn below the zoomed frame. */
	levels() {
		const tree = this.tree
		if (!tree) return 0
		const { least } = this
		let deepest = 0
		for (let i = this.zoom; i < tree.end[this.zoom];) {
			if (tree.width[i] < least || !tree.width[i]) {
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
		this.renewLeast()
		this.depth = this.levels()
		this.space.style.height = `${this.depth * ROW}px`
		const base = this.tree ? this.tree.depth[this.zoom] : 0
		const first = Math.max(0, base - 3) * ROW
		this.element.scrollTop = this.upwards ? this.depth * ROW - this.element.clientHeight - first : first
		this.draw()
	}
	/** The place that the picture is drawn for. */
	place() {
		const { clientWidth, clientHeight, scrollTop } = this.element
		return [clientWidth, clientHeight, scrollTop, this.depth, devicePixelRatio].join(' ')
	}
	/** After its place may have changed: a layout that was drawn already is not drawn again. */
	redraw() {
		if (this.place() !== this.drawn) this.draw()
	}
	/** All frames, and then the marks on them. */
	draw() {
		const tree = this.tree
		const height = this.element.clientHeight
		if (!tree || !height) return
		this.drawn = this.place()
		this.renewLeast()
		const width = this.width()
		const context = sized(this.canvas, width, height)
		context.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace'
		context.textBaseline = 'middle'
		this.charWidth ||= context.measureText('mmmmmmmmmm').width / 10
		const brush = new Brush(this, tree, context, height)
		for (const node of this.pathTo(this.zoom)) brush.frame(node, 0, width, true)
		this.drawBelow(brush, width)
		brush.finish()
		this.mark()
	}
	// The frames above a node, the root first.
	/** @param {number} node */
	pathTo(node) {
		const path = []
		const { parent } = /** @type {Tree} */ (this.tree)
		for (let i = parent[node]; i >= 0; i = parent[i]) path.push(i)
		return path.reverse()
	}
	/** @param {Brush} brush @param {number} width */
	drawBelow(brush, width) {
		const tree = /** @type {Tree} */ (this.tree)
		const scale = width / (tree.width[this.zoom] || 1)
		const nodes = [this.zoom]
		const lefts = [0]
		while (nodes.length) {
			const at = /** @type {number} */ (nodes.pop())
			const left = /** @type {number} */ (lefts.pop())
			brush.frame(at, left, left + tree.width[at] * scale, false)
			if (tree.depth[at] >= brush.deepest) continue
			const children = this.childrenOf(at)
			let next = left
			for (const child of children) next += tree.width[child] * scale
			// From the right to the left, so that they are taken from the left to the right.
			for (let i = children.length; i--;) {
				next -= tree.width[children[i]] * scale
				nodes.push(children[i])
				lefts.push(next)
			}
		}
	}
	/** Frames around the hovered and the selected frame, on a canvas of their own. */
	mark() {
		const tree = this.tree
		const height = this.element.clientHeight
		if (!tree || !height) return
		const context = sized(this.marks, this.width(), height)
		for (const node of new Set([this.hovered, this.cursor])) {
			const place = node < 0 ? null : this.placeOf(node)
			if (!place) continue
			context.strokeStyle = theme().text
			context.lineWidth = node === this.cursor ? 2 : 1
			context.strokeRect(place.x + 1, this.top(tree.depth[node]) + 1, Math.max(1, place.end - place.x - 3), ROW - 3)
		}
	}
	// Where a frame is drawn; null if it is not.
	/** @param {number} node */
	placeOf(node) {
		const tree = /** @type {Tree} */ (this.tree)
		const width = this.width()
		if (tree.depth[node] < tree.depth[this.zoom] || node === this.zoom) {
			return this.zoom >= node && this.zoom < tree.end[node] ? { x: 0, end: width } : null
		}
		if (node < this.zoom || node >= tree.end[this.zoom]) return null
		const scale = width / (tree.width[this.zoom] || 1)
		let x = 0
		for (let at = node; at !== this.zoom; at = tree.parent[at]) {
			for (const child of this.childrenOf(tree.parent[at])) {
				if (child === at) break
				x += tree.width[child] * scale
			}
		}
		const wide = tree.width[node] * scale
		return wide < NARROWEST ? null : { x, end: x + wide }
	}
	// The top of a row in the canvas.
	/** @param {number} depth */
	top(depth) {
		const { scrollTop, clientHeight } = this.element
		return rowTop(this, depth, scrollTop, clientHeight)
	}
	// The frame in a row at a place of the canvas, -1 for none.
	/** @param {number} depth @param {number} x */
	inRow(depth, x) {
		const tree = /** @type {Tree} */ (this.tree)
		const base = tree.depth[this.zoom]
		if (depth < base) return this.pathTo(this.zoom)[depth] ?? -1
		const scale = this.width() / (tree.width[this.zoom] || 1)
		let node = this.zoom
		let left = 0
		while (tree.depth[node] < depth) {
			const child = this.childrenOf(node).find(of => {
				const end = left + tree.width[of] * scale
				if (x < end) return true
				left = end
				return false
			})
			if (child === undefined) return -1
			node = child
		}
		return node
	}
	// The frame at a place of the window, -1 for none.
	/** @param {MouseEvent} event */
	at(event) {
		const box = this.canvas.getBoundingClientRect()
		const x = event.clientX - box.left
		const y = event.clientY - box.top
		for (let depth = 0; depth < this.depth; depth++) {
			const top = this.top(depth)
			if (y >= top && y < top + ROW) return this.tree ? this.inRow(depth, x) : -1
		}
		return -1
	}
	/** @param {MouseEvent} event */
	hover(event) {
		const node = this.at(event)
		if (node !== this.hovered) {
			this.hovered = node
			this.mark()
		}
		const tree = this.tree
		this.host.tip(node < 0 || !tree ? null : this.host.describe(tree, node), event.clientX, event.clientY)
	}
	leave() {
		this.hovered = -1
		this.host.tip(null, 0, 0)
		this.mark()
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
		// What is around the graph first: it may change the size of what is drawn.
		this.host.zoomed(node)
		this.layout()
	}
	/** @param {number} node */
	select(node) {
		const tree = this.tree
		if (node < 0 || !tree) return
		this.cursor = node
		const top = this.top(tree.depth[node])
		if (top < 0) this.element.scrollTop += top - ROW
		if (top > this.element.clientHeight - ROW) this.element.scrollTop += top - this.element.clientHeight + 2 * ROW
		this.mark()
		this.host.selected(node)
		announce(this.host.describe(tree, node).join(', '))
	}
	// The frame beside another one.
	/** @param {number} node @param {number} step */
	beside(node, step) {
		const tree = /** @type {Tree} */ (this.tree)
		if (node <= 0) return -1
		const siblings = childrenOf(tree, tree.parent[node])
		return siblings[siblings.indexOf(node) + step] ?? -1
	}
	// Where an arrow leads; -1 for nowhere.
	/** @param {string} key @param {number} at */
	neighbour(key, at) {
		const inwards = this.upwards ? 'ArrowUp' : 'ArrowDown'
		const outwards = this.upwards ? 'ArrowDown' : 'ArrowUp'
		if (key === inwards) return childrenOf(/** @type {Tree} */ (this.tree), at)[0] ?? -1
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
 * The rows of a flame graph as text: depth, samples, weight, self, name; and the same of the event that is shown beside.
 * @param {Tree} tree
 * @param {(tree: Tree, node: number) => string} label
 */
export function flameText(tree, label) {
	const { other } = tree
	const rows = ['depth\tsamples\ttotal\tself\tname' + (other ? '\tother samples\tother total\tother self' : '')]
	const waiting = [0]
	while (waiting.length) {
		const node = /** @type {number} */ (waiting.pop())
		rows.push([tree.depth[node], tree.totalSamples[node], tree.total[node], tree.self[node], plain(label(tree, node)),
			...(other ? [other.totalSamples[node], other.total[node], other.self[node]] : [])].join('\t'))
		waiting.push(...childrenOf(tree, node).reverse())
	}
	return rows.join('\n')
}
