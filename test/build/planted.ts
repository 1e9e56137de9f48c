// Copies of the build with a defect that only a bundle can have.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { folder } from '../support/orderctl.ts'

/** Changes dist/. */
export type Plant = (dist: string) => void

/** A copy of dist/, changed. */
export const copyBuild = (plant: Plant = () => {}): string => {
  const dist = path.join(folder(), 'dist')
  cpSync('dist', dist, { recursive: true })
  plant(dist)
  return dist
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
