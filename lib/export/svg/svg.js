// SPDX-License-Identifier: MIT
// What can be done with the SVG: search, zoom, the facts of a frame, keys. The picture is complete without it.
// fitting() is that of lib/export/page/fitting.js, which scripts/join_page puts before this.
// A frame is an element svg.f with its place in percent of the graph, its name and its facts in its title.
const NS = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml'
const ROW = 18, CHAR = 7.23, TINY = 0.00003
const root = document.documentElement
const byClass = name => root.querySelector('.' + name)
const plot = byClass('plot'), head = byClass('head'), facts = byClass('facts'), title = byClass('title')
const firstFacts = facts.textContent, wholeTitle = root.querySelector('title').textContent

/** Everything that is read from the file, once. */
const frames = [...root.querySelectorAll('.f')].map((element, at) => {
	const lines = element.querySelector('title').textContent.split('\n')
	return {
		at, element, graph: element.parentNode, box: element.querySelector('rect'), text: element.querySelector('text'),
		x: parseFloat(element.getAttribute('x')), width: parseFloat(element.getAttribute('width')),
		y: parseFloat(element.getAttribute('y')), name: lines[0], sign: element.dataset.sign || '', facts: lines.slice(1).join(', '),
	}
})
let zoomed = null, current = null, pattern = ''

const within = (frame, outer) => frame.graph === outer.graph &&
	frame.x >= outer.x - TINY && frame.x + frame.width <= outer.x + outer.width + TINY

function fit(frame, share) {
	const room = Math.floor((share / 100 * plot.width.baseVal.value - 7) / CHAR)
	let label = ''
	if (room >= 3) label = frame.sign + fitting(frame.name, room - frame.sign.length)
	if (!frame.text && label) {
		frame.text = frame.element.appendChild(document.createElementNS(NS, 'text'))
		frame.text.setAttribute('x', 4)
		frame.text.setAttribute('y', 13)
	}
	if (frame.text && frame.text.textContent !== label) frame.text.textContent = label
}

/** Gives each frame its place, and its name as far as there is room. */
function draw() {
	const outer = zoomed
	for (const frame of frames) {
		let x = frame.x, width = frame.width, shown = true, above = false
		if (outer && frame.graph === outer.graph) {
			above = frame.y < outer.y && within(outer, frame)
			shown = above || (frame.y >= outer.y && within(frame, outer))
			x = above ? 0 : (frame.x - outer.x) / outer.width * 100
			width = above ? 100 : frame.width / outer.width * 100
		}
		frame.element.style.display = shown ? '' : 'none'
		if (!shown) continue
		frame.element.setAttribute('x', Math.max(0, x) + '%')
		frame.element.setAttribute('width', Math.min(100, width) + '%')
		frame.box.classList.toggle('out', above)
		fit(frame, width)
	}
	reset.hidden = !zoomed && !pattern
}

/** The share of the frames that match, each part of the picture counted once. */
function matchedShare(found) {
	const outer = zoomed
	let total = 0
	for (const graph of new Set(frames.map(frame => frame.graph))) {
		let end = -1
		const inside = found.filter(frame => frame.graph === graph && (!outer || outer.graph !== graph || within(frame, outer)))
		inside.sort((a, b) => a.x - b.x || b.width - a.width)
		for (const frame of inside) {
			if (frame.x + TINY < end) continue
			total += frame.width
			end = frame.x + frame.width
		}
	}
	return total / (outer ? outer.width : 100 * graphs.length) * 100
}

function search() {
	let expression = null
	try {
		expression = pattern ? new RegExp(pattern) : null
		field.removeAttribute('aria-invalid')
	} catch {
		field.setAttribute('aria-invalid', 'true')
	}
	const found = expression ? frames.filter(frame => expression.test(frame.name)) : []
	for (const frame of frames) frame.box.classList.remove('found')
	for (const frame of found) frame.box.classList.add('found')
	matched.textContent = expression ? `${matchedShare(found).toFixed(2)} % matches` : ''
}

function show(frame) {
	if (current) current.element.classList.remove('at')
	current = frame
	if (frame) frame.element.classList.add('at')
	facts.textContent = frame ? `${frame.name}, ${frame.facts}` : firstFacts
}

