// SPDX-License-Identifier: MIT
// What speedscope makes of a text of `script`: node speedscope.js PACKAGE FILE prints JSON.
//
// The package holds the page only, as one program. Its importer is the function that turns
// "[unknown]" into question marks; it is reached by a statement put behind it, and what comes after
// that, which wants a browser, may fail.
const fs = require('fs')
const path = require('path')
const vm = require('vm')

const [folder, file] = process.argv.slice(2)
const release = path.join(folder, 'dist', 'release')
const program = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name))
const code = fs.readFileSync(path.join(release, program), 'utf8')
const mark = code.indexOf('==="[unknown]"?')
const importer = [...code.slice(0, mark).matchAll(/function (\w+)\(\w+\)\{/g)].pop()
const ready = /var (\w+)=\w+\(\(\)=>\{"use strict";[^{}]*\}\);/g
ready.lastIndex = mark
const made = mark < 0 ? null : ready.exec(code)
if (!importer || !made) {
  console.error(`no importer of perf's text in ${program}`)
  process.exit(1)
}
const at = made.index + made[0].length
const world = { console: { assert() {}, log() {}, warn() {}, error() {} } }
world.window = world.self = world.globalThis = world
try {
  vm.runInNewContext(
    `${code.slice(0, at)}globalThis.read=text=>(${made[1]}(),${importer[1]}(text));${code.slice(at)}`,
    world)
} catch (e) {
  if (!world.read) throw e
}

function frames(profile) {
  const found = []
  profile.forEachFrame(frame => {
    found.push([frame.name, frame.file || '', frame.getSelfWeight(), frame.getTotalWeight()])
  })
  return found.sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
}

function calls(profile) {
  const found = []
  profile.forEachCall(
    (node, time) => found.push([node.frame.name, time]),
    (node, time) => found.push([null, time]))
  return found
}

const text = fs.readFileSync(file, 'utf8')
const group = world.read({ splitLines: () => text.split('\n') })
const profiles = group ? group.profiles : []
console.log(JSON.stringify(profiles.map(profile => ({
  name: profile.getName(),
  weight: profile.getTotalWeight(),
  frames: frames(profile),
  calls: calls(profile),
}))))
