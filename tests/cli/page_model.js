// SPDX-License-Identifier: MIT
// What the script of a page (pfx export html) makes of its data, without a browser: its parts but the
// last, which needs one. usage: node page_model.js PAGE [NAME...] < states
// Reads a list of states, prints for each the total, the rows of the table, and the stacks of the flame graph;
// and names as they are written where 44 characters fit.
'use strict'
const fs = require('fs')

function partsOf(page) {
	const script = /<script type="module">([^]*)<\/script>/.exec(page)[1]
	const parts = script.slice(0, script.indexOf('const page_main ='))
	return new Function(parts + 'return {...page_columns, ...page_profile, ...page_app, ...page_table_view, ...page_fitting}')()
}

// The element of data, as a browser has it.
function elementOf(page) {
	const [, packed, text] = /<script id="data" type="application\/json"( data-packed="gzip")?>([^<]*)</.exec(page)
	return { textContent: text, dataset: packed ? { packed: 'gzip' } : {} }
}

function stacksOf(app) {
	const tree = app.shownTree()
	const paths = ['']
	const stacks = []
	const more = tree.other ? tree.other.selfSamples : tree.selfSamples
	for (let i = 1; i < tree.count; i++) {
		paths[i] = [paths[tree.parent[i]], app.label(tree, i)].filter(Boolean).join(';')
		if (tree.selfSamples[i] || more[i]) {
			stacks.push([paths[i], tree.self[i], tree.selfSamples[i], ...(tree.other ? [tree.other.self[i], more[i]] : [])])
		}
	}
	return stacks
}

// Of a comparison: the change of the self of each function in words.
function changesOf(app) {
	if (!app.isDiff()) return null
	return Object.fromEntries(functionRowsOf(app).map(row => [app.profile.names[row.of], app.changeText(row.other.change)]))
}

// Of a comparison: whether changes are beyond noise (null: not known), and the half of the interval.
function noiseOf(app) {
	if (!app.isDiff()) return null
	const found = ({ isKnown, isClear, half }) => [isKnown ? isClear : null, half]
	const tree = app.shownTree()
	const paths = ['']
	for (let i = 1; i < tree.count; i++) paths[i] = [paths[tree.parent[i]], app.label(tree, i)].filter(Boolean).join(';')
	return {
		functions: Object.fromEntries(functionRowsOf(app).map(({ of, other }) =>
			[app.profile.names[of], [...found(other.change), ...found(other.totalChange)]])),
		nodes: Object.fromEntries(paths.map((path, i) => [path, found(app.pair().ofNode(tree, i))])),
	}
}

let functionRowsOf

async function main() {
	const page = fs.readFileSync(process.argv[2], 'utf8')
	const { App, fitting, functionRows, readData, readProfile } = partsOf(page)
	functionRowsOf = functionRows
	const app = new App(readProfile(await readData(elementOf(page))))
	const start = app.state
	const shown = JSON.parse(fs.readFileSync(0, 'utf8')).map(state => {
		app.state = { ...start, ...state }
		// As if there were so many.
		if (state.nodes) app.profile.nodeCount = state.nodes
		return {
			totals: app.pair() && app.pair().totals, changes: changesOf(app), noise: noiseOf(app),
			event: app.profile.events[app.state.event].name, total: app.total(), stacks: stacksOf(app),
			rows: functionRows(app).map(row => [app.profile.names[row.of], row.self, row.total, row.samples,
				...(row.other ? [row.other.self, row.other.total, row.other.samples] : [])]),
		}
	})
	const { profile } = app
	process.stdout.write(JSON.stringify({
		events: profile.events.map(of => of.name), tids: profile.threads.map(of => of.tid), cpus: profile.cpus,
		comms: profile.tasks.map(of => of.name), shown,
		fitting: process.argv.slice(3).map(name => fitting(name, 44)),
	}))
}

main()