/** The address holds what is shown: it can be reloaded, and handed on. */
function keep() {
	const state = new URLSearchParams()
	if (zoomed) state.set('zoom', zoomed.at)
	if (pattern) state.set('search', pattern)
	try { history.replaceState(null, '', '#' + state) } catch { /* files of some browsers have no history */ }
}

function update() {
	draw()
	search()
	keep()
}

function zoom(frame) {
	zoomed = frame && frame.width < 100 - TINY ? frame : null
	update()
}

/** The frame that a key leads to, of those that are shown. */
function neighbour(key) {
	const shown = frames.filter(frame => frame.element.style.display !== 'none')
	if (!current) return shown[0]
	const graph = shown.filter(frame => frame.graph === current.graph)
	const middle = current.x + current.width / 2
	if (key === 'ArrowUp') return graph.find(frame => frame.y === current.y - ROW && within(current, frame))
	if (key === 'ArrowDown') {
		return graph.filter(frame => frame.y === current.y + ROW && within(frame, current)).sort((a, b) => b.width - a.width)[0]
	}
	const row = graph.filter(frame => frame.y === current.y && (frame.x > middle) === (key === 'ArrowRight') && frame !== current)
	return row.sort((a, b) => Math.abs(a.x - middle) - Math.abs(b.x - middle))[0]
}

function onKey(event) {
	if (event.target === field) {
		if (event.key === 'Escape') field.blur()
		return
	}
	if (event.ctrlKey || event.metaKey || event.altKey) return
	if (event.key === '/') field.focus()
	else if (event.key === 'Escape') back()
	else if (event.key === 'Enter' && current) zoom(current)
	else if (event.key.startsWith('Arrow')) show(neighbour(event.key) || current)
	else return
	event.preventDefault()
}

function back() {
	if (zoomed) return zoom(null)
	pattern = field.value = ''
	update()
}

/** @returns {any} */
function html(name, attributes, parent) {
	const element = document.createElementNS(HTML, name)
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
	return parent.appendChild(element)
}

const place = head.appendChild(document.createElementNS(NS, 'foreignObject'))
place.setAttribute('height', 34)
const bar = html('div', { class: 'bar' }, place)
const reset = html('button', { type: 'button' }, bar)
const field = html('input', { placeholder: 'Search, a regular expression (/)', 'aria-label': 'Search' }, bar)
const matched = head.appendChild(document.createElementNS(NS, 'text'))
matched.setAttribute('class', 'note')
matched.setAttribute('text-anchor', 'end')
matched.setAttribute('y', 48)
const graphs = [...root.querySelectorAll('.graph')]
reset.textContent = 'Reset'

function resize() {
	const wide = Math.max(400, document.scrollingElement ? document.scrollingElement.clientWidth : innerWidth)
	root.setAttribute('width', wide)
	plot.setAttribute('width', wide - 20)
	const room = Math.min(360, wide - 20)
	place.setAttribute('x', wide - 10 - room)
	place.setAttribute('y', 6)
	place.setAttribute('width', room)
	matched.setAttribute('x', wide - 12)
	const letters = Math.max(8, Math.floor((wide - room - 30) / 9))
	title.textContent = wholeTitle.length > letters ? wholeTitle.slice(0, letters - 1) + '\u2026' : wholeTitle
	draw()
}

root.removeAttribute('viewBox')
const start = new URLSearchParams(location.hash.slice(1))
pattern = field.value = start.get('search') || ''
zoomed = frames[Number(start.get('zoom') || NaN)] || null
resize()
search()
addEventListener('resize', resize)
addEventListener('scroll', () => head.setAttribute('transform', `translate(0 ${scrollY})`))
addEventListener('keydown', onKey)
field.addEventListener('input', () => { pattern = field.value; update() })
reset.addEventListener('click', () => { pattern = field.value = ''; zoom(null) })
plot.addEventListener('click', event => {
	const of = event.target.closest('.f')
	if (of) zoom(frames.find(frame => frame.element === of))
})
plot.addEventListener('mousemove', event => {
	const of = event.target.closest('.f')
	if (of !== (current && current.element)) show(frames.find(frame => frame.element === of) || null)
})
plot.addEventListener('mouseleave', () => show(null))
