// SPDX-License-Identifier: MIT
// Elements of the page. Text is always set as text: nothing here parses HTML.

/**
 * @typedef {string|number|Node|null|undefined|false} Child
 * @typedef {Record<string, any>} Props
 */

/** @param {Child[]} children */
function childNodes(children) {
	return children.filter(child => child || child === 0)
		.map(child => child instanceof Node ? child : String(child))
}

/**
 * An element. Props are attributes; 'on…' are listeners, 'text' is its text.
 * @param {string} tag with classes after dots
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
	const [name, ...classes] = tag.split('.')
	const element = document.createElement(name)
	if (classes.length) element.className = classes.join(' ')
	for (const [key, value] of Object.entries(props)) {
		if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
		else if (key === 'text') element.textContent = value
		else if (value === true) element.setAttribute(key, '')
		else if (value !== false && value != null) element.setAttribute(key, String(value))
	}
	element.append(...childNodes(children))
	return element
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
	const element = document.getElementById(id)
	if (!element) throw new Error(`the page lacks '${id}'`)
	return element
}

/** @param {Element} parent @param {...Child} children */
export function fill(parent, ...children) {
	parent.replaceChildren(...childNodes(children))
	return parent
}

// Has a screen reader say a text.
/** @param {string} text */
export function announce(text) {
	byId('live').textContent = text
}

/** @type {number|undefined} */
let toastTimer

// A message that disappears after two seconds.
/** @param {string} text */
export function toast(text) {
	const element = byId('toast')
	element.textContent = text
	element.classList.add('shown')
	clearTimeout(toastTimer)
	toastTimer = setTimeout(() => element.classList.remove('shown'), 1800)
	announce(text)
}

/** @param {string} text */
function copyBySelection(text) {
	const area = /** @type {HTMLTextAreaElement} */ (el('textarea.offscreen', {}))
	area.value = text
	document.body.append(area)
	area.select()
	document.execCommand('copy')
	area.remove()
}

/** @param {string} text @param {string} what */
export async function copy(text, what) {
	try {
		await navigator.clipboard.writeText(text)
	} catch {
		copyBySelection(text)
	}
	toast(`${what} copied`)
}

/**
 * A canvas as large as its element in pixels of the screen.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function sized(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1
	const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w
		canvas.height = h
		canvas.style.width = `${width}px`
		canvas.style.height = `${height}px`
	}
	const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
	context.setTransform(ratio, 0, 0, ratio, 0, 0)
	context.clearRect(0, 0, width, height)
	context.direction = 'ltr'
	return context
}

// After the next picture.
/** @returns {Promise<void>} */
export function nextPicture() {
	return new Promise(done => {
		// Safari cannot say when it is idle.
		requestAnimationFrame(() => 'requestIdleCallback' in window ? requestIdleCallback(() => done(), { timeout: 100 }) : setTimeout(done))
		setTimeout(done, 100) // a page in the background has no pictures
	})
}

// A text whose words that begin with a hyphen, options, are not broken after it.
/** @param {string} text @returns {Child[]} */
export function unbroken(text) {
	return text.split(/(?<=\s)(-\S+)/).map(part => part.startsWith('-') ? el('span.nowrap', { text: part }) : part)
}

/** @param {string|number} a @param {string|number} b */
export function byOrder(a, b) {
	return a < b ? -1 : a > b ? 1 : 0
}
