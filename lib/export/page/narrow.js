// SPDX-License-Identifier: MIT
// Boxes that are too narrow for a name. There can be 100,000, more than a browser fills one by one in the time of a
// picture: what they cover is added up by pixel, and each row is drawn at once.

/** Wider boxes are drawn by themselves. */
export const NARROW = 2
/** A box is at least this wide, in pixels. */
export const NARROWEST = 0.5

/** @typedef {{x: number, end: number, y: number, colour: string, alpha: number}} Box */

/** Red, green, blue and how much of the pixel is covered. */
const PARTS = 4
const MOST_COLOURS = 4096

/** @type {Map<string, number[]>} */
const colours = new Map()

// Red, green and blue of a CSS colour, each at most 255: a canvas gives back what it was set to as #rrggbb.
/** @param {CanvasRenderingContext2D} context @param {string} colour */
function rgbOf(context, colour) {
	const known = colours.get(colour)
	if (known) return known
	if (colours.size >= MOST_COLOURS) colours.clear()
	context.fillStyle = colour
	const number = parseInt(String(context.fillStyle).slice(1), 16)
	const made = [number >> 16, (number >> 8) & 255, number & 255]
	colours.set(colour, made)
	return made
}

export class NarrowBoxes {
	/** @param {CanvasRenderingContext2D} context @param {number} height of boxes */
	constructor(context, height) {
		this.context = context
		this.height = height
		/** Pixels of the screen for one of the page. */
		this.ratio = context.getTransform().a
		this.width = context.canvas.width
		/** @type {{y: number, sums: Float32Array}[]} */
		this.rows = []
		/** The last colour: neighbours have the same one. */
		this.colour = ''
		this.rgb = [0, 0, 0]
	}
	/**
	 * @param {number} row
	 * @param {number} x
	 * @param {number} end
	 * @param {number} y
	 * @param {string} colour
	 * @param {number} alpha
	 */
	add(row, x, end, y, colour, alpha) {
		const { sums } = this.rows[row] ||= { y, sums: new Float32Array(PARTS * this.width) }
		if (colour !== this.colour) {
			this.colour = colour
			this.rgb = rgbOf(this.context, colour)
		}
		const { rgb } = this
		const from = x * this.ratio
		const to = Math.min(this.width, Math.max(end, x + NARROWEST) * this.ratio)
		for (let pixel = Math.floor(from); pixel < to; pixel++) {
			const covered = alpha * (Math.min(to, pixel + 1) - Math.max(from, pixel))
			const at = PARTS * pixel
			sums[at] += rgb[0] * covered
			sums[at + 1] += rgb[1] * covered
			sums[at + 2] += rgb[2] * covered
			sums[at + 3] += covered
		}
	}
	/** @param {Box} box */
	draw({ x, end, y, colour, alpha }) {
		const { context } = this
		context.globalAlpha = alpha
		context.fillStyle = colour
		context.fillRect(x, y, Math.max(NARROWEST, end - x), this.height)
	}
	/** Draws what was added: a picture of one pixel in height for each row, each drawn as high as boxes are. */
	finish() {
		const { context, width } = this
		const rows = this.rows.filter(Boolean)
		if (!rows.length) return
		const picture = document.createElement('canvas')
		picture.width = width
		picture.height = rows.length
		const into = /** @type {CanvasRenderingContext2D} */ (picture.getContext('2d'))
		const pixels = into.createImageData(width, rows.length)
		rows.forEach(({ sums }, i) => fillPixels(sums, pixels.data, i * PARTS * width))
		into.putImageData(pixels, 0, 0)
		context.globalAlpha = 1
		context.imageSmoothingEnabled = false
		rows.forEach(({ y }, i) => context.drawImage(picture, 0, i, width, 1, 0, y, width / this.ratio, this.height))
		this.rows = []
	}
}

/** @param {Float32Array} sums @param {Uint8ClampedArray} into @param {number} at */
function fillPixels(sums, into, at) {
	for (let i = 0; i < sums.length; i += PARTS) {
		const covered = sums[i + 3]
		if (!covered) continue
		into[at + i] = sums[i] / covered
		into[at + i + 1] = sums[i + 1] / covered
		into[at + i + 2] = sums[i + 2] / covered
		into[at + i + 3] = 255 * covered
	}
}
