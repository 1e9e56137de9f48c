// Copies of the build with a defect that only a bundle can have.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { folder } from '../support/orderctl.ts'

/** Changes dist/. */
export type Plant = (dist: string) => void

/** A copy of bin/ and dist/. */
export const copyBuild = (plant: Plant = () => {}) => {
  const copy = folder()
  for (const name of ['bin', 'dist']) cpSync(name, path.join(copy, name), { recursive: true })
  const dist = path.join(copy, 'dist')
  plant(dist)
  return { dist, program: [process.execPath, path.join(copy, 'bin/orderctl.cjs')] }
}

/** `main` or the name of a chunk. */
const fileOf = (dist: string, name: string): string => {
  const [file] = globSync(path.join(dist, name === 'main' ? 'main.cjs' : `${name}-????????.cjs`))
  if (file === undefined) throw new Error(`dist/ has no chunk ${name}`)
  return file
}

export const replaceIn =
  (name: string, pattern: RegExp, replacement: string): Plant =>
  (dist) => {
    const file = fileOf(dist, name)
    const code = readFileSync(file, 'utf8')
    if (!pattern.test(code)) throw new Error(`${file} does not contain ${pattern}`)
    writeFileSync(file, code.replace(pattern, replacement))
  }

export const remove =
  (name: string): Plant =>
  (dist) =>
    rmSync(fileOf(dist, name))

/** As rolldown exports a class whose module runs later. */
export const lateExport = replaceIn(
  'qr',
  /^"use strict";([\s\S]*)exports\.renderQr=renderQr/,
  '"use strict";var late;$1exports.renderQr=late,late=renderQr',
)

/** cli-table3 is loaded, but its module never runs. */
export const droppedModule: Plant = (dist) => {
  const file = path.join(dist, 'cli-table3.cjs')
  const code = readFileSync(file, 'utf8')
  const dropped = code.replace(/module\.exports=[\w$]+\(\);$/, 'module.exports={};')
  if (dropped === code) throw new Error(`${file} does not end with its module`)
  writeFileSync(file, dropped)
}
