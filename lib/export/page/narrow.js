// SPDX-License-Identifier: MIT
// Boxes that are too narrow for a name: those beside each other that look alike are drawn as one. There can be 100,000.

/** Wider boxes are drawn by themselves. */
export const NARROW = 2
/** A box is at least this wide, in pixels. */
export const NARROWEST = 0.5

/** @typedef {{x: number, end: number, y: number, colour: string, alpha: number}} Box */

export class NarrowBoxes {
	/** @param {CanvasRenderingContext2D} context @param {number} height of boxes */
	constructor(context, height) {
		this.context = context
		this.height = height
		/** @type {Box[]} the last one of each row, which may grow */
		this.last = []
	}
	// Boxes of a row are added from the left to the right.
	/**
	 * @param {number} row
	 * @param {number} x
	 * @param {number} end
	 * @param {number} y
	 * @param {string} colour
	 * @param {number} alpha
	 */
	add(row, x, end, y, colour, alpha) {
		const last = this.last[row]
		if (last && last.colour === colour && last.alpha === alpha && x - last.end < 0.01) {
			last.end = end
			return
		}
		if (last) this.draw(last)
		this.last[row] = { x, end, y, colour, alpha }
	}
	/** @param {Box} box */
	draw({ x, end, y, colour, alpha }) {
		const { context } = this
		context.globalAlpha = alpha
		context.fillStyle = colour
		context.fillRect(x, y, Math.max(NARROWEST, end - x), this.height)
	}
	/** Draws those that are left. */
	finish() {
		for (const box of this.last) if (box) this.draw(box)
		this.last = []
		this.context.globalAlpha = 1
	}
}
