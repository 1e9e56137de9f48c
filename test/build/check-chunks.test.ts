// build/check-chunks.ts finds defects that only a bundle can have.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '../support/orderctl.ts'

/** Changes dist/. */
type Plant = (dist: string) => void

const fileOf = (dist: string, name: string): string => {
  const [file] = globSync(path.join(dist, `${name}-????????.cjs`))
  if (file === undefined) throw new Error(`dist/ has no chunk ${name}`)
  return file
}

const replaceIn =
  (name: string, pattern: RegExp, replacement: string): Plant =>
  (dist) => {
    const file = fileOf(dist, name)
    const code = readFileSync(file, 'utf8')
    if (!pattern.test(code)) throw new Error(`${file} does not contain ${pattern}`)
    writeFileSync(file, code.replace(pattern, replacement))
  }

const remove =
  (name: string): Plant =>
  (dist) =>
    rmSync(fileOf(dist, name))

/** What the check prints about a copy of dist/, without the hashes in names. */
const check = (plant: Plant = () => {}) => {
  const dist = path.join(folder(), 'dist')
  cpSync('dist', dist, { recursive: true })
  plant(dist)
  const words = ['build/check-chunks.ts', dist]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  return { status, stderr: stderr.replaceAll(/-[\w-]{8}\.cjs/g, '.cjs') }
}

test('the chunks of this build are complete', () => {
  expect(check()).toEqual({ status: 0, stderr: '' })
})

describe('the check of a build finds', () => {
  test.each<[string, Plant, RegExp]>([
    [
      // As rolldown exports a class whose module runs later.
      'an export before its value exists',
      replaceIn(
        'qr',
        /^"use strict";([\s\S]*)exports\.renderQr=renderQr/,
        '"use strict";var late;$1exports.renderQr=late,late=renderQr',
      ),
      /^qr\.cjs: its export renderQr is undefined$/m,
    ],
    [
      'an export that cannot be read yet',
      replaceIn('qr', /^"use strict";/, '"use strict";exports.late=late;const late=1;'),
      /^qr\.cjs: qr\.cjs cannot be loaded: Cannot access 'late' before initialization$/m,
    ],
    [
      'a chunk that is missing on a lazy path',
      remove('qr'),
      /^redeem-run\.cjs: qr\.cjs cannot be loaded: Cannot find module/m,
    ],
    [
      'an export that a lazy path reads, and that its chunk has not',
      replaceIn('plan', /exports\.planBatch=/, 'exports.plan='),
      /^batch-spec\.cjs: plan\.cjs does not export planBatch$/m,
    ],
    [
      'a lazy path in a form that the check cannot read',
      replaceIn('get-spec', /Promise\.resolve\(\)\.then\(\(/, 'new Promise(a=>a()).then(('),
      /^get-spec\.cjs: 1 lazy paths, but build\/check-chunks\.ts reads only 0$/m,
    ],
  ])('%s', (_what, plant, message) => {
    expect(check(plant)).toEqual({ status: 1, stderr: expect.stringMatching(message) })
  })
})
